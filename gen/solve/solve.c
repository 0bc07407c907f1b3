/* SPDX-License-Identifier: MIT */
#include "solve/solve.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/address.h"
#include "solve/given.h"
#include "solve/modes_solve.h"
#include "solve/solver.h"

/* --- accepting and refusing --- */

/* The most that a layout of this price but for the wavefronts may cost to be better than
 * the best. */
static int64_t max_improving_cost(const Solver *s, int64_t bytes, int operations, int bits) {
  const Price equal = {s->best.price.total, bytes, operations, bits};
  return s->best.price.total - (solution_is_cheaper(&equal, &s->best.price) ? 0 : 1);
}

/* The fewest operations that an XOR adds to its strides, "^ (row & 1)", and one of several terms,
 * "^ (row & 1) * 3". */
enum { ONE_TERM = 2, MORE_TERMS = 3 };

/* The most that a layout of these strides with an XOR may cost to be better than the best. */
static int64_t max_cost_of_xor(const Solver *s, const Strides *at, int least_operations) {
  return max_improving_cost(s, at->bytes, address_operations(&at->layout) + least_operations, 1);
}

/* The most that may be worth it for wavefronts or bytes alone. */
static int64_t max_cost_of_any(const Solver *s, int64_t bytes) {
  return max_improving_cost(s, bytes, INT_MAX, INT_MAX);
}

/* A layout without a violating_group that is not better costs as few wavefronts, only more bytes or
 * a dearer address: that needs no witness. */
static void consider(Solver *s, Candidate c) {
  Candidate worse = c;
  if (solution_is_cheaper(&c.price, &s->best.price)) {
    worse = s->best;
    s->best = c;
  }
  if (worse.violating_group)
    certificate_refuse(&s->certificate, &worse.layout, worse.violating_group->at,
                       worse.price.total);
}

static void prove(Solver *s, const Strides *at, ProofKind kind, int64_t total, const MapSearch *r) {
  if (!r->complete && kind != PROOF_NO_TERMS) s->stopped = true;
  KgenLayout base = at->layout;
  linear_of_rows(s->set->tile, &base);
  certificate_prove(&s->certificate,
                    &(Proof){.kind = kind,
                             .maps = at->rows->start                    ? MAPS_OF_COORDINATES
                                     : base.period == at->layout.period ? MAPS_OF_ROWS
                                                                        : MAPS_OF_INDEX,
                             .base = base,
                             .row_bits = at->rows->row_bits,
                             .col_bits = at->space.col_bits,
                             .total = total,
                             .nodes = r->nodes,
                             .complete = r->complete});
}

/* --- one set of strides --- */

static bool is_unpadded(const Solver *s, const KgenLayout *l) {
  return kgen_elements(l) == tile_elements(s->set->tile);
}

/* Counts a layout of these strides, and accepts or refuses it. */
static void try_layout(Solver *s, const Strides *at, const KgenLayout *l, int operations,
                       int bits) {
  consider(s, solver_count(s, at, l, max_improving_cost(s, at->bytes, operations, bits)));
}

static void try_plain(Solver *s, Strides *at) {
  if (!solver_repeats_plain(&at->layout))
    try_layout(s, at, &at->layout, address_operations(&at->layout), 0);
}

/* All single terms, cheapest first, until none that is left can be better. False if the stage's
 * budget ended, or none was as good as a layout can be. */
static bool try_terms(Solver *s, const Strides *at) {
  const TermList list = maps_single_terms(s->lists, &at->space, &at->layout);
  KgenLayout l = at->layout;
  l.terms = 1;
  for (int i = 0; i < list.count && !solver_is_spent(s); i++) {
    const PricedTerm *t = &list.term[i];
    l.term[0] = t->term;
    if (max_improving_cost(s, at->bytes, t->operations, t->bits) < s->least) return true;
    if (maps_tears(&at->space, &l))
      certificate_rule(&s->certificate, &l, REFUSED_CONTIGUITY);
    else
      try_layout(s, at, &l, t->operations, t->bits);
  }
  return max_cost_of_xor(s, at, MORE_TERMS) < s->least;
}

/* Offers a map as a layout; one of too many terms cannot be written as one. */
static void take(Solver *s, const Strides *at, const Map *m) {
  KgenLayout l;
  if (solver_layout(s, at, m, &l))
    consider(s, (Candidate){l, solution_price(s->set->tile, &l, m->total),
                            m->total > s->floor ? s->best.violating_group : NULL});
  else
    s->stopped = true;
}

