/* SPDX-License-Identifier: MIT */
/* f16, bf16, f32 and f64 arithmetic of the emulator against exact integer arithmetic. */
#include "emu/arith_exact.h"
#include "emu/arith_sweep.h"

typedef enum Kind { ADD, SUB, MUL, FMA, DIV, RCP, SQRT } Kind;

typedef struct Case {
  const ExactFormat *format;
  Kind kind;
  ExactRound round;
  bool ftz, sat, relu;
  unsigned parts;
} Case;

static uint64_t flush(const Case *k, uint64_t bits) {
  const uint64_t sign = 1ull << (k->format->bits - 1);
  return k->ftz && exact_subnormal(k->format, bits) ? bits & sign : bits;
}

/* If a NaN or an infinity is among the operands, only the sign of a finite one and whether it is 0
 * matter. */
static double tame(const ExactFormat *f, uint64_t bits) {
  const double x = exact_double(f, bits);
  return isfinite(x) && x != 0 ? copysign(1, x) : x;
}

static double special(const Case *k, const uint64_t x[3]) {
  const double a = tame(k->format, x[0]), b = tame(k->format, x[1]), c = tame(k->format, x[2]);
  switch (k->kind) {
  case ADD: return a + b;
  case SUB: return a - b;
  case MUL: return a * b;
  case FMA: return a * b + c;
  case DIV: return a / b;
  case RCP: return 1 / a;
  default: return sqrt(a);
  }
}

static uint64_t one_of(const ExactFormat *f) {
  const Exact one = exact_make(1, 0, false);
  return exact_round(f, &one, EXACT_RN);
}

static Exact is_finite(const Case *k, const uint64_t x[3]) {
  const ExactFormat *f = k->format;
  const uint64_t sign = 1ull << (f->bits - 1);
  switch (k->kind) {
  case ADD: return exact_sum(exact_of(f, x[0]), exact_of(f, x[1]), k->round);
  case SUB: return exact_sum(exact_of(f, x[0]), exact_of(f, x[1] ^ sign), k->round);
  case MUL: return exact_product(f, x[0], x[1]);
  case FMA: return exact_sum(exact_product(f, x[0], x[1]), exact_of(f, x[2]), k->round);
  case DIV: return exact_quotient(f, x[0], x[1]);
  case RCP: return exact_quotient(f, one_of(f), x[0]);
  default: return exact_root(f, x[0]);
  }
}

static bool is_zero(const ExactFormat *f, uint64_t bits) { return exact_double(f, bits) == 0; }

/* True if signs, zeros, infinities and NaNs alone determine the result. */
static bool is_special(const Case *k, const uint64_t x[3]) {
  const ExactFormat *f = k->format;
  const unsigned n = k->kind == FMA ? 3 : k->kind == RCP || k->kind == SQRT ? 1 : 2;
  for (unsigned i = 0; i < n; i++)
    if (exact_special(f, x[i])) return true;
  if (k->kind == DIV) return is_zero(f, x[1]);
  if (k->kind == RCP) return is_zero(f, x[0]);
  return k->kind == SQRT && (exact_negative(f, x[0]) || is_zero(f, x[0]));
}

/* An H200 rounds halves, and products of floats, as if there were no least exponent to see whether
 * they are subnormal. */
static bool flushes(const Case *k, const Exact *x) {
  const int bias = (1 << (k->format->exponent - 1)) - 1, fraction = (int)k->format->fraction;
  const int top = exact_top(x);
  const bool is_product = k->kind == MUL || k->kind == FMA;
  if (!k->ftz || top < fraction) return false;
  if (k->format->bits != 16 && !(k->format->bits == 32 && is_product)) return false;
  const bool carries = exact_kept(x, top - fraction, k->round) >> (fraction + 1) != 0;
  return top + carries - kExactScale < 1 - bias;
}

static uint64_t compute(const Case *k, const uint64_t x[3]) {
  const ExactFormat *f = k->format;
  if (is_special(k, x)) {
    const double y = special(k, x);
    if (y != y) return f->nan;
    if (isinf(y)) return exact_infinity(f, signbit(y) != 0);
    return signbit(y) ? 1ull << (f->bits - 1) : 0;
  }
  const Exact y = is_finite(k, x);
  if (flushes(k, &y)) return (uint64_t)y.negative << (f->bits - 1);
  return exact_round(f, &y, k->round);
}

