/* SPDX-License-Identifier: MIT */
/* cvt of the emulator against exact integer arithmetic; f16, bf16 and fp8 exhaustively. */
#include "emu/arith_exact.h"
#include "emu/arith_sweep.h"

__extension__ typedef __int128 Int;

typedef struct Integer {
  const char *name;
  unsigned bits;
  bool is_signed;
} Integer;

static const Integer kIntegers[] = {{"u8", 8, false},   {"u16", 16, false}, {"u32", 32, false},
                                    {"u64", 64, false}, {"s8", 8, true},    {"s16", 16, true},
                                    {"s32", 32, true},  {"s64", 64, true}};
enum { kIntegerCount = 8 };

static const ExactFormat *const kFloats[] = {&kExactF16, &kExactBf16, &kExactF32, &kExactF64};

static Int value(uint64_t x, unsigned bits, bool is_signed) {
  const Int low = (Int)sweep_low(x, bits);
  return is_signed && (low >> (bits - 1)) != 0 ? low - ((Int)1 << bits) : low;
}
static Int least(Integer t) { return t.is_signed ? -((Int)1 << (t.bits - 1)) : 0; }
static Int most(Integer t) { return ((Int)1 << (t.bits - (t.is_signed ? 1 : 0))) - 1; }
static Int clamp(Int x, Integer t) { return x < least(t) ? least(t) : x > most(t) ? most(t) : x; }

/* How a register holds a value: zero- or sign-extended to 64 bits. */
static uint64_t stored(Int x, Integer t) {
  return (uint64_t)value((uint64_t)x, t.bits, t.is_signed);
}

typedef struct Case {
  Integer from_int, to_int;
  const ExactFormat *from, *to; /* NULL: the integer */
  ExactRound round;
  bool sat, ftz, integral, relu, satfinite;
  unsigned pair; /* 2: packs two operands, 1: converts the two halves of one */
} Case;

static uint64_t int_to_int(const Case *k, uint64_t x) {
  const Int v = value(x, k->from_int.bits, k->from_int.is_signed);
  return stored(k->sat ? clamp(v, k->to_int) : v, k->to_int);
}

static Exact exact_integer(Int v) { return exact_make((ExactWide)(v < 0 ? -v : v), 0, v < 0); }

static uint64_t one_of(const ExactFormat *f) {
  const Exact one = exact_integer(1);
  return exact_round(f, &one, EXACT_RN);
}

static uint64_t int_to_float(const Case *k, uint64_t x) {
  const Int v = value(x, k->from_int.bits, k->from_int.is_signed);
  if (k->sat) return v > 0 ? one_of(k->to) : 0;
  const Exact e = exact_integer(v);
  return v == 0 ? 0 : exact_round(k->to, &e, k->round);
}

static uint64_t flush(const ExactFormat *f, bool ftz, uint64_t bits) {
  return ftz && f->bits == 32 && exact_subnormal(f, bits) ? bits & 0x80000000 : bits;
}

static Int to_integral(const ExactFormat *f, uint64_t bits, ExactRound round) {
  const Exact e = exact_of(f, bits);
  if (exact_top(&e) >= kExactScale + 66)
    return exact_negative(f, bits) ? -((Int)1 << 66) : (Int)1 << 66;
  Exact low = e;
  const Int kept = (Int)exact_kept(&low, kExactScale, round);
  const Int high = exact_bit(&e, kExactScale + 64) ? (Int)1 << 64 : 0;
  const Int higher = exact_bit(&e, kExactScale + 65) ? (Int)1 << 65 : 0;
  return exact_negative(f, bits) ? -(kept + high + higher) : kept + high + higher;
}

static uint64_t float_to_int(const Case *k, uint64_t x) {
  const ExactFormat *f = k->from;
  const Integer t = k->to_int;
  x = flush(f, k->ftz, x);
  if (exact_is_nan(f, x))
    return stored(f->bits == 64 || t.bits == 64 ? (Int)1 << (t.bits - 1) : 0, t);
  if (exact_special(f, x)) return stored(exact_negative(f, x) ? least(t) : most(t), t);
  return stored(clamp(to_integral(f, x, k->round), t), t);
}

static uint64_t overflow(const Case *k, uint64_t bits) {
  const bool infinite = exact_special(k->to, bits) && !exact_is_nan(k->to, bits);
  const uint64_t one_less = 1ull << exact_tail(k->to);
  return k->satfinite && infinite ? bits - one_less : bits;
}

