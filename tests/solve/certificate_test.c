/* SPDX-License-Identifier: MIT */
/* Certificates: of every shipped spec, of the usual tiles and of random sets, re-checked by
 * separate code; and mutants of a solution, each of which the checker must refuse. */
#include "check.h"
#include "shipped.h"
#include "solve/recheck.h"
#include "solve/sets.h"

static void check_solved(Arena *a, const AccessSet *set, const char *what) {
  const Solution *s = solve_tile(a, diag_new(a), set);
  CHECK(s != NULL, "%s: no layout", what);
  const char *complaint = s ? certificate_check(set, s) : NULL;
  CHECK(complaint == NULL, "%s: %s", what, complaint);
}

/* Copies together with a column access, in every kind of layout. */
static void check_copies(void) {
  Random r = {3};
  char what[80];
  for (int i = 0; i < 16; i++) {
    Arena *a = arena_new();
    SetBuilder b = set_new(a, 2 << i % 3, 2, (int[]){8 + i % 9, 16}, (Want)(i / 3 % 4));
    const int v = i % 2 ? 16 / b.tile->dtype->bytes : 4 / b.tile->dtype->bytes + (i % 3 == 2);
    set_add_rows(&b, OP_STORE, v);
    set_copies(&b, i % 2 ? (CopyCache)(i / 2 % 2) : COPY_CA, i / 4 % 4, &r);
    set_add_columns(&b, OP_LOAD, 1);
    snprintf(what, sizeof what, "copies, case %d", i);
    check_solved(a, b.set, what);
    arena_free(a);
  }
}

/* Tiles for TMA, and user-specified layouts compared with the layout space. */
static void check_modes_and_given(void) {
  char what[80];
  for (int i = 0; i < 48; i++) {
    static const GivenLayout given[] = {{.kind = GIVEN_PAD, .pad = 1},
                                        {.kind = GIVEN_PAD, .pad = 4},
                                        {.kind = GIVEN_CUTE, .b = 3, .m = 2, .s = 3},
                                        {.kind = GIVEN_CUTE, .b = 2, .m = 2, .s = 4},
                                        {.kind = GIVEN_SWIZZLE, .bytes = 0},
                                        {.kind = GIVEN_SWIZZLE, .bytes = 128}};
    Arena *a = arena_new();
    SetBuilder b = set_new(a, 4, 2, (int[]){8 + 8 * (i % 4), 32}, i < 24 ? WANT_AUTO : WANT_TMA);
    set_add_rows(&b, OP_STORE, 1 << i % 3);
    set_add_columns(&b, OP_LOAD, 1);
    if (i % 5 == 0 && i >= 24) set_add_boxes(&b, OP_TMA_LOAD, b.tile->extent[0]);
    snprintf(what, sizeof what, "mode or given, case %d", i);
    const Solution *best = solve_tile(a, diag_new(a), b.set);
    if (i < 24) b.tile->want.given = &given[i / 4];
    Diag *d = diag_new(a);
    const Solution *s = solve_tile(a, d, b.set);
    if (!s) { /* a pad that breaks vectors */
      CHECK(i < 4 && i % 3 && diag_count(d) == 1, "%s: no layout", what);
    } else {
      const char *complaint = certificate_check(b.set, s);
      CHECK(complaint == NULL, "%s: %s", what, complaint);
      Checker c = {.set = b.set, .s = s, .chosen = price_of(b.set, &s->layout)};
      if (i < 24) check_judged(&c, best);
      CHECK(c.complaint == NULL, "%s: %s", what, c.complaint);
    }
    arena_free(a);
  }
}

static void check_shipped(void) {
  Arena *a = arena_new();
  char *path[256];
  const int count = shipped_specs(a, path, 256);
  CHECK(count >= 10, "%d shipped specs", count);
  for (int i = 0; i < count; i++) {
    const Plan *plan = shipped_plan(a, path[i], NULL);
    for (int t = 0; plan && t < plan->tiles; t++) {
      if (plan->tile[t].solution->map) continue; /* no KgenLayout: plan_test has its costs */
      const char *complaint = certificate_check(plan->tile[t].set, plan->tile[t].solution);
      CHECK(complaint == NULL, "%s, tile %d: %s", path[i], t, complaint);
    }
  }
  arena_free(a);
}

/* Tiles that people write, in every kind of layout. */
static void check_usual(void) {
  static const struct {
    int bytes, rows, cols, fill, drain;
  } tile[] = {{4, 32, 32, 1, 1}, {4, 64, 64, 4, 4}, {4, 64, 64, 4, 1},  {4, 16, 16, 1, 1},
              {4, 32, 24, 1, 1}, {4, 33, 33, 1, 1}, {4, 34, 34, 1, 1},  {1, 32, 32, 1, 1},
              {1, 64, 64, 4, 4}, {1, 33, 33, 1, 1}, {2, 64, 64, 2, 2},  {2, 32, 48, 8, 8},
              {8, 32, 32, 1, 1}, {8, 16, 24, 2, 1}, {16, 32, 32, 1, 1}, {16, 12, 10, 1, 1}};
  char what[80];
  for (size_t i = 0; i < sizeof tile / sizeof tile[0]; i++)
    for (int want = 0; want < WANT_COUNT; want++) {
      Arena *a = arena_new();
      SetBuilder b = set_new(a, tile[i].bytes, 2, (int[]){tile[i].rows, tile[i].cols}, (Want)want);
      set_add_rows(&b, OP_STORE, tile[i].fill);
      set_add_columns(&b, OP_LOAD, tile[i].drain);
      snprintf(what, sizeof what, "%d bytes, %d x %d, %s", tile[i].bytes, tile[i].rows,
               tile[i].cols, want_name[want]);
      const Solution *s = solve_tile(a, diag_new(a), b.set);
      if (s) check_solved(a, b.set, what);
      CHECK(s || want != WANT_AUTO, "%s: no layout", what);
      arena_free(a);
    }
}

