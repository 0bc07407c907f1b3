/* SPDX-License-Identifier: MIT */
/* Approximate instructions of the emulator against the ISA's special cases and error bounds. */
#include "emu/arith_exact.h"
#include "emu/arith_sweep.h"

#define PINF  0x7f800000
#define NINF  0xff800000
#define NAN32 0x7fffffff
#define NZERO 0x80000000
#define ONE   0x3f800000
/* A negative and a positive subnormal, and one with a bit in mid-word. */
#define NSUB  0x80000001
#define PSUB  0x00000001
#define MSUB  0x00400000

/* The ISA's tables; an operand and a result a row. */
static const struct {
  const char *opcode;
  uint32_t a, want;
} kSpecial[] = {
    {"ex2.approx.ftz.f32", NINF, 0},
    {"ex2.approx.ftz.f32", NSUB, ONE},
    {"ex2.approx.ftz.f32", NZERO, ONE},
    {"ex2.approx.ftz.f32", 0, ONE},
    {"ex2.approx.ftz.f32", PSUB, ONE},
    {"ex2.approx.ftz.f32", PINF, PINF},
    {"ex2.approx.ftz.f32", 0x7fc00000, NAN32},
    {"ex2.approx.f32", 0xc3140000, 2},
    {"ex2.approx.ftz.f32", 0xc3140000, 0},
    {"ex2.approx.f32", 0x40400000, 0x41000000},
    {"lg2.approx.f32", NINF, NAN32},
    {"lg2.approx.f32", 0xbf800000, NAN32},
    {"lg2.approx.f32", NZERO, NINF},
    {"lg2.approx.f32", 0, NINF},
    {"lg2.approx.ftz.f32", NSUB, NINF},
    {"lg2.approx.ftz.f32", PSUB, NINF},
    {"lg2.approx.f32", PSUB, 0xc3150000},
    {"lg2.approx.f32", PINF, PINF},
    {"lg2.approx.f32", ONE, 0},
    {"lg2.approx.f32", 0xffffffff, NAN32},
    {"sin.approx.f32", NINF, NAN32},
    {"sin.approx.f32", PINF, NAN32},
    {"sin.approx.f32", NZERO, NZERO},
    {"sin.approx.f32", 0, 0},
    {"sin.approx.ftz.f32", NSUB, NZERO},
    {"sin.approx.ftz.f32", PSUB, 0},
    {"cos.approx.f32", NINF, NAN32},
    {"cos.approx.f32", PINF, NAN32},
    {"cos.approx.f32", NZERO, ONE},
    {"cos.approx.ftz.f32", PSUB, ONE},
    {"rcp.approx.f32", NINF, NZERO},
    {"rcp.approx.f32", PINF, 0},
    {"rcp.approx.f32", NZERO, NINF},
    {"rcp.approx.f32", 0, PINF},
    {"rcp.approx.ftz.f32", NSUB, NINF},
    {"rcp.approx.ftz.f32", PSUB, PINF},
    {"rcp.approx.f32", 0x7fc12345, NAN32},
    {"rcp.approx.f32", MSUB, 0x7f000000},
    {"rcp.approx.ftz.f32", 0x7f000000, 0},
    {"rcp.approx.f32", 0x7f000000, MSUB},
    {"sqrt.approx.f32", NINF, NAN32},
    {"sqrt.approx.f32", 0xbf800000, NAN32},
    {"sqrt.approx.f32", NZERO, NZERO},
    {"sqrt.approx.f32", 0, 0},
    {"sqrt.approx.ftz.f32", NSUB, NZERO},
    {"sqrt.approx.ftz.f32", PSUB, 0},
    {"sqrt.approx.f32", PINF, PINF},
    {"sqrt.approx.f32", 0x40800000, 0x40000000},
    {"rsqrt.approx.f32", NINF, NAN32},
    {"rsqrt.approx.f32", 0xbf800000, NAN32},
    {"rsqrt.approx.f32", NZERO, NINF},
    {"rsqrt.approx.f32", 0, PINF},
    {"rsqrt.approx.ftz.f32", NSUB, NINF},
    {"rsqrt.approx.ftz.f32", PSUB, PINF},
    {"rsqrt.approx.f32", PINF, 0},
    {"rsqrt.approx.f32", 0x40800000, 0x3f000000},
    {"tanh.approx.f32", NINF, 0xbf800000},
    {"tanh.approx.f32", PINF, ONE},
    {"tanh.approx.f32", NZERO, NZERO},
    {"tanh.approx.f32", 0, 0},
    {"tanh.approx.f32", NSUB, NSUB},
    {"tanh.approx.f32", 0x7f800001, NAN32},
    {"ex2.approx.f16", 0xfc00, 0},
    {"ex2.approx.f16", 0x8000, 0x3c00},
    {"ex2.approx.f16", 1, 0x3c00},
    {"ex2.approx.f16", 0x7c00, 0x7c00},
    {"ex2.approx.f16", 0x7e00, 0x7fff},
    {"ex2.approx.f16", 0x4200, 0x4800},
    {"ex2.approx.f16", 0xce01, 0}, /* 0.99 of the least number: as the next ones, of an H200 */
    {"ex2.approx.f16", 0xcc50, 0x006b},
    {"ex2.approx.f16", 0x8d8e, 0x3bff},
    {"ex2.approx.f16", 0x4ac8, 0x71e8},
    {"ex2.approx.f16", 0x4c00, 0x7c00},
    {"ex2.approx.f16x2", 0x4200fc00, 0x48000000},
    {"ex2.approx.ftz.bf16", 0xff80, 0},
    {"ex2.approx.ftz.bf16", 0x4040, 0x4100},
    {"ex2.approx.ftz.bf16x2", 0x40407f80, 0x41007f80},
    {"tanh.approx.f16", 0x7c00, 0x3c00},
    {"tanh.approx.f16", 0x8000, 0x8000},
    {"tanh.approx.bf16", 0xff80, 0xbf80},
    {"tanh.approx.bf16x2", 0x7fc08000, 0x7fff8000},
};

