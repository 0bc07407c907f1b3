#include "emu/memory/tensor.h"

#include <string.h>

#define MAGIC UINT64_C(0x70616d2d6e65676b) /* "kgen-map" */

/* A map with its fields as narrow as they may be; dimensions less one, since 2^32 is one. */
typedef struct {
  uint64_t magic, address;
  uint64_t stride[TENSOR_MAX_RANK - 1];
  uint32_t last[TENSOR_MAX_RANK];
  uint16_t box[TENSOR_MAX_RANK];
  uint8_t step[TENSOR_MAX_RANK];
  uint8_t type, rank, swizzle, fill_nan;
  uint8_t zero[TENSOR_MAP_BYTES - 89];
} Packed;

const char *emu_tensor_map_encode(const TensorMap *m, void *out) {
  const char *why = tensor_map_refusal(m);
  if (why) return why;
  Packed p = {.magic = MAGIC, .address = m->address};
  p.type = (uint8_t)m->type;
  p.rank = (uint8_t)m->rank;
  p.swizzle = (uint8_t)m->swizzle;
  p.fill_nan = m->fill_nan;
  for (int i = 0; i < m->rank; i++) {
    if (i) p.stride[i - 1] = m->stride[i];
    p.last[i] = (uint32_t)(m->dim[i] - 1);
    p.box[i] = (uint16_t)m->box[i];
    p.step[i] = (uint8_t)(i ? m->step[i] : 1);
  }
  _Static_assert(sizeof p == TENSOR_MAP_BYTES, "a tensor map has 128 bytes");
  memcpy(out, &p, sizeof p);
  return NULL;
}

bool tensor_map_decode(const void *bytes, TensorMap *out) {
  Packed p;
  memcpy(&p, bytes, sizeof p);
  *out = (TensorMap){.type = (TensorType)p.type,
                     .rank = p.rank,
                     .swizzle = p.swizzle,
                     .fill_nan = p.fill_nan,
                     .address = p.address};
  if (p.magic != MAGIC || p.rank > TENSOR_MAX_RANK || p.type >= TENSOR_TYPES) return false;
  for (int i = 0; i < p.rank; i++) {
    if (i) out->stride[i] = p.stride[i - 1];
    out->dim[i] = (uint64_t)p.last[i] + 1;
    out->box[i] = p.box[i];
    out->step[i] = p.step[i];
  }
  return tensor_map_refusal(out) == NULL;
}