static void check_random(void) {
  Random r = {77};
  char what[80];
  for (int i = 0; i < 60; i++) {
    Arena *a = arena_new();
    const int rank = 1 + random_below(&r, 3), wide[] = {4, 6, 8, 16, 32};
    int extent[4] = {2 + random_below(&r, 7), 1 + random_below(&r, 4), 0};
    extent[rank - 1] = rank == 1 ? 16 + random_below(&r, 50) : wide[random_below(&r, 5)];
    SetBuilder b = set_new(a, 1 << random_below(&r, 4), rank, extent, (Want)random_below(&r, 4));
    b.set->banks = (BankGeometry){4 << random_below(&r, 2), 4};
    for (int n = 1 + random_below(&r, 3); n > 0; n--)
      random_below(&r, 2) ? set_add_random(&b, &r, OP_STORE, 1)
                          : set_add_linear(&b, &r, OP_LOAD, 1);
    snprintf(what, sizeof what, "random set %d", i);
    check_solved(a, b.set, what);
    arena_free(a);
  }
}

/* Pieces of several elements in a tile of rank 1, whose periods may be shorter than a piece. */
static void check_random_pieces(void) {
  Random r = {78};
  char what[80];
  for (int i = 0; i < 30; i++) {
    Arena *a = arena_new();
    const int bytes = 1 << random_below(&r, 3), extent[] = {64 << random_below(&r, 3)};
    SetBuilder b = set_new(a, bytes, 1, extent, i % 2 ? WANT_PAD : WANT_AUTO);
    for (int n = 1 + random_below(&r, 3); n > 0; n--) {
      const int elements = 1 << random_below(&r, 4);
      const bool fits = elements * bytes <= 16;
      set_add_random(&b, &r, random_below(&r, 2) ? OP_STORE : OP_LOAD, fits ? elements : 1);
    }
    snprintf(what, sizeof what, "random pieces %d", i);
    check_solved(a, b.set, what);
    arena_free(a);
  }
}

/* --- mutants --- */

static SetBuilder example(Arena *a, Want want) {
  SetBuilder b = set_new(a, 4, 2, (int[]){32, 32}, want);
  set_add_rows(&b, OP_STORE, 1);
  set_add_columns(&b, OP_LOAD, 1);
  return b;
}

static void drop_swizzle(Solution *s) { s->layout.terms = 0; }
static void drop_mask_bit(Solution *s) { s->layout.term[0].mask &= s->layout.term[0].mask - 1; }
static void move_shift(Solution *s) { s->layout.term[0].shift++; }
static void pad_by_one(Solution *s) { s->layout.stride[0]++; }
static void unpad(Solution *s) { s->layout.stride[0]--; }
static void drop_witnesses(Solution *s) { s->certificate.witnesses = 0; }
static void claim_conflict_free(Solution *s) { s->conflict_free = !s->conflict_free; }
static void move_bank(Solution *s) {
  Place *at = &s->certificate.witness->at;
  at->bank = (at->bank + 1) % 32;
}
static void raise_wavefronts(Solution *s) { s->certificate.witness->wavefronts++; }
static void raise_total(Solution *s) { s->certificate.witness->total += 1000 * 1000; }
static void lower_cost(Solution *s) { ((AccessCost *)(uintptr_t)s->cost)[1].wavefronts--; }

static void check_mutants(void) {
  static const struct {
    const char *name;
    Want want;
    void (*mutate)(Solution *);
  } mutant[] = {{"no swizzle", WANT_AUTO, drop_swizzle},
                {"a mask bit fewer", WANT_AUTO, drop_mask_bit},
                {"another shift", WANT_AUTO, move_shift},
                {"padded by one more", WANT_PAD, pad_by_one},
                {"padded by one less", WANT_PAD, unpad},
                {"no witnesses", WANT_PAD, drop_witnesses},
                {"conflict_free turned", WANT_PAD, claim_conflict_free},
                {"a witness's bank", WANT_PAD, move_bank},
                {"a witness's wavefronts", WANT_AUTO, raise_wavefronts},
                {"a witness's total", WANT_AUTO, raise_total},
                {"an access's cost", WANT_AUTO, lower_cost}};
  for (size_t i = 0; i < sizeof mutant / sizeof mutant[0]; i++) {
    Arena *a = arena_new();
    const SetBuilder b = example(a, mutant[i].want);
    Solution *s = (Solution *)(uintptr_t)solve_tile(a, diag_new(a), b.set);
    CHECK(certificate_check(b.set, s) == NULL, "%s: before", mutant[i].name);
    mutant[i].mutate(s);
    CHECK(certificate_check(b.set, s) != NULL, "%s: not noticed", mutant[i].name);
    arena_free(a);
  }
}

int main(void) {
  check_shipped();
  check_copies();
  check_modes_and_given();
  check_usual();
  check_random();
  check_random_pieces();
  check_mutants();
  return check_report("certificate_test");
}
