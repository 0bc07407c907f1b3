/* SPDX-License-Identifier: MIT */
/* Kernels of tests/emu/cases/faults.cu with one planted fault each: found with its kind, line,
 * thread and block; and by an unchecked launch, if it ends that. */
#include "emu/emu_nvrtc.h"

enum { N = 256 };

typedef struct {
  const char *kernel;
  uint32_t grid, block;
  EmuFindingKind kind;
  uint32_t thread, in_block; /* thread and block of the finding */
  size_t in_ints, out_ints;
  bool ends; /* an unchecked launch, too */
} Case;

/* The warp that completes a barrier continues first. A race between warps takes precedence over one
 * within a warp. */
static const Case cases[] = {
    {"race_missing_barrier", 2, 128, EMU_RACE, 32, 0, N, N, false},
    {"race_in_reduction", 1, 128, EMU_RACE, 0, 0, N, N, false},
    {"race_within_warp", 1, 32, EMU_RACE, 0, 0, N, N, false},
    {"race_two_writers", 1, 64, EMU_RACE, 1, 0, N, N, false},
    {"race_write_after_read", 1, 64, EMU_RACE, 0, 0, N, N, false},
    {"race_atomic_and_plain", 1, 64, EMU_RACE, 40, 0, N, N, false},
    {"race_behind_own_atomic", 1, 64, EMU_RACE, 32, 0, N, N, false},
    {"race_byte_behind_atomic", 1, 64, EMU_RACE, 0, 0, N, N, false},
    {"race_read_then_atomics", 1, 64, EMU_RACE, 1, 0, N, N, false},
    {"race_past_shuffle", 1, 32, EMU_RACE, 0, 0, N, N, false},
    {"race_past_vote", 1, 32, EMU_RACE, 0, 0, N, N, false},
    {"race_copy_in_flight", 1, 64, EMU_RACE, 32, 0, N, N, false},
    {"race_volatile_sum", 1, 64, EMU_UNINITIALISED, 0, 0, N, N, false},
    {"overrun_global", 4, 64, EMU_OUT_OF_BOUNDS, 63, 3, N, N, false}, /* within its page */
    {"underrun_global", 4, 64, EMU_OUT_OF_BOUNDS, 0, 0, N, N, true},
    {"overrun_shared", 1, 64, EMU_OUT_OF_BOUNDS, 63, 0, N, N, true},
    {"overrun_local", 1, 64, EMU_OUT_OF_BOUNDS, 3, 0, N, N, true},
    {"overrun_local_by_one", 1, 64, EMU_OUT_OF_BOUNDS, 3, 0, N, N, true},
    {"overrun_next_local", 1, 64, EMU_OUT_OF_BOUNDS, 3, 0, N, N, false},
    {"overrun_into_neighbour", 1, 64, EMU_OUT_OF_BOUNDS, 63, 0, N, N, false},
    {"null_pointer", 1, 64, EMU_OUT_OF_BOUNDS, 0, 0, N, N, true},
    {"misaligned", 1, 64, EMU_MISALIGNED, 1, 0, N, N, true},
    {"uninitialised", 1, 64, EMU_UNINITIALISED, 17, 0, N, N, false},
    {"barrier_in_branch", 1, 64, EMU_BARRIER, 48, 0, N, N, false},
    {"barrier_by_warp", 1, 64, EMU_BARRIER, 32, 0, N, N, false},
    {"warp_barrier_missed", 1, 32, EMU_BARRIER, 5, 0, N, N, false},
    {"shuffle_by_others", 1, 32, EMU_BARRIER, 16, 0, N, N, false},
    {"warp_barrier_by_others", 1, 32, EMU_BARRIER, 16, 0, N, N, false},
    {"endless", 8, 64, EMU_MAX_STEPS, 0, 0, N, N, true},
    {"asserts", 8, 64, EMU_ASSERT, 9, 0, N, N, true},
    {"traps", 8, 64, EMU_TRAP, 9, 0, N, N, true},
    {"stack_overflow", 8, 32, EMU_STACK, 0, 0, N, N, true},
};

static const EmuFinding *find(const EmuResult *r, EmuFindingKind kind, int line) {
  for (int i = 0; i < r->findings; i++) {
    if (r->finding[i].kind == kind && r->finding[i].line == line) return &r->finding[i];
  }
  return NULL;
}

static void check_finding(const EmuResult *r, const Case *c, int line, const char *arch) {
  const EmuFinding *f = find(r, c->kind, line), *first = r->finding;
  CHECK(f, "%s for sm_%s: no %s at line %d among %d findings (%s line %d: %s)", c->kernel, arch,
        emu_finding_kind_name[c->kind], line, r->findings,
        r->findings ? emu_finding_kind_name[first->kind] : "-", r->findings ? first->line : 0,
        r->findings ? first->message : r->error);
  if (!f) return;
  CHECK(f->thread[0] == c->thread, "%s for sm_%s: thread %u, want %u (%s)", c->kernel, arch,
        f->thread[0], c->thread, f->message);
  const bool within = strcmp(c->kernel, "race_within_warp") == 0;
  const bool across = strcmp(c->kernel, "race_missing_barrier") == 0;
  const bool advised = strstr(f->message, "__syncwarp()") != NULL;
  CHECK((!within || advised) && !(across && advised), "%s: %s", c->kernel, f->message);
  CHECK(c->kind != EMU_ASSERT || strstr(f->message, "`in[i] != 9'"), "%s", f->message);
  CHECK(f->block[0] == c->in_block, "%s for sm_%s: block %u: %s", c->kernel, arch, f->block[0],
        f->message);
}

static void run_case(Machine *m, const Case *c, const char *source, const char *arch) {
  int in[N], out[N] = {0};
  for (int i = 0; i < N; i++) in[i] = i == 3 ? 200 : i % 64;
  if (strcmp(c->kernel, "endless") == 0) memset(in, 0, sizeof in);
  if (strcmp(c->kernel, "overrun_local") == 0) in[3] = 2000;
  const Run run = {.kernel = c->kernel,
                   .grid = c->grid,
                   .block = c->block,
                   .in = in,
                   .in_bytes = c->in_ints * sizeof(int),
                   .out = out,
                   .out_bytes = c->out_ints * sizeof(int),
                   .max_steps = 100000,
                   .threads = 2};
  EmuResult *r = machine_run(m, &run);
  check_finding(r, c, fault_line(source, c->kernel), arch);
  emu_result_free(r);
  r = machine_launch(m, &run, true);
  CHECK(c->ends ? find(r, c->kind, fault_line(source, c->kernel)) != NULL : !r->findings,
        "%s for sm_%s, unjudged: %d findings: %s", c->kernel, arch, r->findings,
        r->findings ? r->finding[0].message : "-");
  emu_result_free(r);
}

static void run_all(Machine *m, const char *source, const char *arch) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run_case(m, &cases[i], source, arch);
}

int main(void) { return nvrtc_cases("emu_faults_nvrtc", "faults", nvrtc_archs, run_all); }
