/* SPDX-License-Identifier: MIT */
/*
 * mbarrier.h: mbarrier objects. The 64 bits in shared memory are opaque to programs; here they
 * hold, from bit 0: 20 bits of arrivals still missing, 20 of arrivals per phase, 23 of a
 * transaction count (two's complement), and the phase's parity. Beside them the block records,
 * for messages, where an object was initialized, and the bytes that its phase expects and has
 * received.
 */
#ifndef KGEN_EMU_RUN_ASYNC_MBARRIER_H
#define KGEN_EMU_RUN_ASYNC_MBARRIER_H

#include "emu/run/state/block.h"

enum { MBARRIER_BYTES = 8, MBARRIER_PHASE_SHIFT = 63, MBARRIER_MOST = (1 << 20) - 1 };

/* A lane's operation on the object at an offset of a block's shared memory. */
typedef struct {
  Warp *warp;
  const Insn *insn;
  unsigned lane;
  Block *owner;
  uint32_t offset;
} MbarrierUse;

/* The object's current phase, for messages. */
typedef struct {
  uint64_t phase;
  uint32_t missing, arrivals; /* still missing, of those that each phase needs */
  uint64_t expected_bytes, arrived_bytes;
  const Insn *init, *expect;    /* where it was initialized and bytes were expected last; or NULL */
  uint32_t warps, warps_before; /* of its block: that arrived in this phase and in the last */
  uint32_t ranks, ranks_before; /* likewise the cluster's other blocks */
} MbarrierState;
MbarrierState mbarrier_state(const Block *owner, uint32_t offset);

uint64_t mbarrier_bits(const Block *owner, uint32_t offset);
/* The pending arrivals of a state that arrive or test_wait returned. */
uint32_t mbarrier_pending(uint64_t bits);

void mbarrier_init(const MbarrierUse *use, uint32_t count);
/* Notes that no fence makes the initialisation of a copy's mbarrier visible to the async proxy. */
void mbarrier_check_init(Block *owner, Warp *w, const Flight *f);
void mbarrier_invalidate(const MbarrierUse *use);
/* drop: later phases expect that many arrivals less; completes: false for .noComplete. */
void mbarrier_arrive(const MbarrierUse *use, uint32_t count, bool drop, bool completes);
void mbarrier_expect(const MbarrierUse *use, uint32_t bytes);
/* complete_tx of `bytes`; flying: bytes of copies in flight that will still arrive. */
void mbarrier_complete(const MbarrierUse *use, uint32_t bytes, uint64_t flying);

/* The phases that the object has completed. */
uint64_t mbarrier_phase(const Block *owner, uint32_t offset);
/* The warp tests a phase that is incomplete: it waits until it tests another one. */
void mbarrier_note_wait(const MbarrierUse *use);
/* The warp tests a phase that has completed. */
void mbarrier_note_pass(const MbarrierUse *use);
/* The block has ended: reports objects with expected bytes that never arrived, or arrived
 * unexpectedly. */
void mbarrier_finish(Block *block);
void mbarrier_start(Block *block);

#endif
