/* SPDX-License-Identifier: MIT */
/* Bulk copies, mbarriers and clusters: results against what the ISA says, correct pipelines clean,
 * and one planted fault of each kind found. */
#include "emu/emu_bulk.h"

enum { WORDS = BULK_BYTES / 4, MAX_GRID = 4 };

static uint32_t in[WORDS], out[MAX_GRID * WORDS];

static void fill(void) {
  for (uint32_t i = 0; i < WORDS; i++) in[i] = i * 2654435761u + 99;
  for (uint32_t i = 0; i < MAX_GRID * WORDS; i++) out[i] = i * 40503u + 7;
}

/* --- results --- */

typedef struct {
  const char *name, *body;
  uint32_t grid, block, cluster;
  uint32_t words;                               /* number of words checked in every block */
  uint32_t (*want)(uint32_t block, uint32_t i); /* out[i] of a block */
} Case;

#define LOAD(to, from, bytes)                                                                      \
  "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" to "], [" from        \
  "], " bytes ", [%r2];\n"
#define STORE(bytes)       "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], " bytes ";\n"
#define GROUP(wait)        "@%p0 cp.async.bulk.commit_group; @%p0 cp.async.bulk." wait ";\n"
#define PUT(offset, value) "@%p0 st.global.u32 [%d1+" offset "], " value ";\n"

static uint32_t old_out(uint32_t block, uint32_t i) { return (block * WORDS + i) * 40503u + 7; }
static uint32_t as_in(uint32_t block, uint32_t i) { return block ? in[i] : in[i]; }
static uint32_t added(uint32_t block, uint32_t i) { return old_out(block, i) + in[i]; }
static uint32_t counts(uint32_t block, uint32_t i) {
  static const uint32_t want[] = {5, 4, 2, 1, 1, 4, 3};
  return want[block * 0 + i];
}
static uint32_t transactions(uint32_t block, uint32_t i) { return block * 0 + (i >= 3); }
static uint32_t places(uint32_t block, uint32_t i) {
  const uint32_t want[] = {block % 2, 2, block / 2, 2, block % 2, 2, 1, block % 2, 1 - block % 2};
  return want[i];
}
static uint32_t peers(uint32_t block, uint32_t i) {
  return i < 32 ? (1 - block % 2) * 1000 + i : 32;
}
static uint32_t sent(uint32_t block, uint32_t i) { return in[i] + (1 - block % 2); }
static uint32_t values(uint32_t block, uint32_t i) {
  const uint32_t rank = 1 - block % 2;
  return i < 64 ? rank * 1000 + i / 2 + i % 2 * 7 : 5 + 32 * (rank + 1);
}
/* Each of four rounds adds (the other's rank + 1) * (round + 1). */
static uint32_t answers(uint32_t block, uint32_t i) { return i * 0 + (2 - block % 2) * 10; }
/* The sum that both blocks have added in block 1. */
static uint32_t reduced_twice(uint32_t block, uint32_t i) {
  return block ? 6 * i : old_out(block, i);
}
static uint32_t in_shared(uint32_t block, uint32_t i) { return block * 0 + i * 0 + 0x477; }
static uint32_t pairs(uint32_t block, uint32_t i) { return block * 0 + i * 0 + 0x40003c00; }
static uint32_t once(uint32_t block, uint32_t i) { return block * 0 + i * 0 + 1; }
static uint32_t stamped(uint32_t block, uint32_t i) { return block * 0 + i; }
static uint32_t reduced(uint32_t block, uint32_t i) { return block * 0 + 3 * i; }

static uint32_t reversed(uint32_t block, uint32_t i) { return block * 0 + (63 - i); }

/* Each thread writes its number to `in`. */
#define STAMP "mul.wide.u32 %d20, %r0, 4; add.u64 %d20, %d20, %d0; st.global.u32 [%d20], %r0;\n"

/* The address of %r1 and %r2 in the other block of two. */
#define PEER                                                                                       \
  "xor.b32 %r20, %r3, 1; mapa.shared::cluster.u32 %r21, %r1, %r20;\n"                              \
  "mapa.shared::cluster.u32 %r22, %r2, %r20;\n"
/* A warp waits for an mbarrier at which the other would arrive if another one completed. */
#define SECOND_TAKES_NEXT "setp.ge.u32 %p4, %r0, 32; @%p4 add.u32 %r2, %r2, 8;\n@%p4 bra w1;\n"
#define FIRST_ENDS        "bra end;\n"
#define ARRIVE_AT_FIRST   "mbarrier.arrive.shared::cta.b64 _, [%r2+-8];\nend:\n"
#define INIT_NEXT         "@%p0 mbarrier.init.shared::cta.b64 [%r2+8], 1;\n"
#define WAIT_FOR_EACH_OTHER                                                                        \
  INIT_NEXT INIT("1") SECOND_TAKES_NEXT WAIT("w", "0") FIRST_ENDS WAIT("w1", "0") ARRIVE_AT_FIRST
#define OWN_ADDRESS "shl.b32 %r30, %r0, 2; add.u32 %r31, %r1, %r30; add.u32 %r32, %r21, %r30;\n"

/* Thread i's word of s is at %r31; then it stores to out what thread 63 - i has written to its own.
 */
#define OWN_WORD "shl.b32 %r30, %r0, 2; add.u32 %r31, %r1, %r30;\n"
#define OTHERS_WORD                                                                                \
  "xor.b32 %r32, %r30, 252; add.u32 %r32, %r32, %r1; ld.shared.u32 %r33, [%r32];\n"                \
  "cvt.u64.u32 %d10, %r30; add.u64 %d10, %d10, %d1; st.global.u32 [%d10], %r33;\n"

#define IS_IN(space, address, bit)                                                                 \
  "isspacep." space " %p4, " address "; selp.b32 %r34, " bit ", 0, %p4; add.u32 %r33, %r33, "      \
  "%r34;\n"
#define IN_SHARED(address, digit)                                                                  \
  IS_IN("shared::cta", address, "0x1" digit)                                                       \
  IS_IN("shared", address, "0x2" digit) IS_IN("shared::cluster", address, "0x4" digit)

