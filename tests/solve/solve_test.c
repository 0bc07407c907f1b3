/* SPDX-License-Identifier: MIT */
/* The solver against brute force: all small tiles, and thousands of random access sets. */
#include "check.h"
#include "model/bank.h"
#include "solve/recheck.h"
#include "solve/sets.h"

#include <stdlib.h>
#include <string.h>

static int64_t layouts_tried;
static int sets_checked;

static void check_injective(const AccessSet *set, const KgenLayout *l, const char *what) {
  const int n = kgen_elements(l);
  char *hit = calloc((size_t)n + 1, 1);
  int elements = 1;
  for (int d = 0; d < l->rank; d++) elements *= l->extent[d];
  for (int e = 0; e < elements; e++) {
    int coord[KGEN_MAX_RANK] = {0};
    for (int d = l->rank - 1, left = e; d >= 0; d--) {
      coord[d] = left % l->extent[d];
      left /= l->extent[d];
    }
    const int at = layout_offset(l, coord);
    CHECK(at >= 0 && at < n && !hit[at], "%s: element %d at %d of %d", what, e, at, n);
    if (at >= 0 && at < n) hit[at] = 1;
  }
  CHECK(layout_bytes(l, set->tile->dtype->bytes) == (int64_t)n * set->tile->dtype->bytes, "%s",
        what);
  free(hit);
}

/* Solves both ways; the prices must agree to the last criterion. */
static void check_set(Arena *a, const AccessSet *set, const char *what) {
  Diag *d = diag_new(a);
  const Solution *s = solve_tile(a, d, set);
  const Brute b = brute_solve(set);
  layouts_tried += b.tried;
  sets_checked++;
  if (b.best.total == INT64_MAX) {
    CHECK(s == NULL && diag_count(d) == 1, "%s: brute force finds no layout", what);
    return;
  }
  CHECK(s != NULL, "%s: no layout, brute force finds one", what);
  if (!s) return;
  const BrutePrice got = price_of(set, &s->layout);
  const Want kind = set->tile->want.kind;
  const bool of_index =
      s->layout.linear ||
      (s->layout.terms && (s->layout.term[0].source != KGEN_ROW || s->layout.term[0].target));
  /* Among layouts with several terms, the solver searches for the cheapest with the fewest
   * terms. */
  const bool equal = got.total == b.best.total && got.bytes == b.best.bytes;
  const bool few = equal && b.few.terms > 1 && got.operations <= b.few.operations;
  const int order = few ? 0 : brute_compare(&got, &b.best);
  CHECK(
      order == 0 || (order < 0 && of_index && (kind == WANT_AUTO || kind == WANT_XOR)),
      "%s: solver %lld wavefronts, %lld bytes, %d operations, %d bits; brute force %lld, %lld, %d, "
      "%d",
      what, (long long)got.total, (long long)got.bytes, got.operations, got.bits,
      (long long)b.best.total, (long long)b.best.bytes, b.best.operations, b.best.bits);
  CHECK(s->minimal || s->left_out, "%s: the search stopped early", what);
  check_injective(set, &s->layout, what);
}

static void check_small_tile(int bytes, int rows, int cols, int v, Want want, Op op) {
  static const BankGeometry shape[] = {{4, 4}, {8, 4}};
  char what[128];
  Arena *a = arena_new();
  SetBuilder b = set_new(a, bytes, 2, (int[]){rows, cols}, want);
  b.set->banks = shape[(rows + cols) % 2];
  set_add_rows(&b, OP_STORE, v);
  set_add_columns(&b, op, 1);
  snprintf(what, sizeof what, "%d-byte %dx%d, vector %d, %s, %s", bytes, rows, cols, v,
           want_name[want], op_name[op]);
  check_set(a, b.set, what);
  arena_free(a);
}

/* Every tile up to 8 x 8, every element size, rows and columns (vectorised where they divide), on
 * small banks; in full every kind of layout, loads and atomics, else one of each in turn. */
static void check_small_tiles(bool full) {
  for (int bytes = 1; bytes <= 16; bytes *= 2)
    for (int rows = 1; rows <= 8; rows++)
      for (int cols = 1; cols <= 8; cols++)
        for (int v = 1; v <= 4 && v * bytes <= 16; v *= 2) {
          const int turn = rows * 3 + cols + v;
          for (int i = 0; i < 2 * WANT_COUNT && cols % v == 0; i++)
            if (full || i == turn % (2 * WANT_COUNT))
              check_small_tile(bytes, rows, cols, v, (Want)(i % WANT_COUNT),
                               i < WANT_COUNT ? OP_LOAD : OP_ATOMIC);
        }
}