static uint64_t run1(const char *opcode, uint64_t a, uint64_t b) {
  ArithInsn insn;
  uint64_t d = 0;
  const uint64_t *const s[] = {&a, &b};
  const bool resolved = arith_resolve(opcode, &insn) == ARITH_OK;
  CHECK(resolved, "%s does not resolve", opcode);
  if (resolved) insn.fn(&insn, &d, s, 1, 0);
  return d;
}

static void test_special(void) {
  for (size_t i = 0; i < sizeof kSpecial / sizeof kSpecial[0]; i++) {
    const uint64_t d = run1(kSpecial[i].opcode, kSpecial[i].a, 0);
    CHECK(d == kSpecial[i].want, "%s(%#x) = %#llx, want %#x", kSpecial[i].opcode, kSpecial[i].a,
          (unsigned long long)d, kSpecial[i].want);
  }
}

static void test_divide(void) {
  static const struct {
    const char *opcode;
    uint32_t a, b, want;
  } kRows[] = {
      {"div.approx.f32", 0x40c00000, 0x40000000, 0x40400000},
      {"div.full.f32", 0x40c00000, 0xc0000000, 0xc0400000},
      /* Above 2^126 the reciprocal has gone: 0, and NaN for an infinite dividend. */
      {"div.approx.f32", ONE, 0x7f000000, 0},
      {"div.approx.f32", 0x7f7fffff, 0x7e800001, 0},
      {"div.approx.f32", 0x7e800000, 0x7e800000, ONE},
      {"div.approx.f32", PINF, 0x7f000000, NAN32},
      {"div.full.f32", 0x7f000000, 0x7f000000, ONE},
      {"div.full.f32", PINF, 0x7f000000, PINF},
      {"div.approx.f32", ONE, 0, PINF},
      {"div.approx.f32", 0, 0, NAN32},
      {"div.approx.ftz.f32", MSUB, ONE, 0},
      {"div.full.ftz.f32", ONE, NSUB, NINF},
  };
  for (size_t i = 0; i < sizeof kRows / sizeof kRows[0]; i++) {
    const uint64_t d = run1(kRows[i].opcode, kRows[i].a, kRows[i].b);
    CHECK(d == kRows[i].want, "%s row %zu: %#llx", kRows[i].opcode, i, (unsigned long long)d);
  }
}

static long double rsqrt_exact(long double x) { return 1 / sqrtl(x); }
static long double rcp_exact(long double x) { return 1 / x; }

/* Error bounds of the ISA, relative unless a row says that they are absolute. */
static const struct {
  const char *opcode;
  long double (*exact)(long double);
  double low, high, bound;
  bool relative;
} kBounds[] = {
    {"ex2.approx.f32", exp2l, -126, 127, 0x1p-22, true},
    {"lg2.approx.f32", log2l, 0.5, 2, 0x1p-22, false},
    {"lg2.approx.f32", log2l, 2, 1e38, 0x1p-22, true},
    {"sin.approx.f32", sinl, -6.2831853, 6.2831853, 0x1p-20, false},
    {"cos.approx.f32", cosl, -6.2831853, 6.2831853, 0x1p-20, false},
    {"sin.approx.f32", sinl, -314, 314, 0x1p-14, false},
    {"rcp.approx.f32", rcp_exact, 1, 2, 0x1p-23, true},
    {"sqrt.approx.f32", sqrtl, 0, 1e30, 0x1p-23, true},
    {"rsqrt.approx.f32", rsqrt_exact, 1, 4, 0x1p-22, true},
    {"tanh.approx.f32", tanhl, -8, 8, 0x1p-11, true},
};