static const Case cases[] = {
    {"load", INIT("1") EXPECT("1024") LOAD("%r1", "%d0", "1024") WAIT("w", "0") DUMP("1024"), 1, 64,
     0, 256, as_in},
    {"two copies, one phase",
     INIT("1") EXPECT("1024") LOAD("%r1", "%d0", "512") LOAD("%r1+512", "%d0+512", "512")
         WAIT("w", "0") DUMP("1024"),
     1, 64, 0, 256, as_in},
    {"copies of nothing, which nobody waits for",
     INIT("1") "sub.u32 %r1, %r1, %r1;\n" LOAD("%r1", "%d0", "0") STORE("0")
         GROUP("wait_group 0") "@%p0 "
                               "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::"
                               "bytes [%r1], [%r1], 0, "
                               "[%r2];\n",
     1, 64, 0, 256, old_out},
    {"copies of nothing from and to misaligned places",
     INIT("1") LOAD("%r1+4", "%d0+2", "0") "add.u64 %d1, %d1, 8;\n" STORE("0")
         GROUP("wait_group 0"),
     1, 64, 0, 256, old_out},
    {"store",
     FILL("1024") "fence.proxy.async.shared::cta; bar.sync 0;\n" STORE("1024")
         GROUP("wait_group 0"),
     2, 64, 0, 256, as_in},
    {"store that only reads are waited for",
     FILL("1024") "fence.proxy.async; bar.sync 0;\n" STORE("1024")
         GROUP("wait_group.read 0") "bar.sync 0; shl.b32 %r30, %r0, 2; add.u32 %r31, %r1, %r30; "
                                    "st.shared.u32 [%r31], %r0;\n",
     1, 64, 0, 256, as_in},
    {"stores of the same values at one place",
     FILL("1024") "fence.proxy.async; bar.sync 0;\n" STORE("1024") GROUP("wait_group.read 0")
         STORE("1024") GROUP("wait_group 0"),
     1, 64, 0, 256, as_in},
    {"store that is loaded again once it has landed",
     FILL("1024") "fence.proxy.async;\n" INIT("1") STORE("1024") GROUP("wait_group 0") EXPECT("512")
         LOAD("%r1+1024", "%d1", "512") WAIT("w", "0") DUMP("1024"),
     1, 64, 0, 256, as_in},
    {"reduction",
     FILL("1024") "fence.proxy.async; bar.sync 0;\n"
                  "@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [%r1], "
                  "1024;\n" GROUP("wait_group 0"),
     1, 64, 0, 256, added},
    {"reduction that may still go on as an atomic comes",
     FILL("1024") "fence.proxy.async; bar.sync 0;\n"
                  "@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [%r1], "
                  "1024;\n" GROUP("wait_group.read 0") "@%p0 red.global.add.u32 [%d1+8], %r0;\n",
     1, 64, 0, 256, added},
    {"fence by the issuer alone",
     FILL("1024") "bar.sync 0; @%p0 fence.proxy.async;\n" STORE("1024") GROUP("wait_group 0"), 1,
     64, 0, 256, as_in},
    {"global memory written, fenced and copied",
     INIT("1") STAMP "fence.proxy.async; bar.sync 0;\n" EXPECT("256") LOAD("%r1", "%d0", "256")
         WAIT("w", "0") DUMP("256"),
     1, 64, 0, 64, stamped},
    {"the same with the issuer's fence of global memory",
     INIT("1") STAMP "bar.sync 0; @%p0 fence.proxy.async.global;\n" EXPECT("256")
         LOAD("%r1", "%d0", "256") WAIT("w", "0") DUMP("256"),
     1, 64, 0, 64, stamped},
    {"prefetches",
     "prefetch.tensormap [%d2]; cp.async.bulk.prefetch.L2.global [%d0], 1024;\n"
     "griddepcontrol.wait; griddepcontrol.launch_dependents;\n" INIT("1") EXPECT("64") LOAD(
         "%r1", "%d0", "64") WAIT("w", "0") "@%p0 ld.shared.u32 %r10, [%r1];\n" PUT("0", "%r10"),
     1, 64, 0, 1, as_in},
    {"arrivals",
     INIT("5") "@%p0 mbarrier.arrive.shared::cta.b64 %d10, [%r2];\n"
               "@%p0 mbarrier.arrive.release.cta.shared::cta.b64 %d11, [%r2], 2;\n"
               "@%p0 mbarrier.arrive_drop.shared::cta.b64 %d12, [%r2];\n"
               "@%p0 mbarrier.arrive.shared::cta.b64 %d13, [%r2];\n"
               "@%p0 mbarrier.test_wait.shared::cta.b64 %p3, [%r2], %d10; selp.u32 %r14, 1, 0, "
               "%p3;\n"
               "@%p0 mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %d15, [%r2], 1;\n"
               "@%p0 mbarrier.arrive.shared::cta.b64 %d16, [%r2];\n"
               "mbarrier.pending_count.b64 %r10, %d10; mbarrier.pending_count.b64 %r11, %d11;\n"
               "mbarrier.pending_count.b64 %r12, %d12; mbarrier.pending_count.b64 %r13, %d13;\n"
               "mbarrier.pending_count.b64 %r15, %d15; mbarrier.pending_count.b64 %r16, %d16;\n"
               "@%p0 mbarrier.inval.shared::cta.b64 [%r2];\n" PUT("0", "%r10") PUT("4", "%r11")
                   PUT("8", "%r12") PUT("12", "%r13") PUT("16", "%r14") PUT("20", "%r15")
                       PUT("24", "%r16"),
     1, 32, 0, 7, counts},
    {"transactions",
     INIT("1") "@%p0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 100;\n"
               "@%p0 mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r2], 0; selp.u32 %r10, 1, 0, "
               "%p1;\n"
               "@%p0 mbarrier.arrive.shared::cta.b64 _, [%r2];\n"
               "@%p0 mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r2], 0; selp.u32 %r11, 1, 0, "
               "%p1;\n"
               "@%p0 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 60;\n"
               "@%p0 mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r2], 0; selp.u32 %r12, 1, 0, "
               "%p1;\n"
               "@%p0 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 40;\n"
               "@%p0 mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r2], 0, 1000;\n"
               "selp.u32 %r13, 1, 0, %p1;\n" PUT("0", "%r10") PUT("4", "%r11") PUT("8", "%r12")
                   PUT("12", "%r13"),
     1, 32, 0, 4, transactions},
    {"a relaxed arrival and wait between fences",
     INIT("64") OWN_WORD "st.shared.u32 [%r31], %r0; fence.acq_rel.cta;\n"
                         "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r2];\n"
                         "w: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p9, [%r2], 0;\n"
                         "@!%p9 bra w; fence.acq_rel.cta;\n" OTHERS_WORD,
     1, 64, 0, 64, reversed},
    {"places",
     "mov.u32 %r10, %cluster_nctarank; mov.u32 %r11, %clusterid.x;\n"
     "mov.u32 %r12, %nclusterid.x; mov.u32 %r13, %cluster_ctaid.x; mov.u32 %r14, "
     "%cluster_nctaid.x;\n"
     "mov.u32 %r15, %cluster_nctaid.y;\n" PEER "getctarank.shared::cluster.u32 %r16, %r1;\n"
     "getctarank.shared::cluster.u32 %r17, %r21;\n" PUT("0", "%r3") PUT("4", "%r10")
         PUT("8", "%r11") PUT("12", "%r12") PUT("16", "%r13") PUT("20", "%r14") PUT("24", "%r15")
             PUT("28", "%r16") PUT("32", "%r17"),
     4, 32, 2, 9, places},
    {"shared memory of a peer",
     PEER OWN_ADDRESS
     "mul.lo.u32 %r33, %r3, 1000; add.u32 %r33, %r33, %r0; st.shared.u32 [%r31], %r33;\n"
     "@%p0 st.shared.u32 [%r1+128], 0;\n" CLUSTER_SYNC
     "red.shared::cluster.add.u32 [%r21+128], 1; ld.shared::cluster.u32 %r34, "
     "[%r32];\n" CLUSTER_SYNC
     "ld.shared.u32 %r35, [%r1+128]; cvt.u64.u32 %d10, %r30; add.u64 %d10, %d10, %d1;\n"
     "st.global.u32 [%d10], %r34;\n" PUT("128", "%r35"),
     4, 32, 2, 33, peers},
    {"generic addresses of a peer",
     "xor.b32 %r20, %r3, 1; cvt.u64.u32 %d10, %r1;\n"
     "cvta.shared.u64 %d10, %d10; mapa.u64 %d11, %d10, %r20; mul.wide.u32 %d12, %r0, 4;\n"
     "add.u64 %d11, %d11, %d12; mul.lo.u32 %r33, %r3, 1000; add.u32 %r33, %r33, %r0;\n"
     "xor.b32 %r34, %r3, 1;\n" CLUSTER_SYNC "st.u32 [%d11], %r33;\n" CLUSTER_SYNC
     "shl.b32 %r30, %r0, 2; add.u32 %r31, %r1, %r30; ld.shared.u32 %r35, [%r31];\n"
     "add.u64 %d12, %d12, %d1; st.global.u32 [%d12], %r35;\n",
     4, 32, 2, 32, peers},
    /* For an own address, the same address by mapa, and a peer's: .cta, no qualifier, .cluster. */
    {"isspacep of a peer",
     "xor.b32 %r20, %r3, 1; cvt.u64.u32 %d10, %r1; cvta.shared.u64 %d10, %d10;\n"
     "mapa.u64 %d11, %d10, %r3; mapa.u64 %d12, %d10, %r20; mov.u32 %r33, 0;\n" IN_SHARED("%d10", "")
         IN_SHARED("%d11", "0") IN_SHARED("%d12", "00") PUT("0", "%r33"),
     2, 32, 2, 1, in_shared},
    {"copy to a peer",
     PEER "shl.b32 %r30, %r0, 2; add.u32 %r31, %r1, %r30;\n"
          "cvt.u64.u32 %d10, %r30; add.u64 %d10, %d10, %d0; ld.global.u32 %r33, [%d10];\n"
          "add.u32 %r33, %r33, %r3; st.shared.u32 [%r31+1024], %r33; fence.proxy.async;\n" INIT("1")
              EXPECT("128") CLUSTER_SYNC
     "add.u32 %r34, %r1, 1024;\n"
     "@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r21], [%r34], "
     "128, [%r22];\n" WAIT("w", "0") DUMP("128") CLUSTER_SYNC,
     2, 32, 2, 32, sent},
    {"reduction at a peer",
     PEER OWN_ADDRESS "add.u32 %r33, %r0, %r0; st.shared.u32 [%r31], %r0;\n"
                      "st.shared.u32 [%r31+1024], %r33; fence.proxy.async;\n" INIT("1")
                          EXPECT("128") CLUSTER_SYNC
     "add.u32 %r34, %r1, 1024;\n"
     "@%p0 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
     "[%r21], [%r34], 128, [%r22];\n" WAIT("w", "0") DUMP("128") CLUSTER_SYNC,
     2, 32, 2, 32, reduced},
    {"reductions of two blocks at one place, each after the other has landed",
     PEER OWN_ADDRESS "add.u32 %r33, %r0, %r0; add.u32 %r33, %r33, %r0; st.shared.u32 [%r31], 0;\n"
                      "st.shared.u32 [%r31+1024], %r33; fence.proxy.async;\n" INIT("1") CLUSTER_SYNC
     "setp.eq.and.u32 %p3, %r3, 1, %p0; setp.eq.u32 %p4, %r3, 0;\n"
     "add.u32 %r34, %r1, 1024; mapa.shared::cluster.u32 %r21, %r1, 1;\n"
     "mapa.shared::cluster.u32 %r22, %r2, 1;\n"
     "@%p3 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;\n"
     "@%p0 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
     "[%r21], [%r34], 128, [%r22];\n"
     "@%p4 bra end;\n" WAIT("w", "0") DUMP("128") "end:\n" CLUSTER_SYNC,
     2, 32, 2, 32, reduced_twice},
    /* A block's answer says that it has read what came two rounds before. */
    {"values of one place that answers acknowledge",
     PEER INIT("1") "@%p0 mbarrier.init.shared::cta.b64 [%r2+8], 1;\n" CLUSTER_SYNC
                    "@!%p0 bra end; mov.u32 %r40, 0; mov.u32 %r44, 0; mov.u32 %r50, %r2;\n"
                    "next: and.b32 %r41, %r40, 1; shl.b32 %r42, %r41, 3; add.u32 %r2, %r50, %r42;\n"
                    "add.u32 %r43, %r21, %r42; add.u32 %r45, %r22, %r42; add.u32 %r46, %r40, 1;\n"
                    "mad.lo.u32 %r46, %r46, %r3, %r46;\n" EXPECT(
                        "4") "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 "
                             "[%r43], %r46, [%r45];\n"
                             "shr.u32 %r47, %r40, 1; and.b32 %r47, %r47, 1;\n" WAIT(
                                 "w", "%r47") "add.u32 %r48, %r1, %r42; ld.shared.u32 %r49, "
                                              "[%r48]; add.u32 %r44, %r44, %r49;\n"
                                              "add.u32 %r40, %r40, 1; setp.lt.u32 %p4, %r40, 4; "
                                              "@%p4 bra next;\n" PUT("0",
                                                                     "%r44") "end:\n" CLUSTER_SYNC,
     2, 32, 2, 1, answers},
    {"a register that nothing wrote, and barriers of the cluster",
     PEER "ld.shared.u32 %r50, [%r1+512]; st.shared.u32 [%r1], %r3;\n" CLUSTER_SYNC
          "ld.shared::cluster.u32 %r33, [%r21]; xor.b32 %r33, %r33, 1;\n" CLUSTER_SYNC
          "st.shared.u32 [%r1], %r33;\n" CLUSTER_SYNC
          "ld.shared::cluster.u32 %r33, [%r21]; add.u32 %r33, %r33, %r3;\n" CLUSTER_SYNC PUT(
              "0", "%r33"),
     2, 64, 2, 1, once},
    {"multicast",
     INIT("1") EXPECT("256") CLUSTER_SYNC
     "setp.eq.and.u32 %p3, %r3, 0, %p0;\n"
     "mov.b16 %h0, 3;\n@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
     ".multicast::cluster [%r1], [%d0], 256, [%r2], %h0;\n" WAIT("w", "0") DUMP("256") CLUSTER_SYNC,
     2, 32, 2, 64, as_in},
    {"stores to a peer that an mbarrier hears of",
     PEER INIT("1") "@%p0 st.shared.u32 [%r1+256], 5;\n" EXPECT(
         "384") "shl.b32 %r30, %r0, 3; add.u32 %r31, %r21, %r30;\n"
                "mul.lo.u32 %r33, %r3, 1000; add.u32 %r33, %r33, %r0; add.u32 %r34, %r33, 7;\n"
                "add.u32 %r35, %r3, 1;\n" CLUSTER_SYNC
                "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r31], {%r33, "
                "%r34}, [%r22];\n"
                "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                "[%r21+256], "
                "%r35, [%r22];\n" WAIT("w", "0") "bar.sync 0;\n" DUMP("260") CLUSTER_SYNC,
     2, 32, 2, 65, values},
    {"arrival at a peer",
     PEER INIT("32") CLUSTER_SYNC
     "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r22];\n" WAIT("w", "0") PUT("0", "1")
         CLUSTER_SYNC,
     2, 32, 2, 1, once},
    {"halves at a peer, pairs of halves at home",
     PEER
     "mapa.shared::cluster.u32 %r23, %r1, %r3; mov.u32 %r24, 0x40003c00;\n"
     "mov.b32 {%h0, %h1}, %r24; @%p0 st.shared.v2.u32 [%r1], {0, 0};\n" CLUSTER_SYNC
     "@%p0 red.relaxed.cluster.shared::cluster.add.noftz.f16x2 [%r23], %r24;\n"
     "@%p0 red.relaxed.cluster.shared::cluster.add.noftz.f16 [%r21+4], %h0;\n"
     "@%p0 red.relaxed.cluster.shared::cluster.add.noftz.f16 [%r21+6], %h1;\n" CLUSTER_SYNC DUMP(
         "8"),
     2, 2, 2, 2, pairs},

    /* --- pipelines --- */
    {"one buffer",
     INIT("1") "mov.u32 %r40, 0;\n"
               "next: bar.sync 0; mul.wide.u32 %d10, %r40, 256; add.u64 %d11, %d0, %d10;\n" EXPECT(
                   "256")
                   LOAD("%r1", "%d11", "256") "and.b32 %r41, %r40, 1;\n" WAIT(
                       "w", "%r41") "shl.b32 %r30, %r0, 2; add.u32 %r31, %r1, %r30; ld.shared.u32 "
                                    "%r33, [%r31];\n"
                                    "cvt.u64.u32 %d12, %r30; add.u64 %d12, %d12, %d10; add.u64 "
                                    "%d12, %d12, %d1;\n"
                                    "st.global.u32 [%d12], %r33; add.u32 %r40, %r40, 1; "
                                    "setp.lt.u32 %p4, %r40, 4; @%p4 bra next;\n",
     1, 64, 0, 256, as_in},
    {"two buffers",
     INIT(
         "1") "@%p0 mbarrier.init.shared::cta.b64 [%r2+8], 1; bar.sync 0;\n"
              "mov.u32 %r50, %r2; mov.u32 %r40, 0;\n" EXPECT("256") LOAD(
                  "%r1", "%d0",
                  "256") "next: add.u32 %r42, %r40, 1; and.b32 %r43, %r42, 1; setp.lt.and.u32 %p5, "
                         "%r42, 4, %p0;\n"
                         "shl.b32 %r44, %r43, 3; add.u32 %r44, %r44, %r50; shl.b32 %r45, %r43, 8;\n"
                         "add.u32 %r45, %r45, %r1; mul.wide.u32 %d10, %r42, 256; add.u64 %d11, "
                         "%d0, %d10;\n"
                         "@%p5 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r44], 256;\n"
                         "@%p5 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                         "[%r45], [%d11], 256, "
                         "[%r44];\n"
                         "and.b32 %r43, %r40, 1; shl.b32 %r44, %r43, 3; add.u32 %r2, %r44, %r50; "
                         "shl.b32 %r45, %r43, 8;\n"
                         "shr.u32 %r46, %r40, 1; and.b32 %r46, %r46, 1;\n" WAIT(
                             "w", "%r46") "shl.b32 %r30, %r0, 2; add.u32 %r31, %r1, %r30; add.u32 "
                                          "%r31, %r31, %r45;\n"
                                          "ld.shared.u32 %r33, [%r31]; mul.wide.u32 %d10, %r40, "
                                          "256; cvt.u64.u32 %d12, %r30;\n"
                                          "add.u64 %d12, %d12, %d10; add.u64 %d12, %d12, %d1; "
                                          "st.global.u32 [%d12], %r33; bar.sync 0;\n"
                                          "add.u32 %r40, %r40, 1; setp.lt.u32 %p4, %r40, 4; @%p4 "
                                          "bra next;\n",
     1, 64, 0, 256, as_in},
    /* full at %r2, empty at %r2 + 8; warp 0 produces, warp 1 consumes */
    {"producer and consumer",
     INIT("1") "@%p0 mbarrier.init.shared::cta.b64 [%r2+8], 32; bar.sync 0;\n"
               "mov.u32 %r40, 0; setp.ge.u32 %p6, %r0, 32; @%p6 bra consumer; @!%p0 bra end;\n"
               "produce: add.u32 %r41, %r40, 1; and.b32 %r41, %r41, 1;\n"
               "pw: mbarrier.try_wait.parity.shared::cta.b64 %p9, [%r2+8], %r41; @!%p9 bra pw;\n"
               "mul.wide.u32 %d10, %r40, 128; add.u64 %d11, %d0, %d10;\n" EXPECT("128") LOAD(
                   "%r1", "%d11",
                   "128") "add.u32 %r40, %r40, 1; setp.lt.u32 %p4, %r40, 5;\n"
                          "@%p4 bra produce; bra end;\n"
                          "consumer: and.b32 %r41, %r40, 1;\n" WAIT(
                              "cw", "%r41") "sub.u32 %r30, %r0, 32; shl.b32 %r30, %r30, 2; add.u32 "
                                            "%r31, %r1, %r30;\n"
                                            "ld.shared.u32 %r33, [%r31]; "
                                            "mbarrier.arrive.shared::cta.b64 _, [%r2+8];\n"
                                            "mul.wide.u32 %d10, %r40, 128; cvt.u64.u32 %d12, %r30; "
                                            "add.u64 %d12, %d12, %d10;\n"
                                            "add.u64 %d12, %d12, %d1; st.global.u32 [%d12], %r33; "
                                            "add.u32 %r40, %r40, 1;\n"
                                            "setp.lt.u32 %p4, %r40, 5; @%p4 bra consumer;\nend:\n",
     1, 64, 0, 160, as_in},
    /* each block brings half a tile to both; both tell both when they have read it */
    {"multicast pipeline",
     INIT("1") "@%p0 mbarrier.init.shared::cta.b64 [%r2+8], 2; bar.sync 0;\n" CLUSTER_SYNC PEER
               "mov.u32 %r40, 0; shl.b32 %r23, %r3, 7; add.u32 %r24, %r1, %r23;\n"
               "mov.b16 %h0, 3; mapa.shared::cluster.u32 %r26, %r2, 0; mapa.shared::cluster.u32 "
               "%r27, %r2, 1;\n"
               "next: add.u32 %r41, %r40, 1; and.b32 %r41, %r41, 1; @!%p0 bra read;\n"
               "pw: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p9, [%r2+8], %r41; "
               "@!%p9 bra pw;\n" EXPECT(
                   "256") "mul.wide.u32 %d10, %r40, 256; add.u64 %d11, %d0, %d10;\n"
                          "cvt.u64.u32 %d12, %r23; add.u64 %d11, %d11, %d12;\n"
                          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                          "multicast::cluster [%r24], "
                          "[%d11], 128, [%r2], %h0;\n"
                          "read: and.b32 %r41, %r40, 1;\n" WAIT(
                              "w",
                              "%r41") "shl.b32 %r30, %r0, 2; add.u32 %r31, %r1, %r30; "
                                      "ld.shared.u32 %r33, [%r31];\n"
                                      "mul.wide.u32 %d10, %r40, 256; cvt.u64.u32 %d12, %r30; "
                                      "add.u64 %d12, %d12, %d10;\n"
                                      "add.u64 %d12, %d12, %d1; st.global.u32 [%d12], %r33; "
                                      "bar.sync 0;\n"
                                      "@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                                      "[%r26+8];\n"
                                      "@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                                      "[%r27+8];\n"
                                      "add.u32 %r40, %r40, 1; setp.lt.u32 %p4, %r40, 5; @%p4 bra "
                                      "next;\n" CLUSTER_SYNC,
     4, 64, 2, 320, as_in},
};