/* A finite value rounded to an integer; every float of 2^53 or more is one already. */
static uint64_t rounded_in_place(const Case *k, uint64_t x) {
  const Exact e = exact_of(k->from, x);
  if (exact_top(&e) >= kExactScale + 60) return x;
  const Int v = to_integral(k->from, x, k->round);
  Exact r = exact_integer(v);
  r.negative = exact_negative(k->from, x);
  return exact_round(k->to, &r, EXACT_RN);
}

/* From and to f64 a NaN keeps its sign and its payload's upper bits, made quiet; unless .ftz has
 * made it canonical before. */
static uint64_t wide_nan(const Case *k, uint64_t x) {
  if (k->ftz && k->from->bits == 32) x = k->from->nan;
  const unsigned from = k->from->fraction, to = k->to->fraction;
  const uint64_t payload = sweep_low(x, from), sign = exact_negative(k->from, x);
  const uint64_t kept = from > to ? payload >> (from - to) : payload << (to - from);
  return exact_infinity(k->to, false) | sign << (k->to->bits - 1) | 1ull << (to - 1) | kept;
}

/* [measured on an H200; the ISA says little of it] */
static uint64_t nan_of(const Case *k, uint64_t x) {
  const uint64_t tf32 = ~0x1fffull, last = 0x2000;
  const bool moves = k->from == k->to && k->from->bits >= 32 && !k->ftz && !k->integral;
  if (k->sat) return 0;
  if (moves) return x;
  if (k->round == EXACT_RNA) return (x & tf32) - (k->satfinite ? last : 0);
  return k->from->bits == 64 || k->to->bits == 64 ? wide_nan(k, x) : k->to->nan;
}

/* f16 is also made of subnormals, unless it saturates [measured on an H200]. */
static bool flushes(const Case *k) { return k->ftz && (k->to != &kExactF16 || k->sat); }

static uint64_t float_to_float(const Case *k, uint64_t x) {
  x = flush(k->from, flushes(k), x);
  if (exact_is_nan(k->from, x)) return nan_of(k, x);
  const bool negative = exact_negative(k->from, x);
  if ((k->sat || k->relu) && (negative || exact_double(k->from, x) == 0)) return 0;
  if (k->sat && exact_double(k->from, x) >= 1) return one_of(k->to);
  if (exact_special(k->from, x)) return overflow(k, exact_infinity(k->to, negative));
  const Exact e = exact_of(k->from, x);
  const uint64_t bits = k->integral ? rounded_in_place(k, x) : exact_round(k->to, &e, k->round);
  return flush(k->to, k->ftz, overflow(k, bits));
}

static uint64_t convert(const Case *k, uint64_t x) {
  if (k->from == NULL) return k->to == NULL ? int_to_int(k, x) : int_to_float(k, x);
  return k->to == NULL ? float_to_int(k, x) : float_to_float(k, x);
}

static uint64_t expect(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)in, (void)out;
  const Case *k = context;
  if (k->pair == 0) return convert(k, x[0]);
  const uint64_t upper = k->pair == 2 ? x[0] : x[0] >> k->from->bits;
  const uint64_t lower = k->pair == 2 ? x[1] : sweep_low(x[0], k->from->bits);
  return convert(k, upper) << k->to->bits | convert(k, lower);
}

static const uint64_t kFloatEdges[] = {
    /* f32 */
    0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f000000,
    0x3f000001, 0x3effffff, 0x3fc00000, 0xbfc00000, 0x40200000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x7fffffff, 0xffc00001, 0x4f000000, 0x4effffff, 0xcf000000, 0xcf000001, 0x4f800000,
    0x4f7fffff, 0x5f000000, 0x5effffff, 0xdf000000, 0x5f800000, 0x477fefff, 0x477ff000, 0x477ff001,
    0x33000000, 0x33000001, 0x32ffffff, 0x38800000, 0x387fefff, 0x3f801000, 0x3f803000, 0x3f808000,
    0x3f818000, 0x7f7f8000, 0x7f7f7fff, 0x7f7ff000, 0x7f7fefff, 0x42fe0000, 0x437f0000, 0xc3000000,
    /* f64 */
    0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000,
    0x3ff8000000000000, 0x4004000000000000, 0x47efffffe0000000, 0x47efffffefffffff,
    0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001,
    0x380fffffffffffff, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000200000,
    0x41efffffffe00000, 0x43e0000000000000, 0x43dfffffffffffff, 0xc3e0000000000000,
    0x43f0000000000000, 0x40effdffffffffff, 0x40effe0000000000, 0x000fffffffffffff,
    0xffefffffffffffff, 0x405fc00000000000, 0xc060200000000000};
