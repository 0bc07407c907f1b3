/* SPDX-License-Identifier: MIT */
/* The search over linear layouts against every matrix over F2: whether a set of accesses has a free
 * bank map, and the least wavefronts of all. For larger tiles a random search, by code of its own,
 * never finds a map that is free where the solver says that none is. KGEN_BRUTE_FORCE=1: 2,000 sets
 * of up to 8 index bits. */
#include "check.h"
#include "solve/recheck.h"
#include "solve/sets.h"

#include <stdlib.h>

typedef struct {
  const AccessSet *set;
  int bits, fixed,
      banks; /* bits of the index; the number of these that stay in place; bank bits above those */
  int low;   /* bits in place that only vectors keep there; images may change them */
  unsigned image[20], lower[20]; /* above the bits in place; within them */
  int64_t least, maps;
} Every;

static int64_t place_of(const Every *e, int64_t index) {
  const int64_t high = index >> e->fixed, low = index & ((1 << e->fixed) - 1);
  unsigned bank = 0, lower = 0;
  for (int b = 0; b < e->bits; b++)
    if (high >> b & 1) bank ^= e->image[b], lower ^= e->lower[b];
  /* a place for each piece, in that bank */
  return ((high << e->banks | bank) << e->fixed) + (low ^ lower << (e->fixed - e->low));
}

static int64_t cost_of(const Every *e) {
  int64_t total = 0;
  for (int i = 0; i < e->set->accesses; i++) {
    const Access *a = &e->set->access[i];
    for (int w = 0; w < a->warps; w++) {
      int64_t address[WARP] = {0};
      for (int lane = 0; lane < WARP; lane++) {
        int64_t index = 0;
        for (int d = 0; d < e->set->tile->rank; d++)
          index = index * e->set->tile->extent[d] + a->warp[w].coord[d][lane];
        const int64_t at = place_of(e, index);
        if (at % a->elements) return INT64_MAX; /* it splits or misaligns a vector */
        address[lane] = at * e->set->tile->dtype->bytes;
      }
      total += a->weight * brute_instruction(e->set->banks, a->op, a->bytes_per_lane,
                                             a->warp[w].active, address, NULL);
    }
  }
  return total;
}

/* Every matrix in echelon form: column by column, the next unit vector or anything of the rows that
 * have their pivot. */
static void try_all(Every *e, int bit, int rank) {
  if (bit == e->bits) {
    const int64_t cost = cost_of(e);
    if (cost < e->least) e->least = cost;
    e->maps++;
    return;
  }
  for (e->lower[bit] = 0; e->lower[bit] < 1u << e->low; e->lower[bit]++) {
    for (unsigned v = 0; v < 1u << rank; v++) {
      e->image[bit] = v;
      try_all(e, bit + 1, rank);
    }
    e->image[bit] = 1u << rank;
    if (rank < e->banks) try_all(e, bit + 1, rank + 1);
  }
  e->lower[bit] = 0;
}

/* A tile of powers of two, and one to four accesses of 1 to 16 bytes per lane. */
static SetBuilder draw(Arena *a, Random *r, int bits, int banks, int *widest) {
  const int bytes = 1 << random_below(r, 4), rank = 1 + random_below(r, 3);
  int extent[3] = {1, 1, 1}, left = bits;
  for (int d = 0; d < rank - 1; d++) {
    const int some = random_below(r, left);
    extent[d] = 1 << some;
    left -= some;
  }
  extent[rank - 1] = 1 << left;
  SetBuilder b = set_new(a, bytes, rank, extent, WANT_XOR);
  b.set->banks = (BankGeometry){banks, 4};
  *widest = 1;
  for (int n = 1 + random_below(r, 4); n > 0; n--) {
    int v = 1 << random_below(r, 3);
    while (v > extent[rank - 1] || v * bytes > 16) v /= 2;
    if (v > *widest) *widest = v;
    const Op op = random_below(r, 4) ? random_below(r, 2) ? OP_LOAD : OP_STORE : OP_ATOMIC;
    if (random_below(r, 3))
      set_add_linear(&b, r, op, v);
    else
      set_add_random(&b, r, op, v);
  }
  return b;
}

static Every every_of(const AccessSet *set, int widest) {
  const int bytes = set->tile->dtype->bytes, word = bytes < 4 ? 4 / bytes : 1;
  Every e = {.set = set, .least = INT64_MAX};
  int n = 0, period = 0;
  while (1 << e.fixed < (widest > word ? widest : word)) e.fixed++;
  while (1 << n < set_elements(&(SetBuilder){.tile = (Tile *)(uintptr_t)set->tile})) n++;
  while (1 << period < set->banks.count * 4 / bytes) period++;
  e.bits = n - e.fixed;
  while (widest > word << e.low) e.low++;
  if (e.low * e.bits > 10) e.low = 0; /* too many to try */
  e.banks = period - e.fixed;
  return e;
}

static int compared, wholes, freed;

