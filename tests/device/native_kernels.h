/* SPDX-License-Identifier: MIT */
/* native_kernels.h: the computations of the random kernels of native_flow.h, on registers of 16, 32
 * and 64 bits, and their loads, stores and updates of valid memory. */
#ifndef KGEN_TESTS_DEVICE_NATIVE_KERNELS_H
#define KGEN_TESTS_DEVICE_NATIVE_KERNELS_H

#include <string.h>

#include "base/text.h"
#include "device/native_values.h"
#include "emu/arith/arith_resolve.h"

enum { IN_BYTES = 1 << 15, OUT_BYTES = 1 << 14, SHARED_BYTES = 1 << 12, LOCAL_BYTES = 256 };
enum { HALVES = 6, WORDS = 10, DOUBLES = 8, PREDS = 6, DEPTH = 3, PRIVATES = 256 };
/* Bytes per thread: registers first in, and then out. */
enum { STATE_BYTES = 8 * (HALVES + WORDS + DOUBLES + PREDS) };

/* How lanes may end before others. Those that do so by the way to the kernel's end are named in no
 * set that others wait for: they have not exited, and do not come. */
typedef enum { GEN_TOGETHER, GEN_AT_ONCE, GEN_AT_THE_END, GEN_ENDS } GenEnd;

typedef struct {
  uint64_t state;
  Text *out;
  int labels, depth;
  int privates;     /* registers so far that only one place names */
  const char *here; /* the lanes that are, or come here: a register's name; NULL: not known */
  int loop;         /* label number of the loop that lanes may leave or continue; or -1 */
  bool faulty;      /* one instruction may be wrong */
  GenEnd ends;
} Gen;

static inline uint64_t gen_next(Gen *g) { return values_next(&g->state); }
static inline int gen_pick(Gen *g, int n) { return values_pick(&g->state, n); }
static inline bool gen_one_in(Gen *g, int n) { return gen_pick(g, n) == 0; }
#define GEN_WORD(G, ...)                                                                           \
  ((const char *const[]){__VA_ARGS__}[gen_pick(                                                    \
      G, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))])

/* --- registers --- */

static inline const char *gen_reg(Gen *g, char letter) {
  Arena *a = g->out->arena;
  switch (letter) {
  case 'h': return arena_printf(a, "%%h%d", gen_pick(g, HALVES));
  case 'd': return arena_printf(a, "%%d%d", gen_pick(g, DOUBLES));
  case 'p': return arena_printf(a, "%%p%d", gen_pick(g, PREDS));
  default: return arena_printf(a, "%%r%d", gen_pick(g, WORDS));
  }
}

static inline const char *gen_source(Gen *g, char letter, bool number) {
  Arena *a = g->out->arena;
  if (letter == 'k') return arena_printf(a, "%d", gen_pick(g, 256));
  if (letter == 'p') return arena_printf(a, "%s", gen_reg(g, 'p'));
  if (!number || !gen_one_in(g, 6)) return gen_reg(g, letter);
  if (letter == 'h') return arena_printf(a, "%u", values_word(&g->state) & 0x7fff);
  if (letter == 'd')
    return arena_printf(a, "0x%x%08x", values_word(&g->state) & 0x7fffffff, values_word(&g->state));
  return arena_printf(a, "0x%x", values_word(&g->state));
}

static inline const char *gen_guard(Gen *g) {
  if (!gen_one_in(g, 5)) return "";
  return arena_printf(g->out->arena, "@%s%s ", gen_one_in(g, 2) ? "!" : "", gen_reg(g, 'p'));
}

/* --- arithmetic --- */

typedef struct {
  const char *opcodes, *shape; /* destination and sources: h r d, p, k; capital: no number */
} GenOps;