enum { kFloatEdgeCount = sizeof kFloatEdges / sizeof kFloatEdges[0] };

static void run(const char *opcode, const Case *k) {
  Sweep sweep = {opcode, kFloatEdges, kFloatEdgeCount, 3000, expect, k, false};
  if (k->from == NULL) sweep.edges = kSweepInts, sweep.n_edges = kSweepIntCount;
  uint64_t every[1 << 16];
  if (k->from != NULL && k->from->bits == 16 && k->pair == 0) {
    for (unsigned i = 0; i < 1 << 16; i++) every[i] = i;
    sweep.edges = every, sweep.n_edges = 1 << 16, sweep.n_random = 0;
  }
  sweep_run(&sweep);
}

static void test_int_to_int(void) {
  for (unsigned i = 0; i < kIntegerCount; i++)
    for (unsigned j = 0; j < kIntegerCount; j++)
      for (unsigned sat = 0; sat < 2; sat++) {
        char opcode[32];
        const Case k = {.from_int = kIntegers[i], .to_int = kIntegers[j], .sat = sat != 0};
        snprintf(opcode, sizeof opcode, "cvt%s.%s.%s", sat ? ".sat" : "", kIntegers[j].name,
                 kIntegers[i].name);
        run(opcode, &k);
      }
}

static void test_int_and_float(void) {
  static const char *const kIntegral[] = {"rni", "rzi", "rmi", "rpi"};
  for (unsigned i = 0; i < kIntegerCount; i++)
    for (unsigned j = 0; j < 4; j++)
      for (ExactRound r = EXACT_RN; r <= EXACT_RP; r++) {
        char opcode[32];
        const ExactFormat *f = kFloats[j];
        snprintf(opcode, sizeof opcode, "cvt.%s.%s.%s", kExactRounds[r], f->name,
                 kIntegers[i].name);
        run(opcode, &(Case){.from_int = kIntegers[i], .to = f, .round = r});
        snprintf(opcode, sizeof opcode, "cvt.%s.%s.%s", kIntegral[r], kIntegers[i].name, f->name);
        run(opcode, &(Case){.to_int = kIntegers[i], .from = f, .round = r});
      }
  run("cvt.rzi.ftz.s32.f32",
      &(Case){.to_int = kIntegers[6], .from = &kExactF32, .round = EXACT_RZ, .ftz = true});
  run("cvt.rpi.ftz.s32.f32",
      &(Case){.to_int = kIntegers[6], .from = &kExactF32, .round = EXACT_RP, .ftz = true});
  run("cvt.rn.sat.f32.s32", &(Case){.from_int = kIntegers[6], .to = &kExactF32, .sat = true});
  run("cvt.rn.sat.f16.u16", &(Case){.from_int = kIntegers[1], .to = &kExactF16, .sat = true});
}

static bool widens(unsigned to, unsigned from) {
  return to == from || (to > from && !(to == 1 && from == 0));
}

static void test_float_to_float(void) {
  for (unsigned i = 0; i < 4; i++)
    for (unsigned j = 0; j < 4; j++)
      for (ExactRound r = EXACT_RN; r <= EXACT_RP; r++)
        for (unsigned flags = 0; flags < 4; flags++) {
          char opcode[40];
          const bool ftz = (flags & 1) != 0, sat = (flags & 2) != 0;
          const bool exact = widens(j, i);
          /* bf16 to f32 moves the bits, NaN payload included; its own test is below. */
          if ((exact && r != EXACT_RN) || (ftz && i != 2 && j != 2) || (i == 1 && j == 2)) continue;
          snprintf(opcode, sizeof opcode, "cvt%s%s%s%s.%s.%s", exact ? "" : ".",
                   exact ? "" : kExactRounds[r], ftz ? ".ftz" : "", sat ? ".sat" : "",
                   kFloats[j]->name, kFloats[i]->name);
          run(opcode,
              &(Case){.from = kFloats[i], .to = kFloats[j], .round = r, .ftz = ftz, .sat = sat});
        }
}

