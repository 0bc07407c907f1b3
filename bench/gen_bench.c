/* SPDX-License-Identifier: MIT */
/* Times the generator: one spec from reading to rendering, and a thousand in one batch. It runs
 * in the source directory. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "batch.h"
#include "device/clock.h"

enum { TRIES = 101, MANY = 1000 };

static SpecOptions options_of(Arena *a) {
  return (SpecOptions){.templates = templates_open(a, "templates")};
}

static const char family[] = "version: 1\nkernel: transpose\nname: bench_%d\ntile: [64, 64]\n";
static const char header[] =
    "version: 1\nkernel: none\nname: bench_%d\ndtype: f32\ntile: [64, 64]\nblock: [32, 8]\n"
    "access:\n"
    "  - {name: fill, op: store, for: {j: 8, i: 2}, at: [ty + 8*j, tx + 32*i]}\n"
    "  - {name: drain, op: load, for: {j: 8, i: 2}, at: [tx + 32*i, ty + 8*j]}\n";

static const char *write_spec(Arena *a, const char *folder, const char *format, int i) {
  const char *path = arena_printf(a, "%s/%d.yaml", folder, i);
  FILE *f = fopen(path, "w");
  if (!f) die("cannot write %s", path);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  fprintf(f, format, i);
#pragma GCC diagnostic pop
  fclose(f);
  return path;
}

static int by_value(const void *x, const void *y) {
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static void complain(Arena *a, const Diag *d) {
  Text t = text_new(a);
  diag_print(d, &t, false);
  fputs(t.s, stderr);
  exit(1);
}

static double time_one(const char *path) {
  const double start = clock_ms();
  Arena *a = arena_new();
  Diag *d = diag_new(a);
  const SpecOptions options = options_of(a);
  BatchItem item;
  if (!batch_make(a, d, path, &options, &item)) complain(a, d);
  arena_free(a);
  return clock_ms() - start;
}

static void bench_one(const char *label, const char *path) {
  double ms[TRIES];
  for (int i = 0; i < TRIES; i++) ms[i] = time_one(path);
  qsort(ms, TRIES, sizeof *ms, by_value);
  printf("%-28s median %.3f ms, min %.3f ms, %d tries (goal: 2 ms)\n", label, ms[TRIES / 2], ms[0],
         TRIES);
}

static void bench_many(const char *label, const char *const *path) {
  const double start = clock_ms();
  Arena *a = arena_new();
  Diag *d = diag_new(a);
  const SpecOptions options = options_of(a);
  Batch b = batch_new(a, d);
  for (int i = 0; i < MANY; i++) batch_add(&b, path[i], &options);
  if (diag_count(d) > 0) complain(a, d);
  arena_free(a);
  printf("%-28s %.0f ms for %d specs (goal: 3000 ms)\n", label, clock_ms() - start, MANY);
}

static void bench(Arena *a, const char *folder, const char *label, const char *format) {
  const char *path[MANY];
  for (int i = 0; i < MANY; i++) path[i] = write_spec(a, folder, format, i);
  bench_one(label, path[0]);
  bench_many(label, path);
  for (int i = 0; i < MANY; i++) unlink(path[i]);
}

int main(void) {
  char folder[] = "/tmp/kgen-bench-XXXXXX";
  if (!mkdtemp(folder)) die("no folder for the benchmark");
  Arena *a = arena_new();
  bench(a, folder, "transpose 64x64", family);
  bench(a, folder, "none 64x64, two accesses", header);
  rmdir(folder);
  arena_free(a);
  return 0;
}
