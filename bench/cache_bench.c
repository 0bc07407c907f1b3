/* SPDX-License-Identifier: MIT */
/* Times a hit of the cache of compiled kernels, which every run pays for every kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/cache.h"
#include "device/clock.h"

enum { TRIES = 101, SIZE = 64 << 10 };

static int by_value(const void *x, const void *y) {
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static double time_hit(const Cache *c) {
  Arena *a = arena_new();
  size_t size;
  const double start = clock_ms();
  if (!cache_get(a, c, "key", &size) || size != SIZE) die("no hit");
  const double ms = clock_ms() - start;
  arena_free(a);
  return ms;
}

int main(void) {
  char folder[] = "/tmp/kgen-cache-bench-XXXXXX";
  if (!mkdtemp(folder)) die("no temporary folder");
  setenv("KGEN_CACHE_DIR", folder, 1);
  Arena *a = arena_new();
  Text why = text_new(a);
  const Cache c = cache_open(a, &why);
  if (!c.folder) die("%s", why.s);
  cache_put(a, &c, "key", arena_alloc(a, SIZE), SIZE);
  double ms[TRIES];
  for (int i = 0; i < TRIES; i++) ms[i] = time_hit(&c);
  qsort(ms, TRIES, sizeof *ms, by_value);
  printf("a hit of 64 KiB: median %.3f ms, min %.3f ms, %d tries (goal: 2 ms)\n", ms[TRIES / 2],
         ms[0], TRIES);
  if (system(arena_printf(a, "rm -rf %s", folder)) != 0) die("cannot clean up");
  arena_free(a);
}
