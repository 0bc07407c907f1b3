/* Loops over lanes that are compiled for every processor and for processors with vectors give the
 * same bits: for whole warps and for some of the lanes, with the result in a separate register and
 * in an operand's register. */
#include "check.h"
#include "emu/arith/arith_resolve.h"
#include "emu/arith/lanes.h"

static const char *const opcodes[] = {
    "add.s32",         "add.u64",          "add.u16",        "sub.s32",        "sub.s64",
    "add.sat.s32",     "add.cc.u32",       "addc.cc.u64",    "subc.cc.u32",    "min.s32",
    "max.u64",         "min.s16",          "abs.s32",        "neg.s64",        "div.s32",
    "rem.u64",         "div.u16",          "sad.u32",        "mul.lo.s32",     "mul.hi.u32",
    "mul.hi.s64",      "mul.wide.s32",     "mul.wide.u32",   "mul.wide.s16",   "mul.lo.u64",
    "mad.lo.s32",      "mad.lo.u64",       "mad.wide.u32",   "mad.hi.u32",     "mad.lo.cc.u32",
    "madc.hi.u32",     "mul24.lo.u32",     "dp4a.s32.u32",   "and.b32",        "or.b64",
    "xor.b32",         "not.b64",          "cnot.b32",       "popc.b64",       "clz.b32",
    "bfind.s32",       "brev.b32",         "shl.b32",        "shl.b64",        "shr.u32",
    "shr.s32",         "shr.s64",          "shr.u16",        "shf.l.wrap.b32", "bfe.s32",
    "bfi.b64",         "prmt.b32",         "lop3.b32",       "add.f32",        "sub.f32",
    "mul.f32",         "fma.rn.f32",       "div.rn.f32",     "rcp.rn.f32",     "sqrt.rn.f32",
    "add.rn.ftz.f32",  "fma.rz.f32",       "mul.rp.f32",     "add.sat.f32",    "add.f64",
    "mul.f64",         "fma.rn.f64",       "div.rn.f64",     "sqrt.rn.f64",    "min.f32",
    "max.NaN.f32",     "min.f64",          "abs.f32",        "neg.f64",        "copysign.f32",
    "setp.lt.s32",     "setp.ge.u64",      "setp.ne.b32",    "setp.eq.s16",    "setp.hi.u32",
    "setp.lt.f32",     "setp.geu.f32",     "setp.neu.f64",   "setp.num.f32",   "setp.nan.f64",
    "setp.le.ftz.f32", "setp.gt.f16",      "set.lt.u32.f32", "selp.b32",       "selp.b64",
    "slct.f32.s32",    "testp.finite.f32", "cvt.u32.u64",    "cvt.s64.s32",    "cvt.rn.f32.s32",
    "cvt.rn.f32.u32",  "cvt.rn.f64.s32",   "cvt.f64.f32",    "cvt.rn.f32.f64", "cvt.f32.f16",
    "cvt.rzi.s32.f32", "cvt.rni.s64.f64",  "cvt.rn.f16.f32", "cvt.f32.bf16",   "cvt.sat.u8.s32",
    "cvt.rn.bf16.f32", "cvt.rn.f16x2.f32", "cvt.rz.f32.u64",
};

static uint64_t state = 88172645463325252ull;

static uint64_t random64(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

/* Returns random bits, or a value that is special to one type or another. */
static uint64_t operand(void) {
  static const uint64_t special[] = {
      0,          1,          0x7fffffff, 0x80000000, 0xffffffff,         31,
      32,         64,         0x3f800000, 0xff800000, 0x7fc00000,         0x00000001,
      0x807fffff, 0x7f7fffff, 0x3c00,     UINT64_MAX, 0x7ff8000000000000, 0x7ff0000000000000};
  const uint64_t r = random64();
  if (r % 4 == 0) return special[r / 4 % (sizeof special / sizeof *special)];
  return r % 4 == 1 ? (r >> 2 & 0x807fffff) | 0x3f800000 : r;
}

typedef struct {
  uint64_t reg[4][LANES];
  uint32_t active, mask;
} State;

/* The register that the opcode has for its result. */
static uint32_t run(const ArithInsn *insn, const State *in, bool in_place, uint64_t d[LANES]) {
  State s = *in;
  const uint64_t *source[4] = {s.reg[0], s.reg[1], s.reg[2], s.reg[3]};
  uint64_t *to = in_place ? s.reg[0] : d;
  const uint32_t mask = insn->fn(insn, to, source, in->active, in->mask);
  memcpy(d, to, sizeof s.reg[0]);
  return mask;
}

/* Executes lane by lane, so that no loop becomes vector code. */
static uint32_t run_singly(const ArithInsn *insn, const State *in, uint64_t d[LANES]) {
  uint32_t mask = 0;
  FOR_LANES(lane, in->active) {
    const uint64_t *source[4] = {in->reg[0] + lane, in->reg[1] + lane, in->reg[2] + lane,
                                 in->reg[3] + lane};
    const uint32_t bit = insn->fn(insn, &d[lane], source, 1, in->mask >> lane);
    mask |= (bit & 1) << lane;
  }
  return mask;
}

static void check_opcode(const char *opcode, unsigned vectors, const State *in) {
  ArithInsn plain, insn;
  CHECK(arith_resolve_for(opcode, 0, &plain) == ARITH_OK, "%s", opcode);
  CHECK(arith_resolve_for(opcode, vectors, &insn) == ARITH_OK, "%s", opcode);
  for (int in_place = 0; in_place < 2; in_place++) {
    uint64_t want[LANES], got[LANES];
    memcpy(want, in->reg[in_place ? 0 : 3], sizeof want);
    memcpy(got, want, sizeof got);
    const uint32_t t = run_singly(&plain, in, want);
    const uint32_t u = run(&insn, in, in_place, got);
    CHECK(t == u && memcmp(want, got, sizeof got) == 0, "%s with vectors %u, lanes 0x%08x", opcode,
          vectors, in->active);
  }
}

int main(void) {
  enum { ROUNDS = 40 };
  for (int k = 0; k < ROUNDS; k++) {
    State in = {.active = k % 4 == 0 ? (uint32_t)random64() : ALL_LANES,
                .mask = (uint32_t)random64()};
    for (int r = 0; r < 4; r++)
      for (int i = 0; i < LANES; i++) in.reg[r][i] = operand();
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
      for (unsigned v = 0; v <= arith_most_vectors(); v++) check_opcode(opcodes[i], v, &in);
  }
  return check_report("emu_arith_levels");
}
