/* SPDX-License-Identifier: MIT */
/* Tiles on which searches were long once: whether a conflict-free layout exists is proven within
 * the limits, whatever the least total is. Limits count steps, not time, so that the verdict is the
 * same on every machine. */
#include <string.h>

#include "check.h"
#include "solve/sets.h"

typedef struct {
  const char *name;
  int bytes, rank, extent[4];
  Want want;
  struct {
    Op op;
    SetPattern pattern;
  } access[3]; /* up to one of no elements */
} Case;

static const Case tiles[] = {
    {"bytes, unaligned pads",
     1,
     2,
     {32, 32},
     WANT_AUTO,
     {{OP_LOAD, {SET_COLUMNS, 0, 1}},
      {OP_STORE, {SET_ROWS, 0, 1}},
      {OP_LOAD, {SET_DIAGONAL, 0, 1}}}},
    {"rows that carry",
     2,
     3,
     {3, 32, 128},
     WANT_XOR,
     {{OP_ATOMIC, {SET_STRIDED, 3, 1}}, {OP_LOAD, {SET_ROWS, 0, 1}}}},
    {"many equal rows",
     4,
     2,
     {256, 48},
     WANT_AUTO,
     {{OP_STORE, {SET_SKIP, 8, 1}}, {OP_LOAD, {SET_ROWS, 0, 1}}, {OP_STORE, {SET_ROWS, 0, 4}}}},
};

/* A free map of six terms, 20 operations, and none of fewer, among many diagonals: few of their
 * choices need be tried. Once it took 210 million steps. */
static void check_many_terms(void) {
  Arena *a = arena_new();
  Random r = {79191};
  SetBuilder b = set_new(a, 8, 2, (int[]){64, 64}, WANT_XOR);
  random_next(&r);
  random_next(&r);
  b.set->effort = SOLVE_EFFORT / 40;
  for (int i = 0; i < 2; i++) set_add_random(&b, &r, OP_LOAD, 1);
  const Solution *s = solve_tile(a, diag_new(a), b.set);
  CHECK(s && s->conflict_free && s->minimal && address_operations(&s->layout) == 20,
        "six terms: %d (%d operations), %s", s ? s->layout.terms : 0,
        s ? address_operations(&s->layout) : 0, s && s->minimal ? "minimal" : "not minimal");
  arena_free(a);
}

/* A conflict-free layout has rows padded by 18 bytes, and no smaller pad has one. The pad of 16
 * takes longest to decide, because rows start at whole words and few of them start alike. */
static void check_wide_pad(void) {
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 1, 2, (int[]){24, 128}, WANT_AUTO);
  b.tile->want.max_bytes = 227 * 1024;
  set_add_columns(&b, OP_LOAD, 2);
  set_add_rows(&b, OP_LOAD, 1);
  const Solution *s = solve_tile(a, diag_new(a), b.set);
  CHECK(s && s->conflict_free && s->minimal && s->layout.stride[0] == 146, "a pad of 18 bytes");
  arena_free(a);
}

/* The XORs among coordinates are too many to try: the claim says that a search stopped, and names
 * no layout as minimal that the searches over rows and the index alone would have proven. */
static void check_stopped(void) {
  static const struct {
    int extent[3];
    Want want;
  } tile[] = {{{33, 8, 24}, WANT_XOR}, {{8, 12, 33}, WANT_AUTO}};
  for (int i = 0; i < 2; i++) {
    Arena *a = arena_new();
    SetBuilder b = set_new(a, 2, 3, tile[i].extent, tile[i].want);
    b.set->effort = SOLVE_EFFORT / 16;
    set_add_pattern(&b, OP_LOAD, &(SetPattern){SET_DIAGONAL, 0, i ? 1 : 2});
    if (i) set_add_columns(&b, OP_STORE, 1);
    const Solution *s = solve_tile(a, diag_new(a), b.set);
    CHECK(s && !s->conflict_free && !s->minimal && s->stopped, "tile %d", i);
    CHECK(s && strstr(s->certificate.claim, "reached before a search stopped at its limit"), "%s",
          s ? s->certificate.claim : "none");
    arena_free(a);
  }
}

int main(void) {
  check_many_terms();
  check_wide_pad();
  check_stopped();
  for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
    Arena *a = arena_new();
    SetBuilder b = set_new(a, tiles[i].bytes, tiles[i].rank, tiles[i].extent, tiles[i].want);
    b.tile->want.max_bytes = 227 * 1024;
    for (int n = 0; n < 3 && tiles[i].access[n].pattern.elements; n++)
      set_add_pattern(&b, tiles[i].access[n].op, &tiles[i].access[n].pattern);
    const Solution *s = solve_tile(a, diag_new(a), b.set);
    const Certificate *c = s ? &s->certificate : NULL;
    int refused = 0;
    for (int n = 0; c && n < c->proofs; n++) {
      if (c->proof[n].kind != PROOF_NO_FREE) continue;
      CHECK(c->proof[n].complete, "%s: strides %d: not proven", tiles[i].name,
            c->proof[n].base.stride[0]);
      refused++;
    }
    CHECK(s && !s->conflict_free && refused > 0, "%s: %d strides refused", tiles[i].name, refused);
    arena_free(a);
  }
  return check_report("proven_test");
}
