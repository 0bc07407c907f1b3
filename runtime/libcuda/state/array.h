/* SPDX-License-Identifier: MIT */
/* array.h: CUDA arrays and mipmapped arrays in device memory. */
#ifndef KGEN_LIBCUDA_STATE_ARRAY_H
#define KGEN_LIBCUDA_STATE_ARRAY_H

#include <stdbool.h>

#include "emu/emu.h"
#include "libcuda/abi.h"

typedef struct Array {
  EmuImage image;
  CUmipmappedArray whole; /* the mipmap whose level it is; or NULL */
  CUDA_ARRAY3D_DESCRIPTOR as_made;
} Array;

typedef struct Mipmap {
  EmuImage image;
  Array level[]; /* image.levels entries */
} Mipmap;

/* Returns the address of the first byte; stores the bytes per row, the rows per slice and the
 * number of slices. NULL if there is no array. */
void *array_view(CUarray array, size_t *row_bytes, size_t *rows, size_t *slices);
/* Converts a format to the emulator's texel type; false if there is none. */
bool array_texel(CUarray_format format, EmuTexel *out);

#endif
