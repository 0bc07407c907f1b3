/* SPDX-License-Identifier: MIT */
/* The remaining time of long work is spelled out. */
#include "command/progress.h"

#include "check.h"

#include <string.h>

static void check_left(double seconds, int64_t done, int64_t all, const char *want) {
  Arena *a = arena_new();
  const char *got = progress_left(a, seconds, done, all);
  CHECK(strcmp(got, want) == 0, "%g s, %lld of %lld: '%s', not '%s'", seconds, (long long)done,
        (long long)all, got, want);
  arena_free(a);
}

int main(void) {
  check_left(10, 10, 50, ", about 40 s left");
  check_left(10, 49, 50, ", about 1 s left");
  check_left(100, 1, 4, ", about 5 min left");
  check_left(10, 0, 50, "");  /* nothing is known yet, */
  check_left(1, 10, 50, "");  /* or too little, */
  check_left(10, 50, 50, ""); /* or nothing is left */
  Arena *a = arena_new();
  Progress p;
  progress_start(&p, false);
  p.start_ms -= 10000;
  CHECK(!*progress_left_of(a, &p, 1, 2), "shown where nobody looks");
  progress_tell(&p, "solving", 1, 2);
  CHECK(p.told_ms <= 0, "shown where nobody looks");
  p.shows = true;
  CHECK(strcmp(progress_left_of(a, &p, 1, 2), ", about 10 s left") == 0, "nothing shown");
  arena_free(a);
  return check_report("progress_test");
}
