#include "emu/translate/form.h"

#include <string.h>

typedef struct {
  const char *opcodes, *function, *shape;
} Row;

static const Row rows[] = {
    {"add.s32 add.u32", "add_32", "iii"},
    {"sub.s32 sub.u32", "sub_32", "iii"},
    {"mul.lo.s32 mul.lo.u32", "mul_32", "iii"},
    {"mad.lo.s32 mad.lo.u32", "mad_32", "iiii"},
    {"mul.hi.s32", "mul_hi_s32", "iii"},
    {"mul.hi.u32", "mul_hi_u32", "iii"},
    {"mad.hi.s32", "mad_hi_s32", "iiii"},
    {"mad.hi.u32", "mad_hi_u32", "iiii"},
    {"mul.wide.s32", "mul_wide_s32", "lii"},
    {"mul.wide.u32", "mul_wide_u32", "lii"},
    {"mad.wide.s32", "mad_wide_s32", "liil"},
    {"mad.wide.u32", "mad_wide_u32", "liil"},
    {"div.s32", "div_s32", "iii"},
    {"div.u32", "div_u32", "iii"},
    {"rem.s32", "rem_s32", "iii"},
    {"rem.u32", "rem_u32", "iii"},
    {"min.s32", "min_s32", "iii"},
    {"min.u32", "min_u32", "iii"},
    {"max.s32", "max_s32", "iii"},
    {"max.u32", "max_u32", "iii"},
    {"abs.s32", "abs_s32", "ii"},
    {"neg.s32", "neg_s32", "ii"},
    {"and.b32", "and_32", "iii"},
    {"or.b32", "or_32", "iii"},
    {"xor.b32", "xor_32", "iii"},
    {"not.b32", "not_32", "ii"},
    {"shl.b32", "shl_32", "iii"},
    {"shr.u32 shr.b32", "shr_u32", "iii"},
    {"shr.s32", "shr_s32", "iii"},
    {"lop3.b32", "lop3_32", "iiiik"},
    {"shf.l.wrap.b32", "shf_l_wrap", "iiii"},
    {"shf.r.wrap.b32", "shf_r_wrap", "iiii"},
    {"shf.l.clamp.b32", "shf_l_clamp", "iiii"},
    {"shf.r.clamp.b32", "shf_r_clamp", "iiii"},
    {"bfe.u32", "bfe_u32", "iiii"},
    {"bfe.s32", "bfe_s32", "iiii"},
    {"bfi.b32", "bfi_32", "iiiii"},
    {"popc.b32", "popc_32", "ii"},
    {"popc.b64", "popc_64", "il"},
    {"clz.b32", "clz_32", "ii"},
    {"clz.b64", "clz_64", "il"},
    {"bfind.u32", "bfind_u32", "ii"},
    {"bfind.s32", "bfind_s32", "ii"},
    {"bfind.shiftamt.u32", "bfind_shift_u32", "ii"},
    {"brev.b32", "brev_32", "ii"},
    {"prmt.b32", "prmt_32", "iiiw"},
    {"selp.s32 selp.u32 selp.b32 selp.f32", "select_32", "iiip"},

    {"add.s64 add.u64", "add_64", "lll"},
    {"sub.s64 sub.u64", "sub_64", "lll"},
    {"mul.lo.s64 mul.lo.u64", "mul_64", "lll"},
    {"mad.lo.s64 mad.lo.u64", "mad_64", "llll"},
    {"min.s64", "min_s64", "lll"},
    {"min.u64", "min_u64", "lll"},
    {"max.s64", "max_s64", "lll"},
    {"max.u64", "max_u64", "lll"},
    {"abs.s64", "abs_s64", "ll"},
    {"neg.s64", "neg_s64", "ll"},
    {"and.b64", "and_64", "lll"},
    {"or.b64", "or_64", "lll"},
    {"xor.b64", "xor_64", "lll"},
    {"not.b64", "not_64", "ll"},
    {"shl.b64", "shl_64", "lli"},
    {"shr.u64 shr.b64", "shr_u64", "lli"},
    {"shr.s64", "shr_s64", "lli"},
    {"selp.s64 selp.u64 selp.b64 selp.f64", "select_64", "lllp"},

    {"add.s16 add.u16", "add_16", "iii"},
    {"sub.s16 sub.u16", "sub_16", "iii"},
    {"mul.lo.s16 mul.lo.u16", "mul_16", "iii"},
    {"mul.wide.s16", "mul_wide_s16", "iii"},
    {"mul.wide.u16", "mul_wide_u16", "iii"},
    {"and.b16", "and_16", "iii"},
    {"or.b16", "or_16", "iii"},
    {"xor.b16", "xor_16", "iii"},
    {"not.b16", "not_16", "ii"},
    {"shl.b16", "shl_16", "iii"},
    {"shr.u16 shr.b16", "shr_u16", "iii"},
    {"shr.s16", "shr_s16", "iii"},
    {"selp.s16 selp.u16 selp.b16", "select_16", "iiip"},

    {"add.f32 add.rn.f32", "add_f32", "fff"},
    {"sub.f32 sub.rn.f32", "sub_f32", "fff"},
    /* longer names first: without .ftz comes after */
    {"mul.ftz.f32 mul.rn.ftz.f32", "mul_ftz_f32", "fff"},
    {"fma.rn.ftz.f32 mad.rn.ftz.f32", "fma_ftz_f32", "ffff"},
    {"mul.f32 mul.rn.f32", "mul_f32", "fff"},
    {"fma.rn.f32 mad.rn.f32", "fma_f32", "ffff"},
    {"div.rn.f32 div.full.f32", "div_f32", "fff"},
    {"rcp.rn.f32 rcp.approx.f32", "rcp_f32", "ff"},
    {"sqrt.rn.f32 sqrt.approx.f32", "sqrt_f32", "ff"},
    {"rsqrt.approx.f32", "rsqrt_f32", "ff"},
    {"min.f32", "min_f32", "fff"},
    {"max.f32", "max_f32", "fff"},
    {"abs.f32", "abs_f32", "ff"},
    {"neg.f32", "neg_f32", "ff"},
    {"copysign.f32", "copysign_f32", "iii"},

    {"add.f16 add.rn.f16", "add_f16", "iii"},
    {"sub.f16 sub.rn.f16", "sub_f16", "iii"},
    {"mul.f16 mul.rn.f16", "mul_f16", "iii"},
    {"fma.rn.f16", "fma_f16", "iiii"},
    {"min.f16", "min_f16", "iii"},
    {"max.f16", "max_f16", "iii"},
    {"abs.f16", "abs_f16", "ii"},
    {"neg.f16", "neg_f16", "ii"},
    {"add.f16x2 add.rn.f16x2", "add_f16x2", "iii"},
    {"sub.f16x2 sub.rn.f16x2", "sub_f16x2", "iii"},
    {"mul.f16x2 mul.rn.f16x2", "mul_f16x2", "iii"},
    {"fma.rn.f16x2", "fma_f16x2", "iiii"},
    {"min.f16x2", "min_f16x2", "iii"},
    {"max.f16x2", "max_f16x2", "iii"},
    {"abs.f16x2", "abs_f16x2", "ii"},
    {"neg.f16x2", "neg_f16x2", "ii"},

    {"add.bf16 add.rn.bf16", "add_bf16", "iii"},
    {"sub.bf16 sub.rn.bf16", "sub_bf16", "iii"},
    {"mul.bf16 mul.rn.bf16", "mul_bf16", "iii"},
    {"fma.rn.bf16", "fma_bf16", "iiii"},
    {"min.bf16", "min_bf16", "iii"},
    {"max.bf16", "max_bf16", "iii"},
    {"abs.bf16", "abs_bf16", "ii"},
    {"neg.bf16", "neg_bf16", "ii"},
    {"add.bf16x2 add.rn.bf16x2", "add_bf16x2", "iii"},
    {"sub.bf16x2 sub.rn.bf16x2", "sub_bf16x2", "iii"},
    {"mul.bf16x2 mul.rn.bf16x2", "mul_bf16x2", "iii"},
    {"fma.rn.bf16x2", "fma_bf16x2", "iiii"},
    {"min.bf16x2", "min_bf16x2", "iii"},
    {"max.bf16x2", "max_bf16x2", "iii"},
    {"abs.bf16x2", "abs_bf16x2", "ii"},
    {"neg.bf16x2", "neg_bf16x2", "ii"},

    {"add.f64 add.rn.f64", "add_f64", "lll"},
    {"sub.f64 sub.rn.f64", "sub_f64", "lll"},
    {"mul.f64 mul.rn.f64", "mul_f64", "lll"},
    {"fma.rn.f64 mad.rn.f64", "fma_f64", "llll"},
    {"div.rn.f64", "div_f64", "lll"},
    {"rcp.rn.f64", "rcp_f64", "ll"},
    {"sqrt.rn.f64", "sqrt_f64", "ll"},
    {"min.f64", "min_f64", "lll"},
    {"max.f64", "max_f64", "lll"},
    {"abs.f64", "abs_f64", "ll"},
    {"neg.f64", "neg_f64", "ll"},

    {"cvt.u32.u64 cvt.u32.s64 cvt.s32.u64 cvt.s32.s64", "narrow_64", "il"},
    {"cvt.u64.u32 cvt.s64.u32", "widen_u32", "li"},
    {"cvt.s64.s32 cvt.u64.s32", "widen_s32", "li"},
    {"cvt.u32.u16 cvt.s32.u16 cvt.u16.u32 cvt.u16.s32", "zero_16", "ii"},
    {"cvt.s32.s16 cvt.u32.s16 cvt.s16.s32 cvt.s16.u32", "sign_16", "ii"},
    {"cvt.u32.u8 cvt.s32.u8 cvt.u16.u8 cvt.s16.u8", "zero_8", "ii"},
    {"cvt.s32.s8 cvt.u32.s8 cvt.s16.s8", "sign_8", "ii"},
    {"cvt.u64.u16 cvt.s64.u16", "widen_u16", "li"},
    {"cvt.u64.s16 cvt.s64.s16", "widen_s16", "li"},
    {"cvt.u64.u8 cvt.s64.u8", "widen_u8", "li"},
    {"cvt.u64.s8 cvt.s64.s8", "widen_s8", "li"},
    {"cvt.u16.u64 cvt.u16.s64", "narrow_u16", "il"},
    {"cvt.s16.u64 cvt.s16.s64", "narrow_s16", "il"},
    {"cvt.u8.u64 cvt.u8.s64", "narrow_u8", "il"},
    {"cvt.u8.u32 cvt.u8.s32 cvt.u8.u16 cvt.u8.s16", "zero_8", "ii"},
    {"cvt.s8.u32 cvt.s8.s32 cvt.s8.u16 cvt.s8.s16", "sign_8", "ii"},
    {"cvt.rna.tf32.f32", "f32_to_tf32", "ii"},
    {"cvt.f32.bf16", "bf16_to_f32", "ii"},
    {"cvt.f32.f16", "f16_to_f32", "ii"},
    {"cvt.rn.f16.f32", "f32_to_f16", "ii"},
    {"cvt.rn.bf16.f32", "f32_to_bf16", "ii"},
    {"cvt.rn.f16x2.f32", "f32_to_f16x2", "iii"},
    {"cvt.rn.bf16x2.f32", "f32_to_bf16x2", "iii"},
    {"cvt.rn.f32.s32", "s32_to_f32", "ii"},
    {"cvt.rn.f32.u32", "u32_to_f32", "ii"},
    {"cvt.rn.f64.s32", "s32_to_f64", "li"},
    {"cvt.rn.f64.u32", "u32_to_f64", "li"},
    {"cvt.f64.f32", "f32_to_f64", "li"},
    {"cvt.rn.f32.f64", "f64_to_f32", "il"},
    {"cvt.rni.f32.f32", "nearest_f32", "ff"},
    {"cvt.rzi.f32.f32", "towards_0_f32", "ff"},
    {"cvt.rmi.f32.f32", "floor_f32", "ff"},
    {"cvt.rpi.f32.f32", "ceil_f32", "ff"},
    {"cvt.rni.s32.f32", "nearest_s32", "ii"},
    {"cvt.rmi.s32.f32", "floor_s32", "ii"},
    {"cvt.rpi.s32.f32", "ceil_s32", "ii"},
    {"cvt.rzi.s32.f32", "f32_to_s32", "ii"},
    {"cvt.rzi.u32.f32", "f32_to_u32", "ii"},
};

