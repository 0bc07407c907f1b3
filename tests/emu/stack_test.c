/* SPDX-License-Identifier: MIT */
/* Calls whose arguments and results are registers and numbers, and alloca with its stack: results
 * equal the host's, frames come and go, and what does not fit is a finding. */
#include "emu/emu_run.h"

enum { THREADS = 32 };

static const char frame[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".func (.reg .b32 r) plus(.reg .b32 a, .reg .u64 b)\n"
    "{ .reg .b32 t; cvt.u32.u64 t, b; add.u32 r, a, t; ret; }\n"
    ".func (.param .b16 r) low(.param .b32 x)\n"
    "{ .reg .b32 %%t; .reg .b16 %%h; ld.param.b32 %%t, [x]; cvt.u16.u32 %%h, %%t;\n"
    "  st.param.b16 [r], %%h; ret; }\n"
    /* Members of packed structures, in and out. */
    ".func (.param .align 1 .b8 r[15]) packed(.param .align 1 .b8 x[15])\n"
    "{ .reg .b32 %%t<2>; .reg .b64 %%d; ld.param.b32 %%t0, [x+1]; ld.param.b64 %%d, [x+7];\n"
    "  ld.param.s16 %%t1, [x+5]; st.param.b64 [r], %%d; st.param.b32 [r+10], %%t0;\n"
    "  st.param.b8 [r+14], %%t1; ret; }\n"
    /* The same parameters, read as by unoptimized code. */
    ".func (.param .align 1 .b8 r[15]) unoptimised(.param .align 1 .b8 x[15])\n"
    "{ .reg .b32 %%t<2>; .reg .b64 %%d<5>; mov.u64 %%d1, x; add.s64 %%d2, %%d1, 8;\n"
    "  add.s64 %%d3, %%d2, -3; mov.b64 %%d4, x+4; ld.param.b32 %%t0, [%%d1+1];\n"
    "  ld.param.b64 %%d0, [%%d2+-1]; ld.param.s8 %%t1, [%%d3+1]; shl.b32 %%t1, %%t1, 8;\n"
    "  add.s64 %%d0, %%d0, 0; st.param.b64 [r], %%d0; st.param.b32 [r+10], %%t0;\n"
    "  ld.param.u8 %%t0, [%%d4+1]; or.b32 %%t1, %%t1, %%t0; st.param.b8 [r+14], %%t1; ret; }\n"
    /* The sum of 0 to n, whose terms are stored in memory that alloca gave. */
    ".func (.reg .b32 sum) summed(.reg .b32 n)\n"
    "{ .reg .b32 %%i<4>; .reg .b64 %%a<6>; .reg .pred %%p;\n"
    "  mul.wide.u32 %%a0, n, 4; add.u64 %%a0, %%a0, 4; alloca.u64 %%a1, %%a0; mov.u32 %%i0, 0;\n"
    "fill: mul.wide.u32 %%a2, %%i0, 4; add.u64 %%a3, %%a1, %%a2; st.local.u32 [%%a3], %%i0;\n"
    "  add.u32 %%i0, %%i0, 1; setp.le.u32 %%p, %%i0, n; @%%p bra fill; mov.u32 sum, 0;\n"
    "take: sub.u32 %%i0, %%i0, 1; mul.wide.u32 %%a2, %%i0, 4; add.u64 %%a3, %%a1, %%a2;\n"
    "  ld.local.u32 %%i1, [%%a3]; add.u32 sum, sum, %%i1; setp.ne.u32 %%p, %%i0, 0;\n"
    "  @%%p bra take; ret; }\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .b32 n)\n{\n"
    ".reg .b32 %%r<12>; .reg .b64 %%d<12>; .reg .pred %%p<2>; .reg .b16 %%h<2>;\n"
    ".local .align 8 .b8 mine[24];\n"
    "ld.param.u64 %%d0, [in]; ld.param.u64 %%d1, [out]; mov.u32 %%r0, %%tid.x;\n"
    "mul.wide.u32 %%d2, %%r0, 4; add.u64 %%d1, %%d1, %%d2; add.u64 %%d0, %%d0, %%d2;\n"
    "ld.global.u32 %%r1, [%%d0]; mov.u32 %%r9, 0; and.b32 %%r8, %%r0, 1;\n"
    "setp.eq.u32 %%p1, %%r8, 1;\n%s\nst.global.u32 [%%d1], %%r9;\nret;\n}\n";

typedef struct {
  const char *name, *body;
  uint32_t (*want)(uint32_t in, uint32_t lane);
  EmuFindingKind finds; /* expected if want is NULL */
} Case;

static uint32_t in_and_number(uint32_t in, uint32_t lane) { return in + 7 + 0 * lane; }
static uint32_t halves(uint32_t in, uint32_t lane) { return (in & 0xffff) + 0 * lane; }
static uint32_t odd_only(uint32_t in, uint32_t lane) { return lane % 2 ? in + 7 : 0; }
static uint32_t sums(uint32_t in, uint32_t lane) { return (lane * (lane + 1) / 2) + 0 * in; }
static uint32_t many(uint32_t in, uint32_t lane) { return 100 * sums(in, lane); }
static uint32_t both(uint32_t in, uint32_t lane) { return in + lane + 11; }
static uint32_t packed(uint32_t in, uint32_t lane) { return lane + in - 2; }
static uint32_t again(uint32_t in, uint32_t lane) { return 1 + 0 * (in + lane); }

static const Case cases[] = {
    {"registers and numbers", "call (%r9), plus, (%r1, 7);", in_and_number, 0},
    {"a shorter result", "mov.u32 %r9, -1; call.uni (%r9), low, (%r1);", halves, 0},
    {"nobody wants it", "call (_), plus, (%r1, 7); call (%r9), plus, (%r1, 7);", in_and_number, 0},
    {"by some", "@%p1 call (%r9), plus, (%r1, 7);", odd_only, 0},
    {"packed members by their addresses",
     "mov.b64 %d3, {%r0, %r1}; { .param .align 1 .b8 x0[15]; .param .align 1 .b8 r0[15];\n"
     "st.param.b32 [x0+1], %r1; st.param.b16 [x0+5], -2; st.param.b64 [x0+7], %d3;\n"
     "call (r0), unoptimised, (x0); ld.param.b64 %d4, [r0]; ld.param.b32 %r3, [r0+10];\n"
     "ld.param.s8 %r4, [r0+14]; }\n"
     "mov.b64 {%r5, %r6}, %d4; add.u32 %r9, %r5, %r3; add.u32 %r9, %r9, %r4;\n"
     "setp.ne.u32 %p0, %r6, %r1; @%p0 mov.u32 %r9, 0;",
     packed, 0},
    {"packed members",
     "mov.b64 %d3, {%r0, %r1}; { .param .align 1 .b8 x0[15]; .param .align 1 .b8 r0[15];\n"
     "st.param.b32 [x0+1], %r1; st.param.b16 [x0+5], -2; @%p1 st.param.b64 [x0+7], %d3;\n"
     "@!%p1 st.param.b64 [x0+7], %d3; call (r0), packed, (x0); ld.param.b64 %d4, [r0];\n"
     "ld.param.b32 %r3, [r0+10]; ld.param.s8 %r4, [r0+14]; }\n"
     "mov.b64 {%r5, %r6}, %d4; add.u32 %r9, %r5, %r3; add.u32 %r9, %r9, %r4;\n"
     "setp.ne.u32 %p0, %r6, %r1; @%p0 mov.u32 %r9, 0;",
     packed, 0},
    {"alloca in a function", "call (%r9), summed, (%r0);", sums, 0},
    {"a hundred of them",
     "mov.u32 %r2, 0; more: call (%r3), summed, (%r0); add.u32 %r9, %r9, %r3;\n"
     "add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 100; @%p0 bra more;",
     many, 0},
    /* Memory from alloca is distinct from the kernel's own variable, across a call, and for half of
     * the warp. */
    {"what is taken stays",
     "st.local.u32 [mine+20], %r1; mov.u64 %d3, 20; mov.u32 %r5, 0; alloca.u64 %d4, %d3, 16;\n"
     "st.local.u32 [%d4+16], %r0; @!%p1 bra even; alloca.u64 %d5, %d3; st.local.u32 [%d5], 99;\n"
     "even: alloca.u64 %d6, %d3; st.local.u32 [%d6], 11; call (%r3), summed, (%r0);\n"
     "ld.local.u32 %r9, [mine+20]; ld.local.u32 %r3, [%d4+16]; add.u32 %r9, %r9, %r3;\n"
     "ld.local.u32 %r3, [%d6]; add.u32 %r9, %r9, %r3;",
     both, 0},
    {"aligned, and given back",
     "mov.u64 %d3, 12000; mov.u64 %d7, 3; alloca.u64 %d8, %d7; stacksave.u64 %d4;\n"
     "alloca.u64 %d5, %d3, 64; stackrestore.u64 %d4; alloca.u64 %d6, %d3, 64;\n"
     "setp.eq.u64 %p0, %d5, %d6; selp.u32 %r9, 1, 0, %p0; and.b64 %d9, %d5, 63;\n"
     "setp.ne.u64 %p0, %d9, 0; @%p0 mov.u32 %r9, 2; add.u64 %d9, %d8, 3;\n"
     "setp.lt.u64 %p0, %d4, %d9; @%p0 mov.u32 %r9, 3;",
     again, 0},
    {"too much", "mov.u64 %d3, 12000; alloca.u64 %d4, %d3; alloca.u64 %d5, %d3;", NULL, EMU_STACK},
    {"far too much", "mov.u64 %d3, -1; alloca.u64 %d4, %d3;", NULL, EMU_STACK},
    {"back to nowhere", "mov.u64 %d3, 4; stackrestore.u64 %d3;", NULL, EMU_STACK},
    {"read before it is written", "mov.u64 %d3, 8; alloca.u64 %d4, %d3; ld.local.u32 %r9, [%d4];",
     NULL, EMU_UNINITIALISED},
};

static void run_case(const Case *c) {
  char ptx[8192];
  uint32_t in[THREADS], out[THREADS];
  snprintf(ptx, sizeof ptx, frame, c->body);
  Machine m = machine_open(ptx, strlen(ptx));
  for (uint32_t i = 0; i < THREADS; i++) in[i] = (i + 3) * 0x9E3779B9u, out[i] = 0;
  const Run run = {.kernel = "k",
                   .grid = 1,
                   .block = THREADS,
                   .in = in,
                   .in_bytes = sizeof in,
                   .out = out,
                   .out_bytes = sizeof out};
  EmuResult *r = machine_run(&m, &run);
  if (c->want) check_clean(r, c->name);
  for (uint32_t i = 0; c->want && i < THREADS; i++)
    CHECK(out[i] == c->want(in[i], i), "%s: lane %u: %u", c->name, i, out[i]);
  CHECK(c->want || (r->findings == 1 && r->finding[0].kind == c->finds), "%s: %d findings: %s",
        c->name, r->findings, r->findings ? r->finding[0].message : "none");
  emu_result_free(r);
  machine_close(&m);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run_case(&cases[i]);
  return check_report("stack_test");
}
