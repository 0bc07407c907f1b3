/* SPDX-License-Identifier: MIT */
/* Integer arithmetic of the emulator against 128-bit arithmetic, over all types. */
#include "emu/arith_sweep.h"

__extension__ typedef __int128 Int;

typedef struct Type {
  const char *name;
  unsigned bits;
  bool is_signed;
} Type;

static const Type kTypes[] = {{"u16", 16, false}, {"u32", 32, false}, {"u64", 64, false},
                              {"s16", 16, true},  {"s32", 32, true},  {"s64", 64, true}};

static Int value(uint64_t x, unsigned bits, bool is_signed) {
  const Int low = (Int)sweep_low(x, bits);
  return is_signed && (low >> (bits - 1)) != 0 ? low - ((Int)1 << bits) : low;
}

/* The oracle of an operation: operands as mathematical integers, and the type's width. */
typedef Int (*Operation)(Int a, Int b, Int c, unsigned bits);

static Int op_add(Int a, Int b, Int c, unsigned bits) { return (void)c, (void)bits, a + b; }
static Int op_sub(Int a, Int b, Int c, unsigned bits) { return (void)c, (void)bits, a - b; }
static Int op_mul(Int a, Int b, Int c, unsigned bits) {
  /* The product of two u64 does not fit a signed 128-bit integer; its bits do. */
  __extension__ typedef unsigned __int128 Wide;
  return (void)c, (void)bits, (Int)((Wide)a * (Wide)b);
}
static Int high(Int a, Int b, unsigned bits) {
  if (bits < 64) return (a * b) >> bits;
  /* Schoolbook multiplication of the magnitudes by 32-bit digits. */
  const bool negative = (a < 0) != (b < 0);
  const Int x = a < 0 ? -a : a, y = b < 0 ? -b : b, m = 0xffffffff;
  const Int low = (x & m) * (y & m), mid1 = (x >> 32) * (y & m), mid2 = (x & m) * (y >> 32);
  const Int mid = (low >> 32) + (mid1 & m) + (mid2 & m);
  const Int top = (x >> 32) * (y >> 32) + (mid1 >> 32) + (mid2 >> 32) + (mid >> 32);
  const bool rest = (low & m) != 0 || (mid & m) != 0;
  return negative ? -top - (rest ? 1 : 0) : top;
}
static Int op_hi(Int a, Int b, Int c, unsigned bits) { return (void)c, high(a, b, bits); }
static Int op_mad_lo(Int a, Int b, Int c, unsigned bits) {
  __extension__ typedef unsigned __int128 Wide;
  return (Int)((Wide)op_mul(a, b, c, bits) + (Wide)c);
}
static Int op_mad_hi(Int a, Int b, Int c, unsigned bits) { return high(a, b, bits) + c; }
static Int op_div(Int a, Int b, Int c, unsigned bits) {
  return (void)c, (void)bits, b == 0 ? -1 : a / b;
}
static Int op_rem(Int a, Int b, Int c, unsigned bits) {
  return (void)c, (void)bits, b == 0 ? -1 : a % b;
}
static Int op_min(Int a, Int b, Int c, unsigned bits) { return (void)c, (void)bits, a < b ? a : b; }
static Int op_max(Int a, Int b, Int c, unsigned bits) { return (void)c, (void)bits, a > b ? a : b; }
static Int op_sad(Int a, Int b, Int c, unsigned bits) {
  return (void)bits, c + (a < b ? b - a : a - b);
}
static Int op_abs(Int a, Int b, Int c, unsigned bits) {
  return (void)b, (void)c, (void)bits, a < 0 ? -a : a;
}
static Int op_neg(Int a, Int b, Int c, unsigned bits) { return (void)b, (void)c, (void)bits, -a; }
static Int clamp(Int x, Int low, Int high_end) {
  return x < low ? low : x > high_end ? high_end : x;
}
static Int op_add_sat(Int a, Int b, Int c, unsigned bits) {
  return (void)c, (void)bits, clamp(a + b, INT32_MIN, INT32_MAX);
}
static Int op_sub_sat(Int a, Int b, Int c, unsigned bits) {
  return (void)c, (void)bits, clamp(a - b, INT32_MIN, INT32_MAX);
}
static Int op_mad_sat(Int a, Int b, Int c, unsigned bits) {
  return clamp(high(a, b, bits) + c, INT32_MIN, INT32_MAX);
}
static Int op_min_relu(Int a, Int b, Int c, unsigned bits) {
  return clamp(op_min(a, b, c, bits), 0, INT32_MAX);
}
static Int op_max_relu(Int a, Int b, Int c, unsigned bits) {
  return clamp(op_max(a, b, c, bits), 0, INT32_MAX);
}
static Int low24(Int a) { return a & 0xffffff; }
static Int signed24(Int a) { return low24(a) >= 0x800000 ? low24(a) - 0x1000000 : low24(a); }
static Int op_mul24_u(Int a, Int b, Int c, unsigned bits) {
  return (void)c, (void)bits, low24(a) * low24(b);
}
static Int op_mul24_s(Int a, Int b, Int c, unsigned bits) {
  return (void)c, (void)bits, signed24(a) * signed24(b);
}
static Int op_mul24_hi_u(Int a, Int b, Int c, unsigned bits) {
  return op_mul24_u(a, b, c, bits) >> 16;
}
static Int op_mul24_hi_s(Int a, Int b, Int c, unsigned bits) {
  return op_mul24_s(a, b, c, bits) >> 16;
}
static Int op_mad24_u(Int a, Int b, Int c, unsigned bits) { return op_mul24_u(a, b, c, bits) + c; }
static Int op_mad24_s(Int a, Int b, Int c, unsigned bits) { return op_mul24_s(a, b, c, bits) + c; }
static Int op_mad24_hi_s(Int a, Int b, Int c, unsigned bits) {
  return op_mul24_hi_s(a, b, c, bits) + c;
}
static Int op_mad24_sat(Int a, Int b, Int c, unsigned bits) {
  return clamp(op_mad24_hi_s(a, b, c, bits), INT32_MIN, INT32_MAX);
}

