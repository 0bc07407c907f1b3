/* SPDX-License-Identifier: MIT */
/* hopper_mbarrier.h: valid sequences of operations on an mbarrier, by one thread, or by it and one
 * of another block of its cluster. After each operation the output holds the pending arrivals of
 * the last state returned, and whether its phase and the phases of both parities are complete. */
#ifndef KGEN_TESTS_EMU_HOPPER_MBARRIER_H
#define KGEN_TESTS_EMU_HOPPER_MBARRIER_H

#include "emu/hopper_probe.h"

enum { MB_SEQUENCES = 12, MB_LENGTH = 100, MB_MOST = (1 << 20) - 1 };

typedef struct {
  uint32_t missing, arrivals; /* arrivals missing in this phase; expected in the next */
  int64_t bytes;              /* expected less complete */
} MbState;

typedef enum { MB_ARRIVE, MB_MANY, MB_DROP, MB_KEEP, MB_EXPECT, MB_BOTH, MB_COMPLETE, MB_OPS } MbOp;

static inline uint32_t mb_count(uint64_t *state, uint64_t most) {
  const uint64_t small = most < 6 ? most : 6;
  return 1 + (uint32_t)isa_pick(state, isa_pick(state, 8) ? small : most);
}

/* Performs the operation with this number if it is valid; returns true if it was. */
static inline bool mb_do(MbState *s, MbOp op, uint32_t n) {
  const bool arrives = op != MB_EXPECT && op != MB_COMPLETE, drops = op == MB_DROP;
  const uint32_t count = op == MB_MANY || op == MB_KEEP ? n : arrives;
  const int64_t sum = s->bytes + (op == MB_EXPECT || op == MB_BOTH ? n
                                  : op == MB_COMPLETE              ? -(int64_t)n
                                                                   : 0);
  if (count > s->missing || (op == MB_KEEP && count == s->missing)) return false;
  if (sum > MB_MOST || sum < -MB_MOST || (drops && s->arrivals < 2)) return false;
  s->missing -= count;
  s->arrivals -= drops;
  s->bytes = sum;
  if (!s->missing && !s->bytes) s->missing = s->arrivals;
  return true;
}

/* %d3: the state that is returned. */
static inline void mb_put_op(Text *t, MbOp op, uint32_t n) {
  static const char *const forms[] = {
      [MB_ARRIVE] = "mbarrier.arrive.shared.b64 %d3, [%r1]",
      [MB_MANY] = "mbarrier.arrive.shared.b64 %d3, [%r1], ",
      [MB_DROP] = "mbarrier.arrive_drop.shared.b64 %d3, [%r1]",
      [MB_KEEP] = "mbarrier.arrive.noComplete.shared.b64 %d3, [%r1], ",
      [MB_EXPECT] = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], ",
      [MB_BOTH] = "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %d3, [%r1], ",
      [MB_COMPLETE] = "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r1], "};
  text_puts(t, forms[op]);
  if (op != MB_ARRIVE && op != MB_DROP) text_printf(t, "%u", n);
  text_puts(t, ";\n");
}

static inline void mb_put_tests(Text *t) {
  static const char *const tests[] = {
      "mbarrier.test_wait.shared.b64 %p1, [%r1], %d3",
      "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0",
      "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 1",
      "mbarrier.try_wait.acquire.cta.shared::cta.b64 %p1, [%r1], %d3, 20"};
  text_puts(t, "mbarrier.pending_count.b64 %r2, %d3;\n");
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
    text_printf(t,
                "%s; selp.u32 %%r3, 1, 0, %%p1; shl.b32 %%r2, %%r2, 1; or.b32 %%r2, %%r2, %%r3;\n",
                tests[i]);
  text_puts(t, "st.global.u32 [%d1], %r2; add.u64 %d1, %d1, 4;\n");
}

static inline void mb_put_start(Text *t, MbState *s, uint32_t count) {
  *s = (MbState){count, count, 0};
  text_printf(t, "mbarrier.init.shared.b64 [%%r1], %u;\n", count);
}

