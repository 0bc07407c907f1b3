/* SPDX-License-Identifier: MIT */
/* lint_cases.h: launches of the correct kernels in tests/emu/cases and tests/lint/cases, whose
 * outputs and counters are therefore fixed: for the emulator alone, and compared with a GPU. */
#ifndef KGEN_TESTS_LINT_LINT_CASES_H
#define KGEN_TESTS_LINT_LINT_CASES_H

#include <stdint.h>
#include <string.h>

#include "base/text.h"

typedef struct {
  const char *file;   /* within tests/ */
  const char *kernel; /* in C++ */
  uint32_t grid[2], block[2];
  /* As for --arg, a space apart; of "files" that hold random numbers: "ints" from -100 to 899,
   * "floats" from -1 to 1, "halves" 16-bit ones
   * of any size below 2. */
  const char *args;
  uint32_t smem; /* dynamic shared memory, bytes */
} LintCase;

#define CLEAN  "emu/cases/clean.cu"
#define FOURS  "emu/cases/seeds.cu"
#define SEEDS  "lint/cases/seeds.cu"
#define NAMES  "lint/cases/names.cu"
#define INTS   "buf:8192:ints buf:8192:zero"
#define FLOATS "buf:16384:floats buf:16384:zero"
#define WGMMA  "emu/cases/wgmma.cu"
#define HALVES "buf:65536:halves buf:16384:zero"

