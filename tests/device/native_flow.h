/* SPDX-License-Identifier: MIT */
/* native_flow.h: random kernels for tests/device/native_fuzz_test.c. Their lanes part at branches
 * of all kinds, loop as often as each likes, call, end early, exchange values among those that are
 * there, and leave all registers in memory at the end. */
#ifndef KGEN_TESTS_DEVICE_NATIVE_FLOW_H
#define KGEN_TESTS_DEVICE_NATIVE_FLOW_H

#include "device/native_matrix.h"

/* --- lanes together --- */

/* The set of lanes for an exchange: those that are known to come, or that are here just now. */
static inline const char *gen_members(Gen *g) {
  if (g->here) return strcmp(g->here, "%mask") == 0 && gen_one_in(g, 2) ? "-1" : g->here;
  text_puts(g->out, "  activemask.b32 %am;\n");
  return "%am";
}

static inline void gen_shuffle(Gen *g, const char *members) {
  Arena *a = g->out->arena;
  const char *r = gen_reg(g, 'r'), *x = gen_reg(g, 'r'), *p = gen_reg(g, 'p');
  const char *by =
      gen_one_in(g, 2) ? arena_printf(a, "%d", gen_pick(g, 32)) : gen_source(g, 'r', true);
  text_printf(g->out, "  shfl.sync.%s.b32 %s", GEN_WORD(g, "idx", "up", "down", "bfly"), r);
  if (gen_one_in(g, 2)) text_printf(g->out, "|%s", p);
  text_printf(g->out, ", %s, %s, %s, %s;\n", x, by, GEN_WORD(g, "0x1f", "0", "0x181f", "0x1c03"),
              members);
}

/* Barriers of the block, for lanes that all come to them. */
static inline void gen_barrier(Gen *g) {
  const char *r = gen_reg(g, 'r'), *p = gen_reg(g, 'p');
  switch (gen_pick(g, 4)) {
  case 0: text_printf(g->out, "  bar.red.popc.u32 %s, 0, %s;\n", r, p); break;
  case 1: text_printf(g->out, "  barrier.sync 2;\n"); break;
  case 2: text_printf(g->out, "  bar.red.or.pred %s, 1, !%s;\n", p, gen_reg(g, 'p')); break;
  default: text_puts(g->out, "  bar.sync 0;\n"); break;
  }
}

static inline bool gen_all_come(const Gen *g) { return g->here && strcmp(g->here, "%mask") == 0; }

static inline void gen_exchange(Gen *g) {
  Text *t = g->out;
  const char *r = gen_reg(g, 'r'), *x = gen_reg(g, 'r'), *p = gen_reg(g, 'p');
  const char *members = gen_members(g);
  switch (gen_pick(g, 10)) {
  case 0:
  case 1: gen_shuffle(g, members); break;
  case 2:
    text_printf(t, "  vote.sync.%s.pred %s, %s, %s;\n", GEN_WORD(g, "all", "any", "uni"), p,
                gen_reg(g, 'p'), members);
    break;
  case 3: text_printf(t, "  vote.sync.ballot.b32 %s, %s, %s;\n", r, p, members); break;
  case 4: text_printf(t, "  match.any.sync.b32 %s, %s, %s;\n", r, x, members); break;
  case 5:
    text_printf(t, "  match.all.sync.b64 %s|%s, %s, %s;\n", r, p, gen_reg(g, 'd'), members);
    break;
  case 6:
    text_printf(t, "  redux.sync.%s %s, %s, %s;\n",
                GEN_WORD(g, "add.s32", "min.u32", "max.s32", "xor.b32"), r, x, members);
    break;
  case 7: text_printf(t, "  elect.sync %s|%s, %s;\n", r, p, members); break;
  case 8:
    if (gen_all_come(g)) gen_barrier(g);
    break;
  default: text_printf(t, "  bar.warp.sync %s;\n", members); break;
  }
}

/* --- control --- */

static inline void gen_block(Gen *g, int statements);
static inline void gen_skipped(Gen *g, int depth);

/* A deeper block, to which these lanes come. */
static inline void gen_within(Gen *g, const char *lanes) {
  const char *before = g->here;
  g->here = lanes;
  g->depth++;
  gen_block(g, 1 + gen_pick(g, 6));
  g->depth--;
  g->here = before;
}

