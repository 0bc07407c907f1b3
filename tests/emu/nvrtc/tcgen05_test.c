/* SPDX-License-Identifier: MIT */
/* Kernels of tests/emu/cases/tcgen05.cu: each rule of tcgen05 and tensor memory, broken and kept.
 * The twins compute the product without a finding or a note. By the ISA, not measured. */
#include "emu/emu_nvrtc.h"

enum { ROWS = 128, COLUMNS = 64, DEPTH = 16, OUT = ROWS * COLUMNS };

typedef struct {
  const char *name;
  EmuFindingKind kind;
  EmuFindingKind other; /* may be found, too, as a consequence */
  const char *says;     /* part of the message */
} Pair;

static const Pair pairs[] = {
    {"early_read", EMU_TMEM_READ, EMU_TMEM_READ, "no wait for the mbarrier of its tcgen05.commit"},
    {"not_committed", EMU_TMEM_READ, EMU_TMEM_READ, "no tcgen05.commit of its thread follows it"},
    {"no_fence_after", EMU_TMEM_FENCE, EMU_TMEM_FENCE, "after_thread_sync here"},
    {"no_fence_before", EMU_TMEM_FENCE, EMU_TMEM_FENCE, "before_thread_sync in that thread"},
    {"load_not_waited", EMU_TMEM_WRITE, EMU_TMEM_WRITE, "no tcgen05.wait::ld follows it"},
    {"written_in_flight", EMU_TMEM_WRITE, EMU_TMEM_WRITE, "no wait for the mbarrier"},
    {"store_not_waited", EMU_TMEM_WRITE, EMU_TMEM_WRITE, "no tcgen05.wait::st follows it"},
    {"store_then_load", EMU_TMEM_READ, EMU_TMEM_READ, "no tcgen05.wait::st follows it"},
    {"load_then_store", EMU_TMEM_WRITE, EMU_TMEM_WRITE, "no tcgen05.wait::ld follows it"},
    {"undefined_sums", EMU_UNINITIALISED, EMU_UNINITIALISED, "tensor memory, which nothing wrote"},
    {"beyond_allocation", EMU_TMEM_BOUNDS, EMU_TMEM_BOUNDS, "column 64 is not allocated"},
    {"wrong_warp", EMU_TMEM_BOUNDS, EMU_TMEM_BOUNDS, "warp 1 uses lanes 0 to 31"},
    {"product_beyond", EMU_TMEM_BOUNDS, EMU_TMEM_BOUNDS, "column 64 is not allocated"},
    {"not_freed", EMU_TMEM_ALLOC, EMU_TMEM_ALLOC, "still allocated when the block ends"},
    {"freed_twice", EMU_TMEM_ALLOC, EMU_TMEM_ALLOC, "where no allocation of that size begins"},
    {"freed_in_use", EMU_TMEM_ALLOC, EMU_TMEM_ALLOC, "still uses: no tcgen05.commit"},
    {"after_relinquish", EMU_TMEM_ALLOC, EMU_TMEM_ALLOC, "after tcgen05.relinquish_alloc_permit"},
    {"bad_size", EMU_TMEM_ALLOC, EMU_TMEM_ALLOC, "48 columns"},
    {"two_groups", EMU_TMEM_ALLOC, EMU_TMEM_ALLOC, ".cta_group::2 in a kernel"},
    {"commit_by_another", EMU_COMMIT, EMU_COMMIT, "thread 32 commits nothing"},
    {"tile_overwritten", EMU_IN_FLIGHT, EMU_RACE, "the tcgen05.mma at line"},
    {"no_proxy_fence", EMU_PROXY, EMU_PROXY, "no fence.proxy.async"},
    {"no_constant", EMU_DESCRIPTOR, EMU_DESCRIPTOR, "bits 46 to 48 are 0"},
    {"bad_mode", EMU_DESCRIPTOR, EMU_DESCRIPTOR, "swizzle mode 3"},
    {"bad_base_offset", EMU_DESCRIPTOR, EMU_DESCRIPTOR, "by base offset 1"},
    {"bad_rows", EMU_INSTRUCTION, EMU_INSTRUCTION, "M is 64 or 128"},
    {"bad_type", EMU_INSTRUCTION, EMU_INSTRUCTION, "no such types"},
    {"bf16_to_halves", EMU_INSTRUCTION, EMU_INSTRUCTION, "bf16 has sums of f32"},
    {"rows_overwritten", EMU_TMEM_WRITE, EMU_TMEM_WRITE, "still reads: no wait for the mbarrier"},
    {"freed_before_load", EMU_TMEM_ALLOC, EMU_TMEM_ALLOC, "still uses: no tcgen05.wait::ld"},
    {"freed_after_many_notes", EMU_TMEM_ALLOC, EMU_TMEM_FENCE, "no tcgen05.wait::ld follows it"},
    {"too_many_columns", EMU_TMEM_ALLOC, EMU_TMEM_ALLOC, "waits for ever"},
    {"pair_of_one", EMU_INSTRUCTION, EMU_TMEM_ALLOC, "needs a cluster"},
    {"row_beyond", EMU_DESCRIPTOR, EMU_DESCRIPTOR, "go beyond the 32-byte row"},
    {"reserved_bits", EMU_DESCRIPTOR, EMU_DESCRIPTOR, "bits that must be 0"},
    {"sparse_bit", EMU_INSTRUCTION, EMU_INSTRUCTION, "the sparsity bit"},
    {"copy_overwritten", EMU_TMEM_WRITE, EMU_TMEM_WRITE, "the tcgen05.cp at line"},
    {"copied_tile_overwritten", EMU_IN_FLIGHT, EMU_IN_FLIGHT, "the tcgen05.cp at line"},
    {"bulk_overwrites_tile", EMU_IN_FLIGHT, EMU_IN_FLIGHT, "the tcgen05.mma at line"},
    {"second_thread", EMU_TMEM_WRITE, EMU_TMEM_WRITE, "no wait for the mbarrier"},
    {"rows_not_waited", EMU_TMEM_READ, EMU_TMEM_READ, "no tcgen05.wait::st follows it"},
};

