/* SPDX-License-Identifier: MIT */
/*
 * copies.h: shared memory as copies touch it that run beside the threads: cp.async until it is
 * waited for, and the async proxy (bulk copies, wgmma's operands). And what blocks of a cluster do
 * in each other's memory, which must be over before its owner ends.
 */
#ifndef KGEN_EMU_RUN_RACE_COPIES_H
#define KGEN_EMU_RUN_RACE_COPIES_H

#include "emu/run/race/kind.h"
#include "emu/run/state/block.h"
#include "emu/run/state/box.h"

/* An access by an ordinary instruction to the unit of `bytes` bytes, a word or a single one, that
 * holds a byte. */
typedef struct {
  bool found, reads;
  int32_t pc;
  unsigned bytes;
} RaceUnfenced;

/* The last write to the unit, or else one of its last reads, if it happens before the lane's next
 * access without a proxy fence between. */
RaceUnfenced race_unfenced(const Race *race, const Warp *w, unsigned lane, uint64_t at,
                           bool with_reads);
/* A lane's instruction lets the async proxy read `bytes`: reports the first of them whose last
 * write does not happen before it. True if there is none. */
bool race_async_read(Warp *w, const Insn *insn, unsigned lane, uint64_t offset, uint64_t bytes);

/* A lane issues a bulk copy that writes, or reads, its box in the owner's shared memory. All
 * earlier accesses to the box must happen before this; from here until the copy has landed nobody
 * may touch what it writes, and until it was read nobody may write what it reads. */
void race_bulk_issue(Block *owner, Warp *w, const Insn *insn, unsigned lane, RaceKind kind,
                     const Box *box);
/* The copy lands: who waits on its mbarrier may touch the box. */
void race_bulk_land(Block *owner, const Insn *insn, const Box *box);
/* The source has been read, as the lane of the warp knows by its wait. */
void race_bulk_read(Warp *w, const Insn *insn, unsigned lane, const Box *box);
/* The same of a source in another block, where no lane knows. */
void race_bulk_leave(Block *owner, const Box *box);

/* A lane's cp.async is in flight: until it is done nobody may touch the bytes. */
void race_async_issue(Warp *w, const Insn *insn, unsigned lane, uint32_t offset);
void race_async_done(Warp *w, uint32_t offset, unsigned bytes);

/* The block is about to end: reports what other blocks of the cluster did in its shared memory that
 * no thread of it has waited for. */
void race_check_remote(Block *block);

#endif