/* Sets of lanes before a branch at which they part: those that have the predicate, and others. */
static inline void gen_ballot(Gen *g, const char *p, const char **with, const char **without) {
  Arena *a = g->out->arena;
  if (!g->here || gen_one_in(g, 2)) return;
  *with = arena_printf(a, "%%with%d", g->depth);
  *without = arena_printf(a, "%%without%d", g->depth);
  text_printf(g->out, "  vote.sync.ballot.b32 %s, %s, %s;\n", *with, p, g->here);
  text_printf(g->out, "  not.b32 %s, %s;\n  and.b32 %s, %s, %s;\n", *without, *with, *without,
              *without, g->here);
}

static inline void gen_if(Gen *g) {
  const int label = g->labels++;
  const char *p = gen_reg(g, 'p'), *with = NULL, *without = NULL;
  gen_ballot(g, p, &with, &without);
  text_printf(g->out, "  @!%s bra L%d;\n", p, label);
  gen_within(g, with);
  if (gen_one_in(g, 2)) {
    text_printf(g->out, "  bra E%d;\nL%d:\n", label, label);
    gen_within(g, without);
    text_printf(g->out, "E%d:\n", label);
  } else {
    text_printf(g->out, "L%d:\n", label);
  }
}

/* A branch to one of several targets, some of which fall through into the next one. */
static inline void gen_switch(Gen *g) {
  const int label = g->labels++, cases = 1 + gen_pick(g, 4);
  const bool guarded = gen_one_in(g, 3);
  Text *t = g->out;
  text_printf(t, "  rem.u32 %%t, %s, %d;\n", gen_one_in(g, 4) ? "%ctaid.x" : gen_reg(g, 'r'),
              cases + (g->faulty && gen_one_in(g, 9)));
  text_printf(t, "T%d: .branchtargets ", label);
  for (int i = 0; i < cases; i++)
    text_printf(t, "%sT%d_%d", i ? ", " : "", label, gen_one_in(g, 5) ? 0 : i);
  text_puts(t, ";\n  ");
  if (guarded) text_printf(t, "@%s%s ", gen_one_in(g, 2) ? "!" : "", gen_reg(g, 'p'));
  text_printf(t, "brx.idx %%t, T%d;\n", label);
  if (guarded) gen_within(g, NULL);
  if (guarded && gen_one_in(g, 2)) text_printf(t, "  bra E%d;\n", label);
  for (int i = 0; i < cases; i++) {
    text_printf(t, "T%d_%d:\n", label, i);
    gen_within(g, NULL);
    if (!gen_one_in(g, 3)) text_printf(t, "  bra E%d;\n", label);
  }
  text_printf(t, "E%d:\n", label);
}

/* Each depth has its counter. Lanes leave the loop all at once, or one by one: by their own count,
 * or from its midst. */
static inline void gen_loop(Gen *g) {
  const int label = g->labels++, c = g->depth, outer = g->loop;
  const bool apart = gen_one_in(g, 2), leaves = gen_one_in(g, 3);
  if (apart)
    text_printf(g->out, "  and.b32 %%n%d, %s, 7;\n", c, gen_reg(g, 'r'));
  else
    text_printf(g->out, "  mov.u32 %%n%d, %d;\n", c, 1 + gen_pick(g, c ? 4 : 20));
  text_printf(g->out, "  mov.u32 %%c%d, 0;\nL%d:\n", c, label);
  g->loop = leaves ? label : -1;
  if (gen_one_in(g, 2)) {
    for (int i = 1 + gen_pick(g, 6); i > 0; i--)
      gen_one_in(g, 3) ? gen_access(g) : gen_one_in(g, 2) ? gen_skipped(g, 1) : gen_arith(g);
  } else {
    gen_within(g, apart || leaves ? NULL : g->here);
  }
  g->loop = outer;
  text_printf(g->out, "N%d:\n  add.u32 %%c%d, %%c%d, 1;\n", label, c, c);
  text_printf(g->out, "  setp.lt.u32 %%q, %%c%d, %%n%d;\n  @%%q bra L%d;\nE%d:\n", c, c, label,
              label);
}

