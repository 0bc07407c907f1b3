/* SPDX-License-Identifier: MIT */
/* Bit instructions of the emulator against the ISA's pseudo-code, one bit or byte at a time. */
#include "emu/arith_sweep.h"

static bool bit(uint64_t x, unsigned at) { return x >> at & 1; }

/* Input of an oracle in addition to the operands. */
typedef struct Form {
  unsigned bits;
  bool is_signed, clamp, left, shiftamt;
  const char *table; /* prmt */
} Form;

static const Form *form_of(const void *context) { return context; }

#define ORACLE(NAME)                                                                               \
  static uint64_t NAME(const void *context, const uint64_t x[4], bool in, bool *out)
#define IGNORE_MASK (void)in, (void)out
#define IGNORE_ALL  (void)context, (void)in, (void)out

ORACLE(want_and) {
  IGNORE_ALL;
  return x[0] & x[1];
}
ORACLE(want_or) {
  IGNORE_ALL;
  return x[0] | x[1];
}
ORACLE(want_xor) {
  IGNORE_ALL;
  return x[0] ^ x[1];
}
ORACLE(want_not) {
  IGNORE_MASK;
  return sweep_low(~x[0], form_of(context)->bits);
}
ORACLE(want_cnot) {
  IGNORE_ALL;
  return x[0] == 0;
}

ORACLE(want_popc) {
  IGNORE_MASK;
  uint64_t n = 0;
  for (unsigned i = 0; i < form_of(context)->bits; i++) n += bit(x[0], i);
  return n;
}

ORACLE(want_clz) {
  IGNORE_MASK;
  uint64_t n = 0;
  for (unsigned i = form_of(context)->bits; i-- > 0 && !bit(x[0], i);) n++;
  return n;
}

ORACLE(want_brev) {
  IGNORE_MASK;
  uint64_t r = 0;
  const unsigned bits = form_of(context)->bits;
  for (unsigned i = 0; i < bits; i++) r |= (uint64_t)bit(x[0], i) << (bits - 1 - i);
  return r;
}

ORACLE(want_bfind) {
  IGNORE_MASK;
  const Form *form = form_of(context);
  const bool sign = form->is_signed && bit(x[0], form->bits - 1);
  for (unsigned i = form->bits; i-- > 0;)
    if (bit(x[0], i) != sign) return form->shiftamt ? form->bits - 1 - i : i;
  return UINT32_MAX;
}

ORACLE(want_shl) {
  IGNORE_MASK;
  uint64_t r = 0;
  const unsigned bits = form_of(context)->bits;
  for (unsigned i = 0; i < bits; i++)
    if (i >= x[1]) r |= (uint64_t)bit(x[0], i - (unsigned)x[1]) << i;
  return r;
}

ORACLE(want_shr) {
  IGNORE_MASK;
  uint64_t r = 0;
  const Form *form = form_of(context);
  const bool fill = form->is_signed && bit(x[0], form->bits - 1);
  for (unsigned i = 0; i < form->bits; i++) {
    const bool inside = x[1] < form->bits && i + x[1] < form->bits;
    r |= (uint64_t)(inside ? bit(x[0], i + (unsigned)x[1]) : fill) << i;
  }
  return r;
}

ORACLE(want_shf) {
  IGNORE_MASK;
  const Form *form = form_of(context);
  const uint64_t n = form->clamp ? (x[2] < 32 ? x[2] : 32) : x[2] % 32;
  uint64_t r = 0;
  for (unsigned i = 0; i < 32; i++) {
    const unsigned at = form->left ? 32 + i - (unsigned)n : i + (unsigned)n;
    r |= (uint64_t)bit(at < 32 ? x[0] : x[1], at % 32) << i;
  }
  if (form->left && n == 0) return x[1];
  return !form->left && n == 32 ? x[1] : r;
}

/* A position or length: of one in a word of 32 bits an H200 reads 8 bits, else all. */
static unsigned field_number(const Form *form, uint64_t x) {
  return form->bits == 32 ? x & 0xff : x > 1000 ? 1000 : (unsigned)x;
}