static void test_integral(void) {
  static const char *const kIntegral[] = {"rni", "rzi", "rmi", "rpi"};
  for (unsigned i = 0; i < 4; i++)
    for (ExactRound r = EXACT_RN; r <= EXACT_RP; r++) {
      char opcode[40];
      snprintf(opcode, sizeof opcode, "cvt.%s.%s.%s", kIntegral[r], kFloats[i]->name,
               kFloats[i]->name);
      run(opcode, &(Case){.from = kFloats[i], .to = kFloats[i], .round = r, .integral = true});
    }
}

static void test_packed(void) {
  static const struct {
    const char *rest;
    Case k;
  } kRows[] = {
      {"rna.tf32", {.to = &kExactTf32, .round = EXACT_RNA}},
      {"rna.satfinite.tf32", {.to = &kExactTf32, .round = EXACT_RNA, .satfinite = true}},
      {"rn.tf32", {.to = &kExactTf32}},
      {"rz.relu.tf32", {.to = &kExactTf32, .round = EXACT_RZ, .relu = true}},
      {"rn.relu.f16", {.to = &kExactF16, .relu = true}},
      {"rn.satfinite.f16", {.to = &kExactF16, .satfinite = true}},
      {"rz.relu.satfinite.bf16",
       {.to = &kExactBf16, .round = EXACT_RZ, .relu = true, .satfinite = true}},
      {"rn.f16x2", {.to = &kExactF16, .pair = 2}},
      {"rz.f16x2", {.to = &kExactF16, .pair = 2, .round = EXACT_RZ}},
      {"rn.relu.satfinite.f16x2", {.to = &kExactF16, .pair = 2, .relu = true, .satfinite = true}},
      {"rn.bf16x2", {.to = &kExactBf16, .pair = 2}},
      {"rz.relu.bf16x2", {.to = &kExactBf16, .pair = 2, .round = EXACT_RZ, .relu = true}},
      {"rn.satfinite.e5m2x2", {.to = &kExactE5m2, .pair = 2, .satfinite = true}},
      {"rn.satfinite.relu.e5m2x2", {.to = &kExactE5m2, .pair = 2, .satfinite = true, .relu = true}},
  };
  for (size_t i = 0; i < sizeof kRows / sizeof kRows[0]; i++) {
    char opcode[48];
    Case k = kRows[i].k;
    k.from = &kExactF32;
    snprintf(opcode, sizeof opcode, "cvt.%s.f32", kRows[i].rest);
    run(opcode, &k);
  }
  run("cvt.rn.satfinite.e5m2x2.f16x2",
      &(Case){.from = &kExactF16, .to = &kExactE5m2, .pair = 1, .satfinite = true});
  run("cvt.rn.satfinite.e5m2x2.bf16x2",
      &(Case){.from = &kExactBf16, .to = &kExactE5m2, .pair = 1, .satfinite = true});
  run("cvt.rn.bf16x2.e5m2x2", &(Case){.from = &kExactE5m2, .to = &kExactBf16, .pair = 1});
  run("cvt.rn.f16x2.e5m2x2", &(Case){.from = &kExactE5m2, .to = &kExactF16, .pair = 1});
  run("cvt.rn.relu.f16x2.e5m2x2",
      &(Case){.from = &kExactE5m2, .to = &kExactF16, .pair = 1, .relu = true});
}

/* e4m3 has no infinity: its own oracle, the nearest of all its values, ties to an even code. */
static double e4m3_value(unsigned code) {
  const unsigned field = code >> 3 & 15, fraction = code & 7;
  const double x = field == 0 ? fraction / 512.0 : ldexp(8 + fraction, (int)field - 10);
  return code & 0x80 ? -x : x;
}

static uint64_t e4m3_nearest(double x, bool relu) {
  if (x != x) return 0x7f;
  const unsigned sign = signbit(x) ? 0x80 : 0;
  if (relu && x <= 0) return 0;
  unsigned best = 0;
  for (unsigned code = 1; code <= 0x7e; code++) {
    const double d = fabs(fabs(x) - e4m3_value(code)), e = fabs(fabs(x) - e4m3_value(best));
    if (d < e || (d <= e && code % 2 == 0)) best = code;
  }
  return isinf(x) ? sign | 0x7e : sign | best;
}

