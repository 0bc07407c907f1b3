/* SPDX-License-Identifier: MIT */
/* Kernels of the seeds: right results, and wavefronts and sectors as known. */
#include "emu/emu_nvrtc.h"

enum { N = 4096 };

typedef struct {
  const char *kernel;
  uint64_t store, load; /* wavefronts of shared memory, one warp */
  uint64_t sectors;     /* number of the global load */
} Four;

/* 8-byte lanes are served in two groups of 16, so one bank costs 16 + 16; a pitch of 33 doubles
 * frees them. */
static const Four fours[] = {
    {"ideal_f32", 1, 1, 4},        {"one_bank_f32", 32, 32, 4},   {"permuted_f32", 1, 1, 4},
    {"uncoalesced_f32", 1, 1, 32}, {"ideal_f64", 2, 2, 8},        {"one_bank_f64", 32, 32, 8},
    {"permuted_f64", 2, 2, 8},     {"uncoalesced_f64", 2, 2, 32},
};

static void run_four(Machine *m, const Four *c) {
  double in[N], out[N] = {0};
  for (int i = 0; i < N; i++) in[i] = i;
  const Run run = {c->kernel, 1, 32, in, sizeof in, out, sizeof out, 0, 0, 1, 0};
  EmuResult *r = machine_run(m, &run);
  check_clean(r, c->kernel);
  CHECK(r->store.wavefronts == c->store, "%s: %llu store wavefronts", c->kernel,
        (unsigned long long)r->store.wavefronts);
  CHECK(r->load.wavefronts == c->load, "%s: %llu load wavefronts", c->kernel,
        (unsigned long long)r->load.wavefronts);
  const EmuAccess *first = &r->access[0];
  CHECK(first->space == EMU_GLOBAL && first->kind == EMU_LOAD, "%s: first access", c->kernel);
  CHECK(first->sectors == c->sectors, "%s: %llu sectors", c->kernel,
        (unsigned long long)first->sectors);
  emu_result_free(r);
}

static void run_reduction(Machine *m, const char *kernel, uint64_t excess) {
  enum { BLOCKS = 16 };
  float in[BLOCKS * 256], out[BLOCKS] = {0};
  for (int i = 0; i < BLOCKS * 256; i++) in[i] = (float)(i % 19);
  const Run run = {kernel, BLOCKS, 256, in, sizeof in, out, sizeof out, 0, 0, 2, 0};
  EmuResult *r = machine_run(m, &run);
  check_clean(r, kernel);
  CHECK(r->store.wavefronts - r->store.ideal == excess * BLOCKS, "%s: %llu store conflicts", kernel,
        (unsigned long long)(r->store.wavefronts - r->store.ideal));
  for (int b = 0; b < BLOCKS; b++) {
    float sum = 0;
    for (int i = 0; i < 256; i++) sum += in[b * 256 + i];
    CHECK(out[b] == sum, "%s: block %d: %g, want %g", kernel, b, (double)out[b], (double)sum);
  }
  emu_result_free(r);
}

typedef struct {
  const char *kernel;
  size_t bytes;
  uint64_t column; /* wavefronts of one warp's column read */
  uint64_t row;    /* and of its row write */
} Transpose;

static const Transpose transposes[] = {
    {"transpose_float_32", 4, 32, 1},  {"transpose_float_33", 4, 1, 1},
    {"transpose_double_32", 8, 32, 2}, {"transpose_double_33", 8, 2, 2},
    {"transpose_short_32", 2, 16, 1},  {"transpose_short_34", 2, 1, 1},
    {"transpose_char_129", 1, 4, 1},   {"transpose_char_132", 1, 1, 1},
};

static void run_transpose(Machine *m, const Transpose *c) {
  enum { SIZE = 64, WARPS = 4 * 32 };
  static unsigned char in[SIZE * SIZE * 8], out[SIZE * SIZE * 8];
  const size_t bytes = SIZE * SIZE * c->bytes;
  for (size_t i = 0; i < bytes; i++) in[i] = (unsigned char)(i * 31 ^ i >> 5);
  uint64_t from = emu_alloc(m->memory, bytes, "in"), to = emu_alloc(m->memory, bytes, "out");
  int n = SIZE;
  const void *args[] = {&from, &to, &n};
  emu_copy_in(m->memory, from, in, bytes);
  EmuLaunch launch = {.kernel = c->kernel, .grid = {2, 2, 1}, .block = {32, 8, 1}, .args = args};
  EmuResult *r = emu_launch(m->module, &launch);
  emu_copy_out(m->memory, out, to, bytes);
  check_clean(r, c->kernel);
  CHECK(r->load.wavefronts == c->column * WARPS, "%s: %llu load wavefronts", c->kernel,
        (unsigned long long)r->load.wavefronts);
  CHECK(r->store.wavefronts == c->row * WARPS, "%s: %llu store wavefronts", c->kernel,
        (unsigned long long)r->store.wavefronts);
  int wrong = 0;
  for (size_t i = 0; i < SIZE * SIZE; i++) {
    size_t j = i % SIZE * SIZE + i / SIZE;
    wrong += memcmp(in + i * c->bytes, out + j * c->bytes, c->bytes) != 0;
  }
  CHECK(wrong == 0, "%s: %d wrong elements", c->kernel, wrong);
  emu_free(m->memory, from);
  emu_free(m->memory, to);
  emu_result_free(r);
}

static void run_all(Machine *m, const char *source, const char *arch) {
  (void)source;
  (void)arch;
  for (size_t i = 0; i < sizeof fours / sizeof *fours; i++) run_four(m, &fours[i]);
  run_reduction(m, "reduce_interleaved", 35);
  run_reduction(m, "reduce_sequential", 0);
  for (size_t i = 0; i < sizeof transposes / sizeof *transposes; i++)
    run_transpose(m, &transposes[i]);
}

int main(void) {
  static const char *const archs[] = {"75", "90", "120", NULL};
  return nvrtc_cases("emu_seeds_nvrtc", "seeds", archs, run_all);
}