/* By the other block; returns false if there is no such operation. */
static inline bool mb_put_remote(Text *t, MbOp op, uint32_t n) {
  static const char *const forms[MB_OPS] = {
      [MB_ARRIVE] = "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4]",
      [MB_MANY] = "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4], ",
      [MB_DROP] = "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r4]",
      [MB_EXPECT] = "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r4], ",
      [MB_BOTH] = "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r4], ",
      [MB_COMPLETE] = "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r4], "};
  if (!forms[op]) return false;
  text_printf(t, "@!%%p2 %s", forms[op]);
  if (op != MB_ARRIVE && op != MB_DROP) text_printf(t, "%u", n);
  text_puts(t, ";\n");
  return true;
}

/* One of two blocks does it, while the other waits; the first one tests. */
static inline void mb_put_turn(Text *t, uint64_t *state, unsigned turn, MbOp op, uint32_t n) {
  if (!turn || isa_pick(state, 3) == 0 || !mb_put_remote(t, op, n)) {
    text_puts(t, "@%p2 ");
    mb_put_op(t, op, n);
  }
  text_printf(t, "barrier.cluster.arrive; barrier.cluster.wait; @!%%p2 bra turn%u;\n", turn);
  mb_put_tests(t);
  text_printf(t, "turn%u: barrier.cluster.arrive; barrier.cluster.wait;\n", turn);
}

/* Each sequence begins with an arrival, so that there is a state. */
static inline void mb_put_sequence(Text *t, uint64_t *state, MbState *s, bool shared) {
  for (unsigned i = 0; i < MB_LENGTH;) {
    const MbOp op = i ? (MbOp)isa_pick(state, MB_OPS) : MB_ARRIVE;
    const bool closes = s->bytes > 0 && isa_pick(state, 2);
    const uint64_t most = op == MB_MANY || op == MB_KEEP ? s->missing : MB_MOST / 4;
    const uint32_t n = op == MB_COMPLETE && closes ? (uint32_t)s->bytes
                       : most                      ? mb_count(state, most)
                                                   : 1;
    if (!mb_do(s, op, n)) continue;
    if (shared)
      mb_put_turn(t, state, i, op, n);
    else {
      mb_put_op(t, op, n);
      mb_put_tests(t);
    }
    i++;
  }
}

static inline void mb_put_kernel(Text *t, const char *name, unsigned sequence, bool shared) {
  uint64_t state = probe_seed(name, sequence);
  MbState s;
  text_puts(t, ".version 9.0\n.target sm_90a\n.address_size 64\n"
               ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
               ".reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %d<4>;\n"
               ".shared .align 8 .b64 object;\nld.param.u64 %d1, [out]; mov.u32 %r1, object;\n"
               "mov.u32 %r3, %cluster_ctarank; setp.eq.u32 %p2, %r3, 0; mov.u32 %r5, 0;\n"
               "mapa.shared::cluster.u32 %r4, %r1, %r5;\n");
  mb_put_start(t, &s, sequence % 4 ? 1 + (uint32_t)isa_pick(&state, 8) : MB_MOST);
  if (shared)
    text_puts(t, "fence.mbarrier_init.release.cluster; barrier.cluster.arrive; "
                 "barrier.cluster.wait;\n");
  mb_put_sequence(t, &state, &s, shared);
  /* Data replace the object, whose bytes have not all come: inval would be a finding. */
  text_puts(t, "st.shared.u64 [%r1], 0;\nret;\n}\n");
}

static inline void mb_visit(const char *kind, bool shared, ProbeVisit *visit, void *context) {
  unsigned char in[8] = {0}, out[4 * MB_LENGTH];
  for (unsigned i = 0; i < MB_SEQUENCES; i++) {
    char name[32];
    Arena *a = arena_new();
    Text ptx = text_new(a);
    snprintf(name, sizeof name, "%s %u", kind, i);
    mb_put_kernel(&ptx, kind, i, shared);
    Probe p = {.name = name,
               .ptx = ptx.s,
               .blocks = shared ? 2 : 1,
               .threads = 1,
               .cluster = shared ? 2 : 0,
               .in = in,
               .in_bytes = sizeof in,
               .out = out,
               .out_bytes = sizeof out};
    memset(out, 0, sizeof out);
    visit(&p, context);
    arena_free(a);
  }
}

static inline void mb_visit_all(ProbeVisit *visit, void *context) {
  mb_visit("mbarrier", false, visit, context);
  mb_visit("mbarrier of a cluster", true, visit, context);
}

#endif
