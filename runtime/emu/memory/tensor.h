/* tensor.h: tensor maps as the emulator keeps them in the 128 bytes of a CUtensorMap. */
#ifndef KGEN_EMU_MEMORY_TENSOR_H
#define KGEN_EMU_MEMORY_TENSOR_H

#include "emu/emu.h"

/* False if emu_tensor_map_encode has not written the bytes, but for instance the driver. */
bool tensor_map_decode(const void *bytes, TensorMap *out);

/* What tensormap.replace can set, as the ISA counts it: the rank less one, strides from that of
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

/* Sets one field in place; returns the reason if that is impossible, else NULL. tensor_map_decode
 * tells whether copies can use the map. */
const char *tensor_map_replace(void *bytes, TensorField field, unsigned dimension, uint64_t value);
/* Whether the map was of tf32 once and is of another type now: copies go on to round f32, which
 * tensor_map_decode then calls tf32, and are illegal of other types [measured on an H200]. */
bool tensor_map_is_left_rounding(const void *bytes);

#endif
