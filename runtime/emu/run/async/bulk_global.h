/* SPDX-License-Identifier: MIT */
/* bulk_global.h: the global-memory side of a bulk copy: a range, or a box of a tensor. */
#ifndef KGEN_EMU_RUN_ASYNC_BULK_GLOBAL_H
#define KGEN_EMU_RUN_ASYNC_BULK_GLOBAL_H

#include "emu/run/state/bulk_copy.h"

/* What a copy accesses in global memory. */
typedef struct {
  uint64_t sectors, bytes;
} BulkTraffic;

/* Loads the data of a lane's flight from global memory; elements outside of the tensor are 0, or
 * NaN. False with a finding if it is out of bounds of a buffer. */
bool bulk_load(Warp *w, const Flight *flight, BulkTraffic *traffic);
/* Stores or reduces its data; elements outside of the tensor are dropped. */
void bulk_store(Warp *w, const Flight *flight);
/* Whether it stores or reduces any byte of a range. */
bool bulk_touches(Warp *w, const Flight *flight, uint64_t address, uint64_t bytes);
/* Whether two copies touch a byte that is the same, and where. */
bool bulk_meets(Warp *w, const Flight *a, const Flight *b, uint64_t *at);
/* True if all of it is in buffers; else there is a finding. */
bool bulk_check(Warp *w, const Flight *flight, BulkTraffic *traffic);

#endif
