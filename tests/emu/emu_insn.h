/* SPDX-License-Identifier: MIT */
/* emu_insn.h: instructions in hand-written PTX against host arithmetic, for one warp.
 *
 * The frame of a test loads a and b of its lane into %d1 and %d2 (and their low halves into %r1 and
 * %r2); the body leaves its result in %d3. Arithmetic proper has its own tests, arith_*_test.c. */
#ifndef KGEN_TESTS_EMU_EMU_INSN_H
#define KGEN_TESTS_EMU_EMU_INSN_H

#include "emu/emu_run.h"

/* The operands and results of one lane of the warp. */
typedef struct {
  unsigned lane;
  uint64_t x, y;         /* its own a and b */
  const uint64_t *a, *b; /* arrays over all lanes */
} Input;

typedef struct {
  const char *name, *body;
  uint64_t (*expect)(const Input *in);
} Case;

/* A case whose result is equal in every lane. */
typedef struct {
  const char *name, *body;
  uint64_t want;
} Constant;

static const char frame[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".const .align 4 .u32 table[4] = {11, 22, 33, 0x2c};\n"
    ".const .align 8 .f64 pair[2] = {0d3FF0000000000000, 2.5};\n"
    ".global .align 8 .u64 cell = 7;\n"
    ".global .align 8 .u64 link[2] = {cell, generic(table)+4};\n"
    ".func (.param .b32 r) add3(.param .b32 x, .param .align 4 .b8 s[8])\n"
    "{ .reg .b32 %%t<4>; ld.param.b32 %%t0, [x]; ld.param.v2.b32 {%%t1, %%t2}, [s];\n"
    "  add.s32 %%t0, %%t0, %%t1; add.s32 %%t0, %%t0, %%t2; st.param.b32 [r], %%t0; ret; }\n"
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .pred %%p<8>; .reg .b16 %%h<8>; .reg .b32 %%r<24>; .reg .b64 %%d<24>; .reg .f32 %%f<8>;\n"
    ".shared .align 16 .b8 tile[4096]; .local .align 8 .b8 own[64];\n"
    "mov.u32 %%r0, %%tid.x; ld.param.u64 %%d20, [in]; ld.param.u64 %%d21, [out];\n"
    "mad.wide.u32 %%d20, %%r0, 16, %%d20; mad.wide.u32 %%d21, %%r0, 8, %%d21;\n"
    "ld.global.v2.u64 {%%d1, %%d2}, [%%d20]; cvt.u32.u64 %%r1, %%d1; cvt.u32.u64 %%r2, %%d2;\n"
    "mov.u32 %%r20, tile; shl.b32 %%r21, %%r0, 4; add.u32 %%r20, %%r20, %%r21; mov.b64 %%d3, 0;\n"
    "%s\n"
    "st.global.u64 [%%d21], %%d3; ret;\n}\n";

static inline uint32_t low(uint64_t x) { return (uint32_t)x; }

/* Runs the body in every lane of a warp. False, with a failed check, if it does not load. */
static inline bool run_body(const char *name, const char *body, const uint64_t *a,
                            const uint64_t *b, uint64_t out[32]) {
  char ptx[8192];
  snprintf(ptx, sizeof ptx, frame, body);
  Machine m = machine_open(ptx, strlen(ptx));
  int errors;
  emu_errors(m.module, &errors);
  CHECK(errors == 0, "%s does not load", name);
  uint64_t in[64];
  for (int i = 0; i < 32; i++) in[2 * i] = a[i], in[2 * i + 1] = b[i];
  if (errors == 0) {
    const Run run = {"k", 1, 32, in, sizeof in, out, 32 * sizeof *out, 0, 100000, 1, 0};
    EmuResult *r = machine_run(&m, &run);
    check_clean(r, name);
    emu_result_free(r);
  }
  machine_close(&m);
  return errors == 0;
}

static inline void check_lane(const char *name, unsigned lane, uint64_t got, uint64_t want) {
  CHECK(got == want, "%s: lane %u: 0x%llx, want 0x%llx", name, lane, (unsigned long long)got,
        (unsigned long long)want);
}

static inline void run_case(const Case *c, const uint64_t *a, const uint64_t *b) {
  uint64_t out[32] = {0};
  if (!run_body(c->name, c->body, a, b, out)) return;
  for (unsigned lane = 0; lane < 32; lane++)
    check_lane(c->name, lane, out[lane], c->expect(&(Input){lane, a[lane], b[lane], a, b}));
}

static inline void run_constant(const Constant *c, const uint64_t *a, const uint64_t *b) {
  uint64_t out[32] = {0};
  if (!run_body(c->name, c->body, a, b, out)) return;
  for (unsigned lane = 0; lane < 32; lane++) check_lane(c->name, lane, out[lane], c->want);
}

static inline uint64_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return *state ^ *state >> 29;
}

/* Runs all cases and constants, on numbers that are easy to follow and on random ones. */
static inline void run_all(const Case *cases, size_t count, const Constant *constants,
                           size_t constant_count) {
  uint64_t a[32], b[32], state = 2026;
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < 32; i++) {
      a[i] = round == 0 ? (uint64_t)i : round == 1 ? UINT64_MAX - (uint64_t)i : next_random(&state);
      b[i] = next_random(&state);
    }
    for (size_t i = 0; i < count; i++) run_case(&cases[i], a, b);
    for (size_t i = 0; i < constant_count; i++) run_constant(&constants[i], a, b);
  }
}

#endif
