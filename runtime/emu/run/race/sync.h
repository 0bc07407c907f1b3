/* SPDX-License-Identifier: MIT */
/* sync.h: ordering through atomics, relaxed accesses and fences, for the race detector. */
#ifndef KGEN_EMU_RUN_RACE_SYNC_H
#define KGEN_EMU_RUN_RACE_SYNC_H

#include "emu/code/code.h"
#include "emu/run/state/block.h"

/* The location under which order.h keeps what is released at a byte of a block's shared memory. */
uint64_t sync_location(const Block *owner, uint64_t offset);

/* Tells the detector of a strong access by the valid lanes: after a load, before a store, and both
 * for a read-modify-write. */
void sync_load(Warp *w, const Insn *insn, const Resolved *access);
void sync_store(Warp *w, const Insn *insn, const Resolved *access);

#endif
