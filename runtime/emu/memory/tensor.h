/* SPDX-License-Identifier: MIT */
/* tensor.h: tensor maps, as the emulator stores them in the 128 bytes of a CUtensorMap. */
#ifndef KGEN_EMU_MEMORY_TENSOR_H
#define KGEN_EMU_MEMORY_TENSOR_H

#include "emu/emu.h"

/* False if the bytes were not written by emu_tensor_map_encode(), but for example by the driver. */
bool tensor_map_decode(const void *bytes, TensorMap *out);

/* The fields that tensormap.replace can set, in the ISA's units: the rank minus 1, strides from
 * dimension 1 on, types and modes by number. */
typedef enum {
  TENSOR_FIELD_ADDRESS,
  TENSOR_FIELD_RANK,
  TENSOR_FIELD_BOX,
  TENSOR_FIELD_DIM,
  TENSOR_FIELD_STRIDE,
  TENSOR_FIELD_STEP,
  TENSOR_FIELD_TYPE,
  TENSOR_FIELD_INTERLEAVE,
  TENSOR_FIELD_SWIZZLE,
  TENSOR_FIELD_FILL
} TensorField;

/* Sets one field in place; returns NULL, or the reason if that is impossible. Copies can use the
 * map if tensor_map_decode() returns true. */
const char *tensor_map_replace(void *bytes, TensorField field, unsigned dimension, uint64_t value);
/* True if the map once had type tf32 and has another type now. Copies then still round f32, which
 * tensor_map_decode() reports as tf32; with other types they are illegal [measured on an H200]. */
bool tensor_map_is_left_rounding(const void *bytes);

#endif
