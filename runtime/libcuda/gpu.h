/* SPDX-License-Identifier: MIT */
/* gpu.h: the device that programs see: an H200, unless $KGEN_EXEC_AS names another architecture. */
#ifndef KGEN_LIBCUDA_GPU_H
#define KGEN_LIBCUDA_GPU_H

#include "libcuda/abi.h"
#include "model/tile.h"

typedef struct {
  const char *arch; /* sm_90 */
  const char *name;
  int major, minor;
  int processors;
  uint64_t memory_bytes;
  int clock_khz, memory_khz, bus_bits;
  int l2_bytes;
} Gpu;

/* Returns the GPU of an architecture, or NULL if there is none. */
const Gpu *gpu_find(const char *arch);
/* Returns the limits of the architecture's blocks and multiprocessors. */
const Arch *gpu_arch(const Gpu *d);
/* Returns the number in PTX's .target: 90. */
int gpu_number(const Gpu *d);

/* Gets a CUdevice_attribute; false if it is unknown. */
bool gpu_attribute(const Gpu *d, int attribute, int *value);
CUuuid gpu_uuid(void);

#endif
