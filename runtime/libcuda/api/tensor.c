/* SPDX-License-Identifier: MIT */
/* tensor.c: the API functions that encode tensor maps for TMA. */
#include "libcuda/state/call.h"

enum { BLACKWELL = 100, SWIZZLE_128_ATOM_32 = 4 };

static bool is_blackwell(void) {
  const Gpu *d = driver()->device;
  return d && gpu_number(d) >= BLACKWELL;
}

static int swizzle_bytes(int swizzle) {
  static const int bytes[] = {0, 32, 64, 128, 128};
  const int count = is_blackwell() ? SWIZZLE_128_ATOM_32 : SWIZZLE_128_ATOM_32 - 1;
  return swizzle >= 0 && swizzle <= count ? bytes[swizzle] : -1;
}

/* CUDA passes the strides of all dimensions except the innermost. */
static void copy_sizes(TensorMap *m, const uint64_t *dim, const uint64_t *stride,
                       const uint32_t *box, const uint32_t *step) {
  for (int i = 0; i < m->rank; i++) {
    m->dim[i] = dim[i];
    m->box[i] = box[i];
    m->step[i] = step[i];
    if (i) m->stride[i] = stride[i - 1];
  }
}

/* An error on an H200: types and swizzles that only Blackwell supports. */
static CUresult unknown_form(void) {
  return is_blackwell() ? api_missing("a tensor map of that form") : CUDA_ERROR_INVALID_VALUE;
}

static CUresult encode(void *out, TensorMap m, int interleave, const uint64_t *dim,
                       const uint64_t *stride, const uint32_t *box, const uint32_t *step) {
  if (!out || !dim || !box || !step || m.rank < 1 || m.rank > TENSOR_MAX_RANK ||
      (m.rank > 1 && !stride))
    return CUDA_ERROR_INVALID_VALUE;
  if (interleave < 0 || interleave > 2 || (interleave && m.rank < 3) || !step[0])
    return CUDA_ERROR_INVALID_VALUE;
  if (interleave) return api_missing("a tensor map with an interleave");
  if (m.swizzle < 0 || m.type >= TENSOR_TYPES) return unknown_form();
  copy_sizes(&m, dim, stride, box, step);
  return emu_tensor_map_encode(&m, out) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CU_API CUresult cuTensorMapEncodeTiled(void *out, int type, uint32_t rank, void *address,
                                       const uint64_t *dim, const uint64_t *stride,
                                       const uint32_t *box, const uint32_t *step, int interleave,
                                       int swizzle, int l2, int fill) {
  const TensorMap m = {.type = (TensorType)type,
                       .rank = (int)rank,
                       .swizzle = swizzle_bytes(swizzle),
                       .atom32 = swizzle == SWIZZLE_128_ATOM_32,
                       .fill_nan = fill != 0,
                       .address = (uint64_t)(uintptr_t)address};
  const bool known = l2 >= 0 && l2 <= 3 && (fill == 0 || fill == 1);
  SERVE(NEED_NOTHING,
        known ? encode(out, m, interleave, dim, stride, box, step) : CUDA_ERROR_INVALID_VALUE);
}

static CUresult replace(void *map, const void *address) {
  if (!map || !address) return CUDA_ERROR_INVALID_VALUE;
  const char *why = emu_tensor_map_replace(map, (uint64_t)(uintptr_t)address);
  return why ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CU_API CUresult cuTensorMapReplaceAddress(void *map, void *address) {
  SERVE(NEED_NOTHING, replace(map, address));
}
