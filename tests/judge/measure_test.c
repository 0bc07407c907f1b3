/* SPDX-License-Identifier: MIT */
/* Timing, on a fake device whose every run takes a known time. */
#include "judge/measure.h"

#include <math.h>

#include "check.h"

/* A fake device whose run takes `ms`, but for every tenth, which is disturbed. */
typedef struct {
  double ms;
  int calls, most_runs;
  bool fails;
} Clockwork;

static bool fake_time(Device *d, const Launch *list, int launches, int runs, double *ms) {
  Clockwork *c = d->state;
  (void)list;
  (void)launches;
  c->calls++;
  if (runs > c->most_runs) c->most_runs = runs;
  *ms = c->ms * runs * (c->calls % 10 == 0 ? 3 : 1);
  return !c->fails;
}

static bool fake_copy(Device *d, uint64_t to, uint64_t from, size_t bytes, int runs, double *ms) {
  (void)to;
  (void)from;
  (void)bytes;
  return fake_time(d, NULL, 0, runs, ms);
}

static const Backend fake = {.name = "fake", .time = fake_time, .time_copy = fake_copy};

static void test_speed(double ms) {
  Clockwork c = {.ms = ms};
  Device d = {.backend = &fake, .state = &c};
  const Launch launch = {0};
  Timing t;
  CHECK(measure_launches(&d, &launch, 1, &t), "failed");
  CHECK(fabs(t.median / ms - 1) < 1e-9, "%g ms: median %g", ms, t.median);
  CHECK(fabs(t.min / ms - 1) < 1e-9, "%g ms: min %g", ms, t.min);
  CHECK(t.noise >= 0 && t.noise < 1e-9 * ms, "%g ms: two disturbed samples made noise %g", ms,
        t.noise);
  CHECK(t.samples >= 5 && t.samples <= 15, "%d samples", t.samples);
  CHECK(c.most_runs * ms >= 4 || c.most_runs >= 1 << 13, "%g ms: samples of %g ms", ms,
        c.most_runs * ms);
  CHECK(c.most_runs == 1 || c.most_runs * ms < 8.1, "%g ms: %d runs are too many", ms, c.most_runs);
}

int main(void) {
  test_speed(1e-7);
  test_speed(0.002);
  test_speed(0.5);
  test_speed(30);
  test_speed(900);
  Clockwork broken = {.ms = 1, .fails = true}, good = {.ms = 2};
  Device d = {.backend = &fake, .state = &broken};
  const Launch launch = {0};
  Timing t;
  CHECK(!measure_launches(&d, &launch, 1, &t), "a failing call went unnoticed");
  CHECK(broken.calls == 1, "went on after a failing call");
  d.state = &good;
  CHECK(measure_copy(&d, 1, 2, 3, &t) && t.median == 2, "copy: %g", t.median);
  return check_report("measure");
}
