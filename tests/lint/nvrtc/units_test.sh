# Fixes are in the source's own elements and dimensions; wmma gets a leading dimension.
. tests/shell/check.bash
cases=$source_dir/tests/lint/cases
"$KGEN" --lint "$cases/wmma_fix.cu" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
has() { holds "$1" sh -c "tr -s ' \n' ' ' <stdout | grep -qF -- '$1'"; }
lacks() { holds "not $1" sh -c "! tr -s ' \n' ' ' <stdout | grep -qF -- '$1'"; }

expect 0 . --lint "$cases/wmma_fix.cu" --grid 1 --block 32 --arg buf:8192 --arg buf:1024
has 'fix: t[64][72]: pad each row of 64 2-byte elements by 8: 320 -> 96 wavefronts, +1024 bytes; leading dimension 72'
lacks 'col ^'
sed 's/t\[64\]\[64\]/t[64][72]/; s/, 64); /, 72); /g' "$cases/wmma_fix.cu" >fixed.cu
expect 0 ' 0 of them conflicts' --lint fixed.cu --grid 1 --block 32 --arg buf:8192 --arg buf:1024

cat >half.cu <<'E2'
#include <cuda_fp16.h>
__global__ void rows(const uint4 *in, uint4 *out) {
  __shared__ __align__(128) __half t[64][64];
  const int i = threadIdx.x;
  for (int k = 0; k < 16; k++) *(uint4 *)&t[4 * k + i / 8][i % 8 * 8] = in[32 * k + i];
  __syncthreads();
  for (int k = 0; k < 8; k++) out[32 * k + i] = *(uint4 *)&t[i][8 * k];
}
__global__ void volume(const float *in, float *out) {
  __shared__ float t[10][34][32];
  const int i = threadIdx.x;
  for (int k = 0; k < 340; k++) t[k / 34][k % 34][i] = in[k * 32 + i];
  __syncthreads();
  float sum = 0;
  for (int z = 0; z < 10; z++)
    for (int x = 0; x < 32; x++) sum += t[z][i][x];
  out[i] = sum;
}
E2
expect 0 . --lint half.cu --kernel rows --grid 1 --block 32 --arg buf:8192 --arg buf:8192
has 't[row][col ^ (row & 7) * 8], rows of 64 2-byte elements'
has 't[64][72]: pad each row of 64 2-byte elements by 8'
has 'lanes are 128 bytes apart: all in one bank, each in another row'
expect 0 'lanes are 128 bytes apart' --lint half.cu --kernel rows --grid 1 --block 32 --arg buf:8192 --arg buf:8192 --markdown
expect 0 . --lint half.cu --kernel rows --grid 1 --block 32 --arg buf:8192 --arg buf:8192 --sarif rows.sarif
holds "in SARIF" grep -q 'lanes are 128 bytes apart' rows.sarif
sed 's/__half t\[64\]\[64\]/__half t[64][96]/' half.cu >wide.cu
expect 0 'lanes are 192 bytes apart: lane n and lane n \+ 2 share a bank' --lint wide.cu --kernel rows --grid 1 --block 32 --arg buf:8192 --arg buf:8192
expect 0 . --lint half.cu --kernel volume --grid 1 --block 32 --arg buf:65536 --arg buf:8192
has 't[10][34][33]: pad each row of 32 4-byte elements by 1'
sed 's/t\[10\]\[34\]\[32\]/t[10][34][33]/' half.cu >padded.cu
expect 0 ' 0 of them conflicts' --lint padded.cu --kernel volume --grid 1 --block 32 --arg buf:65536 --arg buf:8192
verdict units
