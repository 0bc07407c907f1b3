/* SPDX-License-Identifier: MIT */
/* Registers of 128 bits against host arithmetic: mov, loads and stores, parameters, exchange and
 * compare-and-swap, on one warp and by blocks on several host threads. */
#include "emu/emu_run.h"

enum { THREADS = 32, BLOCKS = 16, MOST = THREADS * BLOCKS };

typedef struct {
  uint64_t low, high;
} Wide;

static const char frame[] =
    ".version 8.4\n.target sm_90\n.address_size 64\n"
    ".func (.param .align 16 .b128 r) turned(.param .align 16 .b128 x)\n"
    "{ .reg .b128 %%w<3>; .reg .b64 %%t<2>;\n"
    "  ld.param.b128 %%w0, [x]; mov.b128 {%%t0, %%t1}, %%w0; mov.b128 %%w1, {%%t1, %%t0};\n"
    "  st.param.b128 [r], %%w1; ret; }\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .b32 n)\n{\n"
    ".reg .b128 %%q<6>, %%one; .reg .b32 %%r<8>; .reg .b64 %%d<12>; .reg .pred %%p<2>;\n"
    ".shared .align 16 .b8 s[512];\n"
    "ld.param.u64 %%d0, [in]; ld.param.u64 %%d1, [out]; mov.u32 %%r0, %%tid.x;\n"
    "mov.u32 %%r1, %%ctaid.x; mad.lo.u32 %%r1, %%r1, 32, %%r0; mul.wide.u32 %%d2, %%r1, 16;\n"
    "add.u64 %%d3, %%d0, %%d2; add.u64 %%d4, %%d1, %%d2; shl.b32 %%r2, %%r0, 4;\n"
    "mov.u32 %%r3, s; add.u32 %%r4, %%r3, %%r2; setp.eq.u32 %%p0, %%r0, 0;\n"
    "ld.global.b128 %%q1, [%%d3];\n%s\nret;\n}\n";

static Wide in[MOST], out[MOST + 1];

static void run(const char *name, const char *body, uint32_t grid) {
  char ptx[4096];
  snprintf(ptx, sizeof ptx, frame, body);
  Machine m = machine_open(ptx, strlen(ptx));
  for (int i = 0; i < MOST; i++)
    in[i] =
        (Wide){(uint64_t)(i + 1) * 0x9E3779B97F4A7C15, ~((uint64_t)(i + 1) * 0x9E3779B97F4A7C15)};
  memset(out, 0, sizeof out);
  const Run r = {.kernel = "k",
                 .grid = grid,
                 .block = THREADS,
                 .in = in,
                 .in_bytes = sizeof in,
                 .out = out,
                 .out_bytes = sizeof out,
                 .threads = 4};
  EmuResult *result = machine_launch(&m, &r, grid > 1);
  check_clean(result, name);
  emu_result_free(result);
  machine_close(&m);
}

static void check_each(const char *name, int of, bool turned) {
  for (int i = 0; i < THREADS; i++) {
    const Wide x = in[(i + of + THREADS) % THREADS], got = out[i];
    const Wide want = turned ? (Wide){x.high, x.low} : x;
    CHECK(got.low == want.low && got.high == want.high, "%s: lane %d", name, i);
  }
}

/* Every value was exchanged out once, but for the one that is left, and none is torn. */
static void check_exchanged(const char *name, int count) {
  uint64_t sum = 0, taken = 0;
  for (int i = 0; i < count; i++) sum += in[i].low;
  for (int i = 0; i <= MOST; i++) {
    if (i >= count && i < MOST) continue;
    taken += out[i].low;
    CHECK(out[i].high == ~out[i].low || (!out[i].low && !out[i].high), "%s: %d is torn", name, i);
  }
  CHECK(taken == sum, "%s: another sum", name);
}

int main(void) {
  run("copy", "mov.b128 %one, %q1; st.global.b128 [%d4], %one;", 1);
  check_each("copy", 0, false);
  run("turn", "mov.b128 {%d5, %d6}, %q1; mov.b128 %q2, {%d6, %d5}; st.global.b128 [%d4], %q2;", 1);
  check_each("turn", 0, true);
  run("vectors of registers",
      ".reg .v2 .b64 v; .reg .v4 .b32 w<3>; ld.global.v2.b64 v, [%d3]; mov.b64 %d5, v.y;\n"
      "mov.b64 v.g, v.x; mov.b64 v.r, %d5; mov.b64 {w2.x, w2.y}, v.x; mov.b64 {w2.b, w2.a}, v.y;\n"
      "mov.b32 w1.x, 7; st.global.v4.b32 [%d4], w2;",
      1);
  check_each("vectors of registers", 0, true);
  run("call",
      "{ .param .align 16 .b128 x0; .param .align 16 .b128 r0; st.param.b128 [x0], %q1;\n"
      "call (r0), turned, (x0); ld.param.b128 %q2, [r0]; } st.global.b128 [%d4], %q2;",
      1);
  check_each("call", 0, true);
  run("through shared memory",
      "st.shared.b128 [%r4], %q1; bar.sync 0; xor.b32 %r5, %r2, 496; add.u32 %r5, %r5, %r3;\n"
      "ld.shared.b128 %q2, [%r5]; st.relaxed.gpu.global.b128 [%d4], %q2;",
      1);
  for (int i = 0; i < THREADS; i++)
    CHECK(out[i].low == in[31 - i].low && out[i].high == in[31 - i].high, "shared: lane %d", i);
  /* Lanes take effect in their order: each exchanges what the one before has left. */
  run("exchange", "atom.global.exch.b128 %q2, [%d1+8192], %q1; st.global.b128 [%d4], %q2;", 1);
  for (int i = 1; i < THREADS; i++) CHECK(out[i].low == in[i - 1].low, "exchange: lane %d", i);
  check_exchanged("exchange", THREADS);
  run("exchange by all blocks",
      "atom.relaxed.gpu.exch.b128 %q2, [%d1+8192], %q1; st.global.b128 [%d4], %q2;", BLOCKS);
  check_exchanged("exchange by all blocks", MOST);
  /* Each lane expects what the lane before swaps in: a chain, which lane 0 begins. */
  run("compare and swap",
      "mov.u64 %d5, 0; mov.b128 %q3, {%d5, %d5}; @%p0 st.shared.b128 [s], %q3; bar.warp.sync -1;\n"
      "@!%p0 ld.global.b128 %q3, [%d3-16]; atom.shared.cas.b128 %q2, [%r3], %q3, %q1;\n"
      "st.global.b128 [%d4], %q2;",
      1);
  for (int i = 1; i < THREADS; i++) CHECK(out[i].low == in[i - 1].low, "chain: lane %d", i);
  CHECK(!out[0].low && !out[0].high, "chain: the first");
  run("compare and fail",
      "mov.u64 %d5, 1; mov.b128 %q3, {%d5, %d5}; atom.global.cas.b128 %q2, [%d1+8192], %q3, %q1;\n"
      "atom.global.cas.b128 _, [%d1+8192], %q3, %q1; st.global.b128 [%d4], %q2;",
      1);
  CHECK(!out[MOST].low && !out[MOST].high && !out[31].low, "a swap of what is not there");
  return check_report("wide_test");
}
