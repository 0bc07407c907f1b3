/* SPDX-License-Identifier: MIT */
/* sets.h: access sets built in C, without the spec reader. */
#ifndef KGEN_TESTS_SOLVE_SETS_H
#define KGEN_TESTS_SOLVE_SETS_H

#include "solve/brute.h"

typedef struct {
  Arena *arena;
  Tile *tile;
  AccessSet *set;
  Access *access;
} SetBuilder;

/* An empty set for a tile; dtype by its size in bytes. */
static inline SetBuilder set_new(Arena *a, int bytes, int rank, const int *extent, Want want) {
  static const Dtype types[] = {
      {"b8", 1, ""}, {"b16", 2, ""}, {"b32", 4, ""}, {"b64", 8, ""}, {"b128", 16, ""}};
  SetBuilder b = {a, ARENA_NEW(a, Tile), ARENA_NEW(a, AccessSet), ARENA_ARRAY(a, Access, 8)};
  b.tile->dtype = &types[__builtin_ctz((unsigned)bytes)];
  b.tile->rank = rank;
  for (int d = 0; d < rank; d++) b.tile->extent[d] = extent[d];
  b.tile->want = (LayoutRequest){.kind = want, .align = 1, .max_bytes = 1 << 20};
  *b.set = (AccessSet){b.tile, {32, 4}, 0, b.access, 0, false};
  return b;
}

/* Adds an access of `warps` instructions; the caller fills the returned array. */
static inline WarpAccess *set_add(SetBuilder *b, Op op, int elements, int warps) {
  WarpAccess *w = ARENA_ARRAY(b->arena, WarpAccess, (size_t)warps);
  b->access[b->set->accesses++] = (Access){.name = "a",
                                           .op = op,
                                           .weight = WEIGHT_ONE,
                                           .bytes_per_lane = elements * b->tile->dtype->bytes,
                                           .elements = elements,
                                           .warps = warps,
                                           .warp = w};
  return w;
}

/* Lane l of w starts at linear element index e. */
static inline void set_lane(const SetBuilder *b, WarpAccess *w, int lane, int e) {
  w->active |= UINT32_C(1) << lane;
  for (int d = b->tile->rank - 1; d >= 0; d--) {
    w->coord[d][lane] = e % b->tile->extent[d];
    e /= b->tile->extent[d];
  }
}

static inline int set_elements(const SetBuilder *b) {
  int n = 1;
  for (int d = 0; d < b->tile->rank; d++) n *= b->tile->extent[d];
  return n;
}

/* Consecutive lanes take consecutive pieces of a row-major sweep over the tile. */
static inline void set_add_rows(SetBuilder *b, Op op, int elements) {
  const int pieces = set_elements(b) / elements, warps = (pieces + WARP - 1) / WARP;
  WarpAccess *w = set_add(b, op, elements, warps);
  for (int i = 0; i < pieces; i++) set_lane(b, &w[i / WARP], i % WARP, i * elements);
}

/* Consecutive lanes go down a column of pieces. */
static inline void set_add_columns(SetBuilder *b, Op op, int elements) {
  const int cols = b->tile->extent[b->tile->rank - 1], rows = set_elements(b) / cols;
  const int pieces = set_elements(b) / elements, warps = (pieces + WARP - 1) / WARP;
  WarpAccess *w = set_add(b, op, elements, warps);
  for (int i = 0; i < pieces; i++)
    set_lane(b, &w[i / WARP], i % WARP, i % rows * cols + i / rows * elements);
}

/* The order in which a kernel visits the vectors of a tile: along rows, down columns, down the
 * diagonals, with a stride in elements, in pairs whose indices differ in one bit, or with a stride
 * in rows, column by column. */
typedef enum {
  SET_ROWS,
  SET_COLUMNS,
  SET_DIAGONAL,
  SET_STRIDED,
  SET_BUTTERFLY,
  SET_SKIP,
  SET_KINDS
} SetKind;

typedef struct {
  SetKind kind;
  int argument, elements; /* elements per vector */
} SetPattern;

/* The element at which piece i of the walk starts; -1: there is none. */
static inline int set_element(const SetPattern *p, int rows, int cols, int i) {
  const int pieces = cols / p->elements, row = i % rows;
  const int block = p->argument > 0 && p->argument < rows ? rows / p->argument : 1;
  const int skipped = row / block + row % block * (rows / block);
  switch (p->kind) {
  case SET_ROWS: return i * p->elements;
  case SET_COLUMNS: return row * cols + i / rows * p->elements;
  case SET_DIAGONAL: return row * cols + (i / rows + row) % pieces * p->elements;
  case SET_STRIDED:
    return i * p->argument * p->elements < rows * cols ? i * p->argument * p->elements : -1;
  case SET_BUTTERFLY: return (i ^ p->argument) < rows * cols ? i ^ p->argument : -1;
  case SET_SKIP: return (skipped < rows ? skipped : row) * cols + i / rows * p->elements;
  case SET_KINDS: break;
  }
  return -1;
}

