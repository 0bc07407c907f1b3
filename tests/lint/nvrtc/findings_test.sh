# The text of findings: the line of the other access, and advice that helps.
. tests/shell/check.bash
"$KGEN" --lint "$source_dir/tests/lint/cases/transpose.cu" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
# The text of a report on one line, since it is wrapped.
says() { holds "$1: $2" sh -c "tr -s ' \n' ' ' <stdout | grep -qE -- '$2'"; }
lacks() { holds "$1: not $2" sh -c "! tr -s ' \n' ' ' <stdout | grep -qE -- '$2'"; }

# --- a copy that was not waited for is at the line that issued it ---
cat >copy.cu <<'E2'
#include <cuda_pipeline.h>
__global__ void copy(const int *in, int *out) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
E2
expect 1 . --lint copy.cu --grid 1 --block 64 --arg buf:256 --arg buf:256
says "of another thread" 'race: reads shared byte 0x7c that thread \(31, 0, 0\) still copies by cp.async at line 4, no wait for the copy between'

# A copy that is waited for too late: what is missing is the wait, and no barrier at the copy.
cat >late.cu <<'E2'
#include <cuda_pipeline.h>
template <int bug> __global__ void late(const int *in, int *out, int n) {
  __shared__ int s[3][64];
  const int i = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 2; k++) {
    __pipeline_memcpy_async(&s[k][i], &in[64 * k + i], 4);
    __pipeline_commit();
  }
  for (int k = 0; k < n; k++) {
    __pipeline_wait_prior(bug == 1 ? 2 : 1);
    if (bug != 2) __syncthreads();
    if (k + 2 < n) __pipeline_memcpy_async(&s[(k + 2) % 3][i], &in[64 * (k + 2) + i], 4);
    if (bug != 3) __pipeline_commit();
    sum += s[k % 3][63 - i];
  }
  out[i] = sum;
}
E2
late() { expect "$1" . --lint late.cu --kernel "late<$2>" --grid 1 --block 64 --arg buf:2048 --arg buf:256 --arg i32:8; }
late 0 0
late 1 1; says "the wait" '15 sum \+= s\[k % 3\]\[63 - i\];.* no wait for the copy between: that at line 11 leaves it in flight'; lacks "nothing at the copies" 'no barrier between'
late 1 3; says "the commit" '15 sum .* at line 13, no cp.async.commit_group between it and the wait at line 11'
late 1 2; says "the barrier at the copy" '13 if \(k .* race: writes shared byte .* reads at line 15, no barrier between'

# --- __syncwarp() is the advice where lanes of one warp alone race ---
cat >sums.cu <<'E2'
template <int width> __global__ void turn(const int *in, int *out) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  s[i] = in[i];
  out[i] = s[i / width * width + width - 1 - i % width];
}
__global__ void in_memory(int *a) {
  const int i = threadIdx.x;
  a[64 + i] = i;
  a[i] = a[64 + (i ^ 1)];
}
__global__ void in_both(int *a) {
  const int i = threadIdx.x;
  a[64 + i] = i;
  a[i] = a[64 + (i ^ 1)] + a[64 + (i ^ 32)];
}
__global__ void count(const int *in, int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  if (in[threadIdx.x] >= 0) atomicAdd(&n, 1);
  out[threadIdx.x] = n;
}
E2
turn() { expect 1 . --lint sums.cu --kernel "turn<$1>" --grid 1 --block 64 --arg buf:256 --arg buf:256; }
turn 32; says "in each warp" 'race: reads shared byte .* no barrier between: lanes of one warp need __syncwarp\(\)'
turn 64; lacks "between warps" '__syncwarp'
# One instruction reads what its own warp wrote, and what another warp wrote.
cat >both.cu <<'E2'
__global__ void both(const int *in, int *out) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  s[i] = in[i];
  int sum = 0;
#pragma unroll 1
  for (int k = 1; k < 64; k *= 32) sum += s[i ^ k];
  out[i] = sum;
}
E2
expect 1 . --lint both.cu --grid 1 --block 64 --arg buf:256 --arg buf:256
says "the other warp is told" 'race: reads shared byte 0x[0-9a-f]+ that thread \(([0-9]|[12][0-9]|3[01]), 0, 0\) writes at line 4, no barrier between thread \((3[2-9]|[4-6][0-9]), 0, 0\) of block \(0, 0, 0\), the first of'
lacks "one barrier orders both" '__syncwarp'
expect 1 . --lint sums.cu --kernel in_memory --grid 1 --block 64 --arg buf:512
says "in global memory, too" 'race: reads byte .* no barrier between: lanes of one warp need __syncwarp'
expect 1 . --lint sums.cu --kernel in_both --grid 1 --block 64 --arg buf:512
lacks "one barrier for both loads of the line" '__syncwarp'
# A read records only the last atomic, which belongs to its own warp.
expect 1 . --lint sums.cu --kernel count --grid 1 --block 64 --arg buf:64xi32:zero --arg buf:256
says "the atomics of another warp" 'race: reads shared byte 0x0 that thread .* updates at line 21, no barrier between'
lacks "the atomic tells of a race between warps" '__syncwarp'
# The line that the message names comes first, also where its race takes the place of one within a warp.
cat >halves.cu <<'E2'
__global__ void halves(const int *in, int *out) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  if (i < 32) s[i] = in[i];
  __syncwarp();
  if (i >= 32) s[i] = in[i];
  int sum = 0;