static int64_t effort_left(const Solver *s) {
  return s->effort > s->budget.spent ? s->effort - s->budget.spent : 0;
}

/* Maps of one row bit into several column bits, which one multiplication copies: of those as good
 * as the best the cheapest. */
static void try_copies(Solver *s, const Strides *at) {
  const Rows *rows = at->rows;
  const unsigned bits = at->space.col_bits;
  for (int row = 0; row < rows->row_bits; row++)
    for (unsigned v = bits & -bits; v && !solver_is_spent(s); v = (v - bits) & bits) {
      Map m = {.total = s->best.price.total};
      Candidate c;
      if (maps_can_tear(&at->space) && v % (unsigned)rows->max_unit) continue;
      if ((v & (v - 1)) == 0 || (rows->spread && rows->spread[v] >> row & 1)) continue;
      m.column[row] = v;
      if (!solver_layout(s, at, &m, &c.layout)) continue;
      c.price = solution_price(s->set->tile, &c.layout, m.total);
      budget_spend(&s->stage, 100);
      if (!solution_is_cheaper(&c.price, &s->best.price)) continue;
      c.price.total =
          total_count(at->space.classes, rows, &m, m.total, &c.violating_group, &s->stage);
      if (c.price.total <= m.total) consider(s, c);
    }
}

static int terms_of_best(const Solver *s) {
  KgenTerm term[KGEN_MAX_TERMS];
  int count = 0;
  for (int i = layout_join_terms(&s->best.layout, term) - 1; i >= 0; i--)
    count += term[i].mask != 0;
  return count;
}

/* Takes over the cheapest map of that total, if it is cheaper than the best; if the search finds
 * none, the one that is known. Of a free layout nothing else is left to be decided. */
static void take_cheapest(Solver *s, const Strides *at, const Map *known) {
  const Price *best = &s->best.price;
  if (known) take(s, at, known);
  try_copies(s, at);
  const int64_t total = known ? known->total : best->total;
  const bool tie = best->total == total && best->bytes == at->bytes;
  const int terms = tie ? terms_of_best(s) : KGEN_MAX_TERMS + 1;
  Budget part = {0, effort_left(s) / 4 * 3, &s->budget};
  const MapSearch r = map_search_cheapest(&at->space, total, terms, best->bits, &part);
  prove(s, at, PROOF_NO_TERMS, total, &r);
  if (r.found) take(s, at, &r.map);
}

/* The XOR maps where no wavefront may be above the floor: whether there is such a map, and the
 * cheapest one. */
static void ask_free_maps(Solver *s, Strides *at) {
  if (max_cost_of_xor(s, at, ONE_TERM) < s->least || !solver_find_maps(s, at)) return;
  Budget part = budget_part(&s->stage, 3, 4);
  const MapSearch r = map_search_least(&at->space, s->least, s->floor, &part);
  if (!r.found)
    prove(s, at, PROOF_NO_FREE, s->floor, &r);
  else if (!try_terms(s, at))
    take_cheapest(s, at, &r.map);
}

static void try_single_terms(Solver *s, Strides *at) {
  if (solver_find_maps(s, at)) try_terms(s, at);
}

/* Maps of two terms and more: first whether any has fewer wavefronts, or as many and fewer bytes,
 * then the cheapest of them. */
static void try_multi_terms(Solver *s, Strides *at) {
  const int64_t most = max_cost_of_any(s, at->bytes);
  if (!solver_find_maps(s, at)) return;
  Budget part = budget_part(&s->stage, is_unpadded(s, &at->layout) ? 3 : 1, 4);
  MapSearch r = {.complete = true};
  if (most >= s->least) {
    r = map_search_least(&at->space, s->least, most, &part);
    prove(s, at, PROOF_NO_XOR, r.found ? r.map.total : most + 1, &r);
  }
  if (r.found)
    take_cheapest(s, at, &r.map);
  else if (s->best.price.bytes == at->bytes && terms_of_best(s) >= 2)
    take_cheapest(s, at, NULL);
}

/* --- the tile without pads: XORs of its index --- */

/* Whether XORs of the index are those of its rows, too. */
static bool index_covers_rows(Solver *s) {
  const Tile *t = s->set->tile;
  return number_is_power(t->extent[t->rank - 1]) && !solver_is_uneven(s);
}

