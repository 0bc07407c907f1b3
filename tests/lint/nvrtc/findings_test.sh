# What a finding says: the other side's line, and the advice that helps.
. tests/shell/check.bash
"$KGEN" --lint "$source_dir/tests/lint/cases/transpose.cu" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
# The text of a report on one line, since it is wrapped.
says() { holds "$1: $2" sh -c "tr -s ' \n' ' ' <stdout | grep -qE -- '$2'"; }

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

verdict lint_findings
