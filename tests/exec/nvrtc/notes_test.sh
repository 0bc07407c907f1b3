# Reports of --exec keep what --lint reports: notes, --strict, further places of a finding, remedies, contended words.
. tests/shell/check.bash
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
command -v nvcc >/dev/null || { echo "skipped: no nvcc"; exit 77; }
# A library with the sanitizers in it needs a program that has them.
! sanitized || { echo "skipped: built with sanitizers"; exit 77; }
cat >early.cu <<'CU'
__global__ void early(const int *in, int *out, int n) {
  __shared__ int s[128];
  if (threadIdx.x >= n) return;
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  atomicAdd(&s[0], 1);
  atomicAdd(&out[2], s[threadIdx.x] * 0 + 1);
}
__global__ void stuck(int *out) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");
  out[threadIdx.x] = 1;
}
int main(int count, char **) {
  int *in;
  cudaMalloc(&in, 512);
  cudaMemset(in, 0, 512);
  if (count == 1) early<<<1, 128>>>(in, in, 100);
  if (count == 1) early<<<1, 128>>>(in, in, 100);
  if (count > 1) stuck<<<1, 64>>>(in);
  cudaDeviceSynchronize();
  return cudaFree(in) != 0 && count == 1;
}
CU
nvcc -w -lineinfo -cudart shared -arch=sm_90 -o early early.cu || exit 1
holds "it is built" test -x early
said() { holds "$1: $(tail -n 20 stderr)" sh -c "cat stdout stderr | tr -s ' \n' ' ' | grep -qE -- '$1'"; }
lint() { holds "$1" python3 -c "import json; d=json.load(open('stdout'))['lint'][0]; assert $1, d"; }
"$KGEN" --exec --no-leaks -- ./early >stdout 2>stderr
said '28 of the block.s 128 threads have exited without reaching this barrier'
said 'same word: [0-9]* of these wavefronts, since up to 32 lanes update one word'
said '200 of 200 atomic updates of device memory go to one word'
said '[0-9] note'
"$KGEN" --exec --no-leaks --json -- ./early >stdout 2>stderr
lint '[(n["kind"], n["line"]) for n in d["notes"]] == [("barrier", 5)] and d["contended"][0]["updates"] == 200'
before=$(python3 -c "import json; print(sum(len(l['findings']) for l in json.load(open('stdout'))['lint']))")
"$KGEN" --exec --no-leaks --strict --json -- ./early >stdout 2>stderr
check "$([ $? = 1 ]; echo $?)" "--strict"
holds "one more finding" python3 -c "import json; d=json.load(open('stdout'))['lint']; assert sum(len(l['findings']) for l in d) == $before + 1 and not d[0]['notes'], d"
"$KGEN" --exec --no-leaks --json -- ./early x >stdout 2>stderr
lint '[w["text"] for w in d["findings"][0]["where"]] == ["warp 0 waits here at barrier 1", "warp 1 exited here"]'
verdict exec_notes
