# What a finding says: the other side's line, and the advice that helps.
. tests/shell/check.bash
"$KGEN" --lint "$source_dir/tests/lint/cases/transpose.cu" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
# The text of a report on one line, since it is wrapped.
says() { holds "$1: $2" sh -c "tr -s ' \n' ' ' <stdout | grep -qE -- '$2'"; }
lacks() { holds "$1: not $2" sh -c "! tr -s ' \n' ' ' <stdout | grep -qE -- '$2'"; }

# --- a copy that nobody has waited for is at the line that issued it ---
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
  a[i] = a[64 + (i ^ 1)] + a[64 + (i ^ 32)];
}
E2
turn() { expect 1 . --lint sums.cu --kernel "turn<$1>" --grid 1 --block 64 --arg buf:256 --arg buf:256; }
turn 32; says "in each warp" 'race: reads shared byte .* no barrier between: lanes of one warp need __syncwarp\(\)'
turn 64; lacks "between warps" '__syncwarp'
# Of one instruction that reads what its own warp wrote, and what another did.
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
verdict lint_findings
