/* SPDX-License-Identifier: MIT */
/* cute_test.c: the CuTe expression of a layout, evaluated here by CuTe's definitions, is the
 * address formula at every coordinate: for layouts of the solver, and for all linear ones it may
 * find. */
#include "emit/cute.h"

#include "check.h"
#include "solve/linear.h"
#include "solve/sets.h"

#include <stdlib.h>
#include <string.h>

/* --- CuTe's expressions --- */

/* A shape or stride: a number, or a list of them. */
typedef struct Tuple {
  int value, count;
  struct Tuple *item[16];
} Tuple;

static const char *skip(const char *p, const char *word) {
  while (*p == ' ' || *p == ',') p++;
  return strncmp(p, word, strlen(word)) == 0 ? p + strlen(word) : NULL;
}

/* "_8", "Int<1024>" or "Shape<_2, Shape<_4, _8>>". */
static const char *read_tuple(Arena *a, const char *p, Tuple **out) {
  const char *list = skip(p, "Shape<"), *number = skip(p, "Int<");
  Tuple *t = *out = ARENA_NEW(a, Tuple);
  if (!list) list = skip(p, "Stride<");
  if (!list) {
    char *end;
    const char *digits = number ? number : skip(p, "_");
    if (!digits) die("no number in '%s'", p);
    t->value = (int)strtol(digits, &end, 10);
    return number ? end + 1 : end;
  }
  while (!skip(list, ">")) list = read_tuple(a, list, &t->item[t->count++]);
  return skip(list, ">");
}

/* An integer coordinate within a nested mode: the first mode is the fastest. */
static int offset_of(const Tuple *shape, const Tuple *stride, int at) {
  int sum = 0;
  if (shape->count == 0) return at * stride->value;
  for (int i = 0; i < shape->count; i++) {
    int size = 1;
    const Tuple *s = shape->item[i];
    for (int k = 0; k < s->count; k++) size *= s->item[k]->value;
    if (s->count == 0) size = s->value;
    sum += offset_of(s, stride->item[i], at % size);
    at /= size;
  }
  return sum;
}

/* x ^ shiftr(x & yyy, s), yyy at m + max(0, s). */
static int swizzled(int b, int m, int s, int x) {
  const int yyy = ((1 << b) - 1) << (m + (s > 0 ? s : 0));
  return x ^ (s > 0 ? (x & yyy) >> s : (x & yyy) << -s);
}

static int evaluate(Arena *a, const char *p, int rank, const int *coord) {
  const char *inner = skip(p, "make_composed_layout(Swizzle<");
  if (!inner) inner = skip(p, "composition(Swizzle<");
  if (inner) {
    int b, m, s, used = 0;
    if (sscanf(inner, "%d, %d, %d>{}, %n", &b, &m, &s, &used) < 3) die("no swizzle: '%s'", p);
    inner += used;
    CHECK(b > 0 && (s < 0 ? -s : s) >= b, "CuTe has no Swizzle<%d, %d, %d>", b, m, s);
    return swizzled(
        b, m, s,
        evaluate(a, skip(inner, "Int<0>{}") ? skip(inner, "Int<0>{}") : inner, rank, coord));
  }
  Tuple *shape, *stride;
  const char *q = skip(p, "Layout<");
  if (!q) die("no layout: '%s'", p);
  read_tuple(a, read_tuple(a, q, &shape), &stride);
  if (shape->count != rank) return offset_of(shape, stride, coord[0]); /* a period of rank 1 */
  int sum = 0;
  for (int d = 0; d < rank; d++) sum += offset_of(shape->item[d], stride->item[d], coord[d]);
  return sum;
}

/* --- layouts --- */

static int spelled, moved;

static void check_layout(const KgenLayout *l, bool required) {
  Arena *a = arena_new();
  const char *text = cute_spell(a, l);
  CHECK(text || !required, "no CuTe layout of a linear one");
  int elements = 1, wrong = 0;
  for (int d = 0; d < l->rank; d++) elements *= l->extent[d];
  for (int i = 0; text && i < elements; i++) {
    int coord[KGEN_MAX_RANK];
    layout_coord(l, i, coord);
    wrong += evaluate(a, text, l->rank, coord) != layout_offset(l, coord);
  }
  CHECK(wrong == 0, "%s is wrong for %d of %d elements", text, wrong, elements);
  spelled += text != NULL;
  moved += text && l->linear;
  arena_free(a);
}

/* Layouts that the solver chooses, of which few move bits. */
static void check_solved(uint64_t seed, int sets) {
  static const int extent[][3] = {{512, 1, 1}, {8, 64, 1}, {4, 8, 16}, {32, 32, 1}, {16, 24, 1}};
  Random r = {seed};
  for (int n = 0; n < sets; n++) {
    Arena *a = arena_new();
    const int shape = random_below(&r, 5);
    SetBuilder b = set_new(a, 4, shape == 0 ? 1 : shape == 2 ? 3 : 2, extent[shape], WANT_AUTO);
    b.set->effort = SOLVE_EFFORT / 100;
    for (int i = 1 + random_below(&r, 3); i > 0; i--)
      set_add_linear(&b, &r, i ? OP_LOAD : OP_STORE, 1);
    const Solution *s = solve_tile(a, diag_new(a), b.set);
    if (s) check_layout(&s->layout, s->layout.linear);
    arena_free(a);
  }
}

/* Bank matrices at random, as linear_layout() makes layouts of them. */
static void check_matrices(uint64_t seed, int count) {
  Random r = {seed};
  Arena *a = arena_new();
  SetBuilder b = set_new(a, 4, 2, (int[]){16, 64}, WANT_AUTO);
  set_add_rows(&b, OP_LOAD, 1);
  Rows rows = rows_new(a, b.set, 1);
  Budget budget = {0, INT64_MAX, NULL};
  LinearSpace space;
  const Reach reach =
      linear_space(b.set, group_classes(a, b.set, 1, &rows, true, &budget), 0, &space);
  CHECK(reach == REACH_ALL, "no linear layouts of 16x64");
  for (int n = 0; n < count; n++) {
    Map m = {.total = 0};
    int rank = 0;
    for (int bit = 0; bit < space.bits; bit++) {
      const int next = rank < space.banks && random_below(&r, 2);
      m.column[bit] = next ? 1u << rank : (unsigned)random_below(&r, 1 << rank);
      rank += next;
    }
    KgenLayout l;
    if (linear_layout(&space, &m, &l)) check_layout(&l, true);
  }
  arena_free(a);
}

int main(void) {
  check_solved(5, CHECK_SANITIZED ? 40 : 200);
  check_matrices(6, CHECK_SANITIZED ? 50 : 400);
  printf("%d layouts in CuTe, %d that move bits\n", spelled, moved);
  CHECK(moved > (CHECK_SANITIZED ? 25 : 200), "%d that move bits", moved);
  return check_report("cute_test");
}
