/* Tiles on which searches were long once: whether a conflict-free layout exists is proven within
 * the limits, whatever the least total is. Limits count steps, not time, so that the verdict is the
 * same on every machine. */
#include "check.h"
#include "solve/sets.h"

typedef enum { ROWS, COLUMNS, DIAGONAL, STRIDED, BUTTERFLY, SKIP } Kind;

typedef struct {
  Op op;
  Kind kind;
  int argument, elements;
} Pattern;

typedef struct {
  const char *name;
  int bytes, rank, extent[4];
  Want want;
  Pattern pattern[3]; /* up to one of no elements */
} Case;

static const Case tiles[] = {
    {"bytes, unaligned pads",
     1,
     2,
     {32, 32},
     WANT_AUTO,
     {{OP_LOAD, COLUMNS, 0, 1}, {OP_STORE, ROWS, 0, 1}, {OP_LOAD, DIAGONAL, 0, 1}}},
    {"rows that carry",
     2,
     3,
     {3, 32, 128},
     WANT_XOR,
     {{OP_ATOMIC, STRIDED, 3, 1}, {OP_LOAD, ROWS, 0, 1}}},
    {"a last row bit",
     8,
     4,
     {6, 3, 8, 32},
     WANT_XOR,
     {{OP_ATOMIC, BUTTERFLY, 16, 1}, {OP_ATOMIC, ROWS, 0, 1}, {OP_ATOMIC, STRIDED, 20, 1}}},
    {"many equal rows",
     4,
     2,
     {256, 48},
     WANT_AUTO,
     {{OP_STORE, SKIP, 8, 1}, {OP_LOAD, ROWS, 0, 1}, {OP_STORE, ROWS, 0, 4}}},
};

/* The element that item i of a pattern takes; -1: none. */
static int element_of(const Pattern *p, int rows, int cols, int i) {
  const int pieces = cols / p->elements, row = i % rows,
            block = rows / (p->argument + !p->argument);
  switch (p->kind) {
  case ROWS: return i * p->elements;
  case COLUMNS: return row * cols + i / rows * p->elements;
  case DIAGONAL: return row * cols + (i / rows + row) % pieces * p->elements;
  case STRIDED: return i * p->argument < rows * cols ? i * p->argument : -1;
  case BUTTERFLY: return i ^ p->argument;
  case SKIP: return (row / block + row % block * p->argument) * cols + i / rows * p->elements;
  }
  return -1;
}

static void add_pattern(SetBuilder *b, const Pattern *p) {
  const int cols = b->tile->extent[b->tile->rank - 1], rows = set_elements(b) / cols;
  int items = rows * cols / p->elements;
  if (p->kind == STRIDED) items = (items + p->argument - 1) / p->argument;
  WarpAccess *w = set_add(b, p->op, p->elements, (items + WARP - 1) / WARP);
  for (int i = 0; i < items; i++) set_lane(b, &w[i / WARP], i % WARP, element_of(p, rows, cols, i));
}

/* A free map of seven terms and none of fewer, among 17 diagonals: few of their choices need be
 * tried. Once it took 210 million steps. */
static void check_many_terms(void) {
  Arena *a = arena_new();
  Random r = {79191};
  SetBuilder b = set_new(a, 8, 2, (int[]){64, 64}, WANT_XOR);
  random_next(&r);
  random_next(&r);
  b.set->effort = SOLVE_EFFORT / 40;
  for (int i = 0; i < 2; i++) set_add_random(&b, &r, OP_LOAD, 1);
  const Solution *s = solve_tile(a, diag_new(a), b.set);
  CHECK(s && s->conflict_free && s->minimal && s->layout.terms == 7, "seven terms");
  arena_free(a);
}

int main(void) {
  check_many_terms();
  for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
    Arena *a = arena_new();
    SetBuilder b = set_new(a, tiles[i].bytes, tiles[i].rank, tiles[i].extent, tiles[i].want);
    b.tile->want.max_bytes = 227 * 1024;
    for (int n = 0; n < 3 && tiles[i].pattern[n].elements; n++)
      add_pattern(&b, &tiles[i].pattern[n]);
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
