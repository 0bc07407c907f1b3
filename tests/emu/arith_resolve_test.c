/* SPDX-License-Identifier: MIT */
/* Opcodes that resolve, with their operands, and opcodes that are rejected or left to other
 * directories. */
#include "emu/arith_sweep.h"

static void test_operands(void) {
  static const struct {
    const char *opcode;
    ArithType dst, src[4];
    unsigned n_src;
    ArithResult result;
    bool takes_mask;
  } kRows[] = {
      {"add.s32", ARITH_S32, {ARITH_S32, ARITH_S32}, 2, ARITH_VALUE, false},
      {"mad.wide.u16", ARITH_U32, {ARITH_U16, ARITH_U16, ARITH_U32}, 3, ARITH_VALUE, false},
      {"mul.wide.s32", ARITH_S64, {ARITH_S32, ARITH_S32}, 2, ARITH_VALUE, false},
      {"shl.b64", ARITH_B64, {ARITH_B64, ARITH_U32}, 2, ARITH_VALUE, false},
      {"bfe.s64", ARITH_S64, {ARITH_S64, ARITH_U32, ARITH_U32}, 3, ARITH_VALUE, false},
      {"bfi.b32", ARITH_B32, {ARITH_B32, ARITH_B32, ARITH_U32, ARITH_U32}, 4, ARITH_VALUE, false},
      {"popc.b64", ARITH_U32, {ARITH_B64}, 1, ARITH_VALUE, false},
      {"setp.lt.f64", ARITH_PRED, {ARITH_F64, ARITH_F64}, 2, ARITH_MASK, false},
      {"setp.lt.and.s32", ARITH_PRED, {ARITH_S32, ARITH_S32}, 2, ARITH_MASK, true},
      {"setp.lt.f16x2", ARITH_PRED, {ARITH_F16X2, ARITH_F16X2}, 2, ARITH_VALUE_AND_MASK, false},
      {"set.ne.xor.f32.u64", ARITH_F32, {ARITH_U64, ARITH_U64}, 2, ARITH_VALUE, true},
      {"selp.f64", ARITH_F64, {ARITH_F64, ARITH_F64}, 2, ARITH_VALUE, true},
      {"slct.u64.f32", ARITH_U64, {ARITH_U64, ARITH_U64, ARITH_F32}, 3, ARITH_VALUE, false},
      {"lop3.b32", ARITH_B32, {ARITH_B32, ARITH_B32, ARITH_B32, ARITH_U32}, 4, ARITH_VALUE, false},
      {"lop3.or.b32",
       ARITH_B32,
       {ARITH_B32, ARITH_B32, ARITH_B32, ARITH_U32},
       4,
       ARITH_VALUE_AND_MASK,
       true},
      {"cvt.rn.f16x2.f32", ARITH_F16X2, {ARITH_F32, ARITH_F32}, 2, ARITH_VALUE, false},
      {"cvt.pack.sat.u16.s32", ARITH_B32, {ARITH_S32, ARITH_S32}, 2, ARITH_VALUE, false},
      {"cvt.u16.u64", ARITH_U16, {ARITH_U64}, 1, ARITH_VALUE, false},
      {"fma.f32.rn.ftz", ARITH_F32, {ARITH_F32, ARITH_F32, ARITH_F32}, 3, ARITH_VALUE, false},
      {"setp.u32.lo.and", ARITH_PRED, {ARITH_U32, ARITH_U32}, 2, ARITH_MASK, true},
      {"cvt.u64.rzi.ftz.f32", ARITH_U64, {ARITH_F32}, 1, ARITH_VALUE, false},
      {"mul.s32.wide", ARITH_S64, {ARITH_S32, ARITH_S32}, 2, ARITH_VALUE, false},
      {"dp4a.s32.u32", ARITH_U32, {ARITH_S32, ARITH_U32, ARITH_U32}, 3, ARITH_VALUE, false},
  };
  for (size_t i = 0; i < sizeof kRows / sizeof kRows[0]; i++) {
    ArithInsn insn = {0};
    CHECK(arith_resolve(kRows[i].opcode, &insn) == ARITH_OK, "%s", kRows[i].opcode);
    CHECK(insn.dst == kRows[i].dst && insn.n_src == kRows[i].n_src, "%s: d is %s, %u sources",
          kRows[i].opcode, arith_type_name((ArithType)insn.dst), insn.n_src);
    for (unsigned k = 0; k < kRows[i].n_src; k++)
      CHECK(insn.src[k] == kRows[i].src[k], "%s: operand %u is %s", kRows[i].opcode, k,
            arith_type_name((ArithType)insn.src[k]));
    CHECK(insn.result == kRows[i].result && insn.takes_mask == kRows[i].takes_mask, "%s: masks",
          kRows[i].opcode);
  }
}

static void test_carry_flags(void) {
  static const struct {
    const char *opcode;
    uint32_t flags;
  } kRows[] = {{"add.cc.u32", ARITH_WRITES_CC},
               {"addc.u32", ARITH_READS_CC},
               {"subc.cc.s64", ARITH_READS_CC | ARITH_WRITES_CC},
               {"subc.s64.cc", ARITH_READS_CC | ARITH_WRITES_CC},
               {"madc.hi.cc.u32", ARITH_READS_CC | ARITH_WRITES_CC},
               {"mad.lo.cc.u64", ARITH_WRITES_CC},
               {"add.u32", 0}};
  for (size_t i = 0; i < sizeof kRows / sizeof kRows[0]; i++) {
    ArithInsn insn;
    CHECK(arith_resolve(kRows[i].opcode, &insn) == ARITH_OK, "%s", kRows[i].opcode);
    CHECK((insn.flags & (ARITH_READS_CC | ARITH_WRITES_CC)) == kRows[i].flags, "%s",
          kRows[i].opcode);
  }
}