static void check_every(uint64_t seed, int sets) {
  Random r = {seed};
  for (int i = 0; i < sets; i++) {
    Arena *a = arena_new();
    int widest;
    const int bits = 4 + random_below(&r, sets > 500 ? 5 : 3), banks = 4 << random_below(&r, 2);
    SetBuilder b = draw(a, &r, bits, banks, &widest);
    Every e = every_of(b.set, widest);
    if (e.banks > 0 && e.bits > e.banks) {
      const int bytes = b.tile->dtype->bytes, word = bytes < 4 ? 4 / bytes : 1;
      const bool whole = 1 << (e.fixed - e.low) == word; /* else some were too many to try */
      try_all(&e, 0, 0);
      const Solution *s = solve_tile(a, diag_new(a), b.set);
      wholes += s && whole && s->minimal;
      /* rows that no vector accesses could be changed in smaller units: no claim is made then */
      CHECK(s && (s->minimal || s->left_out), "set %d: not minimal", i);
      CHECK(s && (!s->minimal || (whole ? s->total == e.least : s->total <= e.least)),
            "set %d: %lld, every matrix %lld (%lld)", i, s ? (long long)s->total : -1,
            (long long)e.least, (long long)e.maps);
      CHECK(s && brute_cost(b.set, &s->layout, NULL, NULL) == s->total, "set %d: its cost", i);
      compared++;
      freed += s && s->conflict_free;
    }
    arena_free(a);
  }
}

/* Tiles of 9 to 14 bits, 32 banks: random images; each bit's image is redrawn as long as two lanes
 * conflict. */
static void check_random(uint64_t seed, int sets) {
  Random r = {seed};
  for (int i = 0; i < sets; i++) {
    Arena *a = arena_new();
    int widest;
    SetBuilder b = draw(a, &r, 9 + random_below(&r, 6), 32, &widest);
    Every e = every_of(b.set, widest);
    const Solution *s = solve_tile(a, diag_new(a), b.set);
    CHECK(s && brute_cost(b.set, &s->layout, NULL, NULL) == s->total, "set %d: its cost", i);
    for (int n = 0; s && n < 300 && e.banks > 0 && e.bits > e.banks; n++) {
      for (int bit = 0; bit < e.bits; bit++)
        e.image[bit] = (unsigned)random_below(&r, 1 << e.banks);
      const int64_t cost = cost_of(&e);
      CHECK(cost >= s->total || !s->minimal, "set %d: a random matrix costs %lld, not %lld", i,
            (long long)cost, (long long)s->total);
    }
    arena_free(a);
  }
}

/* Two scalar accesses along F2-linear maps of the lane always have a free layout, and so has a
 * batch of transforms whose rows are stored and whose every 32nd point is loaded. */
static void check_pairs(uint64_t seed, int sets) {
  Random r = {seed};
  for (int i = 0; i < sets; i++) {
    Arena *a = arena_new();
    const int log = 10 + random_below(&r, 4);
    SetBuilder b = set_new(a, 4, 2, (int[]){1 << (log - 8), 256}, WANT_AUTO);
    for (int n = 0; n < 2; n++) set_add_linear(&b, &r, n ? OP_LOAD : OP_STORE, 1);
    const Solution *s = solve_tile(a, diag_new(a), b.set);
    CHECK(s && s->conflict_free && s->minimal && s->layout.stride[0] == 256, "pair %d", i);
    arena_free(a);
  }
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 4, 2, (int[]){4, 1024}, WANT_AUTO);
  set_add_rows(&b, OP_STORE, 1);
  WarpAccess *w = set_add(&b, OP_LOAD, 1, 128);
  for (int i = 0; i < 128; i++)
    for (int lane = 0; lane < WARP; lane++)
      set_lane(&b, &w[i], lane, i / 32 * 1024 + lane * 32 + i % 32);
  const Solution *s = solve_tile(a, diag_new(a), b.set);
  CHECK(s && s->conflict_free && s->minimal && s->layout.terms == 1 &&
            s->layout.term[0].source == KGEN_COORD + 1 && s->layout.term[0].shift == 5 &&
            s->layout.term[0].mask == 31,
        "a batch of transforms");
  arena_free(a);
}

/* Rows stored in vectors and columns loaded, as Triton converts layouts: never more wavefronts than
 * the best of its swizzles, (vec, perPhase, maxPhase). */
static void check_triton(int bytes, int size) {
  for (int v = 1; v * bytes <= 16; v *= 2) {
    Arena *a = arena_new();
    SetBuilder b = set_new(a, bytes, 2, (int[]){size, size}, WANT_XOR);
    set_add_rows(&b, OP_STORE, v);
    set_add_columns(&b, OP_LOAD, 1);
    const Solution *s = solve_tile(a, diag_new(a), b.set);
    int64_t least = INT64_MAX;
    for (int vec = 1; vec < size; vec *= 2)
      for (int phase = 0; 1 << phase < size; phase++)
        for (int most = 1; most * vec <= size; most *= 2) {
          KgenLayout l = layout_plain(b.tile);
          l.terms = most > 1;
          l.term[0].shift = phase - __builtin_ctz((unsigned)vec);
          l.term[0].mask = (most - 1) * vec;
          const int64_t cost = brute_cost(b.set, &l, NULL, NULL);
          if (cost >= 0 && cost < least) least = cost;
        }
    CHECK(s && s->minimal && s->total <= least, "%d bytes, %dx%d, vectors of %d: %lld for %lld",
          bytes, size, size, v, s ? (long long)s->total : -1, (long long)least);
    arena_free(a);
  }
}

int main(void) {
  const bool full = getenv("KGEN_BRUTE_FORCE") != NULL;
  const int part = CHECK_SANITIZED ? 4 : 1;
  check_pairs(7, full ? 400 : 40 / part);
  for (int bytes = 1; bytes <= 8; bytes *= 2)
    for (int size = 16; size <= (full ? 128 : 32); size *= 2) check_triton(bytes, size);
  check_every(1, full ? 2000 : 60 / part);
  check_random(2, full ? 400 : 24 / part);
  printf("%d sets by every matrix, %d of these proven, %d free\n", compared, wholes, freed);
  return check_report("linear_test");
}
