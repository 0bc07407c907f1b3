/* SPDX-License-Identifier: MIT */
/* offset_test.c: the offset that the generator spells as C equals the address formula, for random
 * layouts of every rank at every coordinate, and names the coordinates as the tile does. */
#include "check.h"
#include "emit/offset.h"
#include "model/address.h"
#include "spec/expr_eval.h"
#include "spec/expr_parse.h"

enum { LAYOUTS = 3000 };

static uint32_t random_below(uint32_t n) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 32) % n;
}

static KgenTerm random_term(int width) {
  return (KgenTerm){.shift = (int)random_below(9) - 4,
                    .mask = (int)random_below((uint32_t)width - 1) + 1};
}

/* Extents up to 9; extents of rows are powers of two, and half of the others, too; paddings of 0 to
 * 4. */
static KgenLayout random_layout(int rank) {
  KgenLayout l = {.rank = rank};
  for (int d = 0; d < rank; d++)
    l.extent[d] = random_below(2) ? 1 << random_below(4) : 1 + (int)random_below(9);
  l.extent[rank - 1] = 8 << random_below(2);
  l.stride[rank - 1] = 1;
  for (int d = rank - 2; d >= 0; d--)
    l.stride[d] = l.extent[d + 1] * l.stride[d + 1] + (int)random_below(5);
  if (rank == 1) {
    l.extent[0] = 64 + (int)random_below(64);
    l.period = 8 << random_below(2);
    l.stride[0] = l.period + (int)random_below(4);
    l.stride[1] = 1;
  }
  l.terms = (int)random_below(4);
  const int width = rank == 1 ? l.period : l.extent[rank - 1];
  for (int i = 0; i < l.terms; i++) l.term[i] = random_term(width);
  for (int i = 0; rank > 1 && i < l.terms && random_below(2); i++) { /* between coordinates */
    const int from = (int)random_below((uint32_t)rank), to = (int)random_below((uint32_t)rank);
    const int top = l.extent[to] & -l.extent[to];
    l.term[i].source = KGEN_COORD + from;
    l.term[i].target = to == rank - 1 ? 0 : 1 + to;
    if (top > 1) l.term[i].mask = 1 + (int)random_below((uint32_t)top - 1);
    if (top == 1) l.term[i] = random_term(width);
  }
  if (random_below(4) == 0) /* the same bits, spread */
    for (int i = 0; i < l.terms; i++)
      l.term[i] = (KgenTerm){.shift = (int)random_below(3) - i, .mask = 1 << i};
  return l;
}

static int operators(const char *text) {
  int count = 0;
  for (; *text; text++)
    if (strchr("*+&^<>", *text) && (text[1] != *text || strchr("*+&^", *text))) count++;
  return count;
}

static void check_layout(const KgenLayout *l, const char *const *dim) {
  Arena *a = arena_new();
  Diag *d = diag_new(a);
  Names names = {0};
  for (int i = 0; i < l->rank; i++) names_add(&names, dim[i]);
  const char *text = offset_spell(a, l, dim);
  const Source source = {"formula", text, strlen(text)};
  const Expr *e = expr_parse(a, d, (Loc){&source, 1, 1, 1}, text, &names);
  CHECK(e, "%s is no expression", text);
  CHECK(operators(text) == address_operations(l), "%s: counted %d operations", text,
        address_operations(l));
  int elements = 1, wrong = 0;
  for (int i = 0; i < l->rank; i++) elements *= l->extent[i];
  for (int n = 0; e && n < elements; n++) {
    int coord[KGEN_MAX_RANK] = {0}, rest = n;
    int64_t value[EXPR_MAX_VARS] = {0}, got = -1;
    for (int i = l->rank - 1; i >= 0; rest /= l->extent[i--])
      value[i] = coord[i] = rest % l->extent[i];
    wrong += !expr_eval(e, value, d, &got) || got != layout_offset(l, coord);
  }
  CHECK(wrong == 0, "%s is wrong for %d of %d elements", text, wrong, elements);
  arena_free(a);
}

