/*
 * fatbin.h: the PTX in what a program hands to the driver as a module: PTX itself, a fat binary, or
 * the record that nvcc puts before one. PTX in a fat binary may be compressed by LZ4 or Zstandard.
 */
#ifndef KGEN_LIBCUDA_FATBIN_H
#define KGEN_LIBCUDA_FATBIN_H

#include "base/text.h"
#include "libcuda/abi.h"

typedef struct {
  const char *ptx; /* NUL-terminated, in the arena */
  size_t bytes;
} FatbinText;

/*
 * The text for the newest architecture up to `number` (90), or the several that are to be linked.
 * CUDA_ERROR_ NO_BINARY_FOR_GPU if there is machine code alone, INVALID_IMAGE if it is none of
 * those; *why then says in words what is there instead.
 */
CUresult fatbin_read(Arena *a, const void *image, int number, FatbinText *out, Text *why);

#endif
