/* SPDX-License-Identifier: MIT */
/* lane_groups.h: the lane groups of all accesses, and the few that decide: groups whose cost is
 * equal under every layout in question are one class, with the sum of their weights. */
#ifndef KGEN_SOLVE_LANE_GROUPS_H
#define KGEN_SOLVE_LANE_GROUPS_H

#include "base/budget.h"
#include "model/collision.h"
#include "solve/rows.h"

typedef struct {
  int32_t row, col;
  int32_t source; /* of a copy: bytes, lines numbered as they occur; else 0 */
} Lane;

typedef struct {
  Place at; /* no bank */
  int lanes;
  Lane lane[WARP]; /* sorted by (row, col, source) */
  int unit;        /* every row it touches keeps aligned pieces of so many elements */
  int64_t times;   /* how often the class occurs */
  int64_t weight;  /* thousandths; how often the class occurs, times its accesses' weights */
  int floor;       /* no layout of the family costs less */
  int piece;      /* words of a piece, if it is their place in pieces that sets the floor, else 0 */
  int slots;      /* banks / words of a lane: what its lanes compete for; 0: not a power of two */
  int slot_shift; /* elements to slots: lanes that are equal above it meet in one place */
  bool shared;    /* two of its lanes can have one word, and are then served together */
  bool copy;      /* a cp.async whose source decides, too */
} Group;

enum { MOST_SLOTS = 64 };

/* The mask of the first so many lanes. */
static inline uint32_t first_lanes(int lanes) {
  return lanes == WARP ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
}

typedef struct Classes {
  const AccessSet *set;
  int period;    /* of a rank-1 tile: row = i / period; 0: one row */
  bool linear;   /* groups that differ by an XOR of rows and columns are one class */
  int cols;      /* of a row */
  int col_limit; /* the lowest set bit of cols: XOR values are below it */
  int count;
  Group *group;
  int64_t floor; /* weighted floors in thousandths */
  int highest;   /* the first group with the highest floor */
  int *order;    /* indices of groups: those that refused a layout last come first */
  int known;     /* so many of them have refused something */
} Classes;

/* The classes of all groups of a tile that is cut into rows of a period. linear: addresses are
 * linear over F2. Once the budget is spent, floors may be lower than they could be. */
Classes *group_classes(Arena *a, const AccessSet *set, int period, const Rows *rows, bool linear,
                       Budget *b);

#endif