static const GenOps gen_ops[] = {
    {"add.s32 sub.u32 mul.lo.s32 mul.hi.s32 mul.hi.u32 mul24.lo.u32 mul24.hi.s32 div.s32 div.u32 "
     "rem.s32 rem.u32 min.s32 min.u32 max.s32 max.u32 and.b32 or.b32 xor.b32 shl.b32 shr.u32 "
     "shr.s32 add.sat.s32 sub.sat.s32 bmsk.clamp.b32 bmsk.wrap.b32 szext.clamp.s32 szext.wrap.u32 "
     "min.s16x2 max.u16x2 add.u16x2",
     "rrr"},
    {"mad.lo.s32 mad.lo.u32 mad.hi.s32 mad.hi.u32 mad24.lo.s32 shf.l.wrap.b32 shf.r.wrap.b32 "
     "shf.l.clamp.b32 shf.r.clamp.b32 bfe.u32 bfe.s32 prmt.b32 prmt.b32.f4e prmt.b32.rc8 "
     "sad.u32 sad.s32 slct.s32.s32 dp4a.s32.s32 dp4a.u32.s32 dp2a.lo.u32.u32 dp2a.hi.s32.u32",
     "rrrr"},
    {"lop3.b32", "rrrrk"},
    {"bfi.b32", "rrrrr"},
    {"selp.b32 selp.s32 selp.u32 selp.f32", "rrrp"},
    {"abs.s32 neg.s32 not.b32 cnot.b32 popc.b32 clz.b32 brev.b32 bfind.u32 bfind.s32 "
     "bfind.shiftamt.u32",
     "rR"},
    {"mul.wide.s32 mul.wide.u32", "drr"},
    {"mad.wide.s32 mad.wide.u32", "drrd"},
    {"add.s64 sub.u64 mul.lo.s64 mul.hi.s64 mul.hi.u64 div.s64 div.u64 rem.s64 rem.u64 min.s64 "
     "min.u64 max.s64 max.u64 and.b64 or.b64 xor.b64",
     "ddd"},
    {"mad.lo.s64 mad.hi.u64 sad.u64", "dddd"},
    {"shl.b64 shr.u64 shr.s64", "ddr"},
    {"bfe.u64 bfe.s64", "ddrr"},
    {"bfi.b64", "dddrr"},
    {"abs.s64 neg.s64 not.b64 cnot.b64 brev.b64", "dD"},
    {"popc.b64 clz.b64 bfind.u64 bfind.s64", "rD"},
    {"selp.b64 selp.f64", "dddp"},
    {"add.s16 sub.u16 mul.lo.s16 mul.hi.u16 mul.hi.s16 div.s16 div.u16 rem.s16 rem.u16 min.s16 "
     "max.u16 and.b16 or.b16 xor.b16",
     "hhh"},
    {"mad.lo.u16 mad.hi.s16", "hhhh"},
    {"shl.b16 shr.u16 shr.s16", "hhr"},
    {"not.b16 neg.s16 abs.s16 cnot.b16", "hH"},
    {"mul.wide.s16 mul.wide.u16", "rhh"},
    {"mad.wide.s16 mad.wide.u16", "rhhr"},
    {"selp.b16 selp.u16", "hhhp"},
    {"add.f32 add.rn.f32 add.rz.f32 add.rm.f32 add.rp.ftz.f32 add.ftz.f32 add.sat.f32 sub.f32 "
     "sub.ftz.sat.f32 mul.f32 mul.rz.f32 mul.ftz.f32 mul.sat.f32 div.rn.f32 div.rz.f32 "
     "div.full.f32 div.full.ftz.f32 div.approx.f32 div.approx.ftz.f32 min.f32 max.f32 min.ftz.f32 "
     "max.NaN.f32 min.NaN.f32 max.xorsign.abs.f32 copysign.f32 add.f16x2 mul.f16x2 sub.ftz.f16x2 "
     "min.f16x2 max.NaN.f16x2 add.bf16x2 mul.bf16x2 min.bf16x2",
     "rRR"},
    {"fma.rn.f32 fma.rz.f32 fma.rm.ftz.f32 fma.rn.ftz.f32 fma.rn.sat.f32 mad.rn.f32 fma.rn.f16x2 "
     "fma.rn.relu.f16x2 fma.rn.bf16x2",
     "rRRR"},
    {"abs.f32 neg.f32 abs.ftz.f32 rcp.rn.f32 rcp.approx.f32 rcp.approx.ftz.f32 sqrt.rn.f32 "
     "sqrt.approx.f32 rsqrt.approx.f32 rsqrt.approx.ftz.f32 ex2.approx.f32 ex2.approx.ftz.f32 "
     "lg2.approx.f32 sin.approx.f32 cos.approx.f32 tanh.approx.f32 neg.f16x2 abs.bf16x2 "
     "sqrt.rz.f32 rcp.rm.f32",
     "rR"},
    {"add.f64 add.rz.f64 sub.f64 mul.f64 mul.rp.f64 div.rn.f64 min.f64 max.f64 copysign.f64",
     "dDD"},
    {"fma.rn.f64 fma.rm.f64 mad.rn.f64", "dDDD"},
    {"abs.f64 neg.f64 rcp.rn.f64 sqrt.rn.f64 rcp.approx.ftz.f64 rsqrt.approx.f64", "dD"},
    {"add.f16 sub.f16 mul.f16 add.ftz.f16 mul.sat.f16 min.f16 max.f16 max.NaN.f16 add.bf16 "
     "mul.bf16 max.bf16",
     "hHH"},
    {"fma.rn.f16 fma.rn.ftz.f16 fma.rn.relu.f16 fma.rn.bf16", "hHHH"},
    {"neg.f16 abs.f16 neg.bf16 ex2.approx.f16 tanh.approx.f16 ex2.approx.ftz.bf16", "hH"},
    {"cvt.rn.f16x2.f32 cvt.rn.bf16x2.f32 cvt.rz.bf16x2.f32 cvt.rn.relu.f16x2.f32", "rRR"},
    {"cvt.rna.tf32.f32", "rR"},
    {"testp.finite.f32 testp.number.f32 testp.subnormal.f32 testp.infinite.f32", "pR"},
    {"testp.normal.f64 testp.notanumber.f64", "pD"},
    {"and.pred or.pred xor.pred", "ppp"},
    {"not.pred mov.pred", "pp"},
};