/* A period of 2 cuts pieces of 4 elements: an XOR would separate the words 0 and 2, which share one
 * of two banks, but tear a piece. */
static void check_cut_pieces(void) {
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 4, 1, (int[]){64}, WANT_XOR);
  b.set->banks = (BankGeometry){2, 4};
  set_add_rows(&b, OP_LOAD, 4);
  WarpAccess *w = set_add(&b, OP_LOAD, 1, 1);
  set_lane(&b, w, 0, 0);
  set_lane(&b, w, 1, 2);
  check_set(a, b.set, "pieces longer than a period");
  arena_free(a);
}

/* Row 12 keeps a vector whole: rows 4 and 12 must be XORed alike though no two lanes of a group
 * differ in that row bit. */
static void check_mixed_pieces(void) {
  static const int lane[] = {0, 4 * 8, 4, 4 * 8 + 4};
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 4, 2, (int[]){16, 8}, WANT_XOR);
  set_lane(&b, set_add(&b, OP_LOAD, 4, 1), 0, 12 * 8);
  WarpAccess *w = set_add(&b, OP_LOAD, 1, 1);
  for (int i = 0; i < 4; i++) set_lane(&b, w, i, lane[i]);
  check_set(a, b.set, "pieces of different lengths");
  arena_free(a);
}

/* A lane may have more words than there are banks: it then costs several wavefronts by itself. */
static void check_one_bank(void) {
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 8, 1, (int[]){128}, WANT_AUTO);
  b.set->banks = (BankGeometry){1, 4};
  WarpAccess *w = set_add(&b, OP_ATOMIC, 1, 4);
  for (int t = 0; t < 4 * WARP; t++) set_lane(&b, &w[t / WARP], t % WARP, t * 9 % 128);
  check_set(a, b.set, "one bank");
  arena_free(a);
}

/* Lanes of an atomic that share a word, but no element, are parted by rows of one element. */
static void check_shared_words(void) {
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 2, 1, (int[]){32}, WANT_AUTO);
  WarpAccess *w = set_add(&b, OP_ATOMIC, 1, 1);
  for (int lane = 0; lane < WARP; lane++) set_lane(&b, w, lane, lane);
  const Solution *s = solve_tile(a, diag_new(a), b.set);
  CHECK(s && s->minimal && s->conflict_free && s->cost[0].wavefronts == 1 && s->cost[0].ideal == 1,
        "f16 atomics in one word");
  check_set(a, b.set, "f16 atomics");
  arena_free(a);
}

/* Lanes of one element are served one after another under every layout: that is the ideal. */
static void check_histogram(void) {
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 4, 1, (int[]){64}, WANT_AUTO);
  WarpAccess *w = set_add(&b, OP_ATOMIC, 1, 1);
  for (int lane = 0; lane < WARP; lane++) set_lane(&b, w, lane, 7);
  const Solution *s = solve_tile(a, diag_new(a), b.set);
  CHECK(s && s->conflict_free && s->cost[0].wavefronts == 32 && s->cost[0].ideal == 32,
        "32 lanes on one word");
  CHECK(s && layout_kind(&s->layout)[0] == 'n', "nothing to gain by a layout");
  arena_free(a);
}

/* Rows of three elements misalign vectors of two: the plain tile cannot run, and has no cost. */
static void check_misaligned(void) {
  static const int lane[] = {0, 3 * 2, 3 * 4};
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 4, 2, (int[]){8, 3}, WANT_AUTO);
  WarpAccess *w = set_add(&b, OP_LOAD, 2, 1);
  for (int i = 0; i < 3; i++) set_lane(&b, w, i, lane[i]);
  set_lane(&b, w, 3, 3);
  const Solution *s = solve_tile(a, diag_new(a), b.set);
  CHECK(s && !s->unswizzled && s->layout.stride[0] == 4, "a plain tile that cannot run");
  const Certificate *c = s ? &s->certificate : NULL;
  CHECK(c && c->witnesses == 1 && c->witness[0].why == REFUSED_ALIGNMENT, "why it cannot");
  arena_free(a);
}

/* Random lanes on a tile of two million paddings: the search ends at what it may spend, and says
 * so. */
