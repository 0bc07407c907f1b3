/* SPDX-License-Identifier: MIT */
/* After a kernel's fault that leaves a GPU unusable nothing else is asked of it, and no other spec
 * is blamed: on the emulator, whose calls fail once a launch of the second spec has. */
#include "judge/run.h"

#include <string.h>

#include "check.h"
#include "device/nvrtc.h"

enum { SPECS = 3 };

typedef struct {
  Arena *arena;
  SpecOptions options;
  Text messages;
  Runner runner;
  BatchItem item[SPECS];
  Run run[SPECS];
} Setup;

static bool launch(Device *d, const Launch *l) {
  static const char faulty[] = "member_f32";
  if (strcmp(l->kernel, faulty) != 0) return backend_emulator.launch(d, l);
  text_puts(&d->error, "a fault");
  d->l2_bytes = 1; /* lost */
  return false;
}

static uint64_t alloc(Device *d, size_t bytes, const char *name) {
  if (d->l2_bytes == 0) return backend_emulator.alloc(d, bytes, name);
  text_puts(&d->error, "no call is accepted");
  return 0;
}

static Device *open_device(Arena *a, Backend *fake) {
  Text why = text_new(a);
  Device *d = backend_open(a, "emulator", &why);
  *fake = backend_emulator;
  fake->launch = launch;
  fake->alloc = alloc;
  d->backend = fake;
  return d;
}

static void run_all(Setup *s) {
  static const char *const spec[SPECS] = {"copy_f32", "member_f32", "vector_read_f32_1"};
  for (int i = 0; i < SPECS; i++) {
    Diag *d = diag_new(s->arena);
    const char *path = arena_printf(s->arena, "%s/specs/%s.yaml", KGEN_SOURCE_DIR, spec[i]);
    CHECK(batch_make(s->arena, d, path, &s->options, &s->item[i]), "%s", diag_first(d));
    run_execute(&s->runner, &s->item[i], &s->run[i]);
  }
  for (int i = 0; i < SPECS; i++) {
    run_count(&s->runner, &s->run[i]);
    run_close(&s->runner, &s->run[i]);
  }
}

static bool says(const Setup *s, const char *what) { return strstr(s->messages.s, what) != NULL; }

static void check_runs(const Setup *s) {
  CHECK(s->run[0].exit_code == 0 && s->run[0].solved.check.correct, "the first: %d",
        s->run[0].exit_code);
  CHECK(!s->run[0].solved.counted.known &&
            strstr(s->run[0].solved.counted.why_unknown, "member_f32 failed"),
        "the first is counted, or not told why not");
  CHECK(s->run[1].exit_code == EXIT_FAILED && says(s, "kgen: member_f32: a fault\n"),
        "the second: %d, %s", s->run[1].exit_code, s->messages.s);
  CHECK(s->run[2].exit_code == EXIT_FAILED && !s->run[2].solved.ran, "the third: %d",
        s->run[2].exit_code);
  CHECK(
      says(s,
           "kgen: vector_read_f32_1: not run: since member_f32 failed, the device accepts no call"),
      "the third is blamed: %s", s->messages.s);
  CHECK(!says(s, "no call is accepted"), "it was asked all the same: %s", s->messages.s);
}

int main(void) {
  Backend fake;
  Setup s = {.arena = arena_new()};
  if (!nvrtc_version(s.arena)) return check_skip("lost_test", "no NVRTC");
  s.messages = text_new(s.arena);
  s.options.templates = templates_open(s.arena, KGEN_SOURCE_DIR "/templates");
  s.runner = (Runner){.arena = s.arena,
                      .device = open_device(s.arena, &fake),
                      .alone = true,
                      .lean = true,
                      .options = &s.options,
                      .seed = 1,
                      .messages = &s.messages};
  run_all(&s);
  check_runs(&s);
  backend_close(s.runner.device);
  arena_free(s.arena);
  return check_report("lost_test");
}
