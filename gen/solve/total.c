/* SPDX-License-Identifier: MIT */
#include "solve/total.h"

#include "model/bank.h"
#include "model/cp_async.h"

#include <string.h>

/* --- one group --- */

/* The same count as bank_group_cost, for groups of which each lane is one piece in one slot. */
static int slot_cost(const Group *g, int lanes, const int32_t *at) {
  uint8_t count[MOST_SLOTS] = {0};
  int32_t held[MOST_SLOTS][WARP]; /* pieces of a slot */
  int fullest = 0;
  for (int i = 0; i < lanes; i++) {
    const int32_t piece = at[i] >> g->slot_shift;
    const int slot = piece & (g->slots - 1);
    int known = g->shared ? 0 : count[slot];
    while (known < count[slot] && held[slot][known] != piece) known++;
    if (known < count[slot]) continue;
    held[slot][count[slot]++] = piece;
    if (count[slot] > fullest) fullest = count[slot];
  }
  return fullest;
}

/* The cost of the first lanes of a group, at these element offsets. Of a copy only some of whose
 * lanes are there it is a lower bound, since a lane more can make such a copy cheaper. */
static int cost_of_lanes(const AccessSet *set, const Group *g, int lanes, const int32_t *at,
                         const int64_t *source) {
  const Access *a = &set->access[g->at.access];
  const uint32_t mask = first_lanes(lanes);
  int64_t address[WARP];
  if (lanes == 0) return 0;
  if (g->slots) return slot_cost(g, lanes, at);
  for (int i = 0; i < lanes; i++) address[i] = (int64_t)set->tile->dtype->bytes * at[i];
  if (!g->copy) return bank_group_cost(set->banks, a->op, a->bytes_per_lane, mask, address, NULL);
  return lanes == g->lanes ? cp_async_group_wavefronts(a->cache, mask, address, source)
                           : cp_async_group_least(a->cache, mask, address, source);
}

/* As measured: a group whose lanes share words takes three times as long, the bank model ten; a
 * copy compares its lanes with each other. */
static int steps_of(const Group *g, int lanes) {
  return (12 + lanes) * (g->copy ? 2 * lanes : g->slots == 0 ? 10 : g->shared ? 3 : 1);
}

int total_of_group(const AccessSet *set, const Group *g, const Rows *rows, const Map *m,
                   uint32_t open, Budget *b) {
  int32_t at[WARP], image = 0;
  int64_t source[WARP];
  int lanes = 0;
  for (int i = 0; i < g->lanes; i++) {
    const int32_t row = g->lane[i].row;
    if ((uint32_t)row & open) continue;
    if (m && (lanes == 0 || row != g->lane[i - 1].row)) image = maps_image(m, row);
    source[lanes] = g->lane[i].source;
    at[lanes++] = rows_place(rows, row, g->lane[i].col, image);
  }
  budget_spend(b, steps_of(g, lanes) + g->lanes + (m ? 3 : 1) * lanes);
  return cost_of_lanes(set, g, lanes, at, source);
}

/* --- all groups --- */

void total_refused(Classes *c, int at) {
  const int first = c->order[at];
  memmove(c->order + 1, c->order, (size_t)at * sizeof *c->order);
  c->order[0] = first;
  if (at >= c->known) c->known++;
}

int64_t total_count(Classes *c, const Rows *rows, const Map *m, int64_t most,
                    const Group **violating_group, Budget *b) {
  int64_t total = c->floor;
  *violating_group = NULL;
  for (int i = 0; i < c->count && total <= most; i++) {
    const Group *g = &c->group[c->order[i]];
    const int over = total_of_group(c->set, g, rows, m, 0, b) - g->floor;
    total += over * g->weight;
    if (over > 0 && (!*violating_group || total > most)) *violating_group = g;
    if (total > most) total_refused(c, i);
  }
  return total;
}
