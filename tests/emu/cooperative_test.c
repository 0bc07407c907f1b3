/* SPDX-License-Identifier: MIT */
/* Cooperative launches: only they have the workspace that cooperative groups read from %envreg1 and
 * 2, and they fail unless all blocks are resident at once. Also special registers for a block's
 * position and its shared memory. */
#include "emu/emu_run.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

/* Each block writes, synchronizes with the others, and reads what the next block has written. */
static const char meet[] = HEAD
    ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %d<8>;\n"
    "ld.param.u64 %d0, [out]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x;\n"
    "mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1; add.u32 %r2, %r0, 100; "
    "st.global.u32 [%d2], %r2;\n"
    "mov.u32 %r3, %envreg2; mov.u32 %r4, %envreg1; mov.b64 %d3, {%r3, %r4};\n"
    "setp.eq.u64 %p0, %d3, 0; @%p0 bra alone;\n"
    "fence.acq_rel.gpu; atom.global.add.u32 %r5, [%d3+4], 1;\n"
    "again: ld.volatile.global.u32 %r6, [%d3+4]; setp.lt.u32 %p1, %r6, %r1; @%p1 bra again;\n"
    "fence.acq_rel.gpu; add.u32 %r7, %r0, 1; rem.u32 %r7, %r7, %r1; mul.wide.u32 %d4, %r7, 4;\n"
    "add.u64 %d4, %d0, %d4; ld.relaxed.gpu.global.u32 %r8, [%d4];\n"
    "mul.wide.u32 %d5, %r1, 4; add.u64 %d5, %d2, %d5; st.global.u32 [%d5], %r8;\n"
    "alone: ret;\n}\n";

static const char place[] = HEAD
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<12>; .reg .b64 %d<4>; .shared .b32 "
    "own[3];\n"
    "ld.param.u64 %d0, [out]; mov.u32 %r0, %ctaid.x; mul.wide.u32 %d1, %r0, 32; add.u64 %d0, %d0, "
    "%d1;\n"
    "mov.u32 %r1, %smid; mov.u32 %r2, %nsmid; mov.u32 %r3, %total_smem_size; mov.u32 %r4, "
    "%aggr_smem_size; mov.u32 %r5, %envreg7; mov.u32 %r6, %pm3; mov.u32 %r7, "
    "%reserved_smem_offset_cap;\n"
    "mov.u32 %r8, %reserved_smem_offset_1; st.shared.u32 [own], 5; ld.shared.u32 %r9, [%r8]; "
    "st.shared.u32 [%r8], %r0; ld.shared.u32 %r10, [%r8]; add.u32 %r10, %r10, %r9;\n"
    "st.global.v4.u32 [%d0], {%r1, %r2, %r3, %r4}; st.global.v4.u32 [%d0+16], {%r5, %r6, %r7, "
    "%r10};\nret;\n}\n";

static EmuResult *launch(Machine *m, uint64_t out, uint32_t grid, bool cooperative) {
  const void *args[] = {&out};
  const EmuLaunch l = {.kernel = "k",
                       .grid = {grid, 1, 1},
                       .block = {1, 1, 1},
                       .args = args,
                       .cooperative = cooperative};
  return emu_launch(m->module, &l);
}

static void test_meeting(void) {
  enum { BLOCKS = 300 };
  Machine m = machine_open(meet, strlen(meet));
  uint32_t value[2 * BLOCKS];
  const uint64_t out = emu_alloc(m.memory, sizeof value, "out");
  CHECK(emu_kernel(m.module, "k")->grid_sync, "the kernel looks for a grid");
  EmuResult *r = launch(&m, out, BLOCKS, true);
  check_clean(r, "blocks that meet");
  emu_result_free(r);
  emu_copy_out(m.memory, value, out, sizeof value);
  for (uint32_t i = 0; i < BLOCKS; i++)
    CHECK(value[BLOCKS + i] == 100 + (i + 1) % BLOCKS, "block %u read %u", i, value[BLOCKS + i]);
  machine_close(&m);
}

/* At most 132 SMs of 32 blocks each. */
static void test_limits(void) {
  enum { MOST = 132 * 32 };
  Machine m = machine_open(meet, strlen(meet));
  const uint64_t out = emu_alloc(m.memory, 8 * (MOST + 1), "out");
  EmuResult *r = launch(&m, out, MOST + 1, true);
  CHECK_STR(r->error,
            "a cooperative launch of 4225 blocks: at most 4224 of them are resident at once");
  emu_result_free(r);
  uint32_t value[8];
  r = launch(&m, out, 4, false);
  check_clean(r, "no grid to meet in");
  emu_result_free(r);
  emu_copy_out(m.memory, value, out, sizeof value);
  for (uint32_t i = 0; i < 4; i++)
    CHECK(value[i] == 100 + i && value[4 + i] == 0, "block %u: %u, %u", i, value[i], value[4 + i]);
  machine_close(&m);
}

static void test_places(void) {
  enum { BLOCKS = 140, WORDS = 8 };
  Machine m = machine_open(place, strlen(place));
  uint32_t value[BLOCKS * WORDS];
  const uint64_t out = emu_alloc(m.memory, sizeof value, "out");
  EmuResult *r = launch(&m, out, BLOCKS, false);
  check_clean(r, "special registers");
  emu_result_free(r);
  emu_copy_out(m.memory, value, out, sizeof value);
  for (uint32_t i = 0; i < BLOCKS; i++) {
    const uint32_t want[WORDS] = {i % 132, 132, 128, 128 + 1024, 0, 0, 1024, i};
    for (uint32_t k = 0; k < WORDS; k++)
      CHECK(value[i * WORDS + k] == want[k], "block %u word %u: %u", i, k, value[i * WORDS + k]);
  }
  machine_close(&m);
}

int main(void) {
  test_meeting();
  test_limits();
  test_places();
  return check_report("emu_cooperative");
}