static void run_case(const Case *c, int threads) {
  fill();
  const BulkRun run = {.name = c->name,
                       .body = c->body,
                       .grid = c->grid,
                       .block = c->block,
                       .cluster = c->cluster,
                       .in = in,
                       .out = out,
                       .threads = threads};
  EmuResult *r = bulk_run(&run);
  check_clean(r, c->name);
  for (uint32_t b = 0; b < c->grid; b++) {
    uint32_t i = 0;
    while (i < c->words && out[b * WORDS + i] == c->want(b, i)) i++;
    CHECK(i == c->words, "%s: word %u of block %u is %u, want %u", c->name, i, b,
          out[b * WORDS + i], c->want(b, i));
  }
  emu_result_free(r);
}

/* --- faults --- */

typedef struct {
  const char *name, *body;
  EmuFindingKind kind;
  const char *message; /* a part of it */
  uint32_t cluster;
} Fault;

/* Fills a second time, after FILL. */
#define FILL2 "shl.b32 %r60, %r0, 2; add.u32 %r62, %r60, %r1; st.shared.u32 [%r62], %r60;\n"
#define READ                                                                                       \
  "shl.b32 %r30, %r0, 2; add.u32 %r31, %r1, %r30; ld.shared.u32 %r33, [%r31];\n"                   \
  "cvt.u64.u32 %d10, %r30; add.u64 %d10, %d10, %d1; st.global.u32 [%d10], %r33;\n"
