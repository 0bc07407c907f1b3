/* SPDX-License-Identifier: MIT */
/* The search over XOR maps at one set of strides, compared with brute force over all maps: the
 * minimum wavefronts, the proof that every group needs them, and the cheapest map at that
 * number. */
#include "check.h"
#include "solve/map_search.h"
#include "solve/sets.h"

#include <stdlib.h>

static int searched, freed, xored;

/* The map of fewest wavefronts, then terms, then bits at these strides, among all. */
static BrutePrice brute_at(const AccessSet *set, const KgenLayout *base) {
  const int rows = layout_rows(base), cols = layout_cols(base);
  int row_bits = 0, col_bits = 0;
  BrutePrice best = {INT64_MAX, 0, 0, 0, 0};
  while (1 << row_bits < rows) row_bits++;
  while (cols % (2 << col_bits) == 0) col_bits++;
  for (uint64_t code = 0; code < UINT64_C(1) << row_bits * col_bits; code++) {
    unsigned image[32] = {0};
    BrutePrice p = {0};
    for (int r = 0; r < row_bits; r++)
      image[r] = (unsigned)(code >> r * col_bits) & ((1u << col_bits) - 1);
    brute_map_price(base, image, row_bits, &p);
    p.operations = p.terms;
    p.total = brute_cost(set, base, image, NULL);
    if (p.total >= 0 && brute_compare(&p, &best) < 0) best = p;
  }
  return best;
}

/* False if the strides break a piece, or there is no map. */
static bool enter_space(Arena *a, const AccessSet *set, const KgenLayout *base, Rows *rows,
                        MapSpace *space) {
  *rows = rows_new(a, set, base->period);
  const bool hold = rows_enter(rows, base) == ROWS_HOLD;
  Budget b = {0, INT64_MAX, NULL};
  const bool linear = maps_are_linear(set, rows, layout_cols(base));
  Classes *c = group_classes(a, set, base->period, rows, linear, &b);
  *space = maps_space(c, rows);
  return hold && space->col_bits && rows->row_bits;
}

static BrutePrice price_of(const MapSpace *space, const Map *m) {
  BrutePrice p = {.total = m->total};
  const KgenLayout plain = layout_plain(space->classes->set->tile);
  brute_map_price(&plain, m->column, space->rows->row_bits, &p);
  p.operations = p.terms;
  return p;
}

/* The map's real cost, and that its terms say the same. */
static void check_map(const AccessSet *set, const KgenLayout *base, const MapSpace *space,
                      const Map *m, int64_t total, const char *what) {
  KgenLayout l = *base;
  CHECK(brute_cost(set, base, m->column, NULL) == total && m->total == total,
        "%s: a map of %lld costs %lld, not %lld", what, (long long)m->total,
        (long long)brute_cost(set, base, m->column, NULL), (long long)total);
  CHECK(maps_terms(space, m, &l) && l.terms == price_of(space, m).terms, "%s: terms", what);
}

static void check_best(const AccessSet *set, const KgenLayout *base, const MapSpace *space,
                       const BrutePrice *best, const char *what) {
  const int64_t floor = space->classes->floor;
  Budget b = {0, INT64_MAX, NULL};
  const MapSearch free = map_search_least(space, floor, floor, &b);
  CHECK(free.found == (best->total == floor) && free.complete, "%s: free", what);
  freed += best->total == floor;
  CHECK(!map_search_least(space, floor, best->total - 1, &b).found, "%s: below the least", what);
  const MapSearch r = map_search_least(space, floor, best->total + 100 * WEIGHT_ONE, &b);
  CHECK(r.found && r.complete, "%s: not found", what);
  check_map(set, base, space, &r.map, best->total, what);
  if (best->terms < 2) return;
  const MapSearch cheap = map_search_cheapest(space, best->total, KGEN_MAX_TERMS + 1, 0, &b);
  const BrutePrice p = price_of(space, &cheap.map);
  CHECK(cheap.found && cheap.complete && brute_compare(&p, best) == 0,
        "%s: %d terms, %d bits; brute force %d, %d", what, p.terms, p.bits, best->terms,
        best->bits);
}

