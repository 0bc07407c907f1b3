/*
 * fatbin.h: the PTX in what a program hands to the driver as a module: PTX itself, a fat binary,
 * the record that nvcc puts before one, or machine code that holds the PTX it was made of. What is
 * in a fat binary may be compressed by LZ4 or Zstandard.
 */
#ifndef KGEN_LIBCUDA_IMAGE_FATBIN_H
#define KGEN_LIBCUDA_IMAGE_FATBIN_H

#include "base/text.h"
#include "libcuda/abi.h"
#include "libcuda/image/cubin.h"

enum { FATBIN_UNITS = 1024 };

/* The texts, of which there are several where they are to be linked: at most FATBIN_UNITS, each for
 * the newest architecture up to `number` (90). CUDA_ERROR_NO_BINARY_FOR_GPU if there is only
 * machine code without its PTX, INVALID_IMAGE if it is neither PTX nor a fat binary; *why then says
 * in words what is there instead and, of the former, how to build so that there is PTX. The image
 * has at least 4 bytes, SIZE_MAX if it does not tell how many; a text ends in a NUL. */
CUresult fatbin_read(Arena *a, const void *image, size_t bytes, int number, PtxUnit *out,
                     int *count, Text *why);
/* The size of the fat binary that begins there, 0 if none does or if it does not fit. */
size_t fatbin_bytes(const void *image, size_t room);

#endif