/* Copies out's first word of each thread to another place of it. */
#define AGAIN                                                                                      \
  "mul.wide.u32 %d10, %r0, 4; add.u64 %d10, %d10, %d1; ld.global.u32 %r33, [%d10];\n"              \
  "st.global.u32 [%d10+1024], %r33;\n"
#define TENSOR(at, map, bar)                                                                       \
  "@%p0 cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [" at "], [" map   \
  ", {%r4}], [" bar "];\n"

#define PAIRS(op, old, type)                                                                       \
  PEER "@%p0 st.shared.u32 [%r1], 0; mov.u32 %r24, 0x3c003c00;\n" CLUSTER_SYNC "@%p0 " op          \
       ".add.noftz." type " " old "[%r21], %r24;\n" CLUSTER_SYNC

static const Fault faults[] = {
    {"no wait", INIT("1") EXPECT("256") LOAD("%r1", "%d0", "256") READ WAIT("w", "0"), EMU_RACE,
     "still writes: no wait for its mbarrier between", 0},
    {"a wait for the phase before",
     INIT("1") EXPECT("256") LOAD("%r1", "%d0", "256") WAIT("w", "1") READ WAIT("w1", "0"),
     EMU_RACE, "no wait for its mbarrier between; that for an earlier phase is at PTX line", 0},
    {"a wait by others",
     INIT("1") EXPECT("256")
         LOAD("%r1", "%d0", "256") "bar.sync 0; setp.ge.u32 %p4, %r0, 32; @%p4 bra idle;\n" WAIT(
             "w", "0") "bra read;\n"
                       "idle: mov.u32 %r40, 0;\nlater: add.u32 %r40, %r40, 1; setp.lt.u32 %p4, "
                       "%r40, 600;\n"
                       "@%p4 bra later;\nread:\n" READ,
     EMU_RACE, "that a bulk copy writes at PTX line", 0},
    {"no proxy fence", FILL("256") "bar.sync 0;\n" STORE("256") GROUP("wait_group 0"), EMU_PROXY,
     "no fence.proxy.async between", 0},
    {"a proxy fence before the write",
     "fence.proxy.async;\n" FILL("256") "bar.sync 0;\n" STORE("256") GROUP("wait_group 0"),
     EMU_PROXY, "a bulk copy reads shared byte", 0},
    {"a proxy fence of one thread, too early",
     FILL("256") "@%p0 fence.proxy.async; bar.sync 0;\n" STORE("256") GROUP("wait_group 0"),
     EMU_PROXY, "no fence.proxy.async between", 0},
    {"no proxy fence of global memory",
     INIT("1") STAMP "bar.sync 0;\n" EXPECT("256") LOAD("%r1", "%d0", "256") WAIT("w", "0"),
     EMU_PROXY, "a bulk copy reads byte 0 of buffer in that an ordinary instruction wrote at", 0},
    {"a proxy fence of shared memory alone",
     INIT("1") STAMP "fence.proxy.async.shared::cta; bar.sync 0;\n" EXPECT("256")
         LOAD("%r1", "%d0", "256") WAIT("w", "0"),
     EMU_PROXY, "a bulk copy reads byte 0 of buffer in", 0},
    {"overwritten source",
     FILL("256") "fence.proxy.async; bar.sync 0;\n" STORE(
         "256") "@%p0 cp.async.bulk.commit_group; bar.sync 0;\n" FILL2,
     EMU_RACE, "still reads: no wait for its bulk group between", 0},
    {"overwritten source of no group",
     FILL("256") "fence.proxy.async; bar.sync 0;\n" STORE(
         "256") "@%p0 cp.async.bulk.wait_group 0; bar.sync 0;\n" FILL2,
     EMU_RACE, "still reads: no cp.async.bulk.commit_group has committed it", 0},
    {"read before it has landed, in no group",
     FILL("256") "fence.proxy.async; bar.sync 0;\n" STORE(
         "256") "@%p0 cp.async.bulk.wait_group 0; bar.sync 0;\n" AGAIN,
     EMU_RACE, "still writes: no cp.async.bulk.commit_group has committed it", 0},
    {"overwritten source of a copy to a peer",
     PEER FILL("256") "fence.proxy.async;\n" INIT("1") EXPECT("128") CLUSTER_SYNC
     "add.u32 %r34, %r1, 128;\n"
     "@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r21], [%r34], "
     "128, [%r22]; bar.sync 0;\n" FILL2 WAIT("w", "0") CLUSTER_SYNC,
     EMU_RACE, "still reads: no wait for its mbarrier between", 2},
    {"overwritten source, a group too few",
     FILL("256") "fence.proxy.async; bar.sync 0;\n" STORE("256")
         GROUP("wait_group.read 1") "bar.sync 0;\n" FILL2,
     EMU_RACE, "still reads", 0},
    {"overwritten by a load",
     INIT("1") FILL("256") "fence.proxy.async; bar.sync 0;\n" STORE(
         "256") "@%p0 cp.async.bulk.commit_group;\n" EXPECT("256") LOAD("%r1", "%d0", "256")
         WAIT("w", "0"),
     EMU_RACE, "still reads", 0},
    {"no barrier before the store",
     FILL("256") "fence.proxy.async;\n" STORE("256") GROUP("wait_group 0"), EMU_RACE, "", 0},
    {"loaded again too soon",
     INIT("1") EXPECT("256") LOAD("%r1", "%d0", "256") WAIT("w", "0") READ EXPECT("256")
         LOAD("%r1", "%d0", "256") WAIT("w1", "1"),
     EMU_RACE, "reads at PTX line", 0},
    {"arrivals missing", INIT("2") EXPECT("256") LOAD("%r1", "%d0", "256") WAIT("w", "0"),
     EMU_BARRIER, "never completes: 1 of 2 arrivals are missing", 0},
    {"bytes missing", INIT("1") EXPECT("512") LOAD("%r1", "%d0", "256") WAIT("w", "0"), EMU_BARRIER,
     "256 of 512 expected bytes have arrived", 0},
    {"the wrong parity",
     INIT("1") EXPECT("256") LOAD("%r1", "%d0", "256") WAIT("w", "0") WAIT("w1", "1"), EMU_BARRIER,
     "phase 1 of the mbarrier", 0},
    {"the first of two that wait", WAIT_FOR_EACH_OTHER, EMU_BARRIER, "mbarrier at shared 0x8000",
     0},
    {"the second of two that wait", WAIT_FOR_EACH_OTHER, EMU_BARRIER, "mbarrier at shared 0x8008",
     0},
    {"too few bytes expected",
     INIT("1") EXPECT("128") LOAD("%r1", "%d0", "128") LOAD("%r1+128", "%d0+128", "128")
         WAIT("w", "0") "bar.sync 0;\n",
     EMU_TRANSACTION, "expects 128 bytes and completes while copies of 128 more", 0},
    {"bytes that never come", INIT("2") EXPECT("128"), EMU_TRANSACTION,
     "to expect 128 bytes, and 0 arrive", 0},
    {"bytes that have not come as the object ends",
     INIT("2") EXPECT("128") "@%p0 mbarrier.inval.shared::cta.b64 [%r2];\n", EMU_TRANSACTION,
     "to expect 128 bytes, and 0 arrive", 0},
    {"a barrier that waits beside an mbarrier",
     INIT("1") "setp.ge.u32 %p4, %r0, 32; @%p4 bra second;\n" WAIT(
         "w", "0") "bra end;\nsecond: bar.sync 1, 64;\nend:\n",
     EMU_BARRIER, "32 of 64 threads have arrived at barrier 1", 0},
    {"too many arrivals", INIT("2") "mbarrier.arrive.shared::cta.b64 _, [%r2], 3;\n", EMU_BARRIER,
     "whose phase lacks 2 of 2 arrivals", 0},
    {"an empty mbarrier", INIT("0"), EMU_BARRIER, "an mbarrier of 0 arrivals", 0},
    {"an mbarrier that is not made known",
     "@%p0 mbarrier.init.shared::cta.b64 [%r2], 64;\n"
     "mbarrier.arrive.shared::cta.b64 _, [%r2];\n",
     EMU_RACE, "writes at PTX line", 0},
    {"an arrival that is relaxed",
     INIT("64") OWN_WORD "st.shared.u32 [%r31], %r0;\n"
                         "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r2];\n" WAIT("w", "0")
                             OTHERS_WORD,
     EMU_RACE, "reads shared byte", 0},
    {"a wait that is relaxed",
     INIT("64") OWN_WORD "st.shared.u32 [%r31], %r0; mbarrier.arrive.shared::cta.b64 _, [%r2];\n"
                         "w: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p9, [%r2], 0;\n"
                         "@!%p9 bra w;\n" OTHERS_WORD,
     EMU_RACE, "reads shared byte", 0},
    {"a peer's mbarrier that no barrier made known",
     PEER INIT("1") EXPECT(
         "4") "@%p0 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r21], 1, "
              "[%r22];\n" WAIT("w", "0") CLUSTER_SYNC,
     EMU_RACE, "shared byte 0x8000 that thread (0, 0, 0) of block (0, 0, 0) updates at", 2},
    {"a peer's mbarrier behind a relaxed arrival without a fence",
     PEER "@%p0 mbarrier.init.shared::cta.b64 [%r2], 1;\n"
          "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;\n" EXPECT(
              "4") "@%p0 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r21], "
                   "1, [%r22];\n" WAIT("w", "0") CLUSTER_SYNC,
     EMU_RACE, "is relaxed, and no fence precedes it", 2},
    {"an mbarrier that others still use",
     INIT("64") "mbarrier.arrive.shared::cta.b64 _, [%r2];\n" WAIT(
         "w", "0") "@%p0 mbarrier.inval.shared::cta.b64 [%r2];\n",
     EMU_RACE, "writes at PTX line", 0},
    {"a barrier whose others have ended",
     "setp.ge.u32 %p4, %r0, 32; @%p4 bra end;\nbar.sync 1, 64;\nend:\n", EMU_BARRIER,
     "32 of 64 threads have arrived at barrier 1; thread (32, 0, 0) has exited", 0},
    {"a barrier for more than there are", "bar.sync 1, 96;\n", EMU_BARRIER,
     "64 of 96 threads have arrived at barrier 1; no other thread is left", 0},
    {"no mbarrier", EXPECT("128"), EMU_UNINITIALISED, "is used as a barrier", 0},
    {"a misaligned mbarrier", "@%p0 mbarrier.init.shared::cta.b64 [%r2+4], 1;\n", EMU_MISALIGNED,
     "multiple of 8", 0},
    {"a misaligned box", INIT("1") EXPECT("64") TENSOR("%r1+16", "%d2", "%r2"), EMU_MISALIGNED,
     "the shared address 0x10 of a bulk copy: must be a multiple of 128", 0},
    {"a misaligned tensor map", INIT("1") EXPECT("64") TENSOR("%r1", "%d2+32", "%r2"),
     EMU_MISALIGNED, "the tensor map", 0},
    {"a misaligned source", INIT("1") EXPECT("64") LOAD("%r1", "%d0+8", "64"), EMU_MISALIGNED,
     "the global address", 0},
    {"a size of 24", INIT("1") EXPECT("24") LOAD("%r1", "%d0", "24"), EMU_MISALIGNED, "the size",
     0},
    {"no tensor map", INIT("1") EXPECT("64") TENSOR("%r1", "%d0", "%r2"), EMU_OUT_OF_BOUNDS,
     "no tensor map", 0},
    {"beyond the buffer", INIT("1") EXPECT("64") LOAD("%r1", "%d0+32752", "64"), EMU_OUT_OF_BOUNDS,
     "buffer in of 32768", 0},
    {"beyond shared memory",
     INIT("1") EXPECT("65536") LOAD("%r1", "%d0", "32768") LOAD("%r1+1024", "%d0", "32768"),
     EMU_OUT_OF_BOUNDS, "beyond the", 0},
    {"read before it has landed",
     FILL("256") "fence.proxy.async; bar.sync 0;\n" STORE("256")
         GROUP("wait_group.read 0") "bar.sync 0;\n" AGAIN,
     EMU_RACE, "that the bulk copy of PTX line", 0},
    {"written before it has landed",
     FILL("256") "fence.proxy.async; bar.sync 0;\n" STORE("256")
         GROUP("wait_group.read 0") "bar.sync 0;\n" PUT("8", "%r0"),
     EMU_RACE, "still writes: no wait for its bulk group without .read between", 0},
    {"updated before it has landed",
     FILL("256") "fence.proxy.async; bar.sync 0;\n" STORE("256")
         GROUP("wait_group.read 0") "bar.sync 0; @%p0 red.global.add.u32 [%d1+8], %r0;\n",
     EMU_RACE, "updates byte 8 of buffer out that the bulk copy", 0},
    {"loaded before it has landed",
     FILL("256") "fence.proxy.async;\n" INIT("1") STORE("256") GROUP("wait_group.read 0")
         EXPECT("128") LOAD("%r1+512", "%d1+128", "128") WAIT("w", "0"),
     EMU_RACE, "reads byte 128 of buffer out that the bulk copy of PTX line", 0},
    {"reduced before it has landed",
     FILL("256") "fence.proxy.async; bar.sync 0;\n" STORE(
         "256") "@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [%r1], "
                "16;\n" GROUP("wait_group 0"),
     EMU_RACE, "updates byte 0 of buffer out that the bulk copy of PTX line", 0},
    {"a box that is loaded before it has landed",
     FILL("256") "fence.proxy.async;\n" INIT(
         "1") "@%p0 cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%d2, {%r4}], "
              "[%r1];\n" GROUP("wait_group.read 0") EXPECT("64") TENSOR("%r1+512", "%d2", "%r2")
                  WAIT("w", "0"),
     EMU_RACE, "reads byte 0 of buffer in that the bulk copy of PTX line", 0},
    {"nothing written", "fence.proxy.async;\n" STORE("256") GROUP("wait_group 0"),
     EMU_UNINITIALISED, "which nothing wrote", 0},
    {"nobody waits", INIT("1") EXPECT("256") LOAD("%r1", "%d0", "256"), EMU_EXITED,
     "the block ends while a bulk copy still writes", 0},
    {"a peer that has ended",
     PEER "setp.eq.u32 %p4, %r3, 0; @%p4 bra end;\n"
          "ld.shared::cluster.u32 %r33, [%r21];\nend:\n",
     EMU_EXITED, "which has ended", 2},
    {"a peer that may have ended",
     PEER "setp.eq.u32 %p4, %r3, 1; @%p4 bra end;\n"
          "st.shared::cluster.u32 [%r21], 1;\nend:\n",
     EMU_EXITED, "may have ended before", 2},
    {"a race with a peer",
     PEER "st.shared.u32 [%r1], %r3; @%p0 st.shared::cluster.u32 [%r21], 7;\n" CLUSTER_SYNC,
     EMU_RACE, "of block (", 2},
    {"a block that is not there",
     "mapa.shared::cluster.u32 %r21, %r1, 5;\n"
     "ld.shared::cluster.u32 %r33, [%r21];\n",
     EMU_OUT_OF_BOUNDS, "beyond the shared memory of blocks", 2},
    {"a pair of halves at a peer", PAIRS("red.relaxed.cluster.shared::cluster", "", "f16x2"),
     EMU_HARDWARE, "): an H200 adds the words as integers", 2},
    {"a pair of halves at a peer, and what was there",
     PAIRS("atom.shared::cluster", "%r25, ", "bf16x2"), EMU_HARDWARE, "compare-and-swap", 2},
    {"a cluster barrier without an arrival", "barrier.cluster.wait;\n", EMU_BARRIER,
     "without barrier.cluster.arrive", 2},
    {"two arrivals", "barrier.cluster.arrive; barrier.cluster.arrive; barrier.cluster.wait;\n",
     EMU_BARRIER, "again without barrier.cluster.wait", 2},
    {"a cluster barrier that one does not reach",
     "setp.eq.u32 %p4, %r3, 1; @%p4 bra other;\n" CLUSTER_SYNC "ret;\nother: barrier.sync 1, 96;\n",
     EMU_BARRIER, "", 2},
};

