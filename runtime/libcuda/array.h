/* array.h: CUDA's arrays, plain and mipmapped, in device memory. */
#ifndef KGEN_LIBCUDA_ARRAY_H
#define KGEN_LIBCUDA_ARRAY_H

#include <stdbool.h>

#include "emu/emu.h"
#include "libcuda/abi.h"

typedef struct Array {
  EmuImage image;
  CUmipmappedArray whole; /* that it is a level of; or NULL */
  CUDA_ARRAY3D_DESCRIPTOR as_made;
} Array;

typedef struct Mipmap {
  EmuImage image;
  Array level[]; /* image.levels of them */
} Mipmap;

/* The first byte, the bytes of a row, the rows of a slice, and slices; NULL of no array. */
void *array_view(CUarray array, size_t *row_bytes, size_t *rows, size_t *slices);
/* The emulator's name of a format's channels; false if it has none. */
bool array_texel(CUarray_format format, EmuTexel *out);

#endif
