#include "solve/total.h"

#include <string.h>

static void move_to_front(Classes *c, int at) {
  const int first = c->order[at];
  memmove(c->order + 1, c->order, (size_t)at * sizeof *c->order);
  c->order[0] = first;
  if (at >= c->known) c->known++;
}

static int cost_of(const AccessSet *set, const Group *g, const Rows *rows, const Map *m) {
  int32_t at[WARP];
  for (int i = 0; i < g->lanes; i++)
    at[i] = rows_start(rows, g->row[i]) + (g->col[i] ^ (m ? maps_image(m, g->row[i]) : 0));
  return group_cost(set, g, g->lanes, at, g->source);
}

int64_t total_count(Classes *c, const Rows *rows, const Map *m, int64_t most, const Group **culprit,
                    Budget *b) {
  int64_t total = c->floor;
  *culprit = NULL;
  for (int i = 0; i < c->count && total <= most; i++) {
    const Group *g = &c->group[c->order[i]];
    const int over = cost_of(c->set, g, rows, m) - g->floor;
    budget_spend(b, group_steps(g, g->lanes) + (m ? 4 : 2) * g->lanes);
    total += over * g->weight;
    if (over > 0 && (!*culprit || total > most)) *culprit = g;
    if (total > most) move_to_front(c, i);
  }
  return total;
}