ORACLE(want_bfe) {
  IGNORE_MASK;
  const Form *form = form_of(context);
  const unsigned msb = form->bits - 1;
  const unsigned pos = field_number(form, x[1]), len = field_number(form, x[2]);
  const unsigned sign_at = pos + len - 1 < msb ? pos + len - 1 : msb;
  const bool sign = form->is_signed && len > 0 && bit(x[0], sign_at);
  uint64_t r = 0;
  for (unsigned i = 0; i <= msb; i++)
    r |= (uint64_t)(i < len && pos + i <= msb ? bit(x[0], pos + i) : sign) << i;
  return r;
}

ORACLE(want_bfi) {
  IGNORE_MASK;
  const Form *form = form_of(context);
  const unsigned msb = form->bits - 1;
  const unsigned pos = field_number(form, x[2]), len = field_number(form, x[3]);
  uint64_t r = x[1];
  for (unsigned i = 0; i < len && pos + i <= msb; i++) {
    r &= ~(1ull << (pos + i));
    r |= (uint64_t)bit(x[0], i) << (pos + i);
  }
  return r;
}

ORACLE(want_fns) {
  IGNORE_ALL;
  const int32_t offset = (int32_t)(uint32_t)x[2];
  if (offset == INT32_MIN) return 0; /* measured on an H200 */
  if (x[1] > 31) return UINT32_MAX;
  if (offset == 0) return bit(x[0], (unsigned)x[1]) ? x[1] : UINT32_MAX;
  uint32_t count = offset > 0 ? (uint32_t)offset : -(uint32_t)offset;
  for (int pos = (int)x[1]; pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1)
    if (bit(x[0], (unsigned)pos) && --count == 0) return (uint64_t)pos;
  return UINT32_MAX;
}

/* The ISA's pseudo-code, with its overflow flags. */
ORACLE(want_bmsk) {
  IGNORE_MASK;
  const uint32_t a1 = x[0] & 31, b1 = x[1] & 31, sum = a1 + b1;
  const bool clamp = form_of(context)->clamp;
  uint32_t mask0 = UINT32_MAX << a1;
  uint32_t mask1 = sum < 32 ? UINT32_MAX << sum : 0;
  if (clamp && x[0] >= 32) mask0 = 0;
  if (sum >= 32 || (clamp && (x[0] >= 32 || x[1] >= 32))) mask1 = 0;
  return mask0 & ~mask1;
}

ORACLE(want_szext) {
  IGNORE_MASK;
  const Form *form = form_of(context);
  const uint32_t b1 = x[1] & 31;
  if (x[1] >= 32 && form->clamp) return x[0];
  const uint32_t mask = UINT32_MAX << b1;
  const bool sign = form->is_signed && b1 != 0 && bit(x[0], b1 - 1);
  return (x[0] & ~(uint64_t)mask) | (sign ? mask : 0);
}

/* `table`: the ISA's rows for selectors 0 to 3, four bytes each, d.b3 first. */
ORACLE(want_prmt) {
  IGNORE_MASK;
  const Form *form = form_of(context);
  uint64_t r = 0;
  for (unsigned i = 0; i < 4; i++) {
    unsigned pick = x[2] >> (4 * i) & 15;
    if (form->table != NULL) pick = (unsigned)(form->table[4 * (x[2] & 3) + 3 - i] - '0');
    const uint64_t byte = (pick & 7) < 4 ? x[0] >> (8 * (pick & 7)) : x[1] >> (8 * (pick & 3));
    r |= (pick & 8 ? (byte & 0x80) / 0x80 * 0xff : byte & 0xff) << (8 * i);
  }
  return r;
}

static uint64_t table_of(const uint64_t x[4]) {
  uint64_t r = 0;
  for (unsigned i = 0; i < 32; i++)
    r |= (uint64_t)bit(x[3] & 0xff, 4u * bit(x[0], i) + 2u * bit(x[1], i) + bit(x[2], i)) << i;
  return r;
}
ORACLE(want_lop3) {
  IGNORE_ALL;
  return table_of(x);
}
ORACLE(want_lop3_and) {
  (void)context;
  *out = table_of(x) != 0 && in;
  return table_of(x);
}

