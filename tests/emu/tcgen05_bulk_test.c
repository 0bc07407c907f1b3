/* SPDX-License-Identifier: MIT */
/* Copies of tensors with .cta_group::2 (sm_100): their mbarrier is the own block's or its peer's;
 *  By the ISA, not measured. */
#include "emu/emu_bulk.h"

static uint32_t in[BULK_BYTES / 4], out[4 * BULK_BYTES / 4];

static void fill(void) {
  for (unsigned i = 0; i < BULK_BYTES / 4; i++) in[i] = 1000 + i;
  memset(out, 0xee, sizeof out);
}

/* Every block of a pair copies 32 words of its own, and signals the even block's mbarrier, which
 * waits for both copies. */
#define PAIR_LOAD(find)                                                                            \
  INIT("1")                                                                                        \
  "mul.lo.u32 %r4, %r3, 32; mov.u32 %r20, %r2;\n" find                                             \
  "and.b32 %r21, %r3, 1; setp.eq.u32 %p1, %r21, 0; and.pred %p2, %p0, %p1;\n"                      \
  "@%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20], 256;\n" CLUSTER_SYNC                  \
  "@%p0 cp.async.bulk.tensor.1d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes"  \
  " [%r1], [%d2, {%r4}], [%r2];\nmov.u32 %r2, %r20; @!%p1 bra after;\n" WAIT(                      \
      "w", "0") "after:\n" CLUSTER_SYNC DUMP("128")

/* One copy to both blocks, whose mbarriers are the odd block's. */
#define MULTICAST                                                                                  \
  INIT("1")                                                                                        \
  "mov.u32 %r4, 8; mov.b16 %h0, 3; mov.u32 %r20, %r2; setp.eq.u32 %p1, %r3, 1;\n"                  \
  "and.pred %p2, %p0, %p1; @%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;\n"        \
  "mapa.shared::cluster.u32 %r2, %r2, 1; setp.eq.and.u32 %p3, %r3, 0, %p0;\n" CLUSTER_SYNC         \
  "@%p3 cp.async.bulk.tensor.1d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes"  \
  ".multicast::cluster [%r1], [%d2, {%r4}], [%r2], %h0;\nmov.u32 %r2, %r20; @!%p1 bra "            \
  "after;\n" WAIT("w", "0") "after:\n" CLUSTER_SYNC DUMP("128")

typedef struct {
  const char *name, *body;
  uint32_t blocks;
  unsigned first[4]; /* the element that a block's s begins with */
} Case;

static const Case cases[] = {
    {"mapa",
     PAIR_LOAD("and.b32 %r22, %r3, 2; mapa.shared::cluster.u32 %r2, %r2, %r22;\n"),
     4,
     {0, 32, 64, 96}},
    {"multicast", MULTICAST, 2, {8, 8}},
};

/* A box whose swizzle exchanges units of 32 bytes: bits 5 and 6 of an address by bits 7 and 8. */
static void test_atom32(void) {
  enum { ROW = 32, ROWS = 8 };
  const TensorMap map = {.type = TENSOR_U32,
                         .rank = 2,
                         .swizzle = 128,
                         .atom32 = true,
                         .dim = {64, 64},
                         .stride = {0, 256},
                         .box = {ROW, ROWS},
                         .step = {1, 1}};
  const BulkRun run = {
      .name = "32-byte atoms",
      .body = "add.u32 %r1, %r1, 512;\n" INIT("1") EXPECT(
          "1024") "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                  " [%r1], [%d2, {%r4, %r5}], [%r2];\n" WAIT("w", "0") DUMP("1024"),
      .grid = 1,
      .block = 32,
      .cluster = 1,
      .map = &map,
      .in = in,
      .out = out,
      .threads = 1};
  fill();
  EmuResult *r = bulk_run(&run);
  check_clean(r, run.name);
  CHECK(r->notes == 0, "%s: %s", run.name, r->note[0].message);
  for (unsigned row = 0; row < ROWS; row++)
    for (unsigned k = 0; k < ROW; k++) {
      const uint32_t got = out[row * ROW + ((k / 8) ^ (row & 3)) * 8 + k % 8];
      CHECK(got == 1000 + row * 64 + k, "32-byte atoms, row %u, word %u: %u", row, k, got);
    }
  emu_result_free(r);
}

int main(void) {
  test_atom32();
  const TensorMap map = {.type = TENSOR_U32, .rank = 1, .dim = {1024}, .box = {32}, .step = {1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const Case *c = &cases[i];
    fill();
    const BulkRun run = {.name = c->name,
                         .body = c->body,
                         .grid = c->blocks,
                         .block = 32,
                         .cluster = c->blocks,
                         .map = &map,
                         .in = in,
                         .out = out,
                         .threads = 1};
    EmuResult *r = bulk_run(&run);
    check_clean(r, c->name);
    for (unsigned b = 0; b < c->blocks; b++)
      for (unsigned k = 0; k < 32; k++) {
        const uint32_t got = out[b * BULK_BYTES / 4 + k];
        CHECK(got == 1000 + c->first[b] + k, "%s, block %u, word %u: %u", c->name, b, k, got);
      }
    emu_result_free(r);
  }
  return check_report("emu_tcgen05_bulk");
}
