/* SPDX-License-Identifier: MIT */
/* Pairs of kernels of tests/emu/cases/pairs.cu: a finding at the line of the broken kernel, with
 * any number of host threads, and none of its clean twin. */
#include "emu/emu_nvrtc.h"

enum { N = 4096 };

typedef struct {
  const char *name;
  uint32_t grid, block;
  EmuFindingKind kind;
  const char *says; /* part of the message */
  bool note;
} Pair;

static const Pair pairs[] = {
    {"volatile_flag", 1, 64, EMU_RACE, "no barrier between", false},
    {"atomic_count", 1, 64, EMU_RACE, "no barrier between", false},
    {"arrival_of_one_lane", 1, 64, EMU_RACE, "other lanes need __syncwarp()", false},
    {"wait_of_one_lane", 1, 64, EMU_RACE, "other lanes need __syncwarp() after it", false},
    {"stages_of_a_ring", 1, 64, EMU_RACE, "no barrier between", false},
    {"flag_of_one_lane", 1, 64, EMU_RACE, "other lanes need __syncwarp()", false},
    {"flag_of_one_lane_global", 2, 32, EMU_RACE, "other lanes need __syncwarp()", false},
    {"acquire_of_one_lane_global", 2, 32, EMU_RACE, "other lanes need __syncwarp() after it",
     false},
    {"half_of_the_lanes", 1, 32, EMU_RACE, "__syncwarp()", false},
    {"quarters_of_the_lanes", 1, 32, EMU_RACE, "__syncwarp()", false},
    {"stmatrix_then_load", 1, 32, EMU_RACE, "__syncwarp()", false},
    {"store_then_ldmatrix", 1, 32, EMU_RACE, "__syncwarp()", false},
    {"product_between", 1, 32, EMU_RACE, "__syncwarp()", false},
    {"shuffle_between", 1, 32, EMU_RACE, "__syncwarp()", false},
    {"sum_in_a_function", 1, 64, EMU_RACE, "both are volatile", true},
    {"store_after_arriving", 1, 64, EMU_RACE, "no barrier between", false},
    {"store_again_after_arriving", 1, 64, EMU_RACE, "no barrier between", false},
    {"ring_of_barriers", 1, 64, EMU_RACE, "no barrier between", false},
    {"barrier_of_the_half", 1, 128, EMU_RACE, "no barrier between", false},
    {"relaxed_load", 2, 32, EMU_RACE, "is relaxed, and no fence follows it", false},
    {"relaxed_store", 2, 32, EMU_RACE, "is relaxed, and no fence precedes it", false},
    {"relaxed_flag_in_shared", 1, 64, EMU_RACE, "is relaxed, and no fence precedes it", false},
    {"relaxed_ticket", 8, 32, EMU_RACE, "is relaxed, and no fence precedes it", false},
    {"relaxed_arrival", 1, 64, EMU_RACE, "is relaxed, and no fence precedes it", false},
    {"relaxed_wait", 1, 64, EMU_RACE, "is relaxed, and no fence follows it", false},
    {"release_for_the_block", 2, 32, EMU_RACE, "scope .cta, but .gpu is needed", false},
    {"acquire_for_the_block", 2, 32, EMU_RACE, "no fence follows it", false},
    {"release_for_the_cluster", 2, 32, EMU_RACE, "scope .cluster, but .gpu is needed", false},
    {"atomics_for_the_block", 2, 32, EMU_RACE, "updates", false},
    {"store_to_the_other", 2, 64, EMU_RACE, "no barrier between", false},
    {"load_from_the_other", 2, 64, EMU_RACE, "no barrier between", false},
    {"both_store", 2, 64, EMU_RACE, "no barrier between", false},
    {"store_to_one_that_ends", 2, 64, EMU_EXITED, "which does not wait for it", false},
    {"load_from_one_that_ends", 2, 64, EMU_EXITED, "which has ended", false},
    {"relaxed_cluster_arrival", 2, 64, EMU_RACE, "is relaxed, and no fence precedes it", false},
    {"arrival_for_the_block", 2, 64, EMU_RACE, "scope .cta, but .cluster is needed", false},
    {"wait_for_the_block", 2, 64, EMU_RACE, "scope .cta, but .cluster is needed", false},
    {"store_then_bulk_store", 1, 64, EMU_PROXY, "no fence.proxy.async between", false},
    {"fence_of_the_copying_thread", 1, 64, EMU_PROXY, "no fence.proxy.async between", false},
    {"fence_of_some_lanes", 1, 64, EMU_PROXY, "no fence.proxy.async between", false},
    {"load_then_bulk_load", 1, 64, EMU_PROXY_WRITE, "an ordinary instruction reads", true},
    {"store_then_bulk_load", 1, 64, EMU_PROXY_WRITE, "an ordinary instruction writes", true},
    {"init_seen_by_copies", 1, 64, EMU_PROXY_INIT, "follows its initialisation", true},
    {"copies_of_lane_one", 60, 64, EMU_PROXY_INIT, "follows its initialisation", true},
    {"reductions_of_blocks", 2, 64, EMU_RACE, "nothing orders the blocks", false},
    {"map_without_fence", 1, 32, EMU_TENSOR_MAP, "no fence.proxy.tensormap::generic.acquire",
     false},
    {"map_of_a_warp", 1, 32, EMU_RACE, "no barrier between", false},
    {"map_written_in_flight", 1, 32, EMU_TENSOR_MAP, "no wait for its mbarrier between", false},
    {"multicast_overwrites", 2, 64, EMU_RACE, "no barrier between", false},
    {"flag_for_the_block", 2, 64, EMU_RACE, "scope .cta, but .cluster is needed", false},
    {"stage_released_early", 1, 64, EMU_RACE, "no barrier between", false},
    {"stage_not_awaited", 1, 64, EMU_RACE, "", false},
    {"stage_released_by_one_lane", 1, 64, EMU_RACE, "other lanes need __syncwarp()", false},
};

