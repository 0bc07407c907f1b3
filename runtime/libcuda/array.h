/* array.h: arrays, which textures and surfaces read. */
#ifndef KGEN_LIBCUDA_ARRAY_H
#define KGEN_LIBCUDA_ARRAY_H

#include "libcuda/abi.h"

typedef struct Array *CUarray;

/* The first byte, the bytes of a row and the rows of a slice; NULL of no array. */
void *array_view(CUarray array, size_t *row_bytes, size_t *rows);

#endif