static uint16_t in[(ROWS + COLUMNS) * DEPTH];
static float want[OUT];

/* Whole numbers from -2 to 2, whose sums are exact. */
static void fill(void) {
  static const uint16_t half[] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000};
  uint32_t state = 5;
  static int value[(ROWS + COLUMNS) * DEPTH];
  for (int i = 0; i < (ROWS + COLUMNS) * DEPTH; i++) {
    state = state * 1664525u + 1013904223u;
    value[i] = (int)(state >> 16) % 5 - 2;
    in[i] = half[value[i] + 2];
  }
  for (int i = 0; i < OUT; i++)
    for (int k = 0; k < DEPTH; k++)
      want[i] += (float)(value[i / COLUMNS * DEPTH + k] * value[(ROWS + i % COLUMNS) * DEPTH + k]);
}

static EmuResult *run(Machine *m, const Pair *p, const char *suffix, float *out) {
  static char kernel[64];
  snprintf(kernel, sizeof kernel, "%s_%s", p->name, suffix);
  memset(out, 0, OUT * sizeof *out);
  const Run r = {kernel, 1, ROWS, in, sizeof in, out, OUT * sizeof *out, 0, 1 << 20, 1, 0};
  return machine_run(m, &r);
}

static void check_broken(Machine *m, const Pair *p, const char *source) {
  static float out[OUT];
  EmuResult *r = run(m, p, "broken", out);
  const int line = fault_line(source, p->name);
  bool found = false;
  for (int i = 0; i < r->findings + r->notes; i++) {
    const EmuFinding *f = i < r->findings ? &r->finding[i] : &r->note[i - r->findings];
    const bool at_line = f->kind == p->kind && f->line == line && strstr(f->message, p->says);
    found |= at_line;
    CHECK(at_line || f->kind == p->other, "%s: %s at line %d: %s", p->name,
          emu_finding_kind_name[f->kind], f->line, f->message);
    CHECK(f->note == (f->kind == EMU_TMEM_FENCE), "%s: a note is a finding or the reverse",
          p->name);
  }
  CHECK(found, "%s: no %s at line %d", p->name, emu_finding_kind_name[p->kind], line);
  emu_result_free(r);
}

static void check_clean_twin(Machine *m, const Pair *p) {
  static float out[OUT];
  EmuResult *r = run(m, p, "clean", out);
  check_clean(r, p->name);
  CHECK(r->notes == 0, "%s: %s at line %d: %s", p->name, emu_finding_kind_name[r->note[0].kind],
        r->note[0].line, r->note[0].message);
  CHECK(memcmp(out, want, sizeof out) == 0, "%s: wrong results", p->name);
  CHECK(r->wgmma.wavefronts >= 48, "%s: %llu wavefronts", p->name,
        (unsigned long long)r->wgmma.wavefronts);
  emu_result_free(r);
}

typedef struct {
  const char *kernel;
  uint32_t blocks;
  int rows;
} Product;

static const Product products[] = {{"pair_of_64", 2, 128}, {"rows_of_64", 1, 64}};

static void check_product(Machine *m, const Product *p) {
  static float out[OUT];
  memset(out, 0, sizeof out);
  const Run run = {p->kernel, p->blocks, ROWS, in, sizeof in, out, sizeof out, 0, 1 << 20, 1, 0};
  EmuResult *r = machine_run(m, &run);
  check_clean(r, p->kernel);
  CHECK(r->notes == 0, "%s: %s", p->kernel, r->note[0].message);
  CHECK(memcmp(out, want, (size_t)p->rows * COLUMNS * sizeof *out) == 0, "%s: wrong results",
        p->kernel);
  emu_result_free(r);
}

/* Each tile of 40 is done once, whichever block does it. */
static void check_steals(Machine *m, int threads) {
  enum { TILES = 40 };
  static float tile[TILES];
  memset(tile, 0, sizeof tile);
  const Run run = {"steals", TILES, 32, in, sizeof in, tile, sizeof tile, 0, 1 << 20, threads, 0};
  EmuResult *r = machine_run(m, &run);
  check_clean(r, "steals");
  for (int i = 0; i < TILES; i++) CHECK(tile[i] == (float)(i + 1), "tile %d: %g", i, tile[i]);
  emu_result_free(r);
}

int main(void) {
  Arena *a = arena_new();
  Text why = text_new(a);
  const char *source, *ptx = nvrtc_ptx(a, "tcgen05", "100a", &source, &why);
  if (!ptx) return check_skip("emu_tcgen05_nvrtc", why.s);
  fill();
  Machine m = machine_open(ptx, strlen(ptx));
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    check_broken(&m, &pairs[i], source);
    check_clean_twin(&m, &pairs[i]);
  }
  for (size_t i = 0; i < sizeof products / sizeof *products; i++) check_product(&m, &products[i]);
  for (int threads = 1; threads <= 2; threads++) check_steals(&m, threads);
  machine_close(&m);
  arena_free(a);
  return check_report("emu_tcgen05_nvrtc");
}