/* Some lanes leave the loop, continue in it, or are ready. */
static inline void gen_leave(Gen *g) {
  const char *p = gen_reg(g, 'p');
  if (g->loop >= 0 && !g->here && gen_one_in(g, 2)) {
    text_printf(g->out, "  @%s bra %c%d;\n", p, gen_one_in(g, 2) ? 'E' : 'N', g->loop);
  } else if (g->ends && gen_one_in(g, 3)) {
    text_printf(g->out, "  and.b32 %%t, %s, 15;\n  setp.eq.u32 %%q, %%t, %d;\n", gen_reg(g, 'r'),
                gen_pick(g, 16));
    text_printf(g->out, "  @%%q %s;\n",
                g->ends == GEN_AT_THE_END ? "bra READY" : GEN_WORD(g, "exit", "ret"));
  }
}

static inline void gen_call(Gen *g) {
  const char *r = gen_reg(g, 'r'), *x = gen_reg(g, 'r'), *y = gen_reg(g, 'r');
  const char *d = gen_reg(g, 'd');
  switch (gen_pick(g, 5)) {
  case 0: text_printf(g->out, "  call (%s), f, (%s, %s);\n", r, x, d); break;
  case 1: text_printf(g->out, "  call (%s), loops, (%s, %s);\n", r, x, y); break;
  case 2: text_printf(g->out, "  call.uni (%s), nests, (%s, %s);\n", r, x, y); break;
  default:
    text_printf(g->out,
                "  mov.u64 %%a, functions;\n  and.b32 %%t, %s, 1;\n"
                "  mad.wide.u32 %%a, %%t, 8, %%a;\n  ld.global.u64 %%a, [%%a];\n"
                "  call (%s), %%a, (%s, %s), either;\n",
                gen_reg(g, 'r'), r, x, d);
    break;
  }
}

/* Ends the launch for lanes chosen by random predicates. */
static inline void gen_fault(Gen *g) {
  const char *p = gen_reg(g, 'p');
  if (!g->faulty || !gen_one_in(g, 30)) return;
  switch (gen_pick(g, 6)) {
  case 0: text_printf(g->out, "  @%s trap;\n", p); break;
  case 1: text_printf(g->out, "  @%s ld.global.u32 %%t, [%%in+%d];\n", p, 1 << 28); break;
  case 2: text_printf(g->out, "  @%s st.global.u32 [%%out+2], %%t;\n", p); break;
  case 3: text_printf(g->out, "  @%s st.shared.u32 [%%shared+%d], %%t;\n", p, 1 << 20); break;
  case 4: text_printf(g->out, "  @%s bar.sync 1, 1024;\n", p); break;
  default: text_printf(g->out, "  @%s ret;\n", p); break;
  }
}

static inline void gen_statement(Gen *g);

/* A register that one part of the text alone names, most often where a branch may skip it, or where
 * a loop comes again. */
static inline void gen_around(Gen *g) {
  if (g->privates == PRIVATES) return;
  const int n = gen_private(g);
  for (int i = gen_pick(g, 3); i > 0; i--)
    gen_one_in(g, 3) ? gen_statement(g) : gen_one_in(g, 2) ? gen_access(g) : gen_arith(g);
  gen_shown(g, n);
}

/* Instructions that a branch skips and that any subset of lanes may execute; every other iteration
 * of a loop may skip the private register's first value, so that it keeps its earlier one. */
static inline void gen_skipped(Gen *g, int depth) {
  const int label = g->labels++;
  text_printf(g->out, "  @%s%s bra S%d;\n", gen_one_in(g, 2) ? "!" : "", gen_reg(g, 'p'), label);
  const bool within = gen_one_in(g, 2);
  const int counter = g->depth && gen_one_in(g, 2) ? g->depth - 1 : g->depth;
  if (within)
    text_printf(g->out, "  and.b32 %%t, %%c%d, 1;\n  setp.eq.u32 %%q, %%t, 1;\n  @%%q bra W%d;\n",
                counter, label);
  const int n = g->privates < PRIVATES ? gen_private(g) : -1;
  if (within) text_printf(g->out, "W%d:\n", label);
  for (int i = gen_pick(g, 4); i > 0; i--) switch (gen_pick(g, 5)) {
    case 0: gen_compare(g); break;
    case 1: gen_access(g); break;
    case 2:
      if (depth) gen_skipped(g, depth - 1);
      break;
    default: gen_arith(g); break;
    }
  if (n >= 0) gen_shown(g, n);
  text_printf(g->out, "S%d:\n", label);
}

