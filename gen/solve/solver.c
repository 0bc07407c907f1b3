/* SPDX-License-Identifier: MIT */
#include "solve/solver.h"

#include "base/number.h"

static RowPartition *solver_cut(Solver *s, int period) {
  RowPartition *c = &s->cut[__builtin_ffs(period)];
  if (!c->rows.unit) c->rows = rows_new(s->arena, s->set, period);
  return c;
}

Classes *solver_classes(Solver *s, int period, bool linear) {
  RowPartition *cut = solver_cut(s, period);
  if (cut->classes[linear]) return cut->classes[linear];
  Budget part = budget_part(&s->stage, 1, 8);
  for (int i = 0; i < s->set->accesses; i++) {
    const Access *a = &s->set->access[i];
    const int groups = a->bytes_per_lane > 8 ? 4 : a->bytes_per_lane > 4 ? 2 : 1;
    budget_spend(&s->stage, (int64_t)a->warps * groups * 800);
  }
  return cut->classes[linear] = group_classes(s->arena, s->set, period, &cut->rows, linear, &part);
}

static bool banks_are_bits(const Solver *s) {
  return number_is_power((int64_t)s->set->banks.count * s->set->banks.bytes);
}

/* A copy's cost depends on lines, too, so that bits matter that no bank sees. */
static bool has_copies(const AccessSet *set) {
  for (int i = 0; i < set->accesses; i++)
    if (set->access[i].op == OP_CP_ASYNC) return true;
  return false;
}

/* Decides if XORs among coordinates are in the layout space. */
static Reach reach_of_coordinates(Solver *s) {
  const int unit = solver_cut(s, 0)->rows.max_unit;
  if (!s->linear || s->set->tile->rank == 1) return REACH_NOTHING;
  const Reach reach = coordinates_space(s->set, unit, &s->coordinates);
  return reach == REACH_ALL && has_copies(s->set) ? REACH_UNKNOWN : reach;
}

/* What stays of the index where its XORs are in the family. */
static int fixed_bits(Solver *s) {
  const int fixed = linear_fixed_bits(s->set, solver_cut(s, 0)->rows.max_unit);
  if (!s->xors || !banks_are_bits(s)) return -1;
  return fixed < linear_changeable_bits(s->set->tile) ? fixed : -1;
}

/* An XOR permutes aligned pieces of a row: those of rows of an odd width, or that vectors fill, it
 * cannot. */
static bool rows_take_xors(Solver *s) {
  const Tile *t = s->set->tile;
  const int cols = t->extent[t->rank - 1];
  return t->rank == 1 || solver_cut(s, 0)->rows.min_unit < (cols & -cols);
}

static bool has_floors(const Classes *c) {
  for (int i = 0; i < c->count; i++)
    if (c->group[i].floor > 1) return true;
  return false;
}

/* Classes whose floors hold under every layout of the family. A tile's own rows stay together under
 * pads and their XORs; a linear layout keeps only words and pieces. */
static Classes *finest_classes(Solver *s) {
  const bool flat = s->set->tile->rank == 1 && s->set->tile->extent[0] > 2;
  const int period = flat && s->pads ? 1 : flat && s->xors && s->fixed < 0 ? 2 : 0;
  Classes *rows = solver_classes(s, period, false);
  const int low = s->reach == REACH_ALL ? s->coordinates.low : s->fixed;
  if (low < 0 || !has_floors(rows)) return rows;
  Classes *linear = solver_classes(s, 1 << low, s->reach != REACH_ALL);
  return linear->floor < rows->floor ? linear : rows;
}

void solver_begin(Solver *s, Arena *keep, const AccessSet *set, Want family, int64_t effort) {
  *s = (Solver){.keep = keep,
                .arena = arena_new(),
                .lists = arena_new(),
                .set = set,
                .pads = family == WANT_AUTO || family == WANT_PAD,
                .xors = family == WANT_AUTO || family == WANT_XOR,
                .linear = family == WANT_AUTO || family == WANT_XOR,
                .multiple = {1, 1, 1},
                .best.price = {.total = INT64_MAX - 1, .bytes = INT64_MAX},
                .effort = effort,
                .budget = {0, INT64_MAX, NULL}};
  s->certificate = certificate_new(s->arena, set);
  s->stage = (Budget){0, effort, &s->budget};
  s->fixed = fixed_bits(s);
  s->reach = reach_of_coordinates(s);
  s->xors = s->xors && (rows_take_xors(s) || s->fixed >= 0 || s->reach == REACH_ALL);
  s->finest = finest_classes(s);
  s->floor = s->least = s->finest->floor;
  if (set->tile->rank > 2 && s->pads)
    rows_multiples(&solver_cut(s, 0)->rows, set->tile, s->multiple);
}

void solver_end(Solver *s) {
  arena_free(s->arena);
  arena_free(s->lists);
}

bool solver_is_spent(Solver *s) {
  if (budget_left(&s->stage)) return false;
  s->stopped = true;
  return true;
}

