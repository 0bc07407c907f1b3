/* SPDX-License-Identifier: MIT */
/* Convergence of the lanes of a warp: every body ends in a shared store, "st.shared.u32 [%r9],
 * ...", whose number of warp-wide executions, and of lanes in them, is known. */
#include "emu/emu_run.h"

typedef struct {
  const char *name, *body;
  uint64_t executions, lanes;
} Case;

static const char frame[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".func odd_only(.param .b32 x)\n{ .reg .pred %%q; .reg .b32 %%t<2>; ld.param.b32 %%t0, [x];\n"
    "  and.b32 %%t1, %%t0, 1; setp.eq.u32 %%q, %%t1, 0; @%%q ret; add.u32 %%t0, %%t0, 1; ret; }\n"
    ".func leaves(.param .b32 x)\n{ .reg .pred %%q; .reg .b32 %%t<2>; ld.param.b32 %%t0, [x];\n"
    "  setp.gt.u32 %%q, %%t0, 20; @%%q exit; ret; }\n"
    ".visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %%p<8>; .reg .b32 %%r<16>; .reg .b64 %%d<4>; .shared .align 4 .b8 tile[256];\n"
    "mov.u32 %%r0, %%tid.x; shl.b32 %%r9, %%r0, 2; mov.u32 %%r8, tile; add.u32 %%r9, %%r9, %%r8;\n"
    "and.b32 %%r1, %%r0, 1; and.b32 %%r2, %%r0, 2; and.b32 %%r4, %%r0, 7; mov.u32 %%r7, 0;\n"
    "setp.ne.u32 %%p1, %%r1, 0; setp.ne.u32 %%p2, %%r2, 0; setp.eq.u32 %%p3, %%r0, 5;\n"
    "%s\nst.shared.u32 [%%r9], %%r7;\nret;\n}\n";

static const Case cases[] = {
    {"straight", "", 1, 32},
    {"if", "@%p1 bra next; add.u32 %r7, %r7, 1; next:", 1, 32},
    {"if else",
     "@%p1 bra other; add.u32 %r7, %r7, 1; bra next; other: add.u32 %r7, %r7, 2; next:", 1, 32},
    {"nested if",
     "@%p1 bra next; @%p2 bra inner; add.u32 %r7, %r7, 1; inner: add.u32 %r7, %r7, 2; next:", 1,
     32},
    {"loop of different length",
     "again: add.u32 %r7, %r7, 1; setp.lt.u32 %p4, %r7, %r0; @%p4 bra again;", 1, 32},
    {"loop with break and continue",
     "again: add.u32 %r7, %r7, 1; setp.gt.u32 %p4, %r7, %r4; @%p4 bra done; @%p1 bra again;"
     "add.u32 %r7, %r7, 1; bra again; done:",
     1, 32},
    {"loop in a branch",
     "@%p1 bra next; again: add.u32 %r7, %r7, 1; setp.lt.u32 %p4, %r7, %r4; @%p4 bra again; next:",
     1, 32},
    {"early exit of some", "@%p1 exit;", 1, 16},
    {"early return of some", "@%p1 bra end; bra go; end: ret; go:", 1, 16},
    {"return within an if", "@%p1 bra next; @%p2 ret; add.u32 %r7, %r7, 1; next:", 1, 24},
    {"return with code within an if",
     "@%p1 bra next; @%p2 bra stay; st.shared.u32 [tile+128], %r7; ret; stay: add.u32 %r7, %r7, 1; "
     "next:",
     1, 24},
    {"exit in a loop",
     "again: add.u32 %r7, %r7, 1; setp.eq.u32 %p4, %r7, 3; @%p3 bra quit; bra on; quit: @%p4 exit; "
     "on:"
     "setp.lt.u32 %p4, %r7, %r4; @%p4 bra again;",
     1, 31},
    {"unused trap",
     "setp.gt.u32 %p4, %r0, 99; @%p4 bra bad; bra go; bad: trap; go: @%p1 bra next; add.u32 %r7, "
     "%r7, 1; next:",
     1, 32},
    {"call with a return of some",
     "{ .param .b32 x0; st.param.b32 [x0], %r0; call.uni odd_only, (x0); }", 1, 32},
    {"call by some",
     "@%p1 bra next; { .param .b32 x0; st.param.b32 [x0], %r0; call.uni odd_only, (x0); } next:", 1,
     32},
    {"guarded call", "{ .param .b32 x0; st.param.b32 [x0], %r0; @%p1 call odd_only, (x0); }", 1,
     32},
    {"exit in a call", "{ .param .b32 x0; st.param.b32 [x0], %r0; call leaves, (x0); }", 1, 21},
    {"meeting in both branches",
     "@%p1 bra other; bar.warp.sync -1; bra next; other: bar.warp.sync -1; next:", 1, 32},
    {"meeting halves",
     "@%p1 bra other; bar.warp.sync 0x55555555; bra next; other: bar.warp.sync 0xaaaaaaaa; next:",
     1, 32},
    {"meeting without the ended", "@%p1 exit; bar.warp.sync -1;", 1, 16},
    {"meeting ahead of the join",
     "@%p1 bra other; add.u32 %r7, %r7, 1; other: bar.warp.sync -1; add.u32 %r7, %r7, 1;", 1, 32},
    {"guarded", "@%p1 st.shared.u32 [tile+128], %r7;", 1, 32},
};

/* The counters of the last shared store in the text, which is the one that a case is about. */
static const EmuAccess *last_store(const EmuResult *r) {
  const EmuAccess *last = NULL;
  for (int i = 0; i < r->accesses; i++) {
    if (r->access[i].space == EMU_SHARED) last = &r->access[i];
  }
  return last;
}

static void run_case(const Case *c) {
  char ptx[4096];
  int out[4] = {0};
  snprintf(ptx, sizeof ptx, frame, c->body);
  Machine m = machine_open(ptx, strlen(ptx));
  const Run run = {"k", 1, 32, NULL, 0, out, sizeof out, 0, 100000, 1, 0};
  EmuResult *r = machine_run(&m, &run);
  check_clean(r, c->name);
  const EmuAccess *store = last_store(r);
  CHECK(store, "%s: no store", c->name);
  if (store) {
    CHECK(store->executions == c->executions && store->lanes == c->lanes,
          "%s: %llu executions with %llu lanes", c->name, (unsigned long long)store->executions,
          (unsigned long long)store->lanes);
  }
  emu_result_free(r);
  machine_close(&m);
}

/* --- the observer --- */

typedef struct {
  uint64_t events, executions, sum;
} Seen;

static void observe(void *context, const EmuEvent *event) {
  Seen *seen = context;
  if (event->space != EMU_SHARED) return;
  seen->events++;
  seen->executions += event->times;
  for (int lane = 0; lane < 32; lane++) {
    if (event->active >> lane & 1) seen->sum += event->times * event->address[lane];
  }
}

static void test_observer(void) {
  char ptx[4096];
  snprintf(ptx, sizeof ptx, frame, "@%p1 st.shared.u32 [%r9+128], %r7;");
  Machine m = machine_open(ptx, strlen(ptx));
  uint64_t out = emu_alloc(m.memory, 16, "out");
  const void *args[] = {&out};
  Seen seen = {0};
  EmuLaunch launch = {.kernel = "k",
                      .grid = {3, 1, 1},
                      .block = {32, 1, 1},
                      .args = args,
                      .threads = 1,
                      .observer = observe,
                      .observer_context = &seen};
  EmuResult *r = emu_launch(m.module, &launch);
  check_clean(r, "observer");
  CHECK(seen.executions == 6, "%llu executions", (unsigned long long)seen.executions);
  CHECK(seen.events == 2, "equal accesses of three blocks are %llu events",
        (unsigned long long)seen.events);
  CHECK(seen.sum == 3 * (4 * 496 + 4 * 256 + 16 * 128), "sum %llu", (unsigned long long)seen.sum);
  emu_result_free(r);
  machine_close(&m);
}

/* A register that nothing has written is 0, in whatever block: here it is written on one of two
 * paths, in a pass of a loop before, in all, or in a guarded instruction: a move, a load, a
 * shuffle, one of 128 bits, and a variable that a call would take. */
static const char unset[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<8>; .reg .b128 %q;\n"
    ".param .b32 given;\n"
    "mov.u32 %r0, %ctaid.x; and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 1; mov.u32 %r6, 0;\n"
    "@%p1 bra skip; mov.u32 %r2, 3; skip: @%p1 mov.u32 %r3, 50;\n"
    "again: add.u32 %r6, %r6, %r4; mov.u32 %r4, %r0; add.u32 %r5, %r5, 1; @%p1 bra other;\n"
    "mov.u32 %r7, 1000; bra both; other: mov.u32 %r7, 2000; both: setp.lt.u32 %p2, %r5, 3;\n"
    "@%p2 bra again; add.u32 %r6, %r6, %r2; add.u32 %r6, %r6, %r3; add.u32 %r6, %r6, %r7;\n"
    "ld.param.u64 %d0, [out]; mad.wide.u32 %d0, %r0, 4, %d0; mov.u32 %r8, 10000;\n"
    "mov.u64 %d1, 100000; @%p1 st.param.b32 [given], %r8; ld.param.b32 %r9, [given];\n"
    "st.global.u32 [%d0], %r8; @%p1 ld.global.u32 %r10, [%d0];\n"
    "@%p1 shfl.sync.idx.b32 %r11, %r8, 0, 0, 1; @%p1 mov.b128 %q, {%d1, %d1};\n"
    "mov.b128 {%d2, %d3}, %q; add.u64 %d2, %d2, %d3; cvt.u32.u64 %r12, %d2;\n"
    "add.u32 %r6, %r6, %r9; add.u32 %r6, %r6, %r10; add.u32 %r6, %r6, %r11;\n"
    "add.u32 %r6, %r6, %r12; st.global.u32 [%d0], %r6; ret;\n}\n";

static void test_unset(void) {
  enum { BLOCKS = 64 };
  uint32_t out[BLOCKS];
  Machine m = machine_open(unset, strlen(unset));
  const Run launch = {
      .kernel = "k", .grid = BLOCKS, .block = 1, .out = out, .out_bytes = sizeof out, .threads = 1};
  EmuResult *r = machine_run(&m, &launch);
  for (uint32_t i = 0; i < BLOCKS; i++) {
    const uint32_t want = 2 * i + (i % 2 ? 50 + 2000 + 3 * 10000 + 2 * 100000 : 3 + 1000);
    CHECK(out[i] == want, "block %u: %u, want %u", i, out[i], want);
  }
  emu_result_free(r);
  machine_close(&m);
}

/* Cycles from one instruction of a warp to its next: 4, and on a full processor one for each warp
 * of a scheduler. */
static const char clocks[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<4>;\nld.param.u64 %d0, [out]; mov.u32 %r0, %clock;\n"
    "mov.u32 %r1, %clock; mov.u64 %d1, %clock64; sub.u32 %r0, %r1, %r0; cvt.u64.u32 %d2, %r1;\n"
    "sub.u64 %d1, %d1, %d2; st.global.u32 [%d0], %r0; st.global.u32 [%d0+4], %d1; ret;\n}\n";

static void test_clocks(void) {
  static const struct {
    uint32_t grid, block, cycles;
  } launches[] = {{1, 32, 4}, {1, 1024, 8}, {132, 1024, 8}, {133, 1024, 16}, {9999, 64, 16}};
  Machine m = machine_open(clocks, strlen(clocks));
  for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
    uint32_t out[2] = {0};
    const Run launch = {.kernel = "k",
                        .grid = launches[i].grid,
                        .block = launches[i].block,
                        .out = out,
                        .out_bytes = sizeof out};
    emu_result_free(machine_run(&m, &launch));
    CHECK(out[0] == launches[i].cycles && out[1] == launches[i].cycles,
          "%u blocks of %u: %u and %u cycles, want %u", launches[i].grid, launches[i].block, out[0],
          out[1], launches[i].cycles);
  }
  machine_close(&m);
}

/* Four lanes of the second warp make another iteration: the others exit, and the barrier does not
 * wait for them. */
static const char uneven[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %p; .reg .b32 %r; .reg .b64 %d<3>;\nld.param.u64 %d0, [out]; mov.u32 %r, %tid.x;\n"
    "again: mul.wide.u32 %d1, %r, 4; add.u64 %d2, %d0, %d1; st.global.u32 [%d2], %r;\n"
    "bar.sync 0; add.u32 %r, %r, 64; setp.lt.u32 %p, %r, 100; @%p bra again;\nret;\n}\n";

static void test_uneven_loop(void) {
  Machine m = machine_open(uneven, strlen(uneven));
  uint32_t out[100] = {0};
  const Run launch = {.kernel = "k", .grid = 1, .block = 64, .out = out, .out_bytes = sizeof out};
  EmuResult *r = machine_run(&m, &launch);
  CHECK(!r->findings, "lanes left a loop: %s", r->findings ? r->finding[0].message : "");
  CHECK(out[99] == 99, "the others stored %u", out[99]);
  emu_result_free(r);
  machine_close(&m);
}

/* Runs the kernel `k` of a source in blocks of two warps, one after the other. */
static void run_blocks(const char *source, uint32_t *out, uint32_t blocks) {
  Machine m = machine_open(source, strlen(source));
  const Run launch = {.kernel = "k",
                      .grid = blocks,
                      .block = 64,
                      .out = out,
                      .out_bytes = blocks * sizeof *out,
                      .threads = 1};
  EmuResult *r = machine_run(&m, &launch);
  for (int i = 0; i < r->findings; i++) printf("F %s\n", r->finding[i].message);
  emu_result_free(r);
  machine_close(&m);
}

/* Each block waits for the next one, of two warps, in a loop with two barriers. */
static const char chain[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<3>;\nld.param.u64 %d0, [out];\n"
    "mov.u32 %r0, %ctaid.x; mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1;\n"
    "mov.u32 %r1, %nctaid.x; sub.u32 %r1, %r1, 1; setp.eq.u32 %p, %r0, %r1; @%p bra go;\n"
    "again: ld.volatile.global.u32 %r2, [%d2+4]; bar.sync 0; setp.eq.u32 %p, %r2, 0; bar.sync 1;\n"
    "@%p bra again;\ngo: add.u32 %r0, %r0, 1; st.volatile.global.u32 [%d2], %r0; ret;\n}\n";

static void test_chain(void) {
  enum { BLOCKS = 40 };
  uint32_t out[BLOCKS] = {0};
  run_blocks(chain, out, BLOCKS);
  for (uint32_t i = 0; i < BLOCKS; i++) CHECK(out[i] == i + 1, "block %u stored %u", i, out[i]);
}

/* An arrival at a barrier at which no thread waits is discarded with its block: the next block's
 * first warp waits for its second one. */
static const char left[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %d<3>; .shared .b32 s;\n"
    "ld.param.u64 %d0, [out]; mov.u32 %r0, %ctaid.x; mul.wide.u32 %d1, %r0, 4;\n"
    "add.u64 %d1, %d0, %d1; and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; mov.u32 %r2, %tid.x;\n"
    "setp.lt.u32 %p1, %r2, 32; @%p1 bra first; mov.u32 %r3, 7; st.shared.u32 [s], %r3;\n"
    "barrier.arrive 1, 64; ret;\nfirst: @%p0 bra end; barrier.sync 1, 64;\n"
    "ld.shared.u32 %r3, [s]; st.global.u32 [%d1], %r3; end: ret;\n}\n";

static void test_left_arrivals(void) {
  enum { BLOCKS = 6 };
  uint32_t out[BLOCKS] = {0};
  run_blocks(left, out, BLOCKS);
  for (uint32_t i = 0; i < BLOCKS; i++)
    CHECK(out[i] == (i % 2 ? 7 : 0), "block %u stored %u", i, out[i]);
}

int main(void) {
  test_left_arrivals();
  test_unset();
  test_chain();
  test_uneven_loop();
  test_clocks();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run_case(&cases[i]);
  test_observer();
  return check_report("emu_flow");
}
