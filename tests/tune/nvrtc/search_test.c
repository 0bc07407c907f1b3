/* SPDX-License-Identifier: MIT */
/* The search on a fake device that executes kernels on the emulator and whose every launch takes a
 * known time: results, records, continuation, errors. */
#include "tune/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "device/nvrtc.h"
#include "tune/bench.h"
#include "tune/finals.h"
#include "tune/watchdog.h"

/* Buffers of the timed problem are never touched: they are addresses and no more. */
enum { LARGE = 1 << 24 };
static const uint64_t nowhere = UINT64_C(1) << 60;

/* Threads of a block whose launch leaves a device that accepts no more calls; whether it has. */
static unsigned fatal_threads;
static bool is_dead;

static uint64_t fake_alloc(Device *d, size_t bytes, const char *name) {
  if (is_dead) return 0;
  return bytes < LARGE ? backend_emulator.alloc(d, bytes, name) : nowhere;
}

static void fake_release(Device *d, uint64_t memory) {
  if (memory < nowhere) backend_emulator.release(d, memory);
}

static bool fake_upload(Device *d, uint64_t to, const void *from, size_t bytes) {
  return to >= nowhere || backend_emulator.upload(d, to, from, bytes);
}

/* Time of a launch, minimal for blocks of 512 threads. */
static double fake_ms(double threads) { return 1 + 0.1 * fabs(log2(threads / 512)); }

static bool fake_time(Device *d, const Launch *list, int launches, int runs, double *ms) {
  (void)launches;
  *ms = runs * fake_ms(list[0].block[0]);
  is_dead = is_dead || list[0].block[0] == fatal_threads;
  if (is_dead) text_puts(&d->error, "time: the device is lost");
  return !is_dead;
}

static Device *open_fake(Arena *a, Backend *fake) {
  Text why = text_new(a);
  Device *d = backend_open(a, "emulator", &why);
  *fake = backend_emulator;
  fake->timed = true;
  fake->alloc = fake_alloc;
  fake->release = fake_release;
  fake->upload = fake_upload;
  fake->time = fake_time;
  d->backend = fake;
  d->name = "Fake";
  return d;
}

typedef struct {
  Arena *arena;
  Options options;
  SpecOptions spec_options;
  Text messages;
  Backend fake;
  Runner runner;
  Tuning tuning;
} Setup;

static void open_setup(Setup *s, const char *file) {
  Arena *a = arena_new();
  *s = (Setup){.arena = a, .options = {.quiet = true}, .messages = text_new(a)};
  s->spec_options.templates = templates_open(a, KGEN_SOURCE_DIR "/templates");
  s->runner = (Runner){.arena = a,
                       .device = open_fake(a, &s->fake),
                       .alone = true,
                       .lean = true,
                       .options = &s->spec_options,
                       .seed = 1,
                       .messages = &s->messages};
  s->runner.cache = cache_open(a, &s->messages);
  s->tuning = (Tuning){.options = &s->options,
                       .spec_options = &s->spec_options,
                       .runner = &s->runner,
                       .form = JIT_PTX,
                       .toolkit = "13.0",
                       .file = file,
                       .shard = 1,
                       .shards = 1};
  sigemptyset(&s->tuning.held);
}

static void close_setup(Setup *s) {
  backend_close(s->runner.device);
  arena_free(s->arena);
}

static Tuned search(Setup *s, const char *spec) {
  Tuned out;
  Diag *d = diag_new(s->arena);
  CHECK(search_spec(&s->tuning, s->arena, d, spec, 60, &out), "%s", diag_first(d));
  CHECK(s->messages.len == 0, "%s", s->messages.s);
  return out;
}

static int64_t value(const Choice *c, const char *name) {
  for (int i = 0; i < c->set.count; i++)
    if (strcmp(c->set.param[i].name, name) == 0) return c->set.param[i].value;
  return -1;
}

static void test_search(const char *file, const char *spec) {
  Setup s;
  open_setup(&s, file);
  const Tuned t = search(&s, spec);
  CHECK(t.space.points == 5 && t.measured == 5 && t.invalid == 0 && t.left == 0,
        "%d points, %d measured, %d wrong, %d left", t.space.points, t.measured, t.invalid, t.left);
  const Choice *best = &t.choices.choice[0];
  CHECK(value(best, "bx") == 512, "best: bx = %d", (int)value(best, "bx"));
  CHECK(best->final && fabs(best->median - 1) < 1e-9, "%g ms", best->median);
  int finals = 0;
  for (int i = 0; i < t.choices.count; i++) finals += t.choices.choice[i].final;
  CHECK(finals == 4, "%d finalists", finals);
  close_setup(&s);
}