static void run_fault(const Fault *f) {
  TensorMap map = {.type = TENSOR_F32, .rank = 1, .dim = {64}, .box = {16}, .step = {1}};
  const uint32_t blocks = f->cluster ? f->cluster : 1;
  fill();
  const BulkRun run = {.name = f->name,
                       .body = f->body,
                       .grid = blocks,
                       .block = 64,
                       .cluster = f->cluster,
                       .in = in,
                       .out = out,
                       .map = &map};
  EmuResult *r = bulk_run(&run);
  bool found = false;
  for (int i = 0; i < r->findings; i++)
    found |= r->finding[i].kind == f->kind && strstr(r->finding[i].message, f->message);
  CHECK(found, "%s: no %s '%s' among %d findings, the first %s: %s", f->name,
        emu_finding_kind_name[f->kind], f->message, r->findings,
        r->findings ? emu_finding_kind_name[r->finding[0].kind] : "-",
        r->findings ? r->finding[0].message : r->error);
  emu_result_free(r);
}

/* A copy that is never waited for is reported for the thread that issued it. */
static void test_thread(void) {
  fill();
  const BulkRun run = {.name = "thread of a copy",
                       .body = INIT("1") "setp.eq.u32 %p0, %r0, 40;\n" EXPECT("64")
                           LOAD("%r1", "%d0", "64"),
                       .grid = 1,
                       .block = 64,
                       .in = in,
                       .out = out};
  EmuResult *r = bulk_run(&run);
  CHECK(r->findings == 1 && r->finding[0].kind == EMU_EXITED && r->finding[0].thread[0] == 40,
        "%d findings, of thread %u", r->findings, r->findings ? r->finding[0].thread[0] : 0);
  emu_result_free(r);
}

