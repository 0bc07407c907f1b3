/* SPDX-License-Identifier: MIT */
#include "emu/memory/tensor.h"

#include <stddef.h>
#include <string.h>

#define MAGIC UINT64_C(0x70616d2d6e45676b) /* "kgEn-map" */

/* A tensor map in 128 bytes. Fields are as narrow as possible; extents, up to 2^32, are stored as
 * the last index. CUTLASS clears bit 21 of the second word of a driver's map (for tensors below 128
 * KiB, with drivers up to 13.1), so that bit is always 0 here. */
typedef struct {
  uint64_t address, magic;
  uint64_t stride[TENSOR_MAX_RANK - 1];
  uint32_t last[TENSOR_MAX_RANK];
  uint16_t box[TENSOR_MAX_RANK];
  uint8_t step[TENSOR_MAX_RANK];
  uint8_t type, rank, swizzle, fill_nan, rounds, atom32;
  uint8_t zero[TENSOR_MAP_BYTES - 91];
} Packed;

static bool is_rounded(TensorType type) { return type == TENSOR_TF32 || type == TENSOR_TF32_FTZ; }

const char *emu_tensor_map_encode(const TensorMap *m, void *out) {
  const char *why = tensor_map_refusal(m);
  if (why) return why;
  Packed p = {.address = m->address, .magic = MAGIC};
  p.type = (uint8_t)m->type;
  p.rank = (uint8_t)m->rank;
  p.swizzle = (uint8_t)m->swizzle;
  p.fill_nan = m->fill_nan;
  p.atom32 = m->atom32;
  p.rounds = is_rounded(m->type);
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

/* The element type that a copy uses. Type and rounding are separate fields of a map;
 * tensormap.replace sets the rounding but never clears it [measured on an H200]. */
static TensorType type_of(const Packed *p) {
  if (p->rounds && p->type == TENSOR_F32) return TENSOR_TF32;
  if (p->rounds && p->type == TENSOR_F32_FTZ) return TENSOR_TF32_FTZ;
  return (TensorType)p->type;
}

bool tensor_map_decode(const void *bytes, TensorMap *out) {
  Packed p;
  memcpy(&p, bytes, sizeof p);
  *out = (TensorMap){.type = type_of(&p),
                     .rank = p.rank,
                     .swizzle = p.swizzle,
                     .atom32 = p.atom32,
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

const char *emu_tensor_map_replace(void *map, uint64_t address) {
  TensorMap m;
  if (!tensor_map_decode(map, &m)) return "it is no tensor map";
  m.address = address;
  const char *why = tensor_map_refusal(&m);
  if (!why) memcpy((char *)map + offsetof(Packed, address), &address, sizeof address);
  return why;
}

/* --- one field --- */

/* The ISA's numbers of types differ from the driver's. */
static const uint8_t type_of_number[] = {
    TENSOR_U8,  TENSOR_U16,     TENSOR_U32, TENSOR_S32,  TENSOR_U64,  TENSOR_S64,     TENSOR_F16,
    TENSOR_F32, TENSOR_F32_FTZ, TENSOR_F64, TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ};

static const char *replace_mode(Packed *p, TensorField field, uint64_t value) {
  enum { TYPES = sizeof type_of_number };
  switch (field) {
  case TENSOR_FIELD_TYPE:
    if (value >= TYPES) return "a type of less than a byte";
    p->type = type_of_number[value];
    p->rounds |= is_rounded((TensorType)p->type);
    return NULL;
  case TENSOR_FIELD_INTERLEAVE: return value ? "interleaved maps are not supported" : NULL;
  case TENSOR_FIELD_SWIZZLE:
    if (value > 3) return "this swizzle is not supported";
    p->swizzle = (uint8_t)(value ? 16u << value : 0);
    p->atom32 = false;
    return NULL;
  default: p->fill_nan = value != 0; return NULL;
  }
}

static const char *replace_field(Packed *p, TensorField field, unsigned dimension, uint64_t value) {
  switch (field) {
  case TENSOR_FIELD_ADDRESS: p->address = value; return NULL;
  case TENSOR_FIELD_RANK: p->rank = (uint8_t)(value < TENSOR_MAX_RANK ? value + 1 : 0); return NULL;
  case TENSOR_FIELD_BOX:
    p->box[dimension] = (uint16_t)(value > UINT16_MAX ? 0 : value);
    return NULL;
  case TENSOR_FIELD_DIM:
    if (!value) return "an extent is 0";
    p->last[dimension] = (uint32_t)value - 1;
    return NULL;
  case TENSOR_FIELD_STRIDE:
    if (dimension + 1 >= TENSOR_MAX_RANK) return "there is no such stride";
    p->stride[dimension] = value;
    return NULL;
  case TENSOR_FIELD_STEP:
    p->step[dimension] = (uint8_t)(value > UINT8_MAX ? 0 : value);
    return NULL;
  default: return replace_mode(p, field, value);
  }
}

const char *tensor_map_replace(void *bytes, TensorField field, unsigned dimension, uint64_t value) {
  static const Packed blank;
  Packed p;
  memcpy(&p, bytes, sizeof p);
  /* Triton builds maps from 128 zero bytes, field by field, and skips fields that are 0. */
  if (memcmp(&p, &blank, sizeof blank) == 0) p.magic = MAGIC;
  if (p.magic != MAGIC) return "there is no tensor map of the emulator's";
  const char *why = replace_field(&p, field, dimension, value);
  memcpy(bytes, &p, sizeof p);
  return why;
}

bool tensor_map_is_left_rounding(const void *bytes) {
  Packed p;
  memcpy(&p, bytes, sizeof p);
  return p.rounds && !is_rounded((TensorType)p.type);
}
