/* SPDX-License-Identifier: MIT */
/* Kernels of tests/emu/cases/races.cu: races in global memory are found at their lines whatever the
 * number of host threads, and correct kernels have none. */
#include "emu/emu_nvrtc.h"

enum { N = 4096 };

typedef struct {
  const char *kernel;
  uint32_t grid, block;
  const char *says; /* part of a race's message */
} Case;

static const Case races[] = {
    {"add_by_blocks", 4, 32, "nothing orders the blocks"},
    {"exchange_in_block", 1, 1024, "no barrier between"},
    {"exchange_in_warp", 1, 32, "no barrier between"},
    {"shift_in_place", 4, 64, "reads at line"},
    {"rows_overlap", 4, 64, "writes at line"},
    {"bytes_overlap", 4, 32, "writes byte 31 of buffer out"},
    {"vectors_overlap", 2, 32, "reads at line"},
    {"ticket_without_fence", 4, 32, "reads at line"},
    {"ticket_with_block_fence", 4, 32, "reads at line"},
    {"ticket_too_early", 4, 64, "reads at line"},
    {"atomics_of_blocks", 4, 32, "updates"},
    {"zeroed_then_added", 4, 32, "nothing orders the blocks"},
    {"read_then_added", 4, 32, "reads at line"},
    {"atomic_and_plain", 2, 32, "reads at line"},
    {"flag_without_fence", 2, 32, "reads at line"},
    {"turn_read_beside_the_wait", 2, 64, "reads at line"},
    {"copies_too_early", 1, 64, "no barrier between"},
    /* reported at either side: blocks race with each other, too */
    {"marks_differently", 4, 64, "at line"},
    {"marks_and_counts", 4, 64, "reads at line"},
};

static const Case correct[] = {
    {"last_block_sums", 8, 128, NULL},
    {"last_block_of_the_guide", 8, 128, NULL},
    {"chain_of_blocks", 40, 64, NULL},
    {"release_and_acquire", 20, 32, NULL},
    {"words_with_flags", 60, 32, NULL},
    {"lock_of_blocks", 40, 32, NULL},
    {"histogram_of_blocks", 8, 128, NULL},
    {"same_value", 8, 128, NULL},
    {"bytes_side_by_side", 8, 128, NULL},
    {"halves_side_by_side", 8, 128, NULL},
    {"exchange_with_barrier", 1, 128, NULL},
    {"heap_of_threads", 8, 64, NULL},
    {"turn_reset_by_the_last", 12, 64, NULL},
    {"flag_by_cache_hints", 16, 32, NULL},
    {"marks_once", 8, 64, NULL},
};

static EmuResult *run(Machine *m, const Case *c, int threads) {
  static int in[N], out[N];
  for (int i = 0; i < N; i++) in[i] = i * 7 % 1000 + 1;
  memset(out, 0, sizeof out);
  const Run run = {.kernel = c->kernel,
                   .grid = c->grid,
                   .block = c->block,
                   .in = in,
                   .in_bytes = sizeof in,
                   .out = out,
                   .out_bytes = sizeof out,
                   .max_steps = 1 << 22,
                   .threads = threads};
  return machine_run(m, &run);
}

static void check_race(Machine *m, const Case *c, const char *source, int threads) {
  EmuResult *r = run(m, c, threads);
  const int line = fault_line(source, c->kernel);
  int found = 0, told = 0;
  for (int i = 0; i < r->findings; i++) {
    const EmuFinding *f = &r->finding[i];
    CHECK(f->kind == EMU_RACE, "%s: %s", c->kernel, f->message);
    if (f->line != line) continue;
    found++;
    told += strstr(f->message, c->says) != NULL;
  }
  CHECK(found, "%s on %d threads: no race at line %d among %d findings (%s)", c->kernel, threads,
        line, r->findings, r->findings ? r->finding[0].message : r->error);
  CHECK(!found || told, "%s on %d threads: none says '%s', but '%s'", c->kernel, threads, c->says,
        r->finding[0].message);
  emu_result_free(r);
}

static void check_correct(Machine *m, const Case *c, int threads) {
  EmuResult *r = run(m, c, threads);
  check_clean(r, c->kernel);
  emu_result_free(r);
}

/* With races of global memory switched off none is reported. */
static void check_ignored(Machine *m) {
  uint64_t in = emu_alloc(m->memory, 4096, "in"), out = emu_alloc(m->memory, 4096, "out");
  const void *args[] = {&in, &out};
  EmuLaunch launch = {.kernel = "add_by_blocks",
                      .grid = {4, 1, 1},
                      .block = {32, 1, 1},
                      .args = args,
                      .ignore_global_races = true};
  EmuResult *r = emu_launch(m->module, &launch);
  check_clean(r, "add_by_blocks, ignored");
  emu_result_free(r);
}

static void run_all(Machine *m, const char *source, const char *arch) {
  static const int threads[] = {1, 2, 4};
  (void)arch;
  for (int t = 0; t < 3; t++) {
    for (size_t i = 0; i < sizeof races / sizeof *races; i++)
      check_race(m, &races[i], source, threads[t]);
    for (size_t i = 0; i < sizeof correct / sizeof *correct; i++)
      check_correct(m, &correct[i], threads[t]);
  }
  /* Its blocks wait for later ones, so that each needs a host thread. */
  check_correct(m, &(Case){"barrier_of_blocks", 4, 32, NULL}, 4);
  check_ignored(m);
}

int main(void) { return nvrtc_cases("emu_races_nvrtc", "races", nvrtc_archs, run_all); }
