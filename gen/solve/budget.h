/* budget.h: what a search may spend. It is counted in steps of work, about a nanosecond each, and
 * not in time, so that outputs are the same on every machine. */
#ifndef KGEN_SOLVE_BUDGET_H
#define KGEN_SOLVE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is spent of a part is spent of the whole, too. */
typedef struct Budget {
  int64_t spent, limit;
  struct Budget *whole; /* NULL: it is no part */
} Budget;

static inline void budget_spend(Budget *b, int64_t steps) {
  for (; b; b = b->whole) b->spent += steps;
}
/* False once its limit is passed, or that of the whole. */
static inline bool budget_left(const Budget *b) {
  while (b && b->spent <= b->limit) b = b->whole;
  return b == NULL;
}
/* A budget of `parts` / `of` of what is left. */
static inline Budget budget_part(Budget *b, int parts, int of) {
  const int64_t left = b->limit > b->spent ? b->limit - b->spent : 0;
  return (Budget){0, left / of * parts, b};
}

#endif
