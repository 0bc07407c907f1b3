#include "solve/steps.h"

#include <limits.h>
#include <stdlib.h>

/* What one row bit's image adds to what is known of a group. */
struct Step {
  int class;
  int lanes;  /* in rows that have their place then */
  int before; /* index in Steps.cost of what was known before */
  int from;   /* the lowest level whose image moves the class */
  int ahead;  /* the only later level that does, if others lie between; else 0 */
  int64_t weight;
};

static int lanes_below(const Group *g, int row) {
  int n = 0;
  while (n < g->lanes && g->row[n] < row) n++;
  return n;
}

/* The levels whose images move the group. */
static unsigned levels_of(const Group *g) {
  unsigned bits = 0;
  for (int n = 0; n < g->lanes; n++) bits |= (unsigned)g->row[n];
  return bits;
}

static int highest_of(unsigned bits) { return bits ? 31 - __builtin_clz(bits) : 0; }

/* The highest level that moves the group, if `level` is the one before and others lie between. */
static int level_ahead(const MapSpace *s, const Group *g, int level) {
  const unsigned bits = levels_of(g);
  const int last = highest_of(bits);
  if (!s->deep || level + 1 >= last) return 0;
  return bits >> level == (1u | 1u << (last - level)) ? last : 0;
}

/* Whether the image of row bit `level` moves lanes of g that are then bounded. */
static bool is_moved(const MapSpace *s, const Group *g, int level) {
  if (s->parts || level_ahead(s, g, level)) return levels_of(g) >> level & 1;
  return lanes_below(g, 2 << level) > lanes_below(g, 1 << level);
}

static int by_weight(const void *pa, const void *pb) {
  const Step *a = pa, *b = pb;
  if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
  return a->class - b->class;
}

static void list_steps(Arena *a, Steps *s) {
  const Classes *c = s->space->classes;
  const int bits = s->space->rows->row_bits;
  int *last = ARENA_ARRAY(a, int, (size_t)c->count);
  int count = 0;
  s->step = ARENA_ARRAY(a, Step, (size_t)c->count * (size_t)bits);
  for (int i = 0; i < c->count; i++) last[i] = i;
  for (int b = 0; b < bits; b++) {
    s->first[b] = count;
    for (int i = 0; i < c->count; i++) {
      const Group *g = &c->group[i];
      if (!is_moved(s->space, g, b)) continue;
      const int from = __builtin_ctz(levels_of(g)), ahead = level_ahead(s->space, g, b);
      s->step[count++] = (Step){i, lanes_below(g, 2 << b), last[i], from, ahead, g->weight};
    }
    qsort(s->step + s->first[b], (size_t)(count - s->first[b]), sizeof s->step[0], by_weight);
    for (int n = s->first[b]; n < count; n++) last[s->step[n].class] = c->count + n;
  }
  s->first[bits] = count;
  s->cost = ARENA_ARRAY(a, int, (size_t)(c->count + count));
}

/* The cost of the fullest part of a group's lanes that agree in all row bits from `bits` on, or
 * `known` if that is more. The bits above move such a part as a whole. */
static int cost_of_parts(Steps *s, const Group *g, int bits, int known) {
  const Placement p = {s->space->classes, s->space->rows->base, s->space->rows->x};
  for (int first = 0, end; first < g->lanes; first = end) {
    for (end = first + 1; end < g->lanes && g->row[end] >> bits == g->row[first] >> bits;) end++;
    if (end - first <= known) continue; /* a lane is a wavefront at most */
    s->effort->groups++;
    const int cost = group_part_cost(&p, g, first, end, (1 << bits) - 1);
    if (cost > known) known = cost;
  }
  return known;
}

static int cost_of_lanes(Steps *s, const Group *g, int lanes, int known) {
  const Placement p = {s->space->classes, s->space->rows->base, s->space->rows->x};
  s->effort->groups++;
  const int cost = group_cost(&p, g, lanes);
  return cost > known ? cost : known;
}

/* The least that the whole group can cost when one level only is open. */
static int cost_ahead(Steps *s, const Group *g, int level, int known) {
  int32_t *x = s->space->rows->x;
  const unsigned bits = s->space->col_bits;
  int least = INT_MAX;
  for (unsigned v = 0; least > known; v = (v - bits) & bits) {
    for (int n = g->lanes - 1; n >= 0 && g->row[n] >> level; n--)
      x[g->row[n]] = x[g->row[n] ^ 1 << level] ^ (int32_t)v;
    const int cost = cost_of_lanes(s, g, g->lanes, known);
    if (cost < least) least = cost;
    if (v == bits) break;
  }
  return least;
}

static int cost_after(Steps *s, const Step *step, int level, int known) {
  const Group *g = &s->space->classes->group[step->class];
  if (step->ahead) return cost_ahead(s, g, step->ahead, known);
  if (s->space->parts) return cost_of_parts(s, g, level + 1, known);
  return cost_of_lanes(s, g, step->lanes, known);
}

Steps steps_new(Arena *a, const MapSpace *space, Effort *e) {
  const Classes *c = space->classes;
  Steps s = {.space = space, .effort = e, .start = c->floor};
  list_steps(a, &s);
  for (int i = 0; i < c->count; i++) {
    const Group *g = &c->group[i];
    s.cost[i] = space->parts ? cost_of_parts(&s, g, 0, g->floor)
                             : cost_of_lanes(&s, g, lanes_below(g, 1), g->floor);
    s.start += (s.cost[i] - g->floor) * g->weight;
  }
  return s;
}

int64_t steps_bound(Steps *s, int level, int from, int64_t total, int64_t most) {
  const Classes *c = s->space->classes;
  for (int n = s->first[level]; n < s->first[level + 1] && total <= most; n++) {
    const Step *step = &s->step[n];
    if (step->from < from) continue;
    const int known = s->cost[step->before];
    const int cost = cost_after(s, step, level, known);
    s->cost[c->count + n] = cost;
    total += (cost - known) * step->weight;
  }
  return total;
}
