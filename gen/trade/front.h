/* SPDX-License-Identifier: MIT */
/* front.h: the trade-off of a tile between bytes and wavefronts: every pad, and every XOR on each
 * pad. The solver minimizes wavefronts at any cost in bytes; this lists the alternatives. */
#ifndef KGEN_TRADE_FRONT_H
#define KGEN_TRADE_FRONT_H

#include "solve/solve.h"

/* The layouts with one set of strides and one cost, either all without an XOR or all with one. */
typedef struct {
  KgenLayout layout; /* the one with the cheapest address computation */
  int layouts;   /* number of such layouts; of maps with two or more terms only the best counts */
  int64_t bytes; /* size of the tile */
  int64_t wavefronts; /* sum over all instructions */
  int64_t total;      /* wavefronts in thousandths, each access multiplied by its weight */
  bool best; /* Pareto-optimal: no other point has at most these bytes and a lower total, or at most
                this total and fewer bytes */
  bool chosen; /* the solution is one of these layouts, and `layout` is the solution */
} FrontPoint;

typedef struct {
  int points;
  const FrontPoint *point; /* fewest bytes first, then the lowest total */
  bool exact;              /* the Pareto front is proven, over maps with any number of terms */
  bool complete; /* in addition, every pad of the layout space and every XOR of one term is
                    listed */
} Front;

/* Lists every admissible layout of the layout space `auto` within the tile's size limit, whatever
 * kind the tile requests, and the solution's layout even if it is outside of that space. If TMA or
 * wgmma move boxes, lists only their modes. The listing ends when b is spent. */
Front front_list(Arena *a, const AccessSet *set, const Solution *solution, Budget *b);

#endif
