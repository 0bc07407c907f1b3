/* SPDX-License-Identifier: MIT */
/* The device heap against a list of what was allocated: blocks do not overlap, each is freed once,
 * and bytes outside of them are known, to bulk copies and textures, too; when all are free, the
 * heap is one block again. */
#include "emu/memory/heap.h"

#include <stdlib.h>

#include "check.h"
#include "emu/emu_run.h"

enum { BLOCKS = 200, STEPS = 20000, BYTES = 1 << 16 };

typedef struct {
  uint64_t at, bytes;
} Taken;

static unsigned draw(unsigned *state) { return *state = *state * 1664525u + 1013904223u; }

static bool is_free(const Taken *t, uint64_t at, uint64_t bytes) {
  for (int i = 0; i < BLOCKS; i++)
    if (t[i].bytes && at < t[i].at + t[i].bytes && t[i].at < at + bytes) return false;
  return true;
}

/* Frees a block: only its first byte can be freed, and only once. */
static void give_back(Heap *heap, Taken *t) {
  for (uint64_t k = 16; k < t->bytes; k += 16)
    CHECK(!heap_give_back(heap, t->at + k), "%llu bytes into a block", (unsigned long long)k);
  CHECK(heap_give_back(heap, t->at), "a block of %llu bytes", (unsigned long long)t->bytes);
  CHECK(!heap_give_back(heap, t->at), "a second time");
  t->bytes = 0;
}

/* The first word, the last byte, and what is beyond: all of a word must be within. */
static void check_bounds(Heap *heap, uint64_t at, uint64_t bytes) {
  const uint64_t address[] = {at, at + bytes - 1, at + bytes, at - 1, at + bytes / 2};
  const uint32_t before = at == heap_base(heap) ? 0 : 8; /* else the address is not the heap's */
  CHECK(heap_outside(heap, address, 0x1f, 1) == (4 | before), "%llu bytes",
        (unsigned long long)bytes);
  const uint32_t wide = heap_outside(heap, address, 0x3, 4);
  CHECK(wide == (bytes < 4 ? 3 : 2), "words of %llu bytes", (unsigned long long)bytes);
  const HeapBlock block = heap_block(heap, at + bytes / 2), gap = heap_block(heap, at + bytes);
  CHECK(block.base == at && block.bytes == bytes && gap.base == at, "another block");
}

static void step(Heap *heap, Taken *t, unsigned random) {
  if (t[random % BLOCKS].bytes) {
    give_back(heap, &t[random % BLOCKS]);
    return;
  }
  const uint64_t bytes = 1 + (random >> 12) % (random % 7 ? 300 : 5000);
  const uint64_t at = heap_take(heap, bytes, NULL);
  if (!at) return;
  CHECK(at % 16 == 0 && at >= heap_base(heap), "outside");
  CHECK(is_free(t, at, bytes), "overlaps another block");
  check_bounds(heap, at, bytes);
  t[random % BLOCKS] = (Taken){at, bytes};
}

/* A size that is not a multiple of the unit: the remainder is too small for another block. */
static void test_odd_size(void) {
  EmuMemory *memory = emu_memory_new();
  CHECK(emu_set_heap(memory, 24), "24 bytes");
  Heap *heap = heap_of(memory);
  CHECK(!heap_take(heap, 20, NULL), "two units of one");
  CHECK(heap_take(heap, 9, NULL) && !heap_take(heap, 1, NULL), "more than there is");
  emu_memory_free(memory);
}

/* --- what copies and textures read of it --- */

