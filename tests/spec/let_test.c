/* SPDX-License-Identifier: MIT */
/* A spec with lets accesses the same elements as with every let written out, and a spec that leaves
 * params to its template the same as with them. */
#include "spec/access.h"

#include "check.h"
#include "spec/spec_read.h"

#include <string.h>

#define HEAD "version: 1\nkernel: none\nname: t\n"

static const struct {
  const char *with, *without;
} pairs[] = {
    {HEAD
     "dtype: f32\ntile: [rows, 4 * cols]\nblock: [cols, rows / 4]\nparams: {k: cols}\n"
     "let: {rows: 4 * cols, cols: 8, row: ty + bz * by * j, col: cols * i + tx, by4: 4 * by}\n"
     "access: [{op: load, for: {j: by4 / rows + rows / by - 1, i: 4}, at: [row, col]},\n"
     "  {op: store, vector: cols / 2, for: {j: 4}, when: tx < k / 2, at: [row, tx * (k / 2)]}]\n",
     HEAD "dtype: f32\ntile: [32, 32]\nblock: [8, 8]\n"
          "access: [{op: load, for: {j: 4, i: 4}, at: [ty + 8 * j, 8 * i + tx]},\n"
          "  {op: store, vector: 4, for: {j: 4}, when: tx < 4, at: [ty + 8 * j, tx * 4]}]\n"},
    /* in the tiles form: of whichever tile uses it; a let of lets; parentheses are kept */
    {HEAD "let: {last: d1 - 1, piece: 16 / esize, sum: lane + 1, back: last - sum % d1}\n"
          "tiles:\n  a: {dtype: f32, tile: [32, 8], access: [{op: load, at: [lane, back]},"
          " {op: load, vector: piece, at: [lane, sum * piece % 8]}]}\n"
          "  b: {dtype: u8, tile: [32, 32], access: [{op: load, at: [lane, back]},"
          " {op: load, vector: piece, at: [lane, sum * piece % 32]}]}\n",
     HEAD
     "tiles:\n  a: {dtype: f32, tile: [32, 8], access: [{op: load, at: [lane, 7 - (lane + 1) % 8]},"
     " {op: load, vector: 4, at: [lane, (lane + 1) * 4 % 8]}]}\n"
     "  b: {dtype: u8, tile: [32, 32], access: [{op: load, at: [lane, 31 - (lane + 1) % 32]},"
     " {op: load, vector: 16, at: [lane, (lane + 1) * 16 % 32]}]}\n"},
    /* short circuits and conditions guard what a let divides by */
    {HEAD "dtype: f32\ntile: [32]\nlet: {share: 8 / (lane - 3), ok: lane != 3}\n"
          "access: [{op: load, at: ['ok && share > 0 ? share : 0']}, {op: load, when: ok, at: "
          "[share & 31]}]\n",
     HEAD "dtype: f32\ntile: [32]\n"
          "access: [{op: load, at: ['lane > 3 && lane < 12 ? 8 / (lane - 3) : 0']},\n"
          "  {op: load, when: lane != 3, at: ['8 / (lane == 3 ? 1 : lane - 3) & 31']}]\n"},
    /* A spec that gives the tile alone means the form of the kernel that has such tiles. */
    {"version: 1\nkernel: conv2d\ndtype: f32\ntile: [38, 136]\nparams: {radius: 3}\n",
     "version: 1\nkernel: conv2d\ndtype: f32\ntile: [38, 136]\nblock: [32, 4]\n"
     "params: {radius: 3, strip: 8, ring: 0}\n"},
};

static const Spec *read(Arena *a, const char *text) {
  const Source source = {"t.yaml", text, strlen(text)};
  const SpecOptions options = {.templates = templates_open(a, "templates"), .source = &source};
  Diag *d = diag_new(a);
  const Spec *spec = spec_read(a, d, source.path, &options);
  Text errors = text_new(a);
  diag_print(d, &errors, false);
  CHECK(spec, "%s%s", text, errors.s);
  return spec;
}

static void check_access(const Access *x, const Access *y) {
  CHECK(x->warps == y->warps && x->elements == y->elements, "%s: %d and %d instructions", x->name,
        x->warps, y->warps);
  for (int i = 0; i < x->warps && i < y->warps; i++) {
    CHECK(x->warp[i].active == y->warp[i].active, "%s: lanes of instruction %d", x->name, i);
    CHECK(memcmp(x->warp[i].coord, y->warp[i].coord, sizeof x->warp[i].coord) == 0,
          "%s: elements of instruction %d", x->name, i);
  }
}

static void check_pair(Arena *a, const char *with, const char *without) {
  const Spec *x = read(a, with), *y = read(a, without);
  if (!x || !y) return;
  CHECK(x->tiles == y->tiles, "%d and %d tiles", x->tiles, y->tiles);
  for (int t = 0; t < x->tiles; t++) {
    Diag *d = diag_new(a);
    const AccessSet *p = access_expand(a, d, x, &x->tile[t], &(Budget){.limit = EXPAND_EFFORT});
    const AccessSet *q = access_expand(a, d, y, &y->tile[t], &(Budget){.limit = EXPAND_EFFORT});
    CHECK(p && q && p->accesses == q->accesses, "%s", diag_first(d));
    for (int i = 0; p && q && i < p->accesses; i++) check_access(&p->access[i], &q->access[i]);
  }
}

int main(void) {
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    Arena *a = arena_new();
    check_pair(a, pairs[i].with, pairs[i].without);
    arena_free(a);
  }
  return check_report("let_test");
}