static inline void gen_statement(Gen *g) {
  const bool deeper = g->depth < DEPTH - 1;
  gen_fault(g);
  switch (gen_pick(g, 23)) {
  case 0:
  case 1: gen_convert(g); break;
  case 2:
  case 3: gen_compare(g); break;
  case 4: gen_move(g); break;
  case 5: gen_carry(g); break;
  case 6:
  case 7:
  case 8: gen_access(g); break;
  case 9: gen_one_in(g, 3) ? gen_param(g) : gen_atomic(g); break;
  case 10:
  case 11: gen_exchange(g); break;
  case 12: deeper ? gen_if(g) : gen_arith(g); break;
  case 13: deeper ? gen_loop(g) : gen_arith(g); break;
  case 14: deeper &&gen_one_in(g, 2) ? gen_switch(g) : gen_leave(g); break;
  case 15: gen_one_in(g, 2) ? gen_call(g) : gen_leave(g); break;
  case 16: gen_one_in(g, 3) ? gen_around(g) : gen_skipped(g, 2); break;
  case 17: gen_all_come(g) ? gen_fragments(g) : gen_arith(g); break;
  default: gen_arith(g); break;
  }
}

static inline void gen_block(Gen *g, int statements) {
  for (int i = 0; i < statements; i++) gen_statement(g);
}

/* --- the whole --- */

static inline void gen_state(Gen *g, bool load) {
  static const char letters[] = "hrd";
  static const int count[] = {HALVES, WORDS, DOUBLES};
  int at = 0;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < count[k]; i++, at += 8) {
      const char *type = k == 0 ? "u16" : k == 1 ? "u32" : "u64";
      if (load)
        text_printf(g->out, "  ld.global.%s %%%c%d, [%%state+%d];\n", type, letters[k], i, at);
      else
        text_printf(g->out, "  st.global.%s [%%state+%d], %%%c%d;\n", type, at, letters[k], i);
    }
  for (int i = 0; i < PREDS; i++, at += 8)
    if (load)
      text_printf(g->out, "  ld.global.u32 %%t, [%%state+%d];\n  setp.lt.s32 %%p%d, %%t, 99;\n", at,
                  i);
    else
      text_printf(g->out, "  selp.u32 %%t, 1, 0, %%p%d;\n  st.global.u32 [%%state+%d], %%t;\n", i,
                  at);
}

/* Functions besides the kernel: with branches; with a loop that lanes leave one by one and in which
 * they exchange values; one that calls itself; and a table of two. The value that a lane reads from
 * one that has left the function is undefined, and differs. */