static const char ptx[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".extern .func (.param .b64 p) malloc(.param .b64 bytes);\n"
    ".extern .func free(.param .b64 p);\n"
    ".visible .entry bulk(.param .u64 from) {\n"
    "  .reg .b64 %d<2>; .shared .align 16 .b8 s[64]; .shared .align 8 .b64 bar;\n"
    "  .reg .pred %p; .reg .b32 %r<3>;\n"
    "  ld.param.u64 %d1, [from]; mov.u32 %r1, s; mov.u32 %r2, bar;\n"
    "  mbarrier.init.shared::cta.b64 [%r2], 1; fence.proxy.async;\n"
    "  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 64;\n"
    "  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
    " [%r1], [%d1], 64, [%r2];\n"
    "again: mbarrier.try_wait.parity.shared::cta.b64 %p, [%r2], 0; @!%p bra again; ret;\n"
    "}\n"
    ".visible .entry defined(.param .u64 bytes) {\n"
    "  .reg .b64 %d<3>; .local .align 8 .b8 unwritten[8]; .reg .b32 %r;\n"
    "  ld.local.u64 %d1, [unwritten]; ld.param.u64 %d2, [bytes]; mov.u32 %r, 1;\n"
    "  call (%d1), malloc, (%d2); st.u32 [%d1], %r; call free, (%d1); ret;\n"
    "}\n"
    ".visible .entry fetch(.param .u64 texture) {\n"
    "  .reg .b64 %d<2>; .reg .b32 %r<5>;\n"
    "  ld.param.u64 %d1, [texture]; mov.u32 %r1, 0;\n"
    "  tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%d1, {%r1}]; ret;\n"
    "}\n";

static void launch(Machine *m, const char *kernel, uint64_t argument, const char *message) {
  EmuLaunch l = {.kernel = kernel,
                 .grid = {1, 1, 1},
                 .block = {1, 1, 1},
                 .args = (const void *[]){&argument},
                 .threads = 1};
  EmuResult *r = emu_launch(m->module, &l);
  const char *found = r->findings ? r->finding[0].message : "";
  CHECK(!r->error[0] && r->findings == (message ? 1 : 0), "%s: %d findings: %s", kernel,
        r->findings, r->error);
  CHECK(!message || strstr(found, message), "%s: %s", kernel, found);
  emu_result_free(r);
}

static void test_kernels(void) {
  Machine m = machine_open(ptx, sizeof ptx - 1);
  Heap *heap = heap_of(m.memory);
  const uint64_t short_one = heap_take(heap, 48, NULL), whole = heap_take(heap, 64, NULL);
  const char *why;
  const EmuSampler sampler = {.linear = false};
  EmuImage image = {.shape = EMU_IMAGE_1D,
                    .channels = 1,
                    .width = 64,
                    .height = 1,
                    .depth = 1,
                    .levels = 1,
                    .address = whole};
  const uint64_t fits = emu_texture_new(m.memory, &image, &sampler, &why);
  image.address = short_one;
  const uint64_t leaves = emu_texture_new(m.memory, &image, &sampler, &why);
  launch(&m, "bulk", whole, NULL);
  launch(&m, "bulk", short_one, "0 bytes past the start of a block of 48 bytes of malloc");
  launch(&m, "fetch", fits, NULL);
  launch(&m, "fetch", leaves, "in no one block");
  launch(&m, "defined", 64, NULL); /* whatever the register held before */
  CHECK(heap_give_back(heap, whole), "a block");
  launch(&m, "bulk", whole, "no block of malloc, or one that was freed");
  launch(&m, "fetch", fits, "in no one block");
  machine_close(&m);
}

int main(void) {
  static Taken taken[BLOCKS];
  EmuMemory *memory = emu_memory_new();
  CHECK(emu_set_heap(memory, BYTES), "%d bytes", BYTES);
  Heap *heap = heap_of(memory);
  unsigned state = 1;
  CHECK(!emu_set_heap(memory, 2 * BYTES), "changed after the first launch");
  for (int i = 0; i < STEPS; i++) step(heap, taken, draw(&state) >> 4);
  for (int i = 0; i < BLOCKS; i++)
    if (taken[i].bytes) give_back(heap, &taken[i]);
  CHECK(!heap_take(heap, BYTES + 1, NULL), "more than there is");
  const uint64_t whole = heap_take(heap, BYTES, NULL);
  CHECK(whole == heap_base(heap) && !heap_take(heap, 1, NULL), "the whole heap is not one block");
  CHECK(!heap_give_back(heap, whole - 16) && !heap_give_back(heap, whole + BYTES), "outside");
  emu_memory_free(memory);
  test_odd_size();
  test_kernels();
  return check_report("emu_heap");
}
