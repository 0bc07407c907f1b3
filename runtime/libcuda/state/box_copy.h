/* box_copy.h: copies of boxes, and sets of rows, in host memory, device memory and arrays. */
#ifndef KGEN_LIBCUDA_STATE_BOX_COPY_H
#define KGEN_LIBCUDA_STATE_BOX_COPY_H

#include "libcuda/state/array.h"

/* One side of a copy: where its box begins, in memory of a pitch in bytes and a slice of `height`
 * rows, or in an array. */
typedef struct {
  uint64_t address;
  CUarray array; /* NULL: memory */
  size_t x, y, z, pitch, height;
  bool device; /* the program says that it is memory of the device's */
} CopySide;

typedef struct {
  CopySide from, to;
  size_t width, height, depth; /* bytes, rows, slices */
} Copy;

/* A side of CUDA_MEMCPY3D, and of CUDA_MEMCPY3D_PEER, where `context` is. */
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

/* Elements of 1, 2 or 4 bytes. */
typedef struct {
  uint64_t to;
  size_t pitch;
  unsigned value;
  unsigned element;
  size_t width, height;
} Fill;

/* Returns the address that is valid for the memory type. */
CopySide copy_side(CUmemorytype type, const void *host, CUdeviceptr device, CUarray array);
Copy copy_of_box(const Box3D *b);
Copy copy_linear(uint64_t to, uint64_t from, size_t bytes);
/* Refuses a side that is said to be the device's, but is memory of the host that CUDA does not
 * know: a copy in the wrong direction. */
CUresult copy_check(const Copy *c);
/* Returns the host address of the first byte that is copied; NULL if the side exceeds its
 * allocation. */
const void *copy_source(const Copy *c);
/* Runs the copy. Returns CUDA_ERROR_INVALID_VALUE if a side exceeds its allocation. */
CUresult copy_run(const Copy *c);
/* Refuses elements that are none, or are not aligned, memory that CUDA does not know, and rows that
 * exceed their allocation. */
CUresult fill_check(const Fill *f);
CUresult fill_run(const Fill *f);

#endif
