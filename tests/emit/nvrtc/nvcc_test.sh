# Every generated file compiles with nvcc without a warning; two kernels and two headers live in one
# program, which starts and gets an error code, not a crash, where there is no GPU.
set -euo pipefail
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "skipped: no nvcc"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$KGEN" -q -o "$out" >"$out/log"

one() { # a generated .cu compiles alone
  "$nvcc" -std=c++17 -arch=sm_90 -Werror all-warnings -c "$1" -o "$1.o" ||
    { echo "nvcc refuses $1"; exit 1; }
}
for file in "$out"/transpose_f32.cu "$out"/transpose_f32_64.cu "$out"/transpose_u8.cu \
            "$out"/transpose_c128.cu "$out"/copy_f32.cu; do
  one "$file"
done

cat >"$out/main.cu" <<'END'
#include <cstdio>
#include <cuda.h>
#include "fft512.h"
#include "epilogue_tma_f32.h"
#include "operand_f16_128x32.h"
#include "operand_wgmma_k_f16.h"
#include "operand_wgmma_mn_f16.h"
extern "C" cudaError_t transpose_f32_launch(float *, const float *, int, int, long long, long long,
                                            int, cudaStream_t);
extern "C" cudaError_t transpose_f32_64_launch(float *, const float *, int, int, long long,
                                               long long, int, cudaStream_t);
__global__ void offsets(int *out) {
  out[threadIdx.x] = fft512_offset(threadIdx.x) + operand_f16_128x32_offset(threadIdx.x, 0);
}
__global__ void descriptors(unsigned long long *out, unsigned tile) {
  out[0] = operand_wgmma_k_f16_descriptor_k(tile, 64, 16 * threadIdx.x);
  out[1] = operand_wgmma_mn_f16_descriptor_mn(tile, 1, 16 * threadIdx.x, 0);
}
/* Whether the driver makes the map and refuses rows that are no multiples of 16 bytes; where there is
 * no driver, whether both fail. */
bool makes_maps() {
  alignas(16) static char at[16];
  alignas(64) CUtensorMap map;
  const cudaError_t made = operand_wgmma_mn_f16_map(&map, at, 512, 1000, 1024);
  const cudaError_t refused = operand_wgmma_k_f16_map(&map, at, 512, 1000, 1023);
  if (made != cudaSuccess) return refused == made;
  return refused == cudaErrorInvalidValue && epilogue_tma_f32_map(&map, at, 1, 1, 4) == cudaSuccess;
}
int main() {
  if (!makes_maps()) return 1;
  static_assert(fft512_bytes >= 2048 && operand_f16_128x32_bytes >= 8192, "");
  float *none = nullptr;
  std::printf("%d %d\n", transpose_f32_launch(none, none, 0, 1, 1, 1, 1, nullptr) == cudaSuccess,
              transpose_f32_64_launch(none, none, 0, 1, 1, 1, 1, nullptr) == cudaSuccess);
}
END

# The modes of tensor maps that headers name are cuda.h's.
modes=$(sed -n 's/^ \* TMA: \(CU_TENSOR_MAP_SWIZZLE_[0-9]*B\).*/\1/p' "$out"/*.h | sort -u)
[ "$(echo "$modes" | wc -w)" -ge 2 ] || { echo "too few headers name a mode: $modes"; exit 1; }
for mode in $modes; do echo "static_assert($mode > CU_TENSOR_MAP_SWIZZLE_NONE, \"\");" >>"$out/main.cu"; done
"$nvcc" -std=c++17 -arch=sm_90a -I"$out" "$out/main.cu" "$out/transpose_f32.cu.o" \
  "$out/transpose_f32_64.cu.o" -o "$out/main"
[ "$("$out/main")" = "1 1" ] || { echo "the launchers refuse an empty matrix"; exit 1; }
echo "emit_nvcc_test: 5 kernels, 2 in one program, 5 headers"
