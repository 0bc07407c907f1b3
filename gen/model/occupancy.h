/* SPDX-License-Identifier: MIT */
/* occupancy.h: the number of blocks of a kernel that an SM holds at once. */
#ifndef KGEN_MODEL_OCCUPANCY_H
#define KGEN_MODEL_OCCUPANCY_H

#include "model/tile.h"

/* Blocks per SM for this number of threads per block, registers per thread and bytes of shared
 * memory per block. registers = 0 means unknown, and no limit. Returns 0 if one block alone is too
 * large. */
int occupancy_blocks(const Arch *arch, int threads, int registers, int64_t shared_bytes);

/* The maximum shared memory per block, in bytes, with which an SM holds `blocks` blocks; 0 or less
 * if no amount allows it. */
int64_t occupancy_shared(const Arch *arch, int blocks);

#endif