/* Block 0 signals and ends; then thread 0 of block 1 does something with its memory. */
#define OF_ENDED_PEER(what)                                                                        \
  INIT("1")                                                                                        \
  CLUSTER_SYNC PEER                                                                                \
      "mov.b16 %h0, 3; @!%p0 bra end; setp.eq.u32 %p4, %r3, 0;\n"                                  \
      "@%p4 mbarrier.arrive.shared::cluster.b64 _, [%r22]; @%p4 bra end;\n" WAIT("w", "0") what    \
      "end:\n"
#define BULK(multicast, operands)                                                                  \
  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes" multicast " " operands ";\n"

/* Unchecked, what returns nothing is dropped where a block has ended; the rest ends the launch. */
static const struct {
  const char *name, *body;
  bool ends;
} after_end[] = {
    {"a load", OF_ENDED_PEER("ld.shared::cluster.u32 %r33, [%r21]; st.shared.u32 [%r1], %r33;\n"),
     true},
    {"an atomic", OF_ENDED_PEER("atom.shared::cluster.add.u32 %r33, [%r21], 1;\n"), true},
    {"a store", OF_ENDED_PEER("st.shared::cluster.u32 [%r21], 1;\n"), false},
    {"an arrival", OF_ENDED_PEER("mbarrier.arrive.shared::cluster.b64 _, [%r22];\n"), false},
    {"a store by the async proxy",
     OF_ENDED_PEER("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r21], 1, "
                   "[%r22];\n"),
     false},
    {"a copy", OF_ENDED_PEER(BULK("", "[%r21], [%d0], 64, [%r22]")), false},
    {"a multicast", OF_ENDED_PEER(BULK(".multicast::cluster", "[%r1], [%d0], 64, [%r2], %h0")),
     true},
    {"a copy into the own memory that nobody waits for",
     OF_ENDED_PEER(BULK("", "[%r1], [%d0], 64, [%r2]")), false},
};

