/* budget.h: what a search may spend. Counted in steps of work, about a nanosecond each, and not in
 * time: outputs are the same on every machine. */
#ifndef KGEN_BUDGET_H
#define KGEN_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  int64_t spent, limit;
} Budget;

/* False once the limit is passed. */
static inline bool budget_spend(Budget *b, int64_t steps) {
  b->spent += steps;
  return b->spent <= b->limit;
}
static inline bool budget_left(const Budget *b) { return b->spent <= b->limit; }
/* A budget of the `share`-th part of what is left; what it spends is to be settled. */
static inline Budget budget_part(const Budget *b, int share) {
  const int64_t left = b->limit > b->spent ? b->limit - b->spent : 0;
  return (Budget){0, left / share};
}

#endif
