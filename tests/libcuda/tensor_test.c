/* SPDX-License-Identifier: MIT */
/* A tensor map whose address is replaced is the map of the new address. Unsupported forms are
 * errors, as on an H200. */
#include <string.h>

#include "libcuda/cu.h"

CUresult cuTensorMapEncodeTiled(void *out, int type, uint32_t rank, void *address,
                                const uint64_t *dim, const uint64_t *stride, const uint32_t *box,
                                const uint32_t *step, int interleave, int swizzle, int l2,
                                int fill);
CUresult cuTensorMapReplaceAddress(void *map, void *address);

enum { MAP_BYTES = 128 };

static void encode(void *map, CUdeviceptr at) {
  enum { F16 = 6, SWIZZLE_128 = 3 };
  const uint64_t dim[] = {256, 128}, stride[] = {512};
  const uint32_t box[] = {64, 64}, step[] = {1, 1};
  CU(cuTensorMapEncodeTiled(map, F16, 2, (void *)(uintptr_t)at, dim, stride, box, step, 0,
                            SWIZZLE_128, 0, 0));
}

static void test_forms(CUdeviceptr at) {
  static const struct {
    int type, interleave, swizzle, l2, fill;
    uint32_t step;
    CUresult result;
  } row[] = {
      {6, 0, 3, 3, 1, 1, CUDA_SUCCESS},
      {99, 0, 3, 0, 0, 1, CUDA_ERROR_INVALID_VALUE},
      {13, 0, 3, 0, 0, 1, CUDA_ERROR_INVALID_VALUE},
      {6, 1, 3, 0, 0, 1, CUDA_ERROR_INVALID_VALUE}, /* a map of rank 2 */
      {6, 9, 3, 0, 0, 1, CUDA_ERROR_INVALID_VALUE},
      {6, 0, 4, 0, 0, 1, CUDA_ERROR_INVALID_VALUE},
      {6, 0, 3, 4, 0, 1, CUDA_ERROR_INVALID_VALUE},
      {6, 0, 3, 0, 2, 1, CUDA_ERROR_INVALID_VALUE},
      {6, 0, 3, 0, 0, 0, CUDA_ERROR_INVALID_VALUE},
  };
  _Alignas(64) char map[MAP_BYTES];
  const uint64_t dim[] = {256, 128}, stride[] = {512};
  const uint32_t box[] = {64, 64};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const uint32_t step[] = {row[i].step, 1};
    CU_FAILS(cuTensorMapEncodeTiled(map, row[i].type, 2, (void *)(uintptr_t)at, dim, stride, box,
                                    step, row[i].interleave, row[i].swizzle, row[i].l2,
                                    row[i].fill),
             row[i].result);
  }
}

int main(void) {
  _Alignas(64) char map[MAP_BYTES], want[MAP_BYTES], nothing[MAP_BYTES] = {0};
  CUdeviceptr at;
  cu_begin();
  CU(cuMemAlloc_v2(&at, 1 << 17));
  encode(map, at);
  encode(want, at + 256);
  CU(cuTensorMapReplaceAddress(map, (void *)(uintptr_t)(at + 256)));
  CHECK(memcmp(map, want, MAP_BYTES) == 0, "the maps differ");
  CU_FAILS(cuTensorMapReplaceAddress(map, (void *)(uintptr_t)(at + 8)), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuTensorMapReplaceAddress(nothing, (void *)(uintptr_t)at), CUDA_ERROR_INVALID_VALUE);
  CHECK(memcmp(map, want, MAP_BYTES) == 0, "what is refused changes the map");
  test_forms(at);
  CU(cuMemFree_v2(at));
  return check_report("libcuda_tensor");
}
