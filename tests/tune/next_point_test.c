/* SPDX-License-Identifier: MIT */
/* Which point a search measures next: the first of the model's order, and once enough are measured
 * what the effects of the measured ones promise, the first of equals. */
#include "tune/next_point.h"

#include "check.h"

enum { AXES = 2, WIDE = 3, MEASURED = 9, OPEN = 5, POINTS = MEASURED + OPEN };

typedef struct {
  Param set[POINTS][AXES];
  Point point[POINTS];
  Mark mark[POINTS];
  Space space;
} Setup;

static void set_point(Setup *s, int i, int64_t x, int64_t y) {
  s->set[i][0] = (Param){"x", x};
  s->set[i][1] = (Param){"y", y};
  s->point[i] = (Point){.set = {AXES, s->set[i]}, .identity = (uint64_t)i};
}

/* In a grid of 3 x 3 points each step in x doubles the time, and a step in y adds a tenth. */
static void open_setup(Setup *s) {
  static const int64_t open[OPEN][AXES] = {{2, 9}, {1, 2}, {0, 2}, {0, 9}, {0, 9}};
  *s = (Setup){.space = {.axes = AXES, .points = POINTS, .point = s->point}};
  for (int i = 0; i < MEASURED; i++) {
    const int x = i % WIDE, y = i / WIDE;
    set_point(s, i, x, y);
    s->mark[i] = (Mark){.state = POINT_MEASURED, .value = (1 << x) * (1 + 0.1 * y)};
  }
  for (int i = 0; i < OPEN; i++) set_point(s, MEASURED + i, open[i][0], open[i][1]);
}

static void check_next(const Setup *s, PointState state, int turn, int want, const char *what) {
  const int next = next_point(&s->space, s->mark, state, 1, 1, turn);
  CHECK(next == want, "%s: point %d, not %d", what, next, want);
}

int main(void) {
  static Setup s;
  open_setup(&s);
  /* A value that no measured point has counts as the mean: y = 9 between 1 and 2 here. */
  check_next(&s, POINT_OPEN, 1, MEASURED + 3, "the fastest x, the first of equals");
  s.mark[MEASURED + 3].state = POINT_INVALID;
  check_next(&s, POINT_OPEN, 2, MEASURED + 4, "then the other");
  s.mark[MEASURED + 4].state = POINT_INVALID;
  check_next(&s, POINT_OPEN, 3, MEASURED + 2, "the fastest x");
  check_next(&s, POINT_OPEN, 4, MEASURED, "each fourth by the model");
  s.mark[MEASURED + 2].state = POINT_INVALID;
  check_next(&s, POINT_OPEN, 5, MEASURED + 1, "a slower x");
  s.mark[0].state = s.mark[1].state = POINT_INVALID;
  check_next(&s, POINT_OPEN, 5, MEASURED, "too few measured: the model's first");
  check_next(&s, POINT_COMPILED, 5, -1, "none is compiled");
  return check_report("next_point_test");
}