/* The spelling of a careful author: no division, no coordinate on which a term does not depend, one
 * product for a bit that terms spread. */
static void check_spelling(void) {
  static const char *const i[] = {"i"}, *const two[] = {"row", "col"},
                           *const four[] = {"stage", "half", "row", "col"};
  static const struct {
    KgenLayout layout;
    const char *const *dim;
    const char *text;
  } table[] = {
      {{2, 0, {32, 32}, {33, 1}, 0, {{0, 0, 0, 0}}, 0}, two, "row * 33 + col"},
      {{2, 0, {128, 32}, {32, 1}, 1, {{-2, 24, 0, 0}}, 0},
       two,
       "row * 32 + (col ^ ((row << 2) & 24))"},
      {{1, 32, {256}, {33, 1}, 0, {{0, 0, 0, 0}}, 0}, i, "i + (i >> 5)"},
      {{1, 32, {256}, {36, 1}, 1, {{0, 8, 0, 0}}, 0}, i, "(i ^ ((i >> 5) & 8)) + (i >> 5) * 4"},
      {{1, 16, {512}, {16, 1}, 4, {{-3, 8, 0, 0}, {-2, 4, 0, 0}, {-1, 2, 0, 0}, {0, 1, 0, 0}}, 0},
       i,
       "i ^ (((i >> 4) & 1) * 15)"},
      {{1, 0, {256}, {1}, 0, {{0, 0, 0, 0}}, 0}, i, "i"},
      {{4, 0, {3, 2, 64, 64}, {8192, 4096, 64, 1}, 1, {{-3, 56, 0, 0}}, 0},
       four,
       "stage * 8192 + half * 4096 + row * 64 + (col ^ ((row << 3) & 56))"},
      {{4, 0, {3, 2, 64, 64}, {8192, 4096, 64, 1}, 1, {{6, 3, 0, 0}}, 0},
       four,
       "stage * 8192 + half * 4096 + row * 64 + (col ^ ((stage * 2 + half) & 3))"},
      {{2, 0, {4, 1024}, {1024, 1}, 1, {{5, 31, KGEN_COORD + 1, 0}}, 0},
       two,
       "row * 1024 + (col ^ ((col >> 5) & 31))"},
      {{2, 0, {24, 48}, {48, 1}, 1, {{5, 8, KGEN_INDEX, 0}}, 0},
       two,
       "row * 48 + (col ^ (((row * 48 + col) >> 5) & 8))"},
      {{4,
        0,
        {2, 64, 4, 8},
        {2048, 32, 8, 1},
        2,
        {{5, 7, KGEN_INDEX, 0}, {8, 3, KGEN_INDEX, 3}},
        0},
       four,
       "stage * 2048 + half * 32 + ((row * 8 + col) ^ (half & 31))"},
      {{2, 0, {4, 8}, {8, 1}, 3, {{0, 15, KGEN_INDEX, 0}, {1, 8, 1, 0}, {-1, 16, 1, 0}}, 1},
       two,
       "(((row * 8 + col) & 15) ^ ((row << 2) & 8) ^ ((row << 4) & 16))"},
  };
  for (size_t n = 0; n < sizeof table / sizeof *table; n++) {
    Arena *a = arena_new();
    CHECK_STR(offset_spell(a, &table[n].layout, table[n].dim), table[n].text);
    arena_free(a);
  }
}

int main(void) {
  static const char *const dim[] = {"a", "b", "c", "d"};
  check_spelling();
  for (int n = 0; n < LAYOUTS / (CHECK_SANITIZED ? 8 : 1); n++) {
    const KgenLayout l = random_layout(1 + n % KGEN_MAX_RANK);
    check_layout(&l, dim);
  }
  return check_report("offset_test");
}