static uint64_t expect_e4m3(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)in, (void)out;
  const bool *relu = context;
  return e4m3_nearest(exact_double(&kExactF32, x[0]), *relu) << 8 |
         e4m3_nearest(exact_double(&kExactF32, x[1]), *relu);
}

static uint64_t expect_e4m3_half(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)context, (void)in, (void)out;
  return e4m3_nearest(exact_double(&kExactF16, x[0] >> 16), false) << 8 |
         e4m3_nearest(exact_double(&kExactF16, x[0] & 0xffff), false);
}

static uint64_t half_of_e4m3(uint64_t code) {
  if ((code & 0x7f) == 0x7f) return 0x7fff;
  const double x = fabs(e4m3_value((unsigned)code & 0x7f)) * 512;
  const Exact e = exact_make((ExactWide)x, -9, (code & 0x80) != 0);
  return exact_round(&kExactF16, &e, EXACT_RN);
}

static uint64_t expect_from_e4m3(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)context, (void)in, (void)out;
  return half_of_e4m3(x[0] >> 8) << 16 | half_of_e4m3(x[0] & 0xff);
}

static void test_e4m3(void) {
  const bool plain = false, relu = true;
  uint64_t codes[256], halves[1 << 12];
  for (unsigned i = 0; i < 256; i++) codes[i] = i | (uint64_t)(255 - i) << 8;
  for (unsigned i = 0; i < 1 << 12; i++) halves[i] = i * 0x100010001ull >> 12 ^ i * 16ull;
  static const uint64_t kNear[] = {0x43e00000, 0x43e7ffff, 0x43e80000, 0x43e80001, 0x43f00000,
                                   0x7f800000, 0xff800000, 0x7fc00000, 0x3a800000, 0x3a800001,
                                   0x3a7fffff, 0x3c800000, 0x3f880000, 0x3f980000, 0xbf880000,
                                   0x80000000, 0,          0x3b000000, 0x3b400000, 0xc3e80000};
  sweep_run(&(Sweep){"cvt.rn.satfinite.e4m3x2.f32", kNear, 20, 3000, expect_e4m3, &plain, false});
  sweep_run(
      &(Sweep){"cvt.rn.satfinite.relu.e4m3x2.f32", kNear, 20, 3000, expect_e4m3, &relu, false});
  sweep_run(&(Sweep){"cvt.rn.satfinite.e4m3x2.f16x2", halves, 1 << 12, 3000, expect_e4m3_half, NULL,
                     false});
  sweep_run(&(Sweep){"cvt.rn.f16x2.e4m3x2", codes, 256, 3000, expect_from_e4m3, NULL, false});
}

static uint64_t expect_bf16_bits(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)context, (void)in, (void)out;
  return x[0] << 16;
}

static void test_bf16_to_f32(void) {
  uint64_t every[1 << 16];
  for (unsigned i = 0; i < 1 << 16; i++) every[i] = i;
  sweep_run(&(Sweep){"cvt.f32.bf16", every, 1 << 16, 0, expect_bf16_bits, NULL, false});
}

static uint64_t expect_pack(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)in, (void)out;
  const Integer *t = context;
  const uint64_t a = sweep_low((uint64_t)clamp(value(x[0], 32, true), *t), t->bits);
  const uint64_t b = sweep_low((uint64_t)clamp(value(x[1], 32, true), *t), t->bits);
  const uint64_t c = t->bits == 8 ? sweep_low(x[2], 16) << 16 : 0;
  return c | a << t->bits | b;
}

static void test_pack(void) {
  static const char *const kOpcodes[] = {"cvt.pack.sat.u8.s32.b32", "cvt.pack.sat.u16.s32",
                                         "cvt.pack.sat.s8.s32.b32", "cvt.pack.sat.s16.s32"};
  static const unsigned kTypes[] = {0, 1, 4, 5};
  for (unsigned i = 0; i < 4; i++)
    sweep_run(&(Sweep){kOpcodes[i], kSweepInts, kSweepIntCount, 3000, expect_pack,
                       &kIntegers[kTypes[i]], false});
}

int main(void) {
  test_int_to_int();
  test_int_and_float();
  test_float_to_float();
  test_integral();
  test_packed();
  test_e4m3();
  test_bf16_to_f32();
  test_pack();
  return check_report("emu_arith_cvt");
}