/* The same as try_terms(), of the index. Where the least total is searched for, the search over all
 * matrices refuses the others. */
static bool try_index_terms(Solver *s, const Strides *at, const LinearSpace *space) {
  IndexTerm *list;
  const int count = linear_terms(s->lists, space, &list);
  for (int i = 0; i < count && !solver_is_spent(s); i++) {
    const IndexTerm *term = &list[i];
    const int64_t most = max_improving_cost(s, at->bytes, term->price.operations, term->price.bits);
    if (most < s->least) return true;
    const Map m = linear_of_term(space, term->shift, term->mask);
    const Group *violating_group;
    const int64_t total = linear_count(space, &m, most, &violating_group, &s->stage);
    if (total > most && s->counts) continue;
    Candidate c = {.violating_group = violating_group};
    linear_of_term_layout(s->set->tile, term->shift, term->mask, &c.layout);
    c.price = solution_price(s->set->tile, &c.layout, total);
    consider(s, c);
  }
  return max_cost_of_xor(s, at, MORE_TERMS) < s->least;
}

/* The widths of rows whose XORs are those of the index, widest first, from `from` elements on. */
static int next_width(const Solver *s, const LinearSpace *space, int width) {
  const Tile *t = s->set->tile;
  const int cols = t->extent[t->rank - 1];
  if (width == 0) return 1 << (space->fixed + space->targets);
  if (t->rank > 1)
    return width > cols && number_is_power(cols) && cols > 1 << space->fixed ? cols : 0;
  return width / 2 > 1 << space->fixed ? width / 2 : 0;
}

/* Takes over the cheapest XOR of the index that costs what the best does. */
static void take_cheapest_of_index(Solver *s, const LinearSpace *space) {
  Strides rows;
  for (int w = next_width(s, space, 0); w; w = next_width(s, space, w)) {
    solver_enter_rows(s, w, &rows);
    if (max_cost_of_xor(s, &rows, MORE_TERMS) < s->least || !solver_find_maps(s, &rows)) continue;
    if (terms_of_best(s) > 1)
      take_cheapest(s, &rows, NULL);
    else
      try_copies(s, &rows);
  }
}

static MapSearch search_linear(Solver *s, const Strides *at, const LinearSpace *space, bool moves,
                               ProofKind kind, int64_t most) {
  Budget part = budget_part(&s->stage, 3, 4);
  const MapSearch r = linear_search(space, moves, s->least, most, &part);
  if (!r.complete) s->stopped = true;
  if (r.found && kind == PROOF_NO_FREE) return r;
  certificate_prove(&s->certificate,
                    &(Proof){.kind = kind,
                             .maps = moves ? MAPS_LINEAR : MAPS_OF_INDEX,
                             .base = at->layout,
                             .row_bits = space->bits,
                             .col_bits = ((1u << space->targets) - 1) << space->fixed,
                             .total = r.found ? r.map.total : most + 1,
                             .nodes = r.nodes,
                             .complete = r.complete});
  return r;
}

/* Offers a matrix as a layout; of those of as many wavefronts the cheapest. */
static void take_matrix(Solver *s, const Strides *at, const LinearSpace *space, const Map *m,
                        bool terms_tried) {
  Candidate c = {.violating_group = m->total > s->floor ? s->best.violating_group : NULL};
  if (!linear_layout(space, m, &c.layout)) {
    s->stopped = true;
    return;
  }
  c.price = solution_price(s->set->tile, &c.layout, m->total);
  consider(s, c);
  if (c.layout.linear || (!terms_tried && try_index_terms(s, at, space))) return;
  take_cheapest_of_index(s, space);
}

/* Linear layouts of at most `most` wavefronts: first XORs of the index into its lowest bits, then
 * those that move bits, if they cost less. */
static void search_index(Solver *s, const Strides *at, const LinearSpace *space, ProofKind kind,
                         int64_t most) {
  const MapSearch r = search_linear(s, at, space, false, kind, most);
  const bool counts = kind == PROOF_NO_XOR;
  if (r.found) take_matrix(s, at, space, &r.map, counts);
  const int64_t less = r.found ? r.map.total - 1 : most;
  MapSearch any = {.found = false};
  if (space->moves && !s->set->stays && less >= s->least)
    any = search_linear(s, at, space, true, kind, less);
  if (any.found) take_matrix(s, at, space, &any.map, counts);
  if (counts && !r.found && !any.found) take_cheapest_of_index(s, space);
}

