/*
 * mbarrier.h: mbarrier objects. The 64 bits in shared memory are opaque to programs; here they
 * hold, from bit 0: 20 bits of arrivals still missing, 20 of arrivals per phase, 23 of a
 * transaction count (two's complement), and the phase's parity. Beside them the block remembers,
 * for messages, where an object was initialised and what bytes its phase was told to expect and has
 * seen.
 */
#ifndef KGEN_EMU_MBARRIER_H
#define KGEN_EMU_MBARRIER_H

#include "emu/run/block.h"

enum { MBARRIER_BYTES = 8, MBARRIER_PHASE_SHIFT = 63, MBARRIER_MOST = (1 << 20) - 1 };

/* A lane's operation on the object at an offset of a block's shared memory. */
typedef struct {
  Warp *warp;
  const Insn *insn;
  unsigned lane;
  Block *owner;
  uint32_t offset;
} MbarrierUse;

uint64_t mbarrier_bits(const Block *owner, uint32_t offset);
/* Arrivals that a state lacks. */
uint32_t mbarrier_pending(uint64_t bits);

void mbarrier_init(const MbarrierUse *use, uint32_t count);
void mbarrier_invalidate(const MbarrierUse *use);
/* drop: the next phases expect so many fewer; completes: false for .noComplete. */
void mbarrier_arrive(const MbarrierUse *use, uint32_t count, bool drop, bool completes);
void mbarrier_expect(const MbarrierUse *use, uint32_t bytes);
/* `bytes` have arrived; flying: bytes of copies that will still arrive at it. */
void mbarrier_complete(const MbarrierUse *use, uint32_t bytes, uint64_t flying);

/* The warp looks, and the phase is not over: it waits, until it looks at something else. */
void mbarrier_note_wait(const MbarrierUse *use);
/* Nothing changes any more: says what the phase that the warp waits for lacks. False if it does not
 * wait for one. */
bool mbarrier_report_wait(Warp *w);
/* The block has ended: reports objects with bytes expected that never came, or the reverse. */
void mbarrier_finish(Block *block);
void mbarrier_start(Block *block);

#endif
