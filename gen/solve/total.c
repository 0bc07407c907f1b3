#include "solve/total.h"

#include <string.h>

static void move_to_front(Classes *c, int at) {
  const int first = c->order[at];
  memmove(c->order + 1, c->order, (size_t)at * sizeof *c->order);
  c->order[0] = first;
  if (at >= c->known) c->known++;
}

int total_of_group(const AccessSet *set, const Group *g, const Rows *rows, const Map *m,
                   uint32_t open, Budget *b) {
  int32_t at[WARP], source[WARP];
  int32_t start = 0, image = 0;
  int lanes = 0;
  for (int i = 0; i < g->lanes; i++) {
    const int32_t row = g->row[i];
    if ((uint32_t)row & open) continue;
    if (lanes == 0 || row != g->row[i - 1]) {
      start = rows_start(rows, row);
      image = m ? maps_image(m, row) : 0;
    }
    source[lanes] = g->source[i];
    at[lanes++] = start + (g->col[i] ^ image);
  }
  budget_spend(b, group_steps(g, lanes) + g->lanes + (m ? 3 : 1) * lanes);
  return lanes ? group_cost(set, g, lanes, at, source) : 0;
}

int64_t total_count(Classes *c, const Rows *rows, const Map *m, int64_t most, const Group **culprit,
                    Budget *b) {
  int64_t total = c->floor;
  *culprit = NULL;
  for (int i = 0; i < c->count && total <= most; i++) {
    const Group *g = &c->group[c->order[i]];
    const int over = total_of_group(c->set, g, rows, m, 0, b) - g->floor;
    total += over * g->weight;
    if (over > 0 && (!*culprit || total > most)) *culprit = g;
    if (total > most) move_to_front(c, i);
  }
  return total;
}