static void check_strides(Arena *a, const AccessSet *set, const KgenLayout *base,
                          const char *what) {
  Rows rows;
  MapSpace space;
  if (!enter_space(a, set, base, &rows, &space)) return;
  const BrutePrice best = brute_at(set, base);
  searched++;
  xored += maps_are_linear(set, &rows, layout_cols(base));
  check_best(set, base, &space, &best, what);
}

/* Row `lane` % 4 of the eight whose bit `bit` is `set`; rows that there are not become the last. */
static int corner_row(const SetBuilder *b, int lane, int bit, int set) {
  const int rows = set_elements(b) / b->tile->extent[b->tile->rank - 1], low = lane % 4;
  const int row = (low >> bit << (bit + 1)) | set << bit | (low & ((1 << bit) - 1));
  return row < rows ? row : rows - 1;
}

/* Lanes in four rows, anywhere in the tile: a group whose columns XORed are no other group's. Of
 * rank 3: in its second half, which outer strides move as a whole. */
static void add_corner(SetBuilder *b, Random *r) {
  const int cols = b->tile->extent[b->tile->rank - 1];
  const int bit = b->tile->rank == 3 ? 2 : random_below(r, 3);
  const int set = b->tile->rank == 3 ? 1 : random_below(r, 2);
  WarpAccess *w = set_add(b, OP_LOAD, 1, 1);
  for (int lane = 0; lane < 8; lane++)
    set_lane(b, w, lane, corner_row(b, lane, bit, set) * cols + random_below(r, cols));
}

/* The same rows in every column, a warp for each; now and then one column twice. */
static void add_corner_columns(SetBuilder *b, Random *r) {
  const int cols = b->tile->extent[b->tile->rank - 1], bit = random_below(r, 3);
  const int twice = random_below(r, 2), set = random_below(r, 2);
  WarpAccess *w = set_add(b, OP_LOAD, 1, cols + twice);
  for (int i = 0; i < cols + twice; i++)
    for (int lane = 0; lane < 4; lane++)
      set_lane(b, &w[i], lane, corner_row(b, lane, bit, set) * cols + i % cols);
}

/* Four rows in half of the columns, loaded and updated: two classes for each of these groups, as
 * many as if every XOR of its columns occurred. */
static void add_corner_twice(SetBuilder *b, Random *r) {
  const int cols = b->tile->extent[b->tile->rank - 1], half = cols / 2;
  const int bit = random_below(r, 3), set = random_below(r, 2), first = random_below(r, 2) * half;
  for (int op = 0; op < 2; op++) {
    WarpAccess *w = set_add(b, op ? OP_ATOMIC : OP_LOAD, 1, half);
    for (int i = 0; i < half; i++)
      for (int lane = 0; lane < 4; lane++)
        set_lane(b, &w[i], lane, corner_row(b, lane, bit, set) * cols + first + i);
  }
}

static void random_accesses(SetBuilder *b, Random *r) {
  const int last = b->tile->extent[b->tile->rank - 1];
  for (int n = 1 + random_below(r, 3); n > 0; n--) {
    int v = 1 << random_below(r, 3);
    while (last % v || v * b->tile->dtype->bytes > 16) v /= 2;
    switch (random_below(r, 8)) {
    case 0: set_add_random(b, r, OP_LOAD, v); break;
    case 1: set_add_linear(b, r, OP_STORE, v); break;
    case 2: set_add_rows(b, OP_STORE, v); break;
    case 3:
    case 4: add_corner(b, r); break;
    default: set_add_columns(b, random_below(r, 4) ? OP_LOAD : OP_ATOMIC, v); break;
    }
  }
}

