/* SPDX-License-Identifier: MIT */
/* Correct kernels of tests/emu/cases/clean.cu: right results, bit for bit, and no finding, on one
 * host thread and on two. */
#include "emu/emu_nvrtc.h"
#include "lint/lint_cases.h"

enum { N = 2048, OUT = 2048 };

static int in[N];

typedef void Expect(int *out);

static void expect_sums(int *out, int blocks, int block) {
  for (int b = 0; b < blocks; b++) {
    out[b] = 0;
    for (int i = 0; i < block; i++) out[b] += in[b * block + i];
  }
}

static void expect_warp_sum_shfl(int *out) { expect_sums(out, 8, 256); }
static void expect_warp_sum_shared(int *out) { expect_sums(out, 8, 64); }

static void expect_double_buffer(int *out) {
  for (int i = 0; i < 64; i++) {
    out[i] = 0;
    for (int k = 0; k < 8; k++) {
      for (int j = 0; j < 4; j++) out[i] += in[256 * k + 64 * j + i];
    }
  }
}

static void expect_histogram(int *out) {
  memset(out, 0, 64 * sizeof *out);
  for (int i = 0; i < 2048; i++) out[in[i] & 63] += 4;
}

static void expect_scan(int *out) {
  for (int i = 0, sum = 0; i < 256; i++) out[i] = sum += in[i];
}

static void expect_vote_loop(int *out) {
  for (int w = 0; w < 64; w += 32) {
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += in[w + i] & 15;
    for (int i = 0; i < 32; i++) out[w + i] = sum;
  }
}

static void expect_divergent_loops(int *out) {
  for (int i = 0; i < 64; i++) {
    int sum = 0;
    for (int k = 0; k < (in[i] & 7); k++) {
      if (k & 1) continue;
      for (int j = 0; j <= k && j != 3; j++) sum += j * k + 1;
      if (sum > 9) break;
    }
    out[i] = sum;
  }
}

static void expect_calls(int *out) {
  for (int i = 0; i < 64; i++) {
    const int x = in[i] & 255;
    out[i] = 2 * x + (x & 1 ? x * x : 1);
  }
}

static void expect_indirect_calls(int *out) {
  for (int i = 0; i < 64; i++) {
    const int x = in[i] & 255;
    out[i] = x & 1 ? x * x : 2 * x;
  }
}

static void expect_recursion(int *out) {
  static const int fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13};
  for (int i = 0; i < 64; i++) out[i] = fibonacci[in[i] & 7];
}

static void expect_local_array(int *out) {
  memset(out, 0, 64 * sizeof *out);
  for (int i = 0; i < 64; i++) {
    for (int k = 0; k < 32; k++) out[i] += (in[k] & 15) == (i & 15);
  }
}

static int switched(int x) {
  switch (x & 15) {
  case 0: return x + 3;
  case 1: return x * 7;
  case 2: return x ^ 0x55;
  case 3: return x - 9;
  case 4: return x << 2;
  case 5: return x >> 1;
  case 6: return -x;
  case 7: return ~x;
  case 8: return x / 3;
  case 9: return x % 5;
  default: return 1000 + x;
  }
}

static void expect_switches(int *out) {
  for (int i = 0; i < 64; i++) out[i] = switched(in[i]);
}

static void expect_generic_pointers(int *out) {
  for (int i = 0; i < 64; i++) {
    const int own[2] = {i, in[0]};
    out[i] = i % 3 == 0 ? 3 * (63 - i) : i % 3 == 1 ? in[i] : own[in[1] & 1];
  }
}

static void expect_early_return(int *out) {
  for (int i = 0; i < 40; i++) out[i] = in[39 - i];
}

static void expect_return_from_loop(int *out) {
  out[0] = 0;
  for (int i = 0; i < 128; i++) out[0] += in[i];
}

static void expect_same_flag(int *out) {
  int found = 0;
  for (int i = 0; i < 64; i++) found |= in[i] & 1;
  for (int i = 0; i < 64; i++) out[i] = found;
}

static void expect_named_barriers(int *out) {
  memset(out, 0, 96 * sizeof *out);
  for (int i = 32; i < 96; i++) {
    for (int k = 0; k < 128; k++) out[i] += in[k];
  }
}

static void expect_flag_and_fence(int *out) {
  for (int i = 0; i < 32; i++) out[i] = in[31 - i];
}

static void expect_block_chain(int *out) {
  for (int b = 0; b < 64; b++) out[b] = b + 2;
}

static void expect_lock_within_warp(int *out) {
  int total = 0;
  for (int i = 0; i < 64; i++) total += in[i];
  for (int i = 0; i < 64; i++) out[i] = total;
}

