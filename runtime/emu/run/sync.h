/* sync.h: ordering through atomics, relaxed accesses and fences, for the race detector. */
#ifndef KGEN_EMU_SYNC_H
#define KGEN_EMU_SYNC_H

#include "emu/run/access.h"

/* Where order.h keeps what is told at a byte of a block's shared memory. */
uint64_t sync_location(const Block *owner, uint64_t offset);

/* Tells the detector of a strong access of the valid lanes: behind a load, before a store, and both
 * around a read-modify-write. */
void sync_load(Warp *w, const Insn *insn, const Resolved *access);
void sync_store(Warp *w, const Insn *insn, const Resolved *access);

#endif
