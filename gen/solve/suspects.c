#include "solve/suspects.h"

#include <string.h>

Suspects suspects_new(Arena *a, const Classes *c) {
  Suspects s = {.classes = c, .order = ARENA_ARRAY(a, int, (size_t)c->count)};
  for (int i = 0; i < c->count; i++) s.order[i] = i;
  return s;
}

static void accuse(Suspects *s, int at) {
  const int first = s->order[at];
  memmove(s->order + 1, s->order, (size_t)at * sizeof *s->order);
  s->order[0] = first;
  if (at >= s->known) s->known++;
}

static int cost_of(const AccessSet *set, const Group *g, const Rows *rows, const Map *m) {
  int32_t at[WARP];
  for (int i = 0; i < g->lanes; i++)
    at[i] = rows_start(rows, g->row[i]) + (g->col[i] ^ (m ? maps_image(m, g->row[i]) : 0));
  return group_cost(set, g, g->lanes, at, g->source);
}

int64_t suspects_total(Suspects *s, const Rows *rows, const Map *m, int64_t most,
                       const Group **culprit, Budget *b) {
  int64_t total = s->classes->floor;
  *culprit = NULL;
  for (int i = 0; i < s->classes->count && total <= most; i++) {
    const Group *g = &s->classes->group[s->order[i]];
    const int over = cost_of(s->classes->set, g, rows, m) - g->floor;
    budget_spend(b, group_steps(g, g->lanes) + (m ? 4 : 2) * g->lanes);
    total += over * g->weight;
    if (over > 0 && (!*culprit || total > most)) *culprit = g;
    if (total > most) accuse(s, i);
  }
  return total;
}