static void check_effort(void) {
  Arena *a = arena_new();
  Random r = {5};
  SetBuilder b = set_new(a, 1, 4, (int[]){4, 32, 32, 4}, WANT_AUTO);
  b.tile->want.max_bytes = 227 * 1024;
  b.set->effort = SOLVE_EFFORT / 16;
  for (int i = 0; i < 4; i++) set_add_random(&b, &r, OP_LOAD, 1);
  const Solution *s = solve_tile(a, diag_new(a), b.set);
  CHECK(s && !s->minimal && strstr(s->certificate.claim, "a search stopped at its limit, with"),
        "a search that ends");
  CHECK(s && s->effort < b.set->effort * 5 / 2, "%lld steps of %lld", (long long)s->effort,
        (long long)b.set->effort);
  arena_free(a);
}

/* A given pad after every bank period, where that is a single element. */
static void check_period_of_one(void) {
  static const GivenLayout pad = {.kind = GIVEN_PAD, .pad = 1};
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 16, 1, (int[]){64}, WANT_PAD);
  b.set->banks = (BankGeometry){1, 4};
  b.tile->want.given = &pad;
  b.tile->want.alone = true;
  set_add_rows(&b, OP_LOAD, 1);
  const Solution *s = solve_tile(a, diag_new(a), b.set);
  CHECK(s && s->layout.period == 1 && s->layout.stride[0] == 2, "a period of one element");
  arena_free(a);
}

/* Banks of which a billion paddings exist: they come in the order of their bytes, one by one, so
 * that a tile is settled by the first that is free. */
static void check_many_paddings(void) {
  for (int align = 1; align <= 128; align += 127) {
    Arena *a = arena_new();
    SetBuilder b = set_new(a, 1, 4, (int[]){4, 4, 4, 16}, WANT_PAD);
    b.set->banks = (BankGeometry){61, 16};
    b.tile->want.align = align;
    b.set->effort = SOLVE_EFFORT / 16;
    set_add_columns(&b, OP_ATOMIC, 1);
    const Solution *s = solve_tile(a, diag_new(a), b.set);
    CHECK(s && s->minimal, "%d-byte pieces", align);
    if (s) check_injective(b.set, &s->layout, "many paddings");
    arena_free(a);
  }
}

static void random_tile(Random *r, int *rank, int *extent) {
  static const int wide[] = {2, 3, 4, 6, 8, 12, 16};
  *rank = 1 + random_below(r, 4);
  for (int d = 0; d < *rank; d++) extent[d] = 1 + random_below(r, 3);
  extent[*rank - 1] = wide[random_below(r, 7)];
  if (*rank == 1) extent[0] = 4 + random_below(r, 29);
  if (*rank == 2) extent[0] = 1 + random_below(r, 8);
}

static void random_access(SetBuilder *b, Random *r) {
  static const Op op[] = {OP_LOAD, OP_STORE, OP_ATOMIC};
  const int last = b->tile->extent[b->tile->rank - 1];
  int v = 1 << random_below(r, 3);
  while (last % v || v * b->tile->dtype->bytes > 16) v /= 2;
  switch (random_below(r, 4)) {
  case 0: set_add_random(b, r, op[random_below(r, 3)], v); break;
  case 1: set_add_linear(b, r, op[random_below(r, 3)], v); break;
  case 2: set_add_rows(b, op[random_below(r, 3)], v); break;
  case 3: set_add_columns(b, op[random_below(r, 3)], v); break;
  }
  b->access[b->set->accesses - 1].weight = WEIGHT_ONE * (1 + random_below(r, 3));
}

static void check_random(uint64_t seed, int cases) {
  static const BankGeometry shape[] = {{2, 4}, {4, 4}, {3, 4}, {8, 2}, {4, 8}};
  Random r = {seed};
  char what[128];
  for (int i = 0; i < cases; i++) {
    Arena *a = arena_new();
    int rank, extent[KGEN_MAX_RANK];
    random_tile(&r, &rank, extent);
    SetBuilder b = set_new(a, 1 << random_below(&r, 5), rank, extent, (Want)random_below(&r, 4));
    b.set->banks = shape[random_below(&r, 5)];
    if (random_below(&r, 4) == 0) b.tile->want.align = 1 << random_below(&r, 5);
    if (random_below(&r, 4) == 0)
      b.tile->want.max_bytes = set_elements(&b) * b.tile->dtype->bytes * 3 / 2;
    for (int n = 1 + random_below(&r, 4); n > 0; n--) random_access(&b, &r);
    snprintf(what, sizeof what, "random case %d of seed %llu", i, (unsigned long long)seed);
    if (brute_size(b.set) < 2e4) check_set(a, b.set, what);
    arena_free(a);
  }
}