static const char gen_head[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".extern .shared .align 16 .b8 shared[];\n"
    ".const .align 16 .u32 constant[64] = {1, 2, 3, 0x7fc00000, 0x80000000, 77, 9, 0xffffffff};\n"
    ".func (.param .b32 r) f(.param .b32 x, .param .b64 y) {\n"
    "  .reg .b32 %t<4>; .reg .b64 %u; .reg .pred %p;\n"
    "  ld.param.b32 %t0, [x]; ld.param.b64 %u, [y]; cvt.u32.u64 %t1, %u;\n"
    "  setp.lt.s32 %p, %t0, 0; @%p bra A; mad.lo.u32 %t0, %t0, 3, %t1; bra B;\n"
    "A: xor.b32 %t0, %t0, %t1;\nB: st.param.b32 [r], %t0; ret;\n}\n"
    ".func (.param .b32 r) g(.param .b32 x, .param .b64 y) {\n"
    "  .reg .b32 %t<4>; .reg .b64 %u;\n"
    "  ld.param.b32 %t0, [x]; ld.param.b64 %u, [y]; shr.u64 %u, %u, 7; cvt.u32.u64 %t1, %u;\n"
    "  popc.b32 %t2, %t1; sub.u32 %t0, %t2, %t0; st.param.b32 [r], %t0; ret;\n}\n"
    ".func (.reg .b32 r) loops(.reg .b32 x, .reg .b32 n) {\n"
    "  .reg .b32 %t<4>, %am; .reg .pred %p<3>;\n  and.b32 %t0, n, 7; mov.b32 r, x;\n"
    "A: setp.eq.u32 %p0, %t0, 0; @%p0 ret; activemask.b32 %am;\n"
    "  shfl.sync.bfly.b32 %t1, r, 1, 31, %am; mov.u32 %t2, %laneid; xor.b32 %t2, %t2, 1;\n"
    "  shr.u32 %t2, %am, %t2; and.b32 %t2, %t2, 1; setp.eq.u32 %p1, %t2, 0; @%p1 mov.b32 %t1, 9;\n"
    "  add.u32 r, r, %t1; mul24.lo.u32 r, r, 5;\n"
    "  setp.gt.s32 %p2, r, 1000; @%p2 xor.b32 r, r, %t1; sub.u32 %t0, %t0, 1; bra A;\n}\n"
    ".func (.reg .b32 r) nests(.reg .b32 x, .reg .b32 n) {\n"
    "  .reg .b32 %n, %x, %y; .reg .pred %p;\n  and.b32 %n, n, 3; mov.b32 r, x;\n"
    "  setp.eq.u32 %p, %n, 0; @%p ret; sub.u32 %n, %n, 1; mad.lo.u32 %x, x, 3, %n;\n"
    "  call (%y), nests, (%x, %n); add.u32 %x, %x, %y; xor.b32 r, %x, x; ret;\n}\n"
    ".global .align 8 .u64 functions[2] = {f, g};\n"
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c,\n"
    "                  .param .align 8 .b8 s[64]) {\n"
    "  .reg .pred %p<8>, %q;\n  .reg .b16 %h<8>;\n  .reg .b32 %r<16>, %c<4>, %n<4>;\n"
    "  .reg .b64 %d<16>, %w<256>;\n  .reg .b32 %v<256>;\n  .reg .b64 %in, %out, %state, %shared, "
    "%generic, %local, %own, %const, "
    "%a;\n"
    "  .reg .b32 %lane, %t, %b, %mask, %am, %with<4>, %without<4>;\n"
    "  .local .align 16 .b8 mine[256];\n"
    "either: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);\n"
    "  ld.param.u64 %in, [a];\n  ld.param.u64 %out, [b];\n  ld.param.u64 %state, [c];\n"
    "  mov.u64 %shared, shared;\n  cvta.shared.u64 %generic, %shared;\n"
    "  mov.u64 %local, mine;\n  cvta.local.u64 %own, %local;\n  mov.u64 %const, constant;\n"
    "  mov.u32 %t, %ctaid.x;\n  mov.u32 %b, %ntid.x;\n  mov.u32 %lane, %tid.x;\n"
    "  mad.lo.u32 %t, %t, %b, %lane;\n  activemask.b32 %mask;\n";

/* The text of a kernel `k(in, out, state, a structure of 64 bytes)`. */
static inline const char *gen_kernel(Arena *a, uint64_t seed, int statements) {
  Text text = text_new(a);
  Gen g = {.state = seed * 0x9e3779b97f4a7c15u + 12345, .out = &text, .loop = -1};
  gen_next(&g);
  g.faulty = gen_one_in(&g, 6);
  g.ends = (GenEnd)gen_pick(&g, GEN_ENDS);
  g.here = g.ends == GEN_AT_THE_END ? NULL : "%mask";
  text_puts(&text, gen_head);
  text_printf(&text, "  mad.wide.u32 %%state, %%t, %d, %%state;\n", STATE_BYTES);
  for (int i = 0; i < DEPTH; i++) text_printf(&text, "  mov.u32 %%c%d, %d;\n", i, i * 5);
  gen_state(&g, true);
  for (int i = gen_pick(&g, 4); i > 0; i--) gen_fragments(&g);
  gen_block(&g, statements);
  text_puts(&text, "READY:\n");
  gen_state(&g, false);
  text_puts(&text, "  ret;\n}\n");
  return text.s;
}

#endif
