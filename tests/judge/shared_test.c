/* SPDX-License-Identifier: MIT */
/* The shared memory of a launch: all tiles, or what the template declares for an entry. Also,
 * errors in a template's declaration of a launch are found before anything runs. */
#include "judge/run.h"

#include <string.h>

#include "check.h"
#include "shipped.h"
#include "spec/expr_parse.h"

/* Images below 6,291,456 outputs are filtered by tiles, in a kernel of its own, as the host
 * function launches it: 4 rows of threads of 8 rows each, a halo of 6, and 136 columns. */
static void test_entry(Arena *a, int64_t side, const char *kernel, int64_t bytes) {
  const Plan *plan = shipped_plan(a, SPEC_DIR "/conv2d_f32_7x7.yaml", NULL);
  const int64_t extents[] = {side, side};
  Problem p;
  if (!plan || !problem_make(a, diag_new(a), plan->spec, extents, &p)) die("no problem");
  unsigned got = 0;
  CHECK(problem_shared_bytes(diag_new(a), &p, plan->shared_bytes, &got), "%s", kernel);
  CHECK(strcmp(p.kernel, kernel) == 0, "%d: %s", (int)side, p.kernel);
  CHECK(got == (bytes ? bytes : plan->shared_bytes), "%s of %d: %d bytes", kernel, (int)side,
        (int)got);
}

/* colsum's kernels, by the rows and columns of a matrix, as its host function launches them. */
static void test_entries(Arena *a) {
  static const struct {
    int64_t rows, cols;
    const char *kernel;
    unsigned blocks;
  } form[] = {
      {64, 4096, "colsum_f32_narrow", 128},   /* strips of 64 columns, halved once */
      {1000, 2048, "colsum_f32_narrow", 128}, /* twice */
      {2048, 1000, "colsum_f32_narrow", 125}, /* three times */
      {2048, 16, "colsum_f32_narrow", 2},     /* few columns are no reason for chunks yet */
      {2048, 8193, "colsum_f32_narrow", 129}, /* not halved */
      {2048, 16384, "colsum_f32", 2 * 256},   /* strips enough */
      {2049, 8192, "colsum_f32", 2049 / 1024 * 128 + 128},
      {2049, 32, "colsum_f32_thin", 2049 / 64 + 1}, /* chunks of half a strip */
      {2049, 33, "colsum_f32", 2049 / 64 + 1},
      {1 << 24, 16, "colsum_f32_thin", 256},
      {8, 15361, "colsum_f32_thin", 16}, /* few long rows */
      {8, 15360, "colsum_f32_narrow", 240},
      {9, 16385, "colsum_f32_wide", 257},   /* strips of few rows, not doubled */
      {63, 129024, "colsum_f32_wide", 504}, /* twice: 2,016 strips of 64 columns */
      {63, 128000, "colsum_f32_wide", 500},
      {64, 262144, "colsum_f32", 4096},
  };
  const Plan *plan = shipped_plan(a, SPEC_DIR "/colsum_f32.yaml", NULL);
  if (!plan) die("no plan");
  for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
    Problem p;
    const int64_t extents[] = {form[i].rows, form[i].cols};
    const bool made = problem_make(a, diag_new(a), plan->spec, extents, &p);
    CHECK(made && strcmp(p.kernel, form[i].kernel) == 0 && p.grid[0] == form[i].blocks,
          "%d x %d: %u blocks of %s", (int)extents[0], (int)extents[1], p.grid[0], p.kernel);
  }
}

static void test_all_tiles(Arena *a) {
  const Plan *plan = shipped_plan(a, SPEC_DIR "/transpose_f32.yaml", NULL);
  Problem p;
  if (!plan || !problem_make(a, diag_new(a), plan->spec, plan->spec->problem->exact, &p))
    die("no problem");
  unsigned got = 0;
  CHECK(problem_shared_bytes(diag_new(a), &p, plan->shared_bytes, &got) && got == 4096,
        "transpose_f32");
}

/* --- errors --- */

typedef enum { SHARED, TIMES, FLOPS, COUNT } Formula;

/* transpose_f32 with another formula; its tile has 4096 bytes, and 16384 rows are timed. */
static void test_mistake(Arena *a, Formula which, const char *text, const char *error) {
  const Plan *plan = shipped_plan(a, SPEC_DIR "/transpose_f32.yaml", NULL);
  if (!plan) die("no plan");
  Spec spec = *plan->spec;
  ProblemSpec problem = *spec.problem;
  TileSpec tile = spec.tile[0];
  AccessSpec access[MAX_ACCESSES];
  BufferSpec buffer[MAX_BUFFERS];
  Diag *d = diag_new(a);
  const Expr *e = expr_parse(a, d, (Loc){NULL, 0, 0, 0}, text, &problem.names);
  memcpy(access, tile.access, (size_t)tile.accesses * sizeof *access);
  memcpy(buffer, problem.buffer, (size_t)problem.buffers * sizeof *buffer);
  const Expr **const at[] = {&problem.shared, &access[0].times, &problem.flops, &buffer[0].count};
  *at[which] = e;
  tile.access = access;
  problem.buffer = buffer;
  spec.tile = &tile;
  spec.problem = &problem;
  BatchItem item = {.spec = &spec, .plan = plan};
  const bool ok = run_prepare(a, d, &item);
  const char *got = ok ? "" : diag_first(d);
  CHECK(strcmp(got, error) == 0, "%s: '%s', not '%s'", text, got, error);
}

static void test_mistakes(Arena *a) {
  test_mistake(a, SHARED, "4096 / shared_bytes", "");
  test_mistake(a, SHARED, "shared_bytes / (shared_bytes - 4096)",
               "division by zero: shared_bytes / (shared_bytes - 4096) at shared_bytes = 4096");
  test_mistake(a, SHARED, "shared_bytes - 4097", "shared_bytes - 4097 is -1, outside of 0 to 4096");
  test_mistake(a, SHARED, "2 * shared_bytes", "2 * shared_bytes is 8192, outside of 0 to 4096");
  test_mistake(a, TIMES, "1 / (rows - 16384)",
               "division by zero: 1 / (rows - 16384) at rows = 16384");
  test_mistake(a, FLOPS, "1 / (rows - 16384)",
               "division by zero: 1 / (rows - 16384) at rows = 16384");
  test_mistake(a, COUNT, "rows * (cols + in_pad) * batch * (rows < 16384 ? 1 << 20 : 1)",
               "a size to check must have less than 4096 MiB of buffers in all");
}

int main(void) {
  Arena *a = arena_new();
  test_entry(a, 1024, "conv2d_f32_7x7_tiles", (4 * 8 + 6) * 136 * 4);
  test_entry(a, 4096, "conv2d_f32_7x7", 0);
  test_entries(a);
  test_all_tiles(a);
  test_mistakes(a);
  arena_free(a);
  return check_report("shared");
}