static uint64_t finish(const Case *k, uint64_t bits) {
  const ExactFormat *f = k->format;
  bits = flush(k, bits);
  const double y = exact_double(f, bits);
  if (k->sat) {
    if (!(y > 0)) return 0;
    return y < 1 ? bits : one_of(f);
  }
  return k->relu && y <= 0 ? 0 : bits;
}

static uint64_t expect(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)in, (void)out;
  const Case *k = context;
  uint64_t result = 0;
  for (unsigned p = 0; p < k->parts; p++) {
    uint64_t part[3];
    for (unsigned i = 0; i < 3; i++)
      part[i] = flush(k, sweep_low(x[i] >> (k->format->bits * p), k->format->bits));
    result |= finish(k, compute(k, part)) << (k->format->bits * p);
  }
  return result;
}

static const uint64_t kEdges32[] = {
    0,          0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fffffff, 0xffc00001,
    0x7f800001, 0x3f7fffff, 0x3f800001, 0xbf800001, 0x40490fdb, 0x34000000, 0xb3800000, 0x4b800000,
    0xcb7fffff, 0x1f800000, 0x5f000000, 0x20000001, 0x00400000, 0x3effffff};
static const uint64_t kEdges64[] = {0,
                                    1ull << 63,
                                    0x3ff0000000000000,
                                    0xbff0000000000000,
                                    1,
                                    0x8000000000000001,
                                    0x000fffffffffffff,
                                    0x0010000000000000,
                                    0x8010000000000001,
                                    0x7fefffffffffffff,
                                    0xffefffffffffffff,
                                    0x7ff0000000000000,
                                    0xfff0000000000000,
                                    0x7ff8000000000000,
                                    0xfff8000000000001,
                                    0x3fefffffffffffff,
                                    0x3ff0000000000001,
                                    0x3ca0000000000000,
                                    0xbc90000000000000,
                                    0x4340000000000000,
                                    0x1ff0000000000000,
                                    0x5fe0000000000001,
                                    0x400921fb54442d18};
static const uint64_t kEdges16[] = {0,      0x8000, 0x3c00, 0xbc00, 1,      0x8001, 0x3ff,  0x83ff,
                                    0x400,  0x8401, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7fff, 0xfe01,
                                    0x3bff, 0x3c01, 0xbc01, 0x1400, 0x9400, 0x6400, 0x6401, 0x0200,
                                    0x3f80, 0xbf80, 0x7f,   0x80,   0x7f7f, 0xff7f, 0x7f80, 0xff80,
                                    0x3f81, 0x3f7f, 0x3c00, 0x0080, 0x4300, 0xc2ff, 0x2000, 0x5f00};

static void run(const char *opcode, const Case *k) {
  /* The upper halves have the same special values as the lower ones, in another order. */
  uint64_t pairs[40];
  for (unsigned i = 0; i < 40; i++) pairs[i] = kEdges16[i] | kEdges16[(7 * i + 3) % 40] << 16;
  Sweep sweep = {.opcode = opcode, .n_random = 6000, .oracle = expect, .context = k};
  sweep.nan_payload_open = k->format->bits == 64;
  if (k->format->bits == 64) sweep.edges = kEdges64, sweep.n_edges = 23;
  if (k->format->bits == 32) sweep.edges = kEdges32, sweep.n_edges = 30;
  if (k->format->bits == 16) sweep.edges = pairs, sweep.n_edges = 40;
  sweep_run(&sweep);
}

static const char *const kNames[] = {"add", "sub", "mul", "fma", "div", "rcp", "sqrt"};

static void test_wide(const ExactFormat *f) {
  for (Kind kind = ADD; kind <= SQRT; kind++)
    for (ExactRound round = EXACT_RN; round <= EXACT_RP; round++)
      for (unsigned flags = 0; flags < (f->bits == 32 ? 4 : 1); flags++) {
        const Case k = {f, kind, round, (flags & 1) != 0, (flags & 2) != 0, false, 1};
        if (k.sat && kind > FMA) continue;
        char opcode[40];
        snprintf(opcode, sizeof opcode, "%s.%s%s%s.%s", kNames[kind], kExactRounds[round],
                 k.ftz ? ".ftz" : "", k.sat ? ".sat" : "", f->name);
        run(opcode, &k);
      }
}