static void test_refused(void) {
  static const char *const kBad[] = {"add",
                                     "add.b32",
                                     "add.ftz.f64",
                                     "add.rn.s32",
                                     "add.f32.f32",
                                     "add.rn.rn.f32",
                                     "add.sat.u32",
                                     "add..f32",
                                     "add.f32.",
                                     "add.bogus.f32",
                                     "fma.f32",
                                     "fma.rn.s32",
                                     "div.f32",
                                     "sqrt.f32",
                                     "mul.s32",
                                     "mul.wide.s64",
                                     "mul.lo.f32",
                                     "mul.lo.hi.u32",
                                     "shl.u32",
                                     "setp.s32",
                                     "setp.lt.lo.u32",
                                     "setp.nan.s32",
                                     "setp.equ.u32",
                                     "setp.lt.b32",
                                     "set.lt.u32",
                                     "testp.f32",
                                     "testp.f4e.f32",
                                     "prmt.b32.finite",
                                     "lop3.b64",
                                     "cvt.f32.s32",
                                     "cvt.rn.f64.f32",
                                     "cvt.f32.f64",
                                     "cvt.rzi.s32.s32",
                                     "cvt.s32.f32",
                                     "cvt.rn.s32.f32",
                                     "cvt.rni.f32.f64",
                                     "cvt.rn.e4m3x2.f32",
                                     "cvt.rn.f16x2",
                                     "cvt.lt.u32.u32",
                                     "cvt.pack.u16.s32",
                                     "cvt.pack.sat.u8.s32",
                                     "min.NaN.s32",
                                     "min.xorsign.f32",
                                     "shf.l.b32",
                                     "ex2.f32",
                                     "ex2.approx.f64",
                                     "tanh.approx.ftz.f32",
                                     "addc.u16",
                                     "bfe.b32",
                                     "fma.rn.sat.relu.f16",
                                     "fma.rz.f16",
                                     "add.ftz.bf16",
                                     "dp4a.u32",
                                     "selp.lt.u32"};
  ArithInsn insn;
  for (size_t i = 0; i < sizeof kBad / sizeof kBad[0]; i++)
    CHECK(arith_resolve(kBad[i], &insn) == ARITH_REFUSED, "%s", kBad[i]);
}

static void test_unknown(void) {
  static const char *const kOthers[] = {
      "",        ".",        "ld.global.u32", "bar.sync", "st.shared.v2.f32",
      "mov.u32", "and.pred", "not.pred",      "xor.pred", "a-word-longer-than-any-opcode.u32"};
  ArithInsn insn;
  for (size_t i = 0; i < sizeof kOthers / sizeof kOthers[0]; i++)
    CHECK(arith_resolve(kOthers[i], &insn) == ARITH_UNKNOWN, "%s", kOthers[i]);
}

/* No text crashes the resolver: opcodes that are cut short, and that have words of others. */
static void test_garbage(void) {
  static const char *const kWords[] = {"add",   "cvt",    "setp", ".rn", ".f32", ".s32",
                                       ".pack", ".sat",   ".lt",  ".x2", "..",   ".cc",
                                       ".mma",  ".f16x2", ".",    "prmt"};
  uint64_t random = 3;
  for (unsigned n = 0; n < 20000; n++) {
    char opcode[64] = "";
    const unsigned words = (unsigned)(sweep_random(&random) % 8);
    for (unsigned i = 0; i < words; i++) strcat(opcode, kWords[sweep_random(&random) % 16]);
    ArithInsn insn = {0};
    ArithMma mma;
    const ArithStatus status = arith_resolve(opcode, &insn);
    CHECK(status != ARITH_OK || insn.fn != NULL, "%s", opcode);
    CHECK(arith_resolve_mma(opcode, &mma) == ARITH_UNKNOWN, "%s", opcode);
  }
}

static void test_types(void) {
  for (unsigned t = ARITH_PRED; t < ARITH_TYPES; t++) {
    const char *name = arith_type_name((ArithType)t);
    CHECK(arith_type(name, (unsigned)strlen(name)) == (ArithType)t, "%s", name);
    CHECK(arith_bits((ArithType)t) > 0, "%s", name);
  }
  CHECK(arith_type("u32x", 3) == ARITH_U32 && arith_type("u32x", 4) == ARITH_NONE, "length");
  CHECK(arith_type("", 0) == ARITH_NONE, "empty");
  CHECK(arith_logic(ARITH_AND, 12, 10) == 8 && arith_logic(ARITH_OR, 12, 10) == 14 &&
            arith_logic(ARITH_XOR, 12, 10) == 6 && arith_logic(ARITH_NO_LOGIC, 12, 10) == 12,
        "logic");
}

int main(void) {
  test_operands();
  test_carry_flags();
  test_refused();
  test_unknown();
  test_garbage();
  test_types();
  return check_report("emu_arith_resolve");
}
