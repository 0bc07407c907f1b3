/* what_if.h: which single change to an access would let a tile cost less, each solved for: vectors
 * split, lanes in another order, lanes exchanged with turns. What the accesses touch in all stays
 * the same. */
#ifndef KGEN_TRADE_WHAT_IF_H
#define KGEN_TRADE_WHAT_IF_H

#include "solve/solve.h"

/* ALTER_SPLIT: each instruction becomes `parts` of narrower lanes. ALTER_LANES: a lane takes what
 * the lane had whose number has bit[i] where its own has bit i. ALTER_TURNS: lanes 2^lane_bit apart
 * and instructions 2^turn_bit apart change places. */
typedef enum { ALTER_SPLIT, ALTER_LANES, ALTER_TURNS } AlterKind;

enum { LANE_BITS = 5 };

typedef struct {
  int access; /* of the set */
  AlterKind kind;
  int parts, bit[LANE_BITS], lane_bit, turn_bit;
  int64_t wavefronts, total; /* total: thousandths, each access by its weight */
  int64_t bytes;
  bool ideal;               /* as few as the ideal of the accesses as they are */
  const Solution *solution; /* of the changed set */
} Alteration;

typedef struct {
  int count;
  const Alteration *change; /* those that help, the fewest wavefronts first, then bytes */
  int tried, most;          /* changes solved for, of how many there are */
} WhatIf;

enum { WHAT_IF_EFFORT = 400 * 1000 * 1000 };

/* solution: of the set. effort: what all of it may spend, in steps (budget.h). */
WhatIf what_if_list(Arena *a, const AccessSet *set, const Solution *solution, int64_t effort);

/* "16-byte lanes split into 2 of 8 bytes", "lane % 8 * 4 + lane / 8 in the place of lane": what the
 * change is. */
const char *what_if_spell(Arena *a, const AccessSet *set, const Alteration *c);

#endif