bool form_row(int i, const char **opcodes, const char **shape) {
  if (i >= (int)(sizeof rows / sizeof *rows)) return false;
  *opcodes = rows[i].opcodes;
  *shape = rows[i].shape;
  return true;
}

/* --- comparisons --- */

static const char *const compares[] = {
    [ARITH_EQ] = "eq",   [ARITH_NE] = "ne",   [ARITH_LT] = "lt",   [ARITH_LE] = "le",
    [ARITH_GT] = "gt",   [ARITH_GE] = "ge",   [ARITH_EQU] = "equ", [ARITH_NEU] = "neu",
    [ARITH_LTU] = "ltu", [ARITH_LEU] = "leu", [ARITH_GTU] = "gtu", [ARITH_GEU] = "geu",
    [ARITH_NUM] = "num", [ARITH_NAN] = "nan",
};

typedef struct {
  const char *type, *shape;
} Compared;

static const Compared compared[ARITH_TYPES] = {
    [ARITH_B16] = {"u16", "pii"},   [ARITH_U16] = {"u16", "pii"}, [ARITH_S16] = {"s16", "pii"},
    [ARITH_B32] = {"u32", "pii"},   [ARITH_U32] = {"u32", "pii"}, [ARITH_S32] = {"s32", "pii"},
    [ARITH_B64] = {"u64", "pll"},   [ARITH_U64] = {"u64", "pll"}, [ARITH_S64] = {"s64", "pll"},
    [ARITH_F32] = {"f32", "pff"},   [ARITH_F64] = {"f64", "pll"}, [ARITH_F16] = {"f16", "pii"},
    [ARITH_BF16] = {"bf16", "pii"},
};