static void add_copies(SetBuilder *b, Random *r) {
  const int bytes = b->tile->dtype->bytes, last = b->tile->extent[b->tile->rank - 1];
  int v = 16 / bytes;
  while (v > 1 && (last % v || (v * bytes > 4 && random_below(r, 3) == 0))) v /= 2;
  switch (random_below(r, 3)) {
  case 0: set_add_random(b, r, OP_STORE, v); break;
  case 1: set_add_rows(b, OP_STORE, v); break;
  case 2: set_add_columns(b, OP_STORE, v); break;
  }
  const bool bypass = v * bytes == 16 && random_below(r, 4);
  set_copies(b, bypass ? COPY_CG : COPY_CA, random_below(r, 4), r);
  b->access[b->set->accesses - 1].weight = WEIGHT_ONE * (1 + random_below(r, 3));
}

/* Copies together with other accesses, on the banks of each geometry. */
static void check_copies(uint64_t seed, int cases) {
  Random r = {seed};
  char what[128];
  for (int i = 0; i < cases; i++) {
    Arena *a = arena_new();
    int rank, extent[KGEN_MAX_RANK];
    random_tile(&r, &rank, extent);
    SetBuilder b = set_new(a, 4 << random_below(&r, 3), rank, extent, (Want)random_below(&r, 4));
    for (int n = 1 + random_below(&r, 2); n > 0; n--) add_copies(&b, &r);
    if (random_below(&r, 4)) random_access(&b, &r);
    snprintf(what, sizeof what, "copies, case %d of seed %llu", i, (unsigned long long)seed);
    if (brute_size(b.set) < 2e4) check_set(a, b.set, what);
    arena_free(a);
  }
}

/* A pad of 16 bytes frees a column of vectors, but parts the sectors of copies past L1: an XOR is
 * better where there is one. */
static void check_pad_of_copies(void) {
  Arena *a = arena_new();
  Random r = {1};
  AccessCost cost[2];
  for (Want want = WANT_AUTO; want <= WANT_PAD; want += WANT_PAD) {
    SetBuilder b = set_new(a, 2, 2, (int[]){64, 64}, want);
    set_add_rows(&b, OP_STORE, 8);
    set_copies(&b, COPY_CG, 0, &r);
    set_add_columns(&b, OP_LDMATRIX, 8);
    const Solution *s = solve_tile(a, diag_new(a), b.set);
    if (s) cost_count(b.set, &s->layout, cost);
    CHECK(s && cost[0].wavefronts == (want == WANT_AUTO ? 64 : 168) && cost[0].ideal == 64,
          "%s: %d wavefronts of copies", want_name[want], s ? (int)cost[0].wavefronts : -1);
    CHECK(s && s->conflict_free == (want == WANT_AUTO), "%s", want_name[want]);
  }
  arena_free(a);
}

/* Tiles under TMA, with boxes and without, on the banks that there are. */
static void check_modes(uint64_t seed, int cases) {
  static const Op op[] = {OP_TMA_LOAD, OP_TMA_STORE, OP_WGMMA_A, OP_WGMMA_B};
  Random r = {seed};
  char what[128];
  int solved = 0;
  for (int i = 0; i < cases; i++) {
    Arena *a = arena_new();
    const int bytes = 1 << random_below(&r, 4), row = 16 << random_below(&r, 5);
    const int rows = 4 << random_below(&r, 4), rank = 1 + random_below(&r, 3);
    const int extent[] = {1 + random_below(&r, 2), rows, row / bytes};
    SetBuilder b = set_new(a, bytes, rank, extent + 3 - rank,
                           random_below(&r, 3) ? WANT_TMA : (Want)random_below(&r, 4));
    const bool boxes = b.tile->want.kind != WANT_TMA || random_below(&r, 2);
    if (random_below(&r, 4) == 0) b.tile->want.align = 1 << random_below(&r, 6);
    if (boxes) set_add_boxes(&b, op[random_below(&r, 4)], rows / (1 + random_below(&r, 2)));
    if (!boxes || random_below(&r, 4)) random_access(&b, &r);
    snprintf(what, sizeof what, "modes, case %d of seed %llu", i, (unsigned long long)seed);
    check_set(a, b.set, what);
    solved += brute_solve(b.set).best.total < INT64_MAX;
    arena_free(a);
  }
  CHECK(solved > cases / 3 && solved < cases, "%d of %d tiles fit a mode", solved, cases);
}