static void test_resumes(const char *file, const char *spec) {
  Setup s;
  open_setup(&s, file);
  const Tuned t = search(&s, spec);
  CHECK(t.measured == 0 && t.known == 5, "%d measured, %d known", t.measured, t.known);
  CHECK(value(&t.choices.choice[0], "bx") == 512, "another best");
  close_setup(&s);
}

static double ms_of(const Space *s, int point) { return fake_ms(s->point[point].threads); }

/* All points of a space, the slower the earlier, but for the slowest, which is the third. */
static void slowest_first(const Space *s, int points[5]) {
  for (int i = 0; i < 5; i++) points[i] = i;
  for (int i = 1; i < 5; i++)
    for (int k = i; k > 0 && ms_of(s, points[k]) > ms_of(s, points[k - 1]); k--) {
      const int moved = points[k];
      points[k] = points[k - 1];
      points[k - 1] = moved;
    }
  const int slowest = points[0];
  points[0] = points[2];
  points[2] = slowest;
}

/* Keeps the fastest 3 of 5 finalists, then 2, then 1, best first; the last positions keep the
 * losers of earlier rounds. */
static void test_finals(const char *spec) {
  Setup s;
  Space space;
  int points[5], before[5];
  open_setup(&s, "/dev/null");
  Diag *d = diag_new(s.arena);
  CHECK(space_make(s.arena, d, spec, &s.spec_options, false, (SpaceLimit){.end = INFINITY}, &space),
        "%s", diag_first(d));
  CHECK(space.points == 5, "%d points", space.points);
  if (space.points != 5) return;
  slowest_first(&space, points);
  memcpy(before, points, sizeof before);
  Bench b = bench_open(s.arena, &s.runner, &space);
  const Finals f = {.tuning = &s.tuning, .bench = &b, .end = INFINITY};
  CHECK(finals_halve(&f, points, 5, 1) == 1, "more than one is left");
  CHECK(points[0] == before[4], "the best: %s", space.point[points[0]].label);
  CHECK(ms_of(&space, points[1]) <= ms_of(&space, before[3]) &&
            ms_of(&space, points[2]) <= ms_of(&space, before[0]) && points[1] != points[2],
        "then: %s, %s", space.point[points[1]].label, space.point[points[2]].label);
  CHECK(points[3] == before[3] && points[4] == before[4], "the first round leaves more than three");
  bench_close(&b);
  close_setup(&s);
}

/* The records of the last call, which are the only ones in `file`. */
static Wisdom wisdom_in(Arena *a, const char *file) {
  Wisdom w = {.arena = a};
  wisdom_read(&w, file);
  return w;
}

/* A kernel that takes the device with it is wrong; the others, which fail after it, are not. */
static void test_broken(const char *spec) {
  Setup s;
  Space space;
  char file[] = "/tmp/kgen-search-test-XXXXXX";
  close(mkstemp(file));
  open_setup(&s, file);
  Diag *d = diag_new(s.arena);
  CHECK(space_make(s.arena, d, spec, &s.spec_options, false, (SpaceLimit){.end = INFINITY}, &space),
        "%s", diag_first(d));
  Bench b = bench_open(s.arena, &s.runner, &space);
  Recorder r = {.file = file,
                .key = {.kernel = "k", .device = "d", .toolkit = ""},
                .name = "k",
                .arch = "",
                .driver = "",
                .messages = &s.messages,
                .failed = &s.tuning.unkept};
  const Finals f = {.tuning = &s.tuning, .bench = &b, .recorder = &r, .end = INFINITY};
  const int points[] = {0, 1, 2, 3, 4};
  fatal_threads = 256;
  finals_measure(&f, points, 5);
  fatal_threads = 0;
  is_dead = false;
  bench_close(&b);
  int wrong = 0;
  const Wisdom w = wisdom_in(s.arena, file);
  for (int i = 0; i < w.count; i++)
    if (w.record[i].invalid) {
      CHECK(w.record[i].set.param[0].value == 256, "wrong: bx=%d",
            (int)w.record[i].set.param[0].value);
      CHECK(w.record[i].why && strstr(w.record[i].why, "the device is lost"), "why: %s",
            w.record[i].why);
      wrong++;
    }
  CHECK(wrong == 1 && s.tuning.broken, "%d are wrong", wrong);
  CHECK(strstr(s.messages.s, "after bx=256 the device accepts no more calls"), "%s", s.messages.s);
  unlink(file);
  close_setup(&s);
}

