/* SPDX-License-Identifier: MIT */
/*
 * cells.h: what is remembered of a block's shared memory. Every 4-byte word has a cell, its
 * last write and two last readers; a word that was accessed by parts is split, and each of its
 * bytes has one.
 */
#ifndef KGEN_EMU_RUN_RACE_CELLS_H
#define KGEN_EMU_RUN_RACE_CELLS_H

#include "emu/run/race/core.h"
#include "emu/run/race/kind.h"
#include "emu/run/race/order.h"

enum { RACE_WORD = 4 };

/* All but WEAK are strong. SPINS: a volatile read that waits for a flag; ATOMIC: atomic, relaxed or
 * stronger. */
typedef enum { WEAK, VOLATILE, SPINS, ATOMIC } RaceStrength;

/* One access: its thread, and the tick of that thread's warp. */
typedef struct {
  uint16_t thread; /* by warp_stamp, + 1; 0: there was no access */
  uint8_t strength;
  bool proxied : 1; /* of a write: the async proxy sees it without a fence */
  bool covers : 1;  /* of an atomic: the last write that is none is kept in `under` */
  uint32_t tick;
  int32_t pc;
} RaceStamp;

typedef struct {
  RaceStamp write, read[2];
  uint32_t epoch; /* of the last of them */
} RaceCell;

/* The bulk copies in flight that write a word, or read it, and the newest one's pc. */
typedef struct {
  uint16_t writers, readers;
  int32_t pc;
  bool reduces; /* the newest one */
} BulkPending;

/* The cp.async in flight that writes a word: its thread, + 1, or 0 where there is none. */
typedef struct {
  uint16_t thread;
  int32_t pc;
} CpAsyncPending;

/* A read of whole words that is not in the cells yet: see defer_read. */
typedef struct {
  Warp *warp;
  const Insn *insn;
  uint32_t active, bytes;
  RaceStamp now;
  uint32_t offset[LANES];
} DeferredRead;

struct Race {
  uint32_t bytes;
  RaceCell *word, *byte;
  RaceStamp *under;       /* per byte, of a whole word at its first; NULL: none yet */
  uint8_t *is_split;      /* per word: its bytes have the cells */
  CpAsyncPending *flying; /* per word */
  bool any_flying, any_split;
  bool foreign;   /* others than the block's own warps came here: its barriers do not order them */
  uint32_t epoch; /* one begins with the block, and where all its warps meet */
  bool written;   /* in this epoch */
  int deferred_count;
  DeferredRead *deferred; /* NULL: none yet */
  BulkPending *busy;      /* per word; NULL: no bulk copy yet */
};

/* One warp-wide access on its way through the cells; `now` is the stamp of the lane at hand. */
typedef struct {
  Warp *warp;
  Block *owner; /* of the memory */
  Race *race;
  OrderView order;
  const Insn *insn;
  RaceKind kind;
  uint32_t active;
  const uint64_t *offset;
  unsigned bytes;
  const uint8_t *const *value;
  RaceStamp now;
} SharedAccess;

/* An access to the byte at an offset, and one that is remembered, as the core compares them. */
RaceAccess race_access_at(const SharedAccess *t, uint64_t at);
RacePoint race_point_of(const SharedAccess *t, const RaceStamp *old, bool reads);
bool race_is_ordered_by_lane(const SharedAccess *t, const RaceStamp *old);

/* True if `old` happens before what the thread of `now` does next. */
static inline bool race_is_ordered(const SharedAccess *t, const RaceStamp *old,
                                   const RaceStamp *now) {
  if (!old->thread || old->thread == now->thread) return true;
  const unsigned slot = (old->thread - 1u) / LANES;
  if (t->order.is_exact && t->order.tick[slot] >= old->tick) return true;
  return race_is_ordered_by_lane(t, old);
}

#endif