/* Where the index has no bank matrix: its XORs as those of rows of each width. */
static void ask_widths(Solver *s, void (*ask)(Solver *s, Strides *at)) {
  Strides rows;
  LinearSpace space;
  const bool linear = solver_linear(s, &space) == REACH_ALL;
  if (linear ? !solver_is_uneven(s) : s->set->tile->rank > 1) return;
  for (int w = 1 << linear_changeable_bits(s->set->tile); w > 1; w /= 2) {
    if (solver_enter_rows(s, w, &rows)) ask(s, &rows);
  }
}

static void ask_free_index(Solver *s, Strides *at) {
  LinearSpace space;
  const bool linear = solver_linear(s, &space) == REACH_ALL;
  if (!linear || !index_covers_rows(s)) ask_free_maps(s, at);
  ask_widths(s, ask_free_maps);
  if (!linear || max_cost_of_xor(s, at, ONE_TERM) < s->least) return;
  search_index(s, at, &space, PROOF_NO_FREE, s->floor);
}

static void ask_index_terms(Solver *s, Strides *at) {
  LinearSpace space;
  const bool linear = solver_linear(s, &space) == REACH_ALL;
  if (!linear || !index_covers_rows(s)) try_single_terms(s, at);
  ask_widths(s, try_single_terms);
  if (linear) try_index_terms(s, at, &space);
}

static void ask_rows(Solver *s, Strides *at) {
  try_multi_terms(s, at);
  ask_widths(s, try_multi_terms);
}

static void ask_index(Solver *s, Strides *at) {
  LinearSpace space;
  const int64_t most = max_cost_of_any(s, at->bytes);
  if (solver_linear(s, &space) != REACH_ALL) return;
  if (most >= s->least)
    search_index(s, at, &space, PROOF_NO_XOR, most);
  else
    take_cheapest_of_index(s, &space);
}

/* --- the tile without pads: XORs among its coordinates --- */

/* Counts a map and considers it. */
static void try_map(Solver *s, const Strides *at, Map *m, int64_t most) {
  Candidate c;
  m->total = total_count(at->space.classes, at->rows, m, most, &c.violating_group, &s->stage);
  if ((m->total > most && s->counts) || !solver_layout(s, at, m, &c.layout)) return;
  c.price = solution_price(s->set->tile, &c.layout, m->total);
  consider(s, c);
}

static bool try_coordinate_terms(Solver *s, const Strides *at) {
  const TermList list = coordinates_terms(s->lists, &at->space);
  for (int i = 0; i < list.count && !solver_is_spent(s); i++) {
    const PricedTerm *t = &list.term[i];
    const int64_t most = max_improving_cost(s, at->bytes, t->operations, t->bits);
    if (most < s->least) return true;
    Map m = coordinates_of_term(&at->space, t->term);
    try_map(s, at, &m, most);
  }
  return max_cost_of_xor(s, at, MORE_TERMS) < s->least;
}

/* Takes bits out of a map that costs no more without them: first all of a row bit's, then single
 * ones. */
static void simplify(Solver *s, const Strides *at, Map *m) {
  for (int pass = 0; pass < 2; pass++)
    for (int row = 0; row < at->rows->row_bits; row++)
      for (unsigned left = m->column[row], bits = left; left && !solver_is_spent(s);
           left &= ~bits) {
        const Group *violating_group;
        bits = pass ? left & -left : left;
        m->column[row] ^= bits;
        if (total_count(at->space.classes, at->rows, m, m->total, &violating_group, &s->stage) >
            m->total)
          m->column[row] ^= bits;
      }
}

/* Maps of at most `most` wavefronts: the cheapest of one term, else one that no bit can be taken
 * out of. */
static void search_coordinates(Solver *s, const Strides *at, ProofKind kind, int64_t most) {
  Budget part = budget_part(&s->stage, 3, 4);
  MapSearch r = map_search_least(&at->space, s->least, most, &part);
  if (!r.found || kind != PROOF_NO_FREE) prove(s, at, kind, r.found ? r.map.total : most + 1, &r);
  if (!r.found || try_coordinate_terms(s, at)) return;
  simplify(s, at, &r.map);
  take(s, at, &r.map);
  try_copies(s, at);
}

static void ask_free_coordinates(Solver *s, Strides *at) {
  if (max_cost_of_xor(s, at, ONE_TERM) >= s->least && solver_enter_coordinates(s, at) == REACH_ALL)
    search_coordinates(s, at, PROOF_NO_FREE, s->floor);
}