static bool find_comparison(Arena *a, const ArithInsn *arith, Form *out) {
  const Compared *c = &compared[arith->src[0]];
  const bool flush = arith->flags & ARITH_FTZ;
  if (!c->type || arith->n_src != 2 || !arith->compare || (flush && c->shape[1] != 'f'))
    return false;
  *out = (Form){.function = arena_printf(a, "setp_%s_%s", compares[arith->compare], c->type),
                .shape = c->shape,
                .flush = flush};
  return true;
}

/* --- other opcodes --- */

/* Removes a word from the opcode. */
static void drop(char *opcode, const char *word) {
  char *at = strstr(opcode, word);
  const size_t n = strlen(word);
  if (at && (at[n] == '.' || !at[n])) memmove(at, at + n, strlen(at + n) + 1);
}

static bool names(const char *opcodes, const char *opcode) {
  const size_t n = strlen(opcode);
  for (const char *at = opcodes; (at = strstr(at, opcode)) != NULL; at += n)
    if ((at == opcodes || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
  return false;
}

/* .ftz and .sat are taken from the flags, because opcodes of old PTX leave them out. */
bool form_find(Arena *a, const Insn *insn, Form *out) {
  const ArithInsn *arith = &insn->arith;
  const bool flush = arith->flags & ARITH_FTZ, saturate = arith->flags & ARITH_SAT;
  if (insn->kind != INSN_ARITH || arith->flags & (ARITH_WRITES_CC | ARITH_READS_CC)) return false;
  if (arith->result == ARITH_MASK) return find_comparison(a, arith, out);
  if (arith->result != ARITH_VALUE) return false;
  char *opcode = arena_printf(a, "%s", insn->statement->opcode);
  drop(opcode, ".sat");
  char *unflushed = arena_printf(a, "%s", opcode);
  drop(unflushed, ".ftz");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!names(rows[i].opcodes, opcode) && !names(rows[i].opcodes, unflushed)) continue;
    *out = (Form){rows[i].function, rows[i].shape, flush, saturate};
    return (!flush && !saturate) || rows[i].shape[0] == 'f';
  }
  return false;
}