bool solver_is_uneven(Solver *s) {
  const int unit = solver_cut(s, 0)->rows.max_unit;
  const Rows *rows = unit > 1 ? &solver_cut(s, unit)->rows : NULL;
  return rows && rows->min_unit < rows->max_unit;
}

/* --- one set of strides --- */

RowsVerdict solver_enter_strides(Solver *s, const KgenLayout *l, Strides *at) {
  *at = (Strides){.layout = *l, .bytes = layout_bytes(l, s->set->tile->dtype->bytes)};
  at->rows = &solver_cut(s, l->period)->rows;
  const RowsVerdict verdict = rows_enter(at->rows, l);
  const bool each = verdict == ROWS_HOLD && at->rows->min_unit < at->rows->max_unit;
  budget_spend(&s->stage, each ? 100 + at->rows->rows : 100);
  return verdict;
}

bool solver_enter_rows(Solver *s, int period, Strides *at) {
  const KgenLayout flat = layout_flat(s->set->tile), rows = layout_cut(&flat, period, 0);
  return solver_enter_strides(s, &rows, at) == ROWS_HOLD;
}

Reach solver_linear(Solver *s, LinearSpace *out) {
  if (!banks_are_bits(s)) return REACH_UNKNOWN;
  if (s->fixed < 0) return REACH_NOTHING;
  return linear_space(s->set, solver_classes(s, 1 << s->fixed, true), s->fixed, out);
}

StridesWalk solver_walk(const Solver *s) { return strides_begin(s->set, s->pads, s->multiple); }

bool solver_repeats_plain(const KgenLayout *l) { return l->period && l->stride[0] == l->period; }

bool solver_fills_rows(const KgenLayout *l) {
  return solver_repeats_plain(l) && l->extent[0] % l->period == 0;
}

bool solver_find_maps(Solver *s, Strides *at) {
  const int cols = layout_cols(&at->layout);
  if (!s->xors || at->rows->row_bits == 0 || cols % 2) return false;
  const bool linear = maps_are_linear(s->set, at->rows, cols);
  budget_spend(&s->stage, linear ? INT64_C(2) << at->rows->row_bits : 100);
  at->space = maps_space(solver_classes(s, at->layout.period, linear), at->rows);
  return at->space.col_bits != 0;
}

Reach solver_enter_coordinates(Solver *s, Strides *at) {
  RowPartition *cut = &s->coordinate_cut;
  if (s->reach != REACH_ALL) return s->reach;
  if (!cut->classes[0]) {
    cut->rows = coordinates_rows(s->arena, s->set, &s->coordinates, &s->coordinate_bits);
    Budget part = budget_part(&s->stage, 1, 8);
    budget_spend(&s->stage, INT64_C(4) << cut->rows.row_bits);
    cut->classes[0] = group_classes(s->arena, s->set, 1 << cut->rows.low, &cut->rows, false, &part);
  }
  at->rows = &cut->rows;
  at->space = (MapSpace){cut->classes[0], at->rows, s->coordinate_bits};
  return REACH_ALL;
}

bool solver_layout(const Solver *s, const Strides *at, const Map *m, KgenLayout *out) {
  if (at->rows->start) return coordinates_layout(&at->space, m, out);
  *out = at->layout;
  return maps_terms(&at->space, m, out) && linear_of_rows(s->set->tile, out);
}

/* --- one layout --- */

/* The group that costs most under every layout with these rows; NULL if that is what every layout
 * costs. */
static const Group *highest_floor(const Solver *s, const Classes *c) {
  return c->floor > s->floor ? &c->group[c->highest] : NULL;
}

Candidate solver_count(Solver *s, const Strides *at, const KgenLayout *l, int64_t most) {
  Classes *groups = l->terms ? at->space.classes : solver_classes(s, l->period, false);
  const Map m = maps_of_layout(l, at->rows->row_bits);
  const Group *violating_group;
  const int64_t total =
      total_count(groups, at->rows, l->terms ? &m : NULL, most, &violating_group, &s->stage);
  if (!violating_group) violating_group = highest_floor(s, groups);
  KgenLayout of_tile = *l;
  const bool fits = linear_of_rows(s->set->tile, &of_tile);
  return (Candidate){of_tile, solution_price(s->set->tile, &of_tile, fits ? total : INT64_MAX),
                     violating_group};
}

int64_t solver_wavefronts(Solver *s, const Strides *at, const KgenLayout *l) {
  const Classes *groups = l->terms ? at->space.classes : solver_classes(s, l->period, false);
  const Map m = maps_of_layout(l, at->rows->row_bits);
  int64_t wavefronts = 0;
  for (int i = 0; i < groups->count; i++) {
    const Group *g = &groups->group[i];
    wavefronts +=
        g->times * total_of_group(s->set, g, at->rows, l->terms ? &m : NULL, 0, &s->stage);
  }
  return wavefronts;
}
