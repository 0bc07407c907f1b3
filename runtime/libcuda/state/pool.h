/* SPDX-License-Identifier: MIT */
/* pool.h: memory pools, from which cuMemAllocAsync allocates. */
#ifndef KGEN_LIBCUDA_STATE_POOL_H
#define KGEN_LIBCUDA_STATE_POOL_H

#include "libcuda/abi.h"

typedef struct {
  int type, handle_types;
  CUmemLocation location;
  void *security;
  size_t most;
  unsigned short usage;
  unsigned char reserved[54];
} PoolProps; /* CUmemPoolProps */

#endif