static void test_after_end(void) {
  for (size_t i = 0; i < sizeof after_end / sizeof *after_end; i++) {
    fill();
    const BulkRun run = {.name = after_end[i].name,
                         .body = after_end[i].body,
                         .grid = 2,
                         .block = 64,
                         .cluster = 2,
                         .in = in,
                         .out = out,
                         .unchecked = true};
    EmuResult *r = bulk_run(&run);
    CHECK(!r->error[0] && r->stopped == after_end[i].ends && r->findings == after_end[i].ends,
          "%s: %d findings, stopped %d: %s %s", run.name, r->findings, r->stopped, r->error,
          r->findings ? r->finding[0].message : "");
    emu_result_free(r);
  }
}

/* A read before a copy has completed returns the new value, as it usually does on a GPU. */
static void test_early_read(bool ignore) {
  fill();
  const BulkRun run = {.name = "early read",
                       .body = FILL("256") "fence.proxy.async; bar.sync 0;\n" STORE("256")
                           GROUP("wait_group.read 0") "bar.sync 0;\n" AGAIN,
                       .grid = 1,
                       .block = 64,
                       .in = in,
                       .out = out,
                       .ignore_global_races = ignore};
  emu_result_free(bulk_run(&run));
  for (int i = 0; i < 64; i++) CHECK(out[256 + i] == in[i], "%d: %u", i, out[256 + i]);
}

/* Unchecked, a source that is overwritten before its copy was waited for has mostly been read. */
static void test_source_at_once(void) {
  fill();
  const BulkRun run = {.name = "overwritten source",
                       .body = FILL("256") "fence.proxy.async; bar.sync 0;\n" STORE(
                           "256") "@%p0 cp.async.bulk.commit_group; bar.sync 0;\n" FILL2,
                       .grid = 1,
                       .block = 64,
                       .in = in,
                       .out = out,
                       .unchecked = true};
  emu_result_free(bulk_run(&run));
  for (int i = 0; i < 64; i++) CHECK(out[i] == in[i], "%d: %u", i, out[i]);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run_case(&cases[i], 1);
    run_case(&cases[i], 2);
  }
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) run_fault(&faults[i]);
  test_thread();
  test_after_end();
  test_source_at_once();
  test_early_read(false);
  test_early_read(true);
  return check_report("emu_bulk");
}