static void ask_coordinates(Solver *s, Strides *at) {
  const int64_t most = max_cost_of_any(s, at->bytes);
  if (solver_enter_coordinates(s, at) != REACH_ALL) return;
  if (most < s->least)
    try_coordinate_terms(s, at);
  else
    search_coordinates(s, at, PROOF_NO_XOR, most);
}

/* --- all strides --- */

static bool has_layout(const Solver *s) { return s->best.price.bytes < INT64_MAX; }

/* Nothing from these strides on can be better: they take more bytes, and wavefronts are at the
 * least. */
static bool settled_before(const Solver *s, const KgenLayout *l) {
  return s->best.price.total == s->least &&
         layout_bytes(l, s->set->tile->dtype->bytes) > s->best.price.bytes;
}

/* A stage asks strides, fewest bytes first, until the best is settled or its budget is spent. */
typedef struct {
  void (*attempt)(Solver *s, Strides *at);
  bool padded, xors; /* asks strides with pads, instead of those without; maps */
  int part;          /* of the effort at most, in sixteenths */
  int left;          /* or so many eighths of what is left of it; -1: a budget of its own */
} Stage;

/* Strides alone are tried until there is a layout to answer with, whatever the budget. Strides that
 * break a rule are refused by it, not once more for their maps. */
static void run_stage(Solver *s, const Stage *stage) {
  StridesWalk walk = solver_walk(s);
  Strides at;
  const int64_t least = s->effort / 16 * stage->part, most = effort_left(s) / 8 * stage->left;
  s->stage = (Budget){0, least > most ? least : most, stage->left < 0 ? NULL : &s->budget};
  while (strides_next(&walk) && !settled_before(s, &walk.at)) {
    const bool padded = !is_unpadded(s, &walk.at);
    if (solver_fills_rows(&walk.at)) continue; /* XORs of the index */
    if (padded && !stage->padded && walk.at.rank > 1) return;
    if (padded != stage->padded) continue;
    if (solver_is_spent(s) && (stage->xors || !s->counts || has_layout(s))) return;
    arena_clear(s->lists);
    const RowsVerdict verdict = solver_enter_strides(s, &walk.at, &at);
    if (verdict == ROWS_HOLD)
      stage->attempt(s, &at);
    else if (!stage->xors)
      certificate_rule(&s->certificate, &walk.at,
                       verdict == ROWS_TEAR ? REFUSED_CONTIGUITY : REFUSED_ALIGNMENT);
  }
}

static long least_weight(const AccessSet *set) {
  long least = set->access[0].weight;
  for (int i = 1; i < set->accesses; i++)
    if (set->access[i].weight < least) least = set->access[i].weight;
  return least;
}

/* A stage that both `auto` and a narrower request run has the same budget in both, and nothing that
 * was asked before it but a better layout to start from: so `auto` is never worse. */
static void run_stages(Solver *s, const Stage *stage, int count) {
  const bool pads = s->pads || s->set->tile->rank == 1; /* its last period may not be full */
  for (int i = 0; i < count; i++)
    if ((pads || !stage[i].padded) && (s->xors || !stage[i].xors)) {
      run_stage(s, &stage[i]);
      if (!s->stage.whole) s->separate += s->stage.spent;
    }
}

/* First whether a layout is free; where none is, the least total. */
static void solve_all(Solver *s) {
  static const Stage free[] = {{try_plain, false, false, 1, 0},
                               {ask_free_index, false, true, 5, 0},
                               {try_plain, true, false, 5, 0},
                               {ask_free_maps, true, true, 1, 7},
                               {ask_free_coordinates, false, true, 1, -1}};
  static const Stage least[] = {
      {try_plain, false, false, 1, 0},     {ask_index_terms, false, true, 1, 0},
      {ask_rows, false, true, 6, 0},       {ask_index, false, true, 2, 0},
      {try_plain, true, false, 13, 0},     {try_single_terms, true, true, 1, 4},
      {try_multi_terms, true, true, 2, 8}, {ask_coordinates, false, true, 1, -1}};
  s->best.price.total = s->floor;
  run_stages(s, free, sizeof free / sizeof *free);
  if (has_layout(s)) return;
  if (!s->stopped) s->least = s->floor + least_weight(s->set);
  s->stopped = false;
  s->counts = true;
  s->best.price.total = INT64_MAX - 1;
  certificate_drop_witnesses(&s->certificate);
  run_stages(s, least, sizeof least / sizeof *least);
}