/* f32 32 x 32, rows stored and read by vectors down columns: of all XORs of three bits the one that
 * TMA has. */
static void check_preference(void) {
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 4, 2, (int[]){32, 32}, WANT_AUTO);
  set_add_rows(&b, OP_STORE, 4);
  set_add_columns(&b, OP_LOAD, 4);
  const Solution *s = solve_tile(a, diag_new(a), b.set);
  CHECK(s && s->conflict_free && s->layout.terms == 1 && s->layout.term[0].shift == -2 &&
            s->layout.term[0].mask == 28,
        "the layout is not TMA's");
  CHECK(s && strstr(s->certificate.claim, "It is TMA's mode 'tma128'"), "%s",
        s ? s->certificate.claim : "none");
  arena_free(a);
}

/* A given layout: what it costs, and whether the family has a better one. */
static void check_given(void) {
  static const struct {
    GivenLayout given;
    int64_t wavefronts;
    bool minimal;
    const char *claim;
  } row[] = {
      {{.kind = GIVEN_PAD, .pad = 1}, 64, false, "Better: strides 32, 1 with col ^"},
      {{.kind = GIVEN_PAD, .pad = 2}, 96, false, "a group of access 'a' takes 2 wavefronts"},
      {{.kind = GIVEN_CUTE, .b = 5, .m = 0, .s = 5},
       64,
       true,
       "no linear layout, no padding, and no XOR after padding is better"},
      {{.kind = GIVEN_CUTE, .b = 2, .m = 2, .s = 2}, 544, false, "Better: strides 32, 1"},
      {{.kind = GIVEN_SWIZZLE, .bytes = 128}, 160, false, "It is TMA's mode 'tma128'"},
      {{.kind = GIVEN_SWIZZLE, .bytes = 0}, 1056, false, "It is TMA's mode 'none'"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    Arena *a = arena_new();
    SetBuilder b = set_new(a, 4, 2, (int[]){32, 32}, WANT_AUTO);
    b.tile->dim[0] = "row";
    b.tile->dim[1] = "col";
    b.tile->want.given = &row[i].given;
    set_add_rows(&b, OP_STORE, 1);
    set_add_columns(&b, OP_LOAD, 1);
    const Solution *s = solve_tile(a, diag_new(a), b.set);
    CHECK(s && s->cost[0].wavefronts + s->cost[1].wavefronts == row[i].wavefronts, "given %d: %d",
          (int)i, s ? (int)(s->cost[0].wavefronts + s->cost[1].wavefronts) : -1);
    CHECK(s && s->minimal == row[i].minimal && (s->better == NULL) == row[i].minimal, "given %d",
          (int)i);
    CHECK(s && strstr(s->certificate.claim, row[i].claim), "given %d: %s", (int)i,
          s ? s->certificate.claim : "none");
    arena_free(a);
  }
}

/* A block of threads, each with some points of a stencil in registers: seven loads per point. */
typedef struct {
  int block[3], points[3]; /* z, y, x */
} Stencil;

static const Stencil first_stencil = {{4, 8, 8}, {2, 4, 4}};

static Stencil draw_stencil(uint64_t seed) {
  Random r = {seed};
  Stencil s;
  for (int d = 0; d < 3; d++) {
    s.block[d] = (d == 0 ? 1 : d == 1 ? 2 : 8) << random_below(&r, 3);
    s.points[d] = 1 << random_below(&r, 3);
  }
  return s;
}

static SetBuilder stencil_set(Arena *a, const Stencil *s, Want want) {
  static const int at[7][3] = {{1, 1, 1}, {1, 1, 0}, {1, 1, 2}, {1, 0, 1},
                               {1, 2, 1}, {0, 1, 1}, {2, 1, 1}};
  int extent[3];
  for (int d = 0; d < 3; d++) extent[d] = s->block[d] * s->points[d] + 2;
  SetBuilder b = set_new(a, 4, 3, extent, want);
  const int threads = s->block[0] * s->block[1] * s->block[2];
  const int points = s->points[0] * s->points[1] * s->points[2], warps = (threads + 31) / 32;
  for (int n = 0; n < 7; n++) {
    WarpAccess *w = set_add(&b, OP_LOAD, 1, warps * points);
    for (int i = 0; i < warps * points; i++)
      for (int lane = 0; lane < WARP; lane++) {
        int t = i / points * WARP + lane, k = i % points, e = 0, c[3];
        if (t >= threads) continue;
        for (int d = 2; d >= 0; d--) {
          c[d] = t % s->block[d] + k % s->points[d] * s->block[d] + at[n][d];
          t /= s->block[d];
          k /= s->points[d];
        }
        for (int d = 0; d < 3; d++) e = e * extent[d] + c[d];
        set_lane(&b, &w[i], lane, e);
      }
  }
  return b;
}

/* Register-blocked stencils: `auto` is never worse than pads and XORs. */
static void check_stencils(int count) {
  for (int id = 0; id < count; id++) {
    const Stencil stencil = id ? draw_stencil((uint64_t)id * 31) : first_stencil;
    int64_t total[WANT_COUNT];
    for (Want want = WANT_AUTO; want <= WANT_XOR; want++) {
      Arena *a = arena_new();
      SetBuilder b = stencil_set(a, &stencil, want);
      b.set->effort = SOLVE_EFFORT / (id ? 16 : 1);
      const Solution *s = solve_tile(a, diag_new(a), b.set);
      total[want] = s ? s->total : INT64_MAX;
      arena_free(a);
    }
    CHECK(total[WANT_AUTO] <= total[WANT_PAD] && total[WANT_AUTO] <= total[WANT_XOR],
          "stencil %d: auto %lld, pad %lld, xor %lld", id, (long long)total[WANT_AUTO],
          (long long)total[WANT_PAD], (long long)total[WANT_XOR]);
  }
}

/* Drawn so that most searches end with their budget. */
static SetBuilder draw_hard(Arena *a, uint64_t seed, Want want) {
  static const int wide[] = {12, 24, 32, 33, 34, 48, 64};
  Random r = {seed};
  int extent[3];
  for (int d = 0; d < 3; d++) extent[d] = wide[random_below(&r, 7)];
  extent[0] = 1 + extent[0] % 5;
  SetBuilder b = set_new(a, 1 << random_below(&r, 4), 3, extent, want);
  b.set->effort = SOLVE_EFFORT / 256;
  for (int n = 1 + random_below(&r, 3); n > 0; n--) {
    const SetKind kind = (SetKind)random_below(&r, SET_KINDS);
    const int argument = 1 << random_below(&r, 4);
    set_add_pattern(&b, random_below(&r, 4) ? OP_LOAD : OP_ATOMIC,
                    &(SetPattern){kind, argument, 1});
  }
  return b;
}

static int64_t total_of_want(int id, Want want) {
  Arena *a = arena_new();
  SetBuilder b = draw_hard(a, (uint64_t)(id + 1) * 77, want);
  const Solution *s = solve_tile(a, diag_new(a), b.set);
  const int64_t total = s ? s->total : INT64_MAX;
  arena_free(a);
  return total;
}

/* Whatever a narrower request finds, `auto` finds a layout as cheap, also where budgets end. */
static void check_never_worse(int cases) {
  for (int id = 0; id < cases; id++) {
    const int64_t best = total_of_want(id, WANT_AUTO);
    for (Want want = WANT_NONE; want <= WANT_TMA; want++) {
      const int64_t narrow = total_of_want(id, want);
      CHECK(best <= narrow, "case %d: auto %lld, %s %lld", id, (long long)best, want_name[want],
            (long long)narrow);
    }
  }
}

/* KGEN_BRUTE_FORCE=1: every small tile in every kind, and five seeds of 20,000 sets: minutes. */
int main(int argc, char **argv) {
  const bool full = getenv("KGEN_BRUTE_FORCE") != NULL;
  const int part = CHECK_SANITIZED ? 4 : 1;
  const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const int cases = argc > 2 ? atoi(argv[2]) : full ? 20000 : 1000 / part;
  check_small_tiles(full);
  check_cut_pieces();
  check_mixed_pieces();
  check_one_bank();
  check_shared_words();
  check_histogram();
  check_misaligned();
  check_effort();
  check_never_worse(full ? 200 : 24 / part);
  check_stencils(full ? 300 : CHECK_SANITIZED ? 1 : 4);
  check_period_of_one();
  check_many_paddings();
  check_pad_of_copies();
  check_preference();
  check_given();
  check_modes(seed, full ? 20000 : 400 / part);
  for (uint64_t i = 0; i < (full ? 5 : 1); i++) check_copies(seed + i, full ? 20000 : 300 / part);
  for (uint64_t i = 0; i < (full ? 5 : 1); i++) check_random(seed + i, cases);
  printf("%d sets, %lld layouts by brute force\n", sets_checked, (long long)layouts_tried);
  return check_report("solve_test");
}