static const LintCase lint_cases[] = {
    {CLEAN, "warp_sum_shfl", {8, 1}, {256, 1}, INTS, 0},
    {CLEAN, "warp_sum_shared", {8, 1}, {64, 1}, INTS, 0},
    {CLEAN, "double_buffer", {1, 1}, {64, 1}, INTS, 0},
    {CLEAN, "histogram", {4, 1}, {128, 1}, INTS, 0},
    {CLEAN, "scan", {1, 1}, {256, 1}, INTS, 0},
    {CLEAN, "vote_loop", {1, 1}, {64, 1}, INTS, 0},
    {CLEAN, "divergent_loops", {1, 1}, {64, 1}, INTS, 0},
    {CLEAN, "calls", {1, 1}, {64, 1}, INTS, 0},
    {CLEAN, "indirect_calls", {1, 1}, {64, 1}, INTS, 0},
    {CLEAN, "recursion", {1, 1}, {64, 1}, INTS, 0},
    {CLEAN, "local_array", {1, 1}, {64, 1}, INTS, 0},
    {CLEAN, "switches", {1, 1}, {64, 1}, INTS, 0},
    {CLEAN, "generic_pointers", {1, 1}, {64, 1}, INTS, 0},
    {CLEAN, "early_return", {1, 1}, {64, 1}, INTS " i32:40", 0},
    {CLEAN, "return_from_loop", {1, 1}, {128, 1}, INTS, 0},
    {CLEAN, "same_flag", {1, 1}, {64, 1}, INTS, 0},
    {CLEAN, "named_barriers", {1, 1}, {96, 1}, INTS, 0},
    {CLEAN, "flag_and_fence", {1, 1}, {64, 1}, INTS, 0},
    {CLEAN, "block_chain", {64, 1}, {32, 1}, INTS, 0},
    {CLEAN, "lock_within_warp", {1, 1}, {64, 1}, INTS, 0},
    {CLEAN, "tensor_core", {1, 1}, {32, 1}, INTS, 0},
    {CLEAN, "mbarriers", {1, 1}, {64, 1}, INTS, 0},
    {CLEAN, "partial_warp", {1, 1}, {70, 1}, INTS, 0},
    {CLEAN, "half_ends_early", {1, 1}, {128, 1}, INTS, 0},
    {CLEAN, "waits_for_last_block", {5, 1}, {64, 1}, INTS, 0},
    {CLEAN, "barrier_of_grid", {20, 1}, {64, 1}, INTS, 0},
    {FOURS, "ideal_f32", {1, 1}, {32, 1}, FLOATS, 0},
    {FOURS, "one_bank_f32", {1, 1}, {32, 1}, FLOATS, 0},
    {FOURS, "permuted_f32", {1, 1}, {32, 1}, FLOATS, 0},
    {FOURS, "uncoalesced_f32", {1, 1}, {32, 1}, FLOATS, 0},
    {FOURS, "ideal_f64", {1, 1}, {32, 1}, FLOATS, 0},
    {FOURS, "one_bank_f64", {1, 1}, {32, 1}, FLOATS, 0},
    {FOURS, "permuted_f64", {1, 1}, {32, 1}, FLOATS, 0},
    {FOURS, "uncoalesced_f64", {1, 1}, {32, 1}, FLOATS, 0},
    {FOURS, "reduce_interleaved", {16, 1}, {256, 1}, FLOATS, 0},
    {FOURS, "reduce_sequential", {16, 1}, {256, 1}, FLOATS, 0},
    {FOURS, "transpose_float_32", {2, 2}, {32, 8}, FLOATS " i32:64", 0},
    {FOURS, "transpose_float_33", {2, 2}, {32, 8}, FLOATS " i32:64", 0},
    {FOURS, "transpose_double_32", {1, 1}, {32, 8}, FLOATS " i32:32", 0},
    {FOURS, "transpose_double_33", {1, 1}, {32, 8}, FLOATS " i32:32", 0},
    {FOURS, "transpose_short_32", {2, 2}, {32, 8}, FLOATS " i32:64", 0},
    {FOURS, "transpose_short_34", {2, 2}, {32, 8}, FLOATS " i32:64", 0},
    {FOURS, "transpose_char_129", {2, 2}, {32, 8}, FLOATS " i32:64", 0},
    {FOURS, "transpose_char_132", {2, 2}, {32, 8}, FLOATS " i32:64", 0},
    {"lint/cases/transpose.cu", "transpose", {2, 2}, {32, 8}, FLOATS " i32:64", 0},
    {"lint/cases/transpose_pad.cu", "transpose", {2, 2}, {32, 8}, FLOATS " i32:64", 0},
    {"lint/cases/transpose_xor.cu", "transpose", {2, 2}, {32, 8}, FLOATS " i32:64", 0},
    {NAMES, "scale<float, 32>", {1, 1}, {32, 1}, FLOATS, 0},
    {NAMES, "scale<double, 2>", {1, 1}, {2, 1}, FLOATS, 0},
    {NAMES,
     "inner::mixed",
     {1, 1},
     {32, 1},
     "buf:128:zero i32:-1 i32:7 i32:16 i64:5 f32:1.5 f64:-2e3",
     128},
    {NAMES, "::scattered", {1, 1}, {32, 1}, FLOATS, 0},
    {SEEDS, "structs_11", {1, 1}, {32, 1}, FLOATS, 0},
    {SEEDS, "aos", {1, 1}, {32, 1}, FLOATS, 0},
    {SEEDS, "soa", {1, 1}, {32, 1}, FLOATS, 0},
    {SEEDS, "reduce_multiples", {1, 1}, {256, 1}, FLOATS, 0},
    {SEEDS, "colsum<32>", {1, 1}, {32, 1}, FLOATS, 0},
    {SEEDS, "colsum<33>", {1, 1}, {32, 1}, FLOATS, 0},
    {SEEDS, "read_scalar<32, 32>", {1, 1}, {32, 1}, FLOATS, 0},
    {SEEDS, "read_float4<32, 32>", {1, 1}, {32, 1}, FLOATS, 0},
    {SEEDS, "read_float4<36, 32>", {1, 1}, {32, 1}, FLOATS, 0},
    {SEEDS, "read_scalar<128, 128>", {1, 1}, {32, 1}, FLOATS, 0},
    {SEEDS, "read_float4<128, 128>", {1, 1}, {32, 1}, FLOATS, 0},
    {SEEDS, "read_float4<132, 128>", {1, 1}, {32, 1}, "buf:17408:floats buf:128:zero", 0},
    {SEEDS, "conv<34>", {1, 1}, {32, 32}, FLOATS, 0},
    {SEEDS, "conv<35>", {1, 1}, {32, 32}, FLOATS, 0},
    {SEEDS, "fft<512>", {1, 1}, {256, 1}, FLOATS, 0},
    {SEEDS, "fft<528>", {1, 1}, {256, 1}, FLOATS, 0},
    {SEEDS, "transpose<float, 32, 32>", {1, 1}, {32, 32}, FLOATS, 0},
    {SEEDS, "transpose<float, 32, 33>", {1, 1}, {32, 32}, FLOATS, 0},
    {SEEDS, "transpose<float, 32, 34>", {1, 1}, {32, 32}, FLOATS, 0},
    {SEEDS, "transpose<float, 32, 36>", {1, 1}, {32, 32}, FLOATS, 0},
    {SEEDS, "transpose<float, 32, 48>", {1, 1}, {32, 32}, FLOATS, 0},
    {SEEDS, "transpose<float, 16, 16>", {1, 1}, {16, 16}, FLOATS, 0},
    {SEEDS, "transpose<float, 16, 17>", {1, 1}, {16, 16}, FLOATS, 0},
    {SEEDS, "transpose<double, 32, 33>", {1, 1}, {32, 32}, FLOATS, 0},
    {SEEDS, "transpose<char, 32, 129>", {1, 1}, {32, 32}, FLOATS, 0},
    {SEEDS, "transpose<char, 32, 132>", {1, 1}, {32, 32}, FLOATS, 0},
    {SEEDS, "transpose<short, 32, 33>", {1, 1}, {32, 32}, FLOATS, 0},
    {SEEDS, "transpose<short, 32, 34>", {1, 1}, {32, 32}, FLOATS, 0},
    {SEEDS, "transpose<float4, 8, 9>", {1, 1}, {8, 8}, FLOATS, 0},
    {SEEDS, "swizzle<32>", {1, 1}, {32, 32}, FLOATS, 0},
    {SEEDS, "operand<32, false>", {1, 1}, {256, 1}, FLOATS, 0},
    {SEEDS, "operand<40, false>", {1, 1}, {256, 1}, FLOATS, 0},
    {SEEDS, "operand<40, true>", {1, 1}, {256, 1}, FLOATS, 0},
    {WGMMA, "single_buffer", {1, 1}, {128, 1}, HALVES, 0},
    {WGMMA, "double_buffer", {1, 1}, {128, 1}, HALVES, 0},
    {WGMMA, "operand_in_registers", {1, 1}, {128, 1}, HALVES, 0},
    {WGMMA, "specialised", {1, 1}, {256, 1}, HALVES, 0},
    {WGMMA, "two_consumers", {1, 1}, {384, 1}, HALVES, 0},
};

enum { LINT_CASES = sizeof lint_cases / sizeof *lint_cases };

/* The architecture that a kernel needs; NULL: any will do. */
static inline const char *lint_case_arch(const LintCase *c) {
  return strcmp(c->file, WGMMA) == 0 ? "sm_90a" : NULL;
}

/* The launch of a kernel of one file. */
static inline const LintCase *lint_case_find(const char *file, const char *kernel) {
  for (int i = 0; i < LINT_CASES; i++) {
    const LintCase *c = &lint_cases[i];
    if (strcmp(c->file, file) == 0 && strcmp(c->kernel, kernel) == 0) return c;
  }
  die("no launch of %s of %s", kernel, file);
}

#endif