/* --- the result --- */

/* Paddings were left out only where others than none were of max_improving_cost. */
static bool wants_pads(const Solver *s) {
  const KgenLayout plain = layout_plain(s->set->tile);
  return s->best.price.total > s->least || kgen_elements(&s->best.layout) > kgen_elements(&plain);
}

/* True if linear layouts were left out that might be better. */
static bool leaves_linear(Solver *s) {
  const KgenLayout plain = layout_plain(s->set->tile);
  const bool settled =
      s->best.price.total == s->floor && kgen_elements(&s->best.layout) == kgen_elements(&plain);
  LinearSpace space;
  if (!s->linear || settled) return false;
  const Reach index = solver_linear(s, &space);
  return index == REACH_UNKNOWN || s->reach == REACH_UNKNOWN || solver_is_uneven(s) ||
         (index == REACH_ALL && space.moves && s->set->stays);
}

/* Copies an array, which was built in an arena that goes away. */
static void *keep(Arena *a, const void *from, int count, size_t size) {
  void *to = arena_array(a, (size_t)count, size);
  if (count) memcpy(to, from, (size_t)count * size);
  return to;
}

static const Solution *finish(Solver *s) {
  Solution *out = ARENA_NEW(s->keep, Solution);
  s->best.layout = out->layout =
      modes_prefer(s->lists, s->set, &s->best.layout, s->best.price.total);
  out->left_out = leaves_linear(s);
  out->minimal = !s->stopped && !out->left_out;
  out->stopped = s->stopped;
  out->left = (int)(effort_left(s) * 100 / s->effort);
  if (!layout_admissible(&out->layout, s->set)) die("the solver chose a layout that breaks a rule");
  solution_count(s->keep, s->set, out);
  if (out->total != s->best.price.total) die("a layout does not cost what it was searched at");
  if (wants_pads(s)) certificate_prove_multiples(&s->certificate, s->multiple);
  if (!out->conflict_free) certificate_prove_floor(&s->certificate, s->finest);
  solution_certify(out, &s->certificate, s->floor);
  modes_append_claim(s->keep, s->set, out);
  Certificate *c = &out->certificate;
  c->witness = keep(s->keep, c->witness, c->witnesses, sizeof *c->witness);
  c->proof = keep(s->keep, c->proof, c->proofs, sizeof *c->proof);
  out->effort += s->budget.spent + s->separate;
  return out;
}

static void report_none(Diag *d, const AccessSet *set) {
  const LayoutRequest *want = &set->tile->want;
  diag_error(d, want->loc,
             "no layout of kind '%s' keeps every vector and %d-byte piece aligned within %d bytes",
             want_name[want->kind], want->align, want->max_bytes);
  if (want->kind == WANT_NONE || want->kind == WANT_XOR)
    diag_hint(d, "rows must be padded to whole vectors: use 'pad' or 'auto'");
}

/* The cheapest layout of the family that the request names. */
static const Solution *search(Arena *a, Diag *d, const AccessSet *set) {
  const int64_t effort = set->effort ? set->effort : SOLVE_EFFORT;
  Solver s;
  solver_begin(&s, a, set, set->tile->want.kind, effort);
  solve_all(&s);
  const Solution *out = has_layout(&s) ? finish(&s) : NULL;
  if (!out) report_none(d, set);
  solver_end(&s);
  return out;
}

/* --- what is asked for --- */

/* What the family `auto` holds beside a given layout. */
static const Solution *solve_beside(Arena *a, const AccessSet *set) {
  AccessSet *alone = ARENA_NEW(a, AccessSet);
  Tile *tile = ARENA_NEW(a, Tile);
  *alone = *set;
  *tile = *set->tile;
  tile->want.given = NULL;
  tile->want.kind = WANT_AUTO;
  alone->tile = tile;
  return solve_tile(a, diag_new(a), alone);
}

const Solution *solve_tile(Arena *a, Diag *d, const AccessSet *set) {
  const LayoutRequest *want = &set->tile->want;
  if (want->given) return given_judge(a, d, set, want->alone ? NULL : solve_beside(a, set));
  if (want->kind == WANT_TMA || mode_needed(set)) return modes_solve(a, d, set);
  return search(a, d, set);
}