static inline bool gen_is_known(const char *opcode) {
  ArithInsn insn;
  return arith_resolve(opcode, &insn) == ARITH_OK || strstr(opcode, ".pred");
}

static inline const char *gen_among(Gen *g, const char *words) {
  int count = 1;
  for (const char *s = words; *s; s++) count += *s == ' ';
  for (int skip = gen_pick(g, count); skip; skip--) words = strchr(words, ' ') + 1;
  return arena_printf(g->out->arena, "%.*s", (int)strcspn(words, " "), words);
}

static inline void gen_op(Gen *g, const char *opcode, const char *shape) {
  text_printf(g->out, "  %s%s %s", gen_guard(g), opcode, gen_reg(g, shape[0]));
  for (const char *s = shape + 1; *s; s++) {
    const bool number = *s >= 'a';
    text_printf(g->out, ", %s", gen_source(g, number ? *s : (char)(*s + 32), number));
  }
  text_puts(g->out, ";\n");
}

static inline void gen_arith(Gen *g) {
  const GenOps *row = &gen_ops[gen_pick(g, sizeof gen_ops / sizeof *gen_ops)];
  const char *opcode = gen_among(g, row->opcodes);
  if (gen_is_known(opcode)) gen_op(g, opcode, row->shape);
}

/* A register that nothing else names gets a value, in all lanes or in some. A translation keeps it
 * out of memory where a branch skips it. */
static inline int gen_private(Gen *g) {
  const int n = g->privates++;
  const char *x = gen_reg(g, 'r'), *y = gen_reg(g, 'r'), *d = gen_reg(g, 'd');
  text_printf(g->out, "  %s", gen_guard(g));
  switch (gen_pick(g, 3)) {
  case 0: text_printf(g->out, "mad.lo.u32 %%v%d, %s, 5, %s;\n", n, x, y); break;
  case 1: text_printf(g->out, "cvt.u32.u64 %%v%d, %s;\n", n, d); break;
  default: text_printf(g->out, "mov.b32 %%v%d, %s;\n", n, x); break;
  }
  if (gen_one_in(g, 2)) text_printf(g->out, "  mul.wide.u32 %%w%d, %%v%d, %s;\n", n, n, y);
  return n;
}

