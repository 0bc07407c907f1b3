/* SPDX-License-Identifier: MIT */
/* fatbin.h: extracts the PTX from an image that a program loads as a module. An image is PTX, a fat
 * binary (possibly compressed by LZ4 or Zstandard), the record that nvcc puts before one, or
 * machine code with embedded PTX. */
#ifndef KGEN_LIBCUDA_IMAGE_FATBIN_H
#define KGEN_LIBCUDA_IMAGE_FATBIN_H

#include "base/diag.h"
#include "libcuda/abi.h"
#include "libcuda/image/cubin.h"

enum { FATBIN_UNITS = 1024 };

/* Extracts the PTX modules of an image, at most FATBIN_UNITS (more than one only if they must be
 * linked), each for the newest architecture up to `number` (90 = sm_90).
 * CUDA_ERROR_NO_BINARY_FOR_GPU: there is only machine code without PTX. CUDA_ERROR_INVALID_IMAGE:
 * it is neither PTX nor a fat binary. `diag` then has what it contains instead and, in the
 * former case, a hint how to build PTX. The image has at least 4 bytes; bytes is SIZE_MAX if the
 * size is unknown. Each PTX text ends with a NUL. */
CUresult fatbin_read(Arena *a, const void *image, size_t bytes, int number, PtxUnit *out,
                     int *count, Diag *diag);
/* The size of the fat binary at this address; 0 if there is none, or if it exceeds `room`. */
size_t fatbin_bytes(const void *image, size_t room);

#endif