static void test_default_rounding(void) {
  run("add.f32", &(Case){&kExactF32, ADD, EXACT_RN, false, false, false, 1});
  run("sub.ftz.f32", &(Case){&kExactF32, SUB, EXACT_RN, true, false, false, 1});
  run("mul.f64", &(Case){&kExactF64, MUL, EXACT_RN, false, false, false, 1});
  run("mad.rz.f32", &(Case){&kExactF32, FMA, EXACT_RZ, false, false, false, 1});
  run("fma.rn.f32x2", &(Case){&kExactF32, FMA, EXACT_RN, false, false, false, 2});
  run("add.rz.ftz.f32x2", &(Case){&kExactF32, ADD, EXACT_RZ, true, false, false, 2});
}

static void test_half(const ExactFormat *f, bool is_f16) {
  for (Kind kind = ADD; kind <= FMA; kind++)
    for (unsigned flags = 0; flags < 8; flags++) {
      Case k = {f, kind, EXACT_RN, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, 1};
      if ((k.relu && (kind != FMA || k.sat)) || (!is_f16 && (k.ftz || k.sat))) continue;
      for (k.parts = 1; k.parts <= 2; k.parts++) {
        char opcode[40];
        snprintf(opcode, sizeof opcode, "%s.rn%s%s%s.%s%s", kNames[kind], k.ftz ? ".ftz" : "",
                 k.sat ? ".sat" : "", k.relu ? ".relu" : "", f->name, k.parts == 2 ? "x2" : "");
        run(opcode, &k);
      }
    }
}

/* Results that the ISA or IEEE 754 states. */
static void test_known(void) {
  static const struct {
    const char *opcode;
    uint64_t a, b, c, want;
  } kRows[] = {
      {"add.f32", 0x7f800000, 0xff800000, 0, 0x7fffffff},
      {"add.rm.f32", 0x3f800000, 0xbf800000, 0, 0x80000000},
      {"add.rn.f32", 0x3f800000, 0xbf800000, 0, 0},
      {"mul.f32", 0x7fc12345, 0x3f800000, 0, 0x7fffffff},
      {"fma.rn.f32", 0x3f800001, 0x3f800001, 0xbf800002, 0x28800000},
      {"fma.rn.f16", 0x7c00, 0, 0x3c00, 0x7fff},
      {"fma.rn.relu.f16", 0xbc00, 0x3c00, 0, 0},
      {"fma.rn.relu.bf16", 0x7fc0, 0x3f80, 0, 0x7fff},
      {"add.f16", 0x7bff, 0x4c00, 0, 0x7c00},
      {"add.f16", 0x7bff, 0x4bff, 0, 0x7bff},
      {"add.sat.f32", 0x40000000, 0, 0, 0x3f800000},
      {"add.sat.f32", 0x7fffffff, 0, 0, 0},
      {"div.rn.f32", 0x3f800000, 0x40400000, 0, 0x3eaaaaab},
      {"div.rz.f32", 0x3f800000, 0x40400000, 0, 0x3eaaaaaa},
      {"sqrt.rp.f32", 0x40000000, 0, 0, 0x3fb504f4},
      {"mul.f32", 0x3f7fffff, 0x00800000, 0, 0x00800000},
      {"mul.ftz.f32", 0x3f7fffff, 0x80800000, 0, 0x80000000},
      {"fma.rn.ftz.f32", 0x3f7fffff, 0x00800000, 0, 0},
      {"fma.rp.ftz.f32", 0x3f7fffff, 0x00800000, 0, 0},
      {"fma.rn.ftz.f32", 0x33000000, 0x80800000, 0x00800000, 0x00800000},
  };
  for (size_t i = 0; i < sizeof kRows / sizeof kRows[0]; i++) {
    ArithInsn insn;
    uint64_t d = 0;
    const uint64_t *const s[] = {&kRows[i].a, &kRows[i].b, &kRows[i].c};
    const bool resolved = arith_resolve(kRows[i].opcode, &insn) == ARITH_OK;
    CHECK(resolved, "%s", kRows[i].opcode);
    if (!resolved) continue;
    insn.fn(&insn, &d, s, 1, 0);
    CHECK(d == kRows[i].want, "%s row %zu: %#llx", kRows[i].opcode, i, (unsigned long long)d);
  }
}

int main(void) {
  test_wide(&kExactF32);
  test_wide(&kExactF64);
  test_default_rounding();
  test_half(&kExactF16, true);
  test_half(&kExactBf16, false);
  test_known();
  return check_report("emu_arith_float");
}
