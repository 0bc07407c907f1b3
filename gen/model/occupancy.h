/* occupancy.h: how many blocks of a kernel an SM holds at one time. */
#ifndef KGEN_MODEL_OCCUPANCY_H
#define KGEN_MODEL_OCCUPANCY_H

#include "model/tile.h"

/* For blocks of so many threads, registers a thread and bytes of shared memory; registers 0: not
 * known, and not counted. 0: one block alone is too large. */
int occupancy_blocks(const Arch *arch, int threads, int registers, int64_t shared_bytes);

/* The most shared memory that a block may have so that the SM holds so many, bytes; 0 or less: it
 * never does. */
int64_t occupancy_shared(const Arch *arch, int blocks);

#endif