/* Consecutive lanes take consecutive pieces of the walk. */
static inline void set_add_pattern(SetBuilder *b, Op op, const SetPattern *p) {
  const int cols = b->tile->extent[b->tile->rank - 1], rows = set_elements(b) / cols;
  const int pieces = rows * cols / p->elements;
  const int items = p->kind == SET_STRIDED ? (pieces + p->argument - 1) / p->argument : pieces;
  WarpAccess *w = set_add(b, op, p->elements, (items + WARP - 1) / WARP);
  for (int i = 0; i < items; i++) {
    const int e = set_element(p, rows, cols, i);
    if (e >= 0) set_lane(b, &w[i / WARP], i % WARP, e);
  }
}

/* Changes the last access to a copy. The source: 0: rows far apart, 1: rows side by side, 2:
 * columns far apart, 3: anything. */
static inline void set_copies(SetBuilder *b, CopyCache cache, int form, Random *r) {
  enum { FAR = 1 << 20 };
  Access *a = &b->access[b->set->accesses - 1];
  int64_t(*source)[WARP] = arena_array(b->arena, (size_t)a->warps, sizeof *source);
  const int last = b->tile->rank - 1, cols = b->tile->extent[last];
  for (int w = 0; w < a->warps; w++)
    for (int lane = 0; lane < WARP; lane++) {
      const int piece = a->warp[w].coord[last][lane] / a->elements;
      int row = 0;
      for (int d = 0; d < last; d++) row = row * b->tile->extent[d] + a->warp[w].coord[d][lane];
      if (!(a->warp[w].active >> lane & 1)) continue;
      const int64_t any = (int64_t)random_below(r, 2) * FAR;
      const int64_t at[] = {(int64_t)row * FAR + piece * a->bytes_per_lane,
                            ((int64_t)row * (cols / a->elements) + piece) * a->bytes_per_lane,
                            (int64_t)piece * FAR + row * a->bytes_per_lane,
                            any + random_below(r, 16) * a->bytes_per_lane};
      source[w][lane] = at[form];
    }
  a->op = OP_CP_ASYNC;
  a->cache = cache;
  a->source = (const int64_t(*)[WARP])source;
}

/* Boxes of `rows` rows that cover the tile. */
static inline void set_add_boxes(SetBuilder *b, Op op, int rows) {
  const Tile *t = b->tile;
  set_add(b, op, 1, 0);
  Access *a = &b->access[b->set->accesses - 1];
  a->bytes_per_lane = a->elements = 0;
  a->boxes = 1;
  for (int d = 0; d < t->rank; d++) {
    a->box[d] = d == t->rank - 2 ? rows : d == t->rank - 1 ? t->extent[d] : 1;
    a->boxes *= t->extent[d] / a->box[d];
  }
  if (a->boxes > 1 && !op_is_wgmma(op))
    a->box_starts = (int64_t)rows * t->extent[t->rank - 1] * t->dtype->bytes;
}

/* Random lanes, some inactive, some repeated. Each draw is a statement, since the order of a call's
 * arguments differs among compilers. */
static inline void set_add_random(SetBuilder *b, Random *r, Op op, int elements) {
  const int warps = 1 + random_below(r, 2), pieces = set_elements(b) / elements;
  WarpAccess *w = set_add(b, op, elements, warps);
  for (int i = 0; i < warps; i++) {
    const int first = random_below(r, pieces) * elements;
    set_lane(b, &w[i], random_below(r, WARP), first);
    for (int lane = 0; lane < WARP; lane++)
      if (random_below(r, 4)) set_lane(b, &w[i], lane, random_below(r, pieces) * elements);
  }
}

/* Lanes along an affine map over F2 of the lane number: what kernels written with shifts and masks
 * do. */
static inline void set_add_linear(SetBuilder *b, Random *r, Op op, int elements) {
  const int pieces = set_elements(b) / elements;
  WarpAccess *w = set_add(b, op, elements, 1);
  int image[5];
  for (int i = 0; i < 5; i++) image[i] = random_below(r, pieces);
  for (int lane = 0; lane < WARP; lane++) {
    int e = 0;
    for (int i = 0; i < 5; i++) e ^= lane >> i & 1 ? image[i] : 0;
    set_lane(b, w, lane, e % pieces * elements);
  }
}

#endif