typedef struct Case {
  Operation op;
  Type type;
  unsigned out_bits, c_bits;
} Case;

static uint64_t expect(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)in, (void)out;
  const Case *k = context;
  const Int a = value(x[0], k->type.bits, k->type.is_signed);
  const Int b = value(x[1], k->type.bits, k->type.is_signed);
  const Int c = value(x[2], k->c_bits, k->type.is_signed);
  return sweep_low((uint64_t)k->op(a, b, c, k->type.bits), k->out_bits);
}

static void run(const char *name, Type type, Operation op, bool wide) {
  char opcode[32];
  snprintf(opcode, sizeof opcode, "%s.%s", name, type.name);
  const unsigned out = wide ? 2 * type.bits : type.bits;
  const Case k = {op, type, out, out};
  sweep_run(&(Sweep){opcode, kSweepInts, kSweepIntCount, 4000, expect, &k, false});
}

static void test_all_types(void) {
  static const struct {
    const char *name;
    Operation op;
  } kAll[] = {{"add", op_add},       {"sub", op_sub},       {"mul.lo", op_mul}, {"mul.hi", op_hi},
              {"mad.lo", op_mad_lo}, {"mad.hi", op_mad_hi}, {"div", op_div},    {"rem", op_rem},
              {"min", op_min},       {"max", op_max},       {"sad", op_sad}};
  for (size_t i = 0; i < sizeof kAll / sizeof kAll[0]; i++)
    for (size_t t = 0; t < 6; t++) run(kAll[i].name, kTypes[t], kAll[i].op, false);
  for (size_t t = 3; t < 6; t++) {
    run("abs", kTypes[t], op_abs, false);
    run("neg", kTypes[t], op_neg, false);
  }
  for (size_t t = 0; t < 6; t++) {
    if (kTypes[t].bits == 64) continue;
    run("mul.wide", kTypes[t], op_mul, true);
    run("mad.wide", kTypes[t], op_mad_lo, true);
  }
}

static void test_special(void) {
  static const struct {
    const char *name;
    unsigned type;
    Operation op;
  } kSome[] = {{"add.sat", 4, op_add_sat},       {"sub.sat", 4, op_sub_sat},
               {"mad.hi.sat", 4, op_mad_sat},    {"min.relu", 4, op_min_relu},
               {"max.relu", 4, op_max_relu},     {"mul24.lo", 1, op_mul24_u},
               {"mul24.lo", 4, op_mul24_s},      {"mul24.hi", 1, op_mul24_hi_u},
               {"mul24.hi", 4, op_mul24_hi_s},   {"mad24.lo", 1, op_mad24_u},
               {"mad24.lo", 4, op_mad24_s},      {"mad24.hi", 4, op_mad24_hi_s},
               {"mad24.hi.sat", 4, op_mad24_sat}};
  for (size_t i = 0; i < sizeof kSome / sizeof kSome[0]; i++)
    run(kSome[i].name, kTypes[kSome[i].type], kSome[i].op, false);
  /* CUDA's headers write the modifier last. */
  const Case k = {op_min_relu, kTypes[4], 32, 32};
  sweep_run(&(Sweep){"min.s32.relu", kSweepInts, kSweepIntCount, 0, expect, &k, false});
}

/* Instructions on pairs: each half is the 16-bit instruction. */
typedef struct Pair {
  Operation op;
  bool is_signed;
} Pair;

static uint64_t expect_pair(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)in, (void)out;
  const Pair *pair = context;
  uint64_t result = 0;
  for (unsigned h = 0; h < 2; h++) {
    const Int a = value(x[0] >> (16 * h), 16, pair->is_signed);
    const Int b = value(x[1] >> (16 * h), 16, pair->is_signed);
    result |= sweep_low((uint64_t)pair->op(a, b, 0, 16), 16) << (16 * h);
  }
  return result;
}