static float float_of(uint64_t bits) { return (float)exact_double(&kExactF32, bits); }
static uint64_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static void test_bounds(void) {
  uint64_t random = 5;
  for (size_t i = 0; i < sizeof kBounds / sizeof kBounds[0]; i++)
    for (unsigned n = 0; n < 5000; n++) {
      const double unit = (double)(sweep_random(&random) >> 11) * 0x1p-53;
      const float x = (float)(kBounds[i].low + (kBounds[i].high - kBounds[i].low) * unit);
      const float y = float_of(run1(kBounds[i].opcode, bits_of(x), 0));
      const long double want = kBounds[i].exact((long double)x);
      const long double error = fabsl((long double)y - want);
      const long double scale = kBounds[i].relative ? fabsl(want) : 1;
      CHECK(error <= (long double)kBounds[i].bound * scale, "%s(%g) = %g", kBounds[i].opcode,
            (double)x, (double)y);
    }
}

static void test_half_bounds(void) {
  for (uint64_t a = 0; a < 1 << 16; a++) {
    const double h = exact_double(&kExactF16, a), b = exact_double(&kExactBf16, a);
    if (isfinite(h)) {
      const double e = exact_double(&kExactF16, run1("ex2.approx.f16", a, 0));
      CHECK(h > 15.99 || fabs(e - exp2(h)) <= 0x1p-9 * exp2(h) + 0x1p-24, "ex2.f16(%g) = %g", h, e);
      const double t = exact_double(&kExactF16, run1("tanh.approx.f16", a, 0));
      CHECK(fabs(t - tanh(h)) <= 0x1p-10, "tanh.f16(%g) = %g", h, t);
    }
    if (!isfinite(b)) continue;
    const double e = exact_double(&kExactBf16, run1("ex2.approx.ftz.bf16", a, 0));
    CHECK(b > 127.9 || b < -126 || fabs(e - exp2(b)) <= 0x1p-7 * exp2(b), "ex2.bf16(%g) = %g", b,
          e);
    const double t = exact_double(&kExactBf16, run1("tanh.approx.bf16", a, 0));
    CHECK(fabs(t - tanh(b)) <= 0x1p-8, "tanh.bf16(%g) = %g", b, t);
  }
}

static double double_of(uint64_t bits) { return exact_double(&kExactF64, bits); }

/* The gross f64 forms give 20 bits and zeros below them. */
static void test_f64(void) {
  uint64_t random = 6;
  for (unsigned n = 0; n < 5000; n++) {
    const uint64_t a = (sweep_random(&random) & 0x000fffffffffffff) | 0x3f00000000000000 |
                       (sweep_random(&random) & 0x00f0000000000000);
    const double x = double_of(a);
    const uint64_t rcp = run1("rcp.approx.ftz.f64", a, 0);
    const uint64_t rsqrt = run1("rsqrt.approx.ftz.f64", a, 0);
    CHECK((uint32_t)rcp == 0 && fabs(double_of(rcp) * x - 1) < 0x1p-18, "rcp(%g)", x);
    CHECK((uint32_t)rsqrt == 0 && fabs(double_of(rsqrt) * sqrt(x) - 1) < 0x1p-18, "rsqrt(%g)", x);
    const double y = double_of(run1("rsqrt.approx.f64", a, 0));
    CHECK(fabs(y * sqrt(x) - 1) < 0x1p-50, "rsqrt.approx.f64(%g)", x);
  }
  CHECK(run1("rcp.approx.ftz.f64", 1, 0) == 0x7ff0000000000000, "subnormal to +inf");
  CHECK(run1("rcp.approx.ftz.f64", 1ull << 63, 0) == 0xfff0000000000000, "-0 to -inf");
  CHECK(run1("rcp.approx.ftz.f64", 0xfff0000000000000, 0) == 1ull << 63, "-inf to -0");
  CHECK(run1("rsqrt.approx.ftz.f64", 0x7ff0000000000000, 0) == 0, "inf to 0");
  CHECK(run1("rcp.approx.ftz.f64", 0xfff8000000000001, 0) == 0x7fffffff00000000, "one NaN");
  CHECK(run1("rsqrt.approx.ftz.f64", 1ull << 63 | 1ull << 62, 0) == 0x7fffffff00000000, "of -2");
}

/* Results of an H200. */
static void test_large_angles(void) {
  static const struct {
    float x, sin, cos;
  } turned[] = {{30754.3203f, -0.954227984f, -0.299079686f},
                {-256089.219f, 0.757208765f, 0.653172731f},
                {2745759.5f, 0.831469536f, 0.555570185f},
                {89549.8594f, 0.947585583f, -0.319502115f},
                {1.18747234e+16f, 0, 1},
                {7.00357876e+15f, 0, 1}};
  for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
    const float x = turned[i].x, s = float_of(run1("sin.approx.f32", bits_of(x), 0)),
                c = float_of(run1("cos.approx.f32", bits_of(x), 0));
    CHECK(fabsf(s - turned[i].sin) <= 0x1p-21f, "sin(%g) = %.9g", (double)x, (double)s);
    CHECK(fabsf(c - turned[i].cos) <= 0x1p-21f, "cos(%g) = %.9g", (double)x, (double)c);
  }
}

int main(void) {
  test_special();
  test_divide();
  test_bounds();
  test_half_bounds();
  test_f64();
  test_large_angles();
  return check_report("emu_arith_approx");
}