static void expect_tensor_core(int *out) {
  for (int r = 0; r < 16; r++) {
    for (int c = 0; c < 16; c++) {
      float sum = 0;
      for (int k = 0; k < 16; k++)
        sum += (float)((in[16 * r + k] & 15) * (in[256 + 16 * k + c] & 15));
      memcpy(&out[16 * r + c], &sum, sizeof sum);
    }
  }
}

static void expect_partial_warp(int *out) {
  int count = 0;
  for (int i = 0; i < 70; i++) count += in[69 - i] > in[69 - i / 32 * 32];
  for (int i = 0; i < 70; i++) out[i] = count;
}

static void expect_half_ends_early(int *out) {
  for (int i = 0; i < 64; i++) out[i] = in[63 - i];
  for (int i = 0; i < 64; i++) out[64 + i] = in[i] + 1;
}

static void expect_waits_for_last_block(int *out) {
  for (int i = 0; i < 64; i++) out[i] = in[i] + 1;
}

static void expect_barrier_of_grid(int *out) {
  for (int b = 0; b < 20; b++) {
    for (int i = 0; i < 64; i++) out[64 + 64 * b + i] = in[63 - (i ^ 1)] + (b + 1) % 20;
  }
}

typedef struct {
  const char *kernel; /* launched as in lint_cases */
  int results;        /* ints of out that are compared */
  int n;
  Expect *expect;
} Case;

static const Case cases[] = {
    {"warp_sum_shfl", 8, 0, expect_warp_sum_shfl},
    {"warp_sum_shared", 8, 0, expect_warp_sum_shared},
    {"double_buffer", 64, 0, expect_double_buffer},
    {"histogram", 64, 0, expect_histogram},
    {"scan", 256, 0, expect_scan},
    {"vote_loop", 64, 0, expect_vote_loop},
    {"divergent_loops", 64, 0, expect_divergent_loops},
    {"calls", 64, 0, expect_calls},
    {"indirect_calls", 64, 0, expect_indirect_calls},
    {"recursion", 64, 0, expect_recursion},
    {"local_array", 64, 0, expect_local_array},
    {"switches", 64, 0, expect_switches},
    {"generic_pointers", 64, 0, expect_generic_pointers},
    {"early_return", 40, 40, expect_early_return},
    {"return_from_loop", 1, 0, expect_return_from_loop},
    {"same_flag", 64, 0, expect_same_flag},
    {"named_barriers", 96, 0, expect_named_barriers},
    {"flag_and_fence", 32, 0, expect_flag_and_fence},
    {"block_chain", 64, 0, expect_block_chain},
    {"lock_within_warp", 64, 0, expect_lock_within_warp},
    {"tensor_core", 256, 0, expect_tensor_core},
    {"mbarriers", 32, 0, expect_flag_and_fence},
    {"partial_warp", 70, 0, expect_partial_warp},
    {"half_ends_early", 128, 0, expect_half_ends_early},
    {"waits_for_last_block", 64, 0, expect_waits_for_last_block},
    {"barrier_of_grid", 64 + 20 * 64, 0, expect_barrier_of_grid},
};

/* Runs and checks one case; returns the sum of its wavefronts. */
static uint64_t run_case(Machine *m, const Case *c, const char *arch, int threads) {
  int out[OUT] = {0}, want[OUT] = {0};
  const LintCase *launch = lint_case_find("emu/cases/clean.cu", c->kernel);
  const Run run = {.kernel = c->kernel,
                   .grid = launch->grid[0],
                   .block = launch->block[0],
                   .in = in,
                   .in_bytes = sizeof in,
                   .out = out,
                   .out_bytes = sizeof out,
                   .n = c->n,
                   .threads = threads,
                   .max_steps = 1 << 22};
  EmuResult *result = machine_run(m, &run);
  check_clean(result, c->kernel);
  c->expect(want);
  for (int i = 0; i < c->results; i++) {
    CHECK(out[i] == want[i], "%s for sm_%s: out[%d] = %d, want %d", c->kernel, arch, i, out[i],
          want[i]);
    if (out[i] != want[i]) break;
  }
  const uint64_t sum =
      result->load.wavefronts + result->store.wavefronts + result->atomic.wavefronts;
  emu_result_free(result);
  return sum;
}

static void run_all(Machine *m, const char *source, const char *arch) {
  (void)source;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint64_t one = run_case(m, &cases[i], arch, 1);
    const uint64_t two = run_case(m, &cases[i], arch, 2);
    CHECK(one == two, "%s: counts differ with two threads", cases[i].kernel);
  }
}

int main(void) {
  srand(7);
  for (int i = 0; i < N; i++) in[i] = rand() % 1000 - 100;
  return nvrtc_cases("emu_clean_nvrtc", "clean", nvrtc_archs, run_all);
}