/* If records cannot be kept, the search ends. */
static void test_unkept(const char *spec) {
  Setup s;
  Tuned out;
  open_setup(&s, "/dev/full");
  s.tuning.toolkit = "99.8"; /* a toolkit without records */
  CHECK(search_spec(&s.tuning, s.arena, diag_new(s.arena), spec, 60, &out), "refused");
  CHECK(s.tuning.unkept && out.measured == 1, "%d measured", out.measured);
  CHECK_STR(s.messages.s,
            "kgen: cannot append to /dev/full: not a regular file: measurements are not kept\n");
  close_setup(&s);
}

/* Records of another toolkit are not used. */
static void test_stale(const char *file, const char *spec) {
  Setup s;
  open_setup(&s, file);
  s.tuning.toolkit = "99.9";
  const Tuned t = search(&s, spec);
  CHECK(t.measured == 5 && t.known == 0, "%d measured, %d known", t.measured, t.known);
  CHECK(t.choices.stale > 0, "stale records are not counted");
  close_setup(&s);
}

/* The lower bound that prunes a point is never more than what it counts; every fourth point is
 * compiled to check that. */
static void test_bound(const char *spec) {
  Setup s;
  Space space;
  open_setup(&s, "/dev/null");
  s.fake.timed = false;
  Diag *d = diag_new(s.arena);
  CHECK(space_make(s.arena, d, spec, &s.spec_options, true, (SpaceLimit){.end = INFINITY}, &space),
        "%s", diag_first(d));
  Bench b = bench_open(s.arena, &s.runner, &space);
  for (int i = 0; i < space.points; i += 4) {
    Entry e;
    double counts = 0;
    const Fault f = bench_load(&b, &space.point[i], false, &e);
    e.run.solved.ran = true;
    CHECK(f == FAULT_NONE && bench_count(&b, &e, &counts) == FAULT_NONE, "%s", s.messages.s);
    const Counters *c = &e.run.solved.counted;
    const double own = (double)(c->load + c->store) / space.point[i].work;
    CHECK(counts > own && fabs(space.point[i].wavefronts - own) < 1e-9 * own,
          "%s: %g foretold, %g of %g", space.point[i].label, space.point[i].wavefronts, own,
          counts);
    bench_unload(&b, &e);
  }
  CHECK(space.points > 5, "%d points", space.points);
  close_setup(&s);
}

/* A kernel that never ends: its process is killed, and the next run knows of it. */
static void test_hangs(Arena *a, const char *file) {
  const Param set = {"bx", 512};
  const Point point = {.set = {1, &set}, .label = "bx=512"};
  Point points[] = {point};
  const Space space = {.points = 1, .point = points};
  bool failed = false;
  const Recorder r = {.file = file,
                      .key = {.kernel = "k", .device = "d", .toolkit = ""},
                      .name = "k",
                      .arch = "",
                      .driver = "",
                      .failed = &failed};
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    const Watchdog w = watchdog_start(&r, &space, 1);
    watchdog_announce(&w, 0);
    for (;;) pause();
  }
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %x", (unsigned)status);
  const WisdomTexts texts = wisdom_texts(a, NULL);
  const Wisdom w = wisdom_parse(a, &texts, "\"k\"");
  CHECK(w.count == 1 && w.record[0].invalid, "%d records", w.count);
  if (w.count) CHECK_STR(w.record[0].invalid, "timeout");
}

/* Finalists are measured in processes of this program, which says no: then here. */
int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) return 1;
  Arena *a = arena_new();
  if (!nvrtc_version(a)) return check_skip("search_test", "no NVRTC");
  char file[] = "/tmp/kgen-search-test-XXXXXX";
  close(mkstemp(file));
  const char *spec = KGEN_SOURCE_DIR "/specs/scan_rows_blelloch.yaml";
  unsetenv("KGEN_WISDOM");
  setenv("KGEN_WISDOM", file, 1);
  test_search(file, spec);
  test_resumes(file, spec);
  test_stale(file, spec);
  test_finals(spec);
  test_broken(spec);
  test_unkept(spec);
  test_bound(KGEN_SOURCE_DIR "/specs/vector_read_f32_4.yaml");
  test_hangs(a, file);
  unlink(file);
  arena_free(a);
  return check_report("search_test");
}