static void run(const char *opcode, SweepOracle oracle, Form form) {
  sweep_run(&(Sweep){opcode, kSweepInts, kSweepIntCount, 8000, oracle, &form, false});
}

static void test_every_width(void) {
  static const struct {
    const char *name;
    SweepOracle oracle;
    unsigned least;
  } kOps[] = {{"and.b", want_and, 16}, {"or.b", want_or, 16},     {"xor.b", want_xor, 16},
              {"not.b", want_not, 16}, {"cnot.b", want_cnot, 16}, {"shl.b", want_shl, 16},
              {"shr.b", want_shr, 16}, {"shr.u", want_shr, 16},   {"popc.b", want_popc, 32},
              {"clz.b", want_clz, 32}, {"brev.b", want_brev, 32}, {"bfind.u", want_bfind, 32},
              {"bfe.u", want_bfe, 32}, {"bfi.b", want_bfi, 32}};
  for (size_t i = 0; i < sizeof kOps / sizeof kOps[0]; i++)
    for (unsigned bits = kOps[i].least; bits <= 64; bits *= 2) {
      char opcode[16];
      snprintf(opcode, sizeof opcode, "%s%u", kOps[i].name, bits);
      run(opcode, kOps[i].oracle, (Form){.bits = bits});
    }
}

static void test_signed(void) {
  run("shr.s16", want_shr, (Form){.bits = 16, .is_signed = true});
  run("shr.s32", want_shr, (Form){.bits = 32, .is_signed = true});
  run("shr.s64", want_shr, (Form){.bits = 64, .is_signed = true});
  run("bfe.s32", want_bfe, (Form){.bits = 32, .is_signed = true});
  run("bfe.s64", want_bfe, (Form){.bits = 64, .is_signed = true});
  run("bfind.s32", want_bfind, (Form){.bits = 32, .is_signed = true});
  run("bfind.s64", want_bfind, (Form){.bits = 64, .is_signed = true});
  run("bfind.shiftamt.s32", want_bfind, (Form){.bits = 32, .is_signed = true, .shiftamt = true});
  run("bfind.shiftamt.u64", want_bfind, (Form){.bits = 64, .shiftamt = true});
}

static void test_others(void) {
  run("shf.l.clamp.b32", want_shf, (Form){.left = true, .clamp = true});
  run("shf.l.wrap.b32", want_shf, (Form){.left = true});
  run("shf.r.clamp.b32", want_shf, (Form){.clamp = true});
  run("shf.r.wrap.b32", want_shf, (Form){.clamp = false});
  run("fns.b32", want_fns, (Form){.bits = 32});
  run("bmsk.clamp.b32", want_bmsk, (Form){.clamp = true});
  run("bmsk.wrap.b32", want_bmsk, (Form){.clamp = false});
  run("szext.clamp.s32", want_szext, (Form){.clamp = true, .is_signed = true});
  run("szext.wrap.s32", want_szext, (Form){.is_signed = true});
  run("szext.clamp.u32", want_szext, (Form){.clamp = true});
  run("szext.wrap.u32", want_szext, (Form){.clamp = false});
  run("lop3.b32", want_lop3, (Form){.bits = 32});
  run("lop3.and.b32", want_lop3_and, (Form){.bits = 32});
}

static void test_prmt(void) {
  run("prmt.b32", want_prmt, (Form){.table = NULL});
  run("prmt.b32.f4e", want_prmt, (Form){.table = "3210432154326543"});
  run("prmt.b32.b4e", want_prmt, (Form){.table = "5670670170120123"});
  run("prmt.b32.rc8", want_prmt, (Form){.table = "0000111122223333"});
  run("prmt.b32.ecl", want_prmt, (Form){.table = "3210321132223333"});
  run("prmt.b32.ecr", want_prmt, (Form){.table = "0000111022103210"});
  run("prmt.b32.rc16", want_prmt, (Form){.table = "1010323210103232"});
}

int main(void) {
  test_every_width();
  test_signed();
  test_others();
  test_prmt();
  return check_report("emu_arith_bits");
}