static void test_pairs(void) {
  static const struct {
    const char *opcode;
    Pair pair;
  } kPairs[] = {{"add.u16x2", {op_add, false}},          {"add.s16x2", {op_add, true}},
                {"min.u16x2", {op_min, false}},          {"max.u16x2", {op_max, false}},
                {"min.s16x2", {op_min, true}},           {"max.s16x2", {op_max, true}},
                {"min.relu.s16x2", {op_min_relu, true}}, {"max.relu.s16x2", {op_max_relu, true}}};
  for (size_t i = 0; i < sizeof kPairs / sizeof kPairs[0]; i++)
    sweep_run(&(Sweep){kPairs[i].opcode, kSweepInts, kSweepIntCount, 4000, expect_pair,
                       &kPairs[i].pair, false});
}

/* Instructions with carry: of the whole sum in 128 bits the bit above the type is CC.CF. After a
 * subtraction CC.CF is 1 if nothing was borrowed. */
typedef enum CarryKind { SUM, DIFFERENCE, PRODUCT_LOW, PRODUCT_HIGH } CarryKind;

typedef struct Carry {
  CarryKind kind;
  Type type;
  bool reads, writes;
} Carry;

static uint64_t expect_carry(const void *context, const uint64_t x[4], bool in, bool *out) {
  const Carry *k = context;
  const unsigned bits = k->type.bits;
  const Int carry = k->reads && in ? 1 : 0;
  const Int a = value(x[0], bits, k->type.is_signed), b = value(x[1], bits, k->type.is_signed);
  const Int part = (Int)sweep_low(
      (uint64_t)(k->kind == PRODUCT_HIGH ? high(a, b, bits) : op_mul(a, b, 0, bits)), bits);
  Int total = 0;
  switch (k->kind) {
  case SUM: total = (Int)x[0] + (Int)x[1] + carry; break;
  case DIFFERENCE: total = (Int)x[0] - (Int)x[1] - (k->reads && !in); break;
  default: total = part + (Int)x[2] + carry; break;
  }
  *out = k->writes && (k->kind == DIFFERENCE ? total >= 0 : total >= (Int)1 << bits);
  return sweep_low((uint64_t)total, bits);
}

static void run_carry(const char *name, CarryKind kind, bool reads) {
  for (size_t t = 0; t < 6; t++)
    for (unsigned writes = 0; writes < 2; writes++) {
      if (kTypes[t].bits == 16 || (!reads && !writes)) continue;
      char opcode[32];
      const char *part = kind == PRODUCT_LOW ? ".lo" : kind == PRODUCT_HIGH ? ".hi" : "";
      snprintf(opcode, sizeof opcode, "%s%s%s.%s", name, part, writes ? ".cc" : "", kTypes[t].name);
      const Carry k = {kind, kTypes[t], reads, writes != 0};
      sweep_run(&(Sweep){opcode, kSweepInts, kSweepIntCount, 4000, expect_carry, &k, false});
    }
}

static void test_carry(void) {
  run_carry("add", SUM, false);
  run_carry("addc", SUM, true);
  run_carry("sub", DIFFERENCE, false);
  run_carry("subc", DIFFERENCE, true);
  run_carry("mad", PRODUCT_LOW, false);
  run_carry("madc", PRODUCT_LOW, true);
  run_carry("mad", PRODUCT_HIGH, false);
  run_carry("madc", PRODUCT_HIGH, true);
}

/* dp4a and dp2a: the elements of the two operands are multiplied one by one. */
typedef struct Dot {
  bool a_signed, b_signed;
  unsigned a_bits, first; /* width of a's elements; the first byte of b */
} Dot;

static uint64_t expect_dot(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)in, (void)out;
  const Dot *dot = context;
  Int sum = value(x[2], 32, true);
  for (unsigned i = 0; i < 32 / dot->a_bits; i++)
    sum += value(x[0] >> (dot->a_bits * i), dot->a_bits, dot->a_signed) *
           value(x[1] >> (8 * (dot->first + i)), 8, dot->b_signed);
  return sweep_low((uint64_t)sum, 32);
}

static void test_dots(void) {
  static const char *const kNames[] = {"dp4a", "dp2a.lo", "dp2a.hi"};
  for (unsigned k = 0; k < 3; k++)
    for (unsigned signs = 0; signs < 4; signs++) {
      char opcode[32];
      const Dot dot = {(signs & 1) != 0, (signs & 2) != 0, k == 0 ? 8 : 16, k == 2 ? 2 : 0};
      snprintf(opcode, sizeof opcode, "%s.%s.%s", kNames[k], dot.a_signed ? "s32" : "u32",
               dot.b_signed ? "s32" : "u32");
      sweep_run(&(Sweep){opcode, kSweepInts, kSweepIntCount, 4000, expect_dot, &dot, false});
    }
}

int main(void) {
  test_all_types();
  test_special();
  test_pairs();
  test_carry();
  test_dots();
  return check_report("emu_arith_int");
}