static EmuResult *run(Machine *m, const Pair *p, const char *kernel, int threads) {
  static int in[N], out[N];
  for (int i = 0; i < N; i++) in[i] = i * 7 % 1000 + 1;
  memset(out, 0, sizeof out);
  const Run run = {.kernel = kernel,
                   .grid = p->grid,
                   .block = p->block,
                   .in = in,
                   .in_bytes = sizeof in,
                   .out = out,
                   .out_bytes = sizeof out,
                   .max_steps = 1 << 22,
                   .threads = threads};
  return machine_run(m, &run);
}

/* A race may be reported at either of its sides. */
static bool is_at(const EmuFinding *f, int line) {
  bool at = f->line == line;
  for (int i = 0; i < f->others; i++) at |= f->other[i].line == line;
  return at;
}

static void check_broken(Machine *m, const Pair *p, const char *source, int threads) {
  char kernel[64];
  snprintf(kernel, sizeof kernel, "%s_broken", p->name);
  EmuResult *r = run(m, p, kernel, threads);
  const int line = fault_line(source, p->name);
  int found = 0, says = 0;
  for (int i = 0; i < r->findings + r->notes; i++) {
    const EmuFinding *f = i < r->findings ? &r->finding[i] : &r->note[i - r->findings];
    if (f->kind != p->kind || !is_at(f, line)) continue;
    found++;
    says += strstr(f->message, p->says) != NULL;
    CHECK(f->note == p->note, "%s: a note is a finding, or a finding a note", kernel);
  }
  CHECK(found, "%s on %d threads: nothing at line %d among %d findings (%s)", kernel, threads, line,
        r->findings, r->findings ? r->finding[0].message : r->error);
  CHECK(!found || says, "%s: no message says '%s', but '%s'", kernel, p->says,
        r->findings ? r->finding[0].message : r->note[0].message);
  emu_result_free(r);
}

static void check_twin(Machine *m, const Pair *p, int threads) {
  char kernel[64];
  snprintf(kernel, sizeof kernel, "%s_clean", p->name);
  EmuResult *r = run(m, p, kernel, threads);
  check_clean(r, kernel);
  for (int i = 0; i < r->notes; i++)
    CHECK(r->note[i].kind == EMU_BARRIER, "%s: %s", kernel, r->note[i].message);
  emu_result_free(r);
}

static void run_all(Machine *m, const char *source, const char *arch) {
  (void)arch;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    for (int threads = 1; threads <= 2; threads++) {
      check_broken(m, &pairs[i], source, threads);
      check_twin(m, &pairs[i], threads);
    }
  }
}

static const char *const archs[] = {"90a", NULL};

int main(void) { return nvrtc_cases("emu_pairs_nvrtc", "pairs", archs, run_all); }