#pragma unroll 1
  for (int k = 1; k < 64; k *= 32) sum += s[i ^ k];
  out[i] = sum;
}
E2
expect 1 . --lint halves.cu --grid 1 --block 64 --arg buf:256 --arg buf:256 --json
holds "the message's line first" python3 -c '
import json, re
races = [f for f in json.load(open("stdout"))["lint"]["findings"] if f["kind"] == "race"]
assert any(len(f["other_lines"]) > 1 for f in races), races
for f in races:
    assert int(re.search(r"at line (\d+)", f["message"]).group(1)) == f["other_lines"][0], f'

# --- code of a header: which line of it, of every finding and of the other side ---
mkdir folder
cat >folder/turn.h <<'E2'
template <int N> __device__ int turn(const int *in) {
  __shared__ int s[N];
  s[threadIdx.x] = in[threadIdx.x];
  return s[N - 1 - threadIdx.x];
}
E2
cat >header.cu <<'E2'
#include <turn.h>
__global__ void header(const int *in, int *out) {
  out[threadIdx.x] = turn<64>(in);
}
E2
header=(--lint header.cu --include folder --grid 1 --block 64 --arg buf:256 --arg buf:256)
expect 1 . "${header[@]}" --sarif header.sarif
says "of the write" 'code of turn.h:3 race: writes [^;]* the other side is code of turn.h:4'
says "of the read" 'code of turn.h:4 uninitialised: .* race: reads [^;]* the other side is code of turn.h:3'
says "of the line itself" 'code of turn.h:3 shared store [^;]* code of header.cu:3 global store'
holds "SARIF says what they are" python3 -c '
import json
r = [x for x in json.load(open("header.sarif"))["runs"][0]["results"] if "race: writes" in x["message"]["text"]][0]
at = [(p["message"]["text"], p["physicalLocation"]["artifactLocation"]["uri"].split("/")[-1],
       p["physicalLocation"]["region"]["startLine"]) for p in r["relatedLocations"]]
assert at == [("its code", "turn.h", 3), ("the other side", "header.cu", 3), ("code of the other side", "turn.h", 4)], at'
expect 1 . "${header[@]}" --json
holds "JSON" python3 -c '
import json
f = [f for f in json.load(open("stdout"))["lint"]["findings"] if f["message"].startswith("writes")][0]
assert [p["line"] for p in f["inlined"] + f["other_inlined"]] == [3, 4], f'
# --- a function of the file: the calls of both accesses, and of merged findings ---
cat >calls.cu <<'E2'
__device__ int sum(int v) {
  __shared__ int part[2];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  return part[0] + part[1];
}
__global__ void calls(const int *in, int *out) {
  int a = sum(in[threadIdx.x]);
  int b = sum(in[threadIdx.x + 64]);
  int c = sum(in[threadIdx.x + 128]);
  out[threadIdx.x] = a * b * c;
}
E2
calls=(--lint calls.cu --grid 1 --block 64 --arg buf:768 --arg buf:256)
expect 1 . "${calls[@]}"
says "of the write" 'called from calls.cu:9 and from calls.cu:10 race: writes [^;]* the other side is called from calls.cu:8'
expect 1 . "${calls[@]}" --json
holds "JSON" python3 -c '
import json
f = [f for f in json.load(open("stdout"))["lint"]["findings"] if f["message"].startswith("writes")][0]
assert [p["line"] for k in ("called_from", "also_called_from", "other_called_from") for p in f[k]] == [9, 10, 8], f'

# --- a name that the compilers write with escapes: its lines belong to the checked file ---
mkdir 'Zäune\303'
printf '__global__ void k(int *out) {\n  out[threadIdx.x + 1] = 1;\n}\n' >'Zäune\303/é.cu'
expect 1 '^      2  out\[threadIdx.x \+ 1\] = 1;$' --lint 'Zäune\303/é.cu' --grid 1 --block 32 --arg buf:128 --sarif name.sarif
holds "the URI" grep -q '"uri": "Z%C3%A4une%5C303/%C3%A9.cu"' name.sarif

# --- what the compiler joins from several lines has line 0 in PTX ---
cat >joined.cu <<'E2'
__global__ void joined(const int *in, int *out, int n) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  s[i] = in[i];
  if (in[i] > n)
    out[i] = s[63 - i];
  else
    out[i] = s[63 - i] + 3;
}
__global__ void stores(const int *in, int *out, int n) {
  __shared__ int s[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  if (n > 3)
    s[x][y] = in[x + y];
  else
    s[x][y] = -in[x + y];
  __syncthreads();
  out[32 * y + x] = s[y][x];
}
E2
expect 1 . --lint joined.cu --kernel joined --grid 1 --block 64 --arg buf:256 --arg buf:256 --arg i32:0
lacks "a line of the source" PTX
says "the loads" ' [68] (else )?out\[i\] = s\[63 - i\].* race: reads shared byte 0x7c that thread \(31, 0, 0\) writes at line 4'
expect 0 . --lint joined.cu --kernel stores --grid 1 --block 32,32 --arg buf:4096 --arg buf:4096 --arg i32:0
lacks "a line of the source" PTX
says "the stores" ' 1[3-6] [^;]*[;)] shared store 4-byte lanes, 32 times: 1024 wavefronts'

# --- lanes of one instruction: no barrier helps ---
cat >one.cu <<'CU'
__global__ void shared_cell(int *out) {
  __shared__ int s[1];
  s[0] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = s[0];
}
__global__ void cell(int *out) {
  out[0] = threadIdx.x;
}
CU
for kernel in shared_cell cell; do
  expect 1 . --lint one.cu --kernel $kernel --grid 1 --block 32 --arg buf:256
  says "$kernel, how" 'race: writes .* by the same instruction: which value stays is not defined'
  lacks "$kernel, no barrier" 'no barrier between'
done
verdict lint_findings