/* One tile at a few strides, in ascending order as the solver takes them. */
static void check_tile(Random *r, int id) {
  static const BankGeometry shape[] = {{4, 4}, {8, 4}, {8, 2}, {16, 4}, {3, 4}, {4, 8}};
  static const int outer[] = {1, 2, 3, 4, 5, 8, 11, 16}, inner[] = {2, 4, 6, 8, 12, 16};
  Arena *a = arena_new();
  char what[64];
  const int rank = 2 + random_below(r, 2);
  int extent[3] = {outer[random_below(r, 8)], 0, 0};
  if (rank == 3) extent[0] = 1 + random_below(r, 4), extent[1] = 1 + random_below(r, 5);
  extent[rank - 1] = inner[random_below(r, 6)];
  SetBuilder b = set_new(a, 1 << random_below(r, 5), rank, extent, WANT_AUTO);
  b.set->banks = shape[random_below(r, 6)];
  random_accesses(&b, r);
  KgenLayout l = layout_plain(b.tile);
  for (int i = 0; i < 4 && brute_size(b.set) < 2e5; i++) {
    snprintf(what, sizeof what, "tile %d, strides %d", id, i);
    check_strides(a, b.set, &l, what);
    for (int d = rank - 2; d >= 0; d--)
      l.stride[d] = extent[d + 1] * l.stride[d + 1] + (d == 0 || i > 1 ? random_below(r, 9) : 0);
  }
  arena_free(a);
}

/* Groups in the upper and the lower half of eight rows, at strides where XOR and addition differ:
 * what may be moved from one half to the other, and what must not. */
static void check_halves(Random *r, int id) {
  static const int words[] = {1, 1, 4};
  Arena *a = arena_new();
  char what[64];
  const int rank = 2 + random_below(r, 2), cols = 4 << random_below(r, 2);
  const int extent[] = {rank == 2 ? 8 : 2, rank == 2 ? cols : 4, cols};
  SetBuilder b = set_new(a, words[random_below(r, 3)], rank, extent, WANT_AUTO);
  b.set->banks = (BankGeometry){4 << random_below(r, 2), 4};
  for (int n = 2 + random_below(r, 4); n > 0; n--)
    rank == 3 || random_below(r, 2) ? add_corner(&b, r) : add_corner_columns(&b, r);
  if (rank == 2 && random_below(r, 2)) add_corner_twice(&b, r);
  for (int n = 0; n < 3; n++) {
    KgenLayout l = layout_plain(b.tile);
    l.stride[0] += random_below(r, 8);
    snprintf(what, sizeof what, "halves %d, stride %d", id, l.stride[0]);
    check_strides(a, b.set, &l, what);
  }
  arena_free(a);
}

/* Lanes of one row that collide if rows start at whole words, though not at every pad. */
static void check_one_row(void) {
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 1, 2, (int[]){8, 16}, WANT_AUTO);
  b.set->banks = (BankGeometry){2, 4};
  WarpAccess *w = set_add(&b, OP_LOAD, 1, 1);
  set_lane(&b, w, 0, 0);
  set_lane(&b, w, 1, 8);
  set_lane(&b, w, 2, 16);
  const KgenLayout l = layout_plain(b.tile);
  check_strides(a, b.set, &l, "one row");
  arena_free(a);
}

/* Halves of words in rows that start within one: which lanes share a word depends on the XOR. */
static void check_half_words(Random *r, int id) {
  static const int extent[] = {4, 4};
  Arena *a = arena_new();
  char what[64];
  SetBuilder b = set_new(a, 2, 2, extent, WANT_AUTO);
  b.set->banks = (BankGeometry){2, 4};
  for (int n = 1 + random_below(r, 3); n > 0; n--) set_add_random(&b, r, OP_LOAD, 1);
  KgenLayout l = layout_plain(b.tile);
  l.stride[0] = 7;
  snprintf(what, sizeof what, "half words %d", id);
  check_strides(a, b.set, &l, what);
  arena_free(a);
}

int main(int argc, char **argv) {
  Random r = {argc > 1 ? strtoull(argv[1], NULL, 10) : 1};
  const int tiles = argc > 2 ? atoi(argv[2]) : 60;
  check_one_row();
  for (int i = 0; i < tiles; i++) {
    check_tile(&r, i);
    check_halves(&r, i);
    check_half_words(&r, i);
  }
  CHECK(searched > tiles / 4 && freed > tiles / 20 && xored && xored < searched, "only %d searches",
        searched);
  printf("%d searches, %d free, %d of linear rows\n", searched, freed, xored);
  return check_report("maps_test");
}
