/* SPDX-License-Identifier: MIT */
/* budget.h: the work that a command may do for one spec. It is counted in steps of about a
 * nanosecond, not in time, so that outputs are the same on every machine. */
#ifndef KGEN_BASE_BUDGET_H
#define KGEN_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The budget of one spec, which every command that reads it spends from. SOLVE_EFFORT is the most
 * that the layouts of its tiles may take. So at least a quarter of it remains for lists: a Pareto
 * front, single changes, the candidates of a sweep. Expanding the accesses may take EXPAND_EFFORT;
 * a spec that needs more is rejected. */
enum {
  SPEC_EFFORT = 2000 * 1000 * 1000,
  SOLVE_EFFORT = 1000 * 1000 * 1000,
  EXPAND_EFFORT = 500 * 1000 * 1000
};

/* Steps for one instruction of a warp: to expand it, to evaluate a node of its expressions, and to
 * count and compare the layout that is chosen. */
enum { EXPAND_STEPS = 500, EXPAND_NODE_STEPS = 40, CHOOSE_STEPS = 2500 };

/* Steps that are spent of a part are spent of the whole, too. */
typedef struct Budget {
  int64_t spent, limit;
  struct Budget *whole; /* NULL: it is no part */
} Budget;

static inline void budget_spend(Budget *b, int64_t steps) {
  for (; b; b = b->whole) b->spent += steps;
}
/* False once its limit or the limit of the whole is passed. */
static inline bool budget_left(const Budget *b) {
  while (b && b->spent <= b->limit) b = b->whole;
  return b == NULL;
}
/* The steps that are left of it and of the whole. */
static inline int64_t budget_rest(const Budget *b) {
  int64_t least = INT64_MAX;
  for (; b; b = b->whole) {
    const int64_t left = b->limit > b->spent ? b->limit - b->spent : 0;
    if (left < least) least = left;
  }
  return least;
}
/* A budget of `parts` / `of` of what is left. */
static inline Budget budget_part(Budget *b, int parts, int of) {
  const int64_t left = b->limit > b->spent ? b->limit - b->spent : 0;
  return (Budget){0, left / of * parts, b};
}

#endif
