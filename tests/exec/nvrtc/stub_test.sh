# The call of an instance of a template: nvcc puts two host functions between it and the runtime.
. tests/shell/check.bash
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
command -v nvcc >/dev/null || { echo "no nvcc"; exit 77; }
# A library with the sanitizers in it needs a program that has them.
! sanitized || { echo "skipped: built with sanitizers"; exit 77; }
cat >stub.cu <<'CU'
template <int N> __global__ void fill(int *out) {
  __shared__ int tile[32 * N];
  tile[threadIdx.x * N] = N;
  out[threadIdx.x] = tile[threadIdx.x * N];
}
int main() {
  int *out;
  cudaMalloc(&out, 128);
  fill<32><<<1, 32>>>(out);
  cudaFree(out);
}
CU
nvcc -g -lineinfo -arch=sm_90 stub.cu -o stub
expect 0 'conflicts, 0 findings' --exec -- ./stub
holds "the line of main: $(grep launched stderr)" grep -q 'launched from main at stub.cu:9$' stderr
verdict exec_stub
