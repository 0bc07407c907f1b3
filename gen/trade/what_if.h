/* SPDX-License-Identifier: MIT */
/* what_if.h: lists single changes to an access that would lower the cost of a tile, each with its
 * own solution: split the vectors, reorder the lanes, or exchange lanes with loop iterations. The
 * set of elements that the accesses take stays unchanged. */
#ifndef KGEN_TRADE_WHAT_IF_H
#define KGEN_TRADE_WHAT_IF_H

#include "solve/solve.h"

/* ALTER_SPLIT: each instruction becomes `parts` instructions with narrower lanes. ALTER_LANES: bits
 * of the lane number are permuted: a lane takes the element of the lane whose number has, as
 * bit[i], the lane's own bit i. ALTER_TURNS: lanes that are 2^lane_bit apart are exchanged with
 * instructions that are 2^turn_bit apart. */
typedef enum { ALTER_SPLIT, ALTER_LANES, ALTER_TURNS } AlterKind;

enum { LANE_BITS = 5 };

typedef struct {
  int access; /* index in the set */
  AlterKind kind;
  int parts, bit[LANE_BITS], lane_bit, turn_bit;
  int64_t wavefronts, total; /* total is in thousandths, each access multiplied by its weight */
  int64_t bytes;
  bool ideal;               /* reaches the ideal of the unchanged accesses */
  const Solution *solution; /* its layout and total cost */
} Alteration;

typedef struct {
  int count;
  const Alteration *change; /* those that lower the cost, by wavefronts, then by bytes */
  int tried, most;          /* number of changes solved for, and of changes that exist */
} WhatIf;

/* solution: the set's. Changes are tried until b is spent. */
WhatIf what_if_list(Arena *a, const AccessSet *set, const Solution *solution, Budget *b);

/* Describes the change: "16-byte lanes split into 2 of 8 bytes", "lane % 8 * 4 + lane / 8 in the
 * place of lane". */
const char *what_if_spell(Arena *a, const AccessSet *set, const Alteration *c);

#endif
