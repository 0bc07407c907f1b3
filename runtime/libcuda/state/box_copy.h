/* SPDX-License-Identifier: MIT */
/* box_copy.h: copies boxes and sets rows in host memory, device memory and arrays. */
#ifndef KGEN_LIBCUDA_STATE_BOX_COPY_H
#define KGEN_LIBCUDA_STATE_BOX_COPY_H

#include "libcuda/state/array.h"

/* One side of a copy: the start of its box, in memory with a row pitch in bytes and `height` rows
 * per slice, or in an array. */
typedef struct {
  uint64_t address;
  CUarray array; /* NULL: memory */
  size_t x, y, z, pitch, height;
  bool device; /* the program declares it as device memory */
} CopySide;

typedef struct {
  CopySide from, to;
  size_t width, height, depth; /* in bytes, rows, slices */
} Copy;

/* A side of CUDA_MEMCPY3D or CUDA_MEMCPY3D_PEER; only the latter has `context`. */
typedef struct {
  size_t x, y, z, level;
  CUmemorytype type;
  void *host;
  CUdeviceptr device;
  CUarray array;
  void *context;
  size_t pitch, height;
} Side3D;

typedef struct {
  Side3D from, to;
  size_t width, height, depth;
} Box3D;

/* Sets rows of elements with 1, 2 or 4 bytes. */
typedef struct {
  uint64_t to;
  size_t pitch;
  unsigned value;
  unsigned element;
  size_t width, height;
} Fill;

/* Returns the side for the address that the memory type selects. */
CopySide copy_side(CUmemorytype type, const void *host, CUdeviceptr device, CUarray array);
Copy copy_of_box(const Box3D *b);
Copy copy_linear(uint64_t to, uint64_t from, size_t bytes);
/* Returns an error if a side is declared as device memory, but is host memory that CUDA does not
 * know: the copy has the wrong direction. */
CUresult copy_check(const Copy *c);
/* Returns the host address of the first byte to copy; NULL if the side exceeds its allocation. */
const void *copy_source(const Copy *c);
/* Runs the copy. Returns CUDA_ERROR_INVALID_VALUE if a side exceeds its allocation. */
CUresult copy_run(const Copy *c);
/* Returns an error for a wrong element size, misaligned elements, memory that CUDA does not know,
 * or rows that exceed their allocation. */
CUresult fill_check(const Fill *f);
CUresult fill_run(const Fill *f);

#endif