/* And a register that memory shows in the end takes it. */
static inline void gen_shown(Gen *g, int n) {
  text_printf(g->out, "  %sxor.b32 %s, %%v%d, %s;\n", gen_guard(g), gen_reg(g, 'r'), n,
              gen_reg(g, 'r'));
  text_printf(g->out, "  add.u64 %s, %%w%d, %s;\n", gen_reg(g, 'd'), n, gen_reg(g, 'd'));
}

/* --- conversions and comparisons of all types --- */

static inline char gen_class(const char *type) {
  return strstr(type, "64") ? 'd' : strstr(type, "32") ? 'r' : 'h';
}

static inline void gen_convert(Gen *g) {
  static const char types[] = "u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64";
  for (int tries = 0; tries < 50; tries++) {
    const char *to = gen_among(g, types), *from = gen_among(g, types);
    const char *how = GEN_WORD(g, "", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi");
    const char *opcode =
        arena_printf(g->out->arena, "cvt%s%s%s.%s.%s", how, GEN_WORD(g, "", "", ".ftz"),
                     GEN_WORD(g, "", "", ".sat"), to, from);
    const char shape[] = {gen_class(to), (char)(gen_class(from) - 32), '\0'};
    if (!gen_is_known(opcode)) continue;
    gen_op(g, opcode, shape);
    return;
  }
}

static inline void gen_compare(Gen *g) {
  for (int tries = 0; tries < 50; tries++) {
    const char *type =
        gen_among(g, "u16 s16 b16 u32 s32 b32 u64 s64 b64 f32 f64 f32 f16 bf16 s32 u32");
    const char *how = gen_among(g, "eq ne lt le gt ge lo hi equ neu ltu leu gtu geu num nan");
    const char *logic = GEN_WORD(g, "", "", "", ".and", ".or", ".xor");
    const char *opcode = arena_printf(g->out->arena, "setp.%s%s%s.%s", how, logic,
                                      GEN_WORD(g, "", "", ".ftz"), type);
    const char c = gen_class(type);
    if (!gen_is_known(opcode)) continue;
    const bool number = type[0] != 'f' && type[0] != 'b';
    const int p = gen_pick(g, PREDS), q = (p + 1 + gen_pick(g, PREDS - 1)) % PREDS;
    text_printf(g->out, "  %s%s %%p%d", gen_guard(g), opcode, p);
    if (gen_one_in(g, 3)) text_printf(g->out, "|%%p%d", q);
    text_printf(g->out, ", %s, %s", gen_reg(g, c), gen_source(g, c, number));
    if (*logic) text_printf(g->out, ", %s%s", gen_one_in(g, 4) ? "!" : "", gen_reg(g, 'p'));
    text_puts(g->out, ";\n");
    return;
  }
}

/* --- moves, carries, special registers --- */

static inline void gen_move(Gen *g) {
  Text *t = g->out;
  const char *r = gen_reg(g, 'r'), *d = gen_reg(g, 'd'), *h = gen_reg(g, 'h');
  const int first = gen_pick(g, WORDS - 1), half = gen_pick(g, HALVES - 1);
  text_printf(t, "  %s", gen_guard(g));
  switch (gen_pick(g, 10)) {
  case 0: text_printf(t, "mov.b32 %s, %s;\n", r, gen_source(g, 'r', true)); break;
  case 1: text_printf(t, "mov.b64 %s, %s;\n", d, gen_source(g, 'd', true)); break;
  case 2: text_printf(t, "mov.b16 %s, %s;\n", h, gen_source(g, 'h', true)); break;
  case 3: text_printf(t, "mov.b64 %s, {%s, %s};\n", d, r, gen_reg(g, 'r')); break;
  case 4: text_printf(t, "mov.b64 {%%r%d, %%r%d}, %s;\n", first, first + 1, d); break;
  case 5: text_printf(t, "mov.b32 %s, {%s, %s};\n", r, h, gen_reg(g, 'h')); break;
  case 6: text_printf(t, "mov.b32 {%%h%d, %%h%d}, %s;\n", half, half + 1, r); break;
  case 7: text_printf(t, "mov.u64 %s, shared;\n", d); break;
  case 8:
    text_printf(t, "mov.u32 %s, %s;\n", r,
                GEN_WORD(g, "%tid.x", "%ntid.x", "%ctaid.x", "%laneid", "%lanemask_lt", "%warpid",
                         "%nctaid.x"));
    break;
  default: text_printf(t, "mov.b64 {%s, _}, %s;\n", r, d); break;
  }
}

static inline void gen_carry(Gen *g) {
  const char letter = gen_one_in(g, 3) ? 'd' : 'r';
  const char *type = letter == 'd' ? "u64" : "u32";
  const char *op = GEN_WORD(g, "add", "sub"), *then = *op == 'a' ? "addc" : "subc";
  const int more = gen_pick(g, 3);
  text_printf(g->out, "  %s.cc.%s %s, %s, %s;\n", op, type, gen_reg(g, letter), gen_reg(g, letter),
              gen_source(g, letter, true));
  for (int i = 0; i <= more; i++)
    text_printf(g->out, "  %s%s.%s %s, %s, %s;\n", then, i < more ? ".cc" : "", type,
                gen_reg(g, letter), gen_reg(g, letter), gen_source(g, letter, true));
  if (gen_one_in(g, 3))
    text_printf(g->out, "  mad.lo.cc.u32 %s, %s, %s, %s;\n  madc.hi.u32 %s, %s, %s, %s;\n",
                gen_reg(g, 'r'), gen_reg(g, 'r'), gen_reg(g, 'r'), gen_reg(g, 'r'), gen_reg(g, 'r'),
                gen_reg(g, 'r'), gen_reg(g, 'r'), gen_reg(g, 'r'));
}

/* --- memory --- */

typedef struct {
  const char *space; /* in the opcode */
  const char *base;  /* a 64-bit register */
  int bytes;
  bool writes;
} GenSpace;

static const GenSpace gen_spaces[] = {
    {".global", "%in", IN_BYTES, false},
    {".global", "%out", OUT_BYTES, true},
    {".shared", "%shared", SHARED_BYTES, true},
    {".shared", "%shared", SHARED_BYTES, true},
    {".local", "%local", LOCAL_BYTES, true},
    {"", "%generic", SHARED_BYTES, true},
    {"", "%out", OUT_BYTES, true},
    {".const", "%const", 256, false},
    {"", "%own", LOCAL_BYTES, true},
};

/* Computes %a, an address of `bytes` bytes in the first half of the space's. */
static inline void gen_address(Gen *g, const GenSpace *s, int bytes) {
  Text *t = g->out;
  const int half = s->bytes / 2, places = half / bytes;
  const char *r = gen_reg(g, 'r');
  const int last = places < 33 ? places - 1 : 31;
  switch (gen_pick(g, 6)) {
  case 0: text_printf(t, "  mov.u32 %%t, %d;\n", gen_pick(g, places)); break;
  case 1: text_printf(t, "  and.b32 %%t, %%lane, %d;\n", last); break;
  case 2:
    text_printf(t, "  and.b32 %%t, %%lane, %d;\n  xor.b32 %%t, %%t, %d;\n", last,
                gen_pick(g, last + 1));
    break;
  case 3: text_printf(t, "  and.b32 %%t, %s, %d;\n", r, last); break;
  case 4: text_printf(t, "  min.u32 %%t, %%c%d, %d;\n", gen_pick(g, DEPTH), places - 1); break;
  default: text_printf(t, "  and.b32 %%t, %s, %d;\n", r, places - 1); break;
  }
  text_printf(t, "  mad.wide.u32 %%a, %%t, %d, %s;\n  cvt.u32.u64 %%b, %%a;\n", bytes, s->base);
}

/* One register, or as many as the vector has elements; registers of a load differ. */
static inline const char *gen_data(Gen *g, char letter, int elements) {
  Text list = text_new(g->out->arena);
  const int most = letter == 'd' ? DOUBLES : letter == 'h' ? HALVES : WORDS;
  const int first = gen_pick(g, most - elements + 1);
  text_puts(&list, elements > 1 ? "{" : "");
  for (int i = 0; i < elements; i++)
    text_printf(&list, "%s%%%c%d", i ? ", " : "", letter, first + i);
  text_puts(&list, elements > 1 ? "}" : "");
  return list.s;
}

static inline void gen_access(Gen *g) {
  static const char *const types[] = {"u8",  "s8",  "u16", "s16", "u32", "s32",
                                      "f32", "u64", "s64", "f64", "b32", "b64"};
  static const char *const vector[] = {"", "", ".v2", "", ".v4"};
  const GenSpace *s = &gen_spaces[gen_pick(g, sizeof gen_spaces / sizeof *gen_spaces)];
  const int whole = 1 << gen_pick(g, 5), count = 1 + gen_pick(g, 4);
  const bool narrow = strcmp(s->space, ".shared") == 0 && gen_one_in(g, 2);
  gen_address(g, s, whole);
  for (int i = 0; i < count; i++) {
    const char *type = types[gen_pick(g, sizeof types / sizeof *types)];
    const int bytes = strchr(type, '8') ? 1 : strstr(type, "16") ? 2 : strstr(type, "32") ? 4 : 8;
    const int elements = 1 << gen_pick(g, 3);
    if (bytes * elements > whole) continue;
    const char letter = bytes == 8 ? 'd' : bytes == 4 || gen_one_in(g, 2) ? 'r' : 'h';
    const int offset = gen_pick(g, s->bytes / 2 / whole) * whole;
    const bool writes = s->writes && gen_one_in(g, 2);
    const char *at = arena_printf(g->out->arena, "[%s+%d]", narrow ? "%b" : "%a", offset);
    const char *data = gen_data(g, letter, elements);
    const char *guard = gen_guard(g), *v = vector[elements];
    if (writes)
      text_printf(g->out, "  %sst%s%s.%s %s, %s;\n", guard, s->space, v, type, at, data);
    else
      text_printf(g->out, "  %sld%s%s%s.%s %s, %s;\n", guard,
                  !*s->space || !gen_one_in(g, 9) ? "" : ".volatile", s->space, v, type, data, at);
    if (gen_one_in(g, 3)) gen_arith(g);
  }
}

static inline void gen_param(Gen *g) {
  const int at = gen_pick(g, 6) * 8;
  if (gen_one_in(g, 2))
    text_printf(g->out, "  %sld.param.u64 %s, [s+%d];\n", gen_guard(g), gen_reg(g, 'd'), at);
  else
    text_printf(g->out, "  %sld.param.v2.u32 %s, [s+%d];\n", gen_guard(g), gen_data(g, 'r', 2), at);
}

static inline void gen_atomic(Gen *g) {
  static const char opcodes[] =
      "add.u32 add.s32 add.u64 add.f32 add.f64 min.s32 min.u32 max.s64 max.u64 and.b32 or.b64 "
      "xor.b32 exch.b32 exch.b64 cas.b32 cas.b64 inc.u32 dec.u32 add.noftz.f16x2";
  const char *opcode = gen_among(g, opcodes);
  const GenSpace *s = &gen_spaces[gen_one_in(g, 2) ? 1 : gen_one_in(g, 2) ? 2 : 5];
  const char letter = strstr(opcode, "64") ? 'd' : 'r';
  const bool cas = strncmp(opcode, "cas", 3) == 0, exch = strncmp(opcode, "exch", 4) == 0;
  const bool red = !cas && !exch && gen_one_in(g, 2);
  gen_address(g, s, 8);
  text_printf(g->out, "  %s%s%s%s%s.%s ", gen_guard(g), red ? "red" : "atom",
              GEN_WORD(g, "", "", ".relaxed"), "", GEN_WORD(g, ".gpu", ".cta", ".sys"), "");
  g->out->len -= 2; /* the last dot */
  text_printf(g->out, "%s.%s ", s->space, opcode);
  if (!red) text_printf(g->out, "%s, ", gen_reg(g, letter));
  text_printf(g->out, "[%%a], %s", gen_reg(g, letter));
  if (cas) text_printf(g->out, ", %s", gen_reg(g, letter));
  text_puts(g->out, ";\n");
}

#endif
