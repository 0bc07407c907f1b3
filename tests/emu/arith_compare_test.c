/* SPDX-License-Identifier: MIT */
/* Comparisons, min and max, signs and selections of the emulator, case by case from the ISA. */
#include "emu/arith_exact.h"
#include "emu/arith_sweep.h"

/* A type: unsigned, signed, or a float format. */
typedef struct Type {
  const char *name;
  unsigned bits;
  bool is_signed;
  const ExactFormat *format;
} Type;

static const Type kTypes[] = {{"u16", 16, false, NULL},       {"u32", 32, false, NULL},
                              {"u64", 64, false, NULL},       {"s16", 16, true, NULL},
                              {"s32", 32, true, NULL},        {"s64", 64, true, NULL},
                              {"f16", 16, false, &kExactF16}, {"bf16", 16, false, &kExactBf16},
                              {"f32", 32, false, &kExactF32}, {"f64", 64, false, &kExactF64}};
enum { kTypeCount = 10 };

static const uint64_t kEdges[] = {0,
                                  1,
                                  2,
                                  0x7f,
                                  0x80,
                                  0x3ff,
                                  0x400,
                                  0x3c00,
                                  0xbc00,
                                  0x3f80,
                                  0x7bff,
                                  0x7c00,
                                  0x7c01,
                                  0x7f80,
                                  0x7fff,
                                  0x8000,
                                  0x8001,
                                  0xfc00,
                                  0xfe00,
                                  0xffff,
                                  0x007fffff,
                                  0x00800000,
                                  0x3f800000,
                                  0xbf800000,
                                  0x7f7fffff,
                                  0x7f800000,
                                  0x7f800001,
                                  0x7fffffff,
                                  0x80000000,
                                  0x80000001,
                                  0xff800000,
                                  0xffc00000,
                                  UINT32_MAX,
                                  0x000fffffffffffff,
                                  0x0010000000000000,
                                  0x3ff0000000000000,
                                  0xbff0000000000000,
                                  0x7ff0000000000000,
                                  0x7ff0000000000001,
                                  0x7fefffffffffffff,
                                  INT64_MAX,
                                  1ull << 63,
                                  0x8000000000000001,
                                  0xfff0000000000000,
                                  0xfff8000000000000,
                                  UINT64_MAX};
enum { kEdgeCount = sizeof kEdges / sizeof kEdges[0] };

typedef enum Order { BELOW, SAME, ABOVE, NEITHER } Order;

static uint64_t flush(const Type *t, bool ftz, uint64_t x) {
  return ftz && exact_subnormal(t->format, x) ? x & 1ull << (t->bits - 1) : x;
}

static Order order_of(const Type *t, bool ftz, uint64_t a, uint64_t b) {
  if (t->format != NULL) {
    const double x = exact_double(t->format, flush(t, ftz, a));
    const double y = exact_double(t->format, flush(t, ftz, b));
    return x < y ? BELOW : x > y ? ABOVE : x == y ? SAME : NEITHER;
  }
  /* Signed order is unsigned order with the sign bit turned. */
  const uint64_t turn = t->is_signed ? 1ull << (t->bits - 1) : 0;
  return (a ^ turn) < (b ^ turn) ? BELOW : a == b ? SAME : ABOVE;
}

/* Comparisons, and their results where a is below b, equal, above, and unordered. */
static const struct {
  const char *name, *holds;
  bool integers; /* also for integers */
} kCompares[] = {{"eq", "0100", true},   {"ne", "1010", true},   {"lt", "1000", true},
                 {"le", "1100", true},   {"gt", "0010", true},   {"ge", "0110", true},
                 {"equ", "0101", false}, {"neu", "1011", false}, {"ltu", "1001", false},
                 {"leu", "1101", false}, {"gtu", "0011", false}, {"geu", "0111", false},
                 {"num", "1110", false}, {"nan", "0001", false}};
enum { kCompareCount = 14 };

typedef struct Compare {
  Type type;
  const char *holds;
  uint64_t yes; /* value that set writes for true */
  char logic;   /* & | ^ or 0 */
  bool ftz, pair;
} Compare;

static bool combine(char logic, bool t, bool c) {
  return logic == '&' ? t && c : logic == '|' ? t || c : logic == '^' ? t != c : t;
}

static bool holds(const Compare *k, uint64_t a, uint64_t b) {
  return k->holds[order_of(&k->type, k->ftz, a, b)] == '1';
}

static uint64_t expect_setp(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)in;
  const Compare *k = context;
  *out = holds(k, sweep_low(x[0], k->type.bits), sweep_low(x[1], k->type.bits));
  return k->pair && holds(k, x[0] >> 16, x[1] >> 16);
}

static uint64_t expect_set(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)out;
  const Compare *k = context;
  const unsigned bits = k->type.bits;
  const bool low = holds(k, sweep_low(x[0], bits), sweep_low(x[1], bits));
  if (!k->pair) return combine(k->logic, low, in) ? k->yes : 0;
  const bool high = holds(k, x[0] >> 16, x[1] >> 16);
  return (combine(k->logic, high, in) ? k->yes << 16 : 0) |
         (combine(k->logic, low, in) ? k->yes : 0);
}

static void sweep(const char *opcode, SweepOracle oracle, const void *context, bool nan_open) {
  sweep_run(&(Sweep){opcode, kEdges, kEdgeCount, 3000, oracle, context, nan_open});
}

static void test_setp(void) {
  for (unsigned t = 0; t < kTypeCount; t++)
    for (unsigned c = 0; c < kCompareCount; c++) {
      char opcode[32];
      Compare k = {.type = kTypes[t], .holds = kCompares[c].holds};
      if (k.type.format == NULL && !kCompares[c].integers) continue;
      snprintf(opcode, sizeof opcode, "setp.%s.%s", kCompares[c].name, k.type.name);
      sweep(opcode, expect_setp, &k, false);
      if (k.type.format == NULL || k.type.bits == 64) continue;
      k.ftz = true;
      snprintf(opcode, sizeof opcode, "setp.%s.ftz.%s", kCompares[c].name, k.type.name);
      sweep(opcode, expect_setp, &k, false);
      if (k.type.bits != 16) continue;
      k.ftz = false, k.pair = true;
      snprintf(opcode, sizeof opcode, "setp.%s.%sx2", kCompares[c].name, k.type.name);
      sweep(opcode, expect_setp, &k, false);
    }
  sweep("setp.lo.u32", expect_setp, &(Compare){.type = kTypes[1], .holds = "1000"}, false);
  sweep("setp.ls.u16", expect_setp, &(Compare){.type = kTypes[0], .holds = "1100"}, false);
  sweep("setp.hi.u64", expect_setp, &(Compare){.type = kTypes[2], .holds = "0010"}, false);
  sweep("setp.hs.u32", expect_setp, &(Compare){.type = kTypes[1], .holds = "0110"}, false);
  sweep("setp.eq.b32", expect_setp, &(Compare){.type = kTypes[1], .holds = "0100"}, false);
}

static void test_set(void) {
  static const struct {
    const char *opcode;
    Compare k;
  } kRows[] = {
      {"set.lt.u32.s32", {.type = {"", 32, true, NULL}, .holds = "1000", .yes = UINT32_MAX}},
      {"set.ge.s32.f64", {.type = {"", 64, false, &kExactF64}, .holds = "0110", .yes = UINT32_MAX}},
      {"set.leu.f32.f32",
       {.type = {"", 32, false, &kExactF32}, .holds = "1101", .yes = 0x3f800000}},
      {"set.gt.and.f32.u16",
       {.type = {"", 16, false, NULL}, .holds = "0010", .yes = 0x3f800000, .logic = '&'}},
      {"set.ne.or.u32.b64",
       {.type = {"", 64, false, NULL}, .holds = "1010", .yes = UINT32_MAX, .logic = '|'}},
      {"set.num.xor.ftz.s32.f32",
       {.type = {"", 32, false, &kExactF32},
        .holds = "1110",
        .yes = UINT32_MAX,
        .logic = '^',
        .ftz = true}},
      {"set.eq.f16.f16", {.type = {"", 16, false, &kExactF16}, .holds = "0100", .yes = 0x3c00}},
      {"set.nan.u16.f16", {.type = {"", 16, false, &kExactF16}, .holds = "0001", .yes = 0xffff}},
      {"set.lt.bf16.bf16", {.type = {"", 16, false, &kExactBf16}, .holds = "1000", .yes = 0x3f80}},
      {"set.lt.f16x2.f16x2",
       {.type = {"", 16, false, &kExactF16}, .holds = "1000", .yes = 0x3c00, .pair = true}},
      {"set.geu.and.bf16x2.bf16x2",
       {.type = {"", 16, false, &kExactBf16},
        .holds = "0111",
        .yes = 0x3f80,
        .pair = true,
        .logic = '&'}},
      {"set.ge.u32.f16x2",
       {.type = {"", 16, false, &kExactF16}, .holds = "0110", .yes = 0xffff, .pair = true}},
  };
  for (size_t i = 0; i < sizeof kRows / sizeof kRows[0]; i++)
    sweep(kRows[i].opcode, expect_set, &kRows[i].k, false);
}

typedef struct MinMax {
  Type type;
  bool is_max, ftz, nan, xorsign;
  unsigned parts;
} MinMax;

/* The order of -0 and +0, and of all numbers, as sign and magnitude. */
static bool below(const ExactFormat *f, uint64_t a, uint64_t b) {
  const bool na = exact_negative(f, a), nb = exact_negative(f, b);
  return na != nb ? na : na ? a > b : a < b;
}

static uint64_t min_max(const MinMax *k, uint64_t a, uint64_t b) {
  const ExactFormat *f = k->type.format;
  const uint64_t sign = 1ull << (f->bits - 1);
  a = flush(&k->type, k->ftz, a), b = flush(&k->type, k->ftz, b);
  const uint64_t signs = (a ^ b) & sign;
  const bool an = exact_is_nan(f, a), bn = exact_is_nan(f, b);
  if ((an && bn) || (k->nan && (an || bn))) return f->nan;
  if (k->xorsign) a &= ~sign, b &= ~sign;
  uint64_t picked = an ? b : bn ? a : below(f, a, b) == k->is_max ? b : a;
  return k->xorsign ? picked | signs : picked;
}

static uint64_t expect_min_max(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)in, (void)out;
  const MinMax *k = context;
  const unsigned bits = k->type.bits;
  uint64_t result = 0;
  for (unsigned p = 0; p < k->parts; p++)
    result |= min_max(k, sweep_low(x[0] >> (bits * p), bits), sweep_low(x[1] >> (bits * p), bits))
              << (bits * p);
  return result;
}

static void test_min_max(void) {
  for (unsigned t = 6; t < kTypeCount; t++)
    for (unsigned flags = 0; flags < 16; flags++) {
      MinMax k = {kTypes[t],        (flags & 1) != 0, (flags & 2) != 0,
                  (flags & 4) != 0, (flags & 8) != 0, 1};
      if (k.type.bits == 64 && (k.ftz || k.nan || k.xorsign)) continue;
      if (t == 7 && k.ftz) continue;
      for (k.parts = 1; k.parts <= (k.type.bits == 16 ? 2 : 1); k.parts++) {
        char opcode[40];
        snprintf(opcode, sizeof opcode, "%s%s%s%s.%s%s", k.is_max ? "max" : "min",
                 k.ftz ? ".ftz" : "", k.nan ? ".NaN" : "", k.xorsign ? ".xorsign.abs" : "",
                 k.type.name, k.parts == 2 ? "x2" : "");
        sweep(opcode, expect_min_max, &k, k.type.bits == 64);
      }
    }
}

typedef struct Sign {
  Type type;
  bool neg, ftz;
  unsigned parts;
} Sign;

/* They make of a NaN what sums make of it [measured on an H200]. */
static uint64_t sign_of(const Sign *k, uint64_t bits) {
  const uint64_t sign = 1ull << (k->type.bits - 1), a = flush(&k->type, k->ftz, bits);
  if (!exact_is_nan(k->type.format, a)) return k->neg ? a ^ sign : a & ~sign;
  return k->type.bits == 64 ? a | 1ull << 51 : k->type.format->nan;
}

static uint64_t expect_sign(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)in, (void)out;
  const Sign *k = context;
  uint64_t result = 0;
  for (unsigned p = 0; p < k->parts; p++)
    result |= sign_of(k, sweep_low(x[0] >> (k->type.bits * p), k->type.bits)) << (k->type.bits * p);
  return result;
}

static uint64_t expect_copysign(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)in, (void)out;
  const uint64_t sign = 1ull << (((const Type *)context)->bits - 1);
  return (x[0] & sign) | (x[1] & ~sign);
}

static void test_signs(void) {
  for (unsigned t = 6; t < kTypeCount; t++)
    for (unsigned flags = 0; flags < 4; flags++) {
      Sign k = {kTypes[t], (flags & 1) != 0, (flags & 2) != 0, 1};
      if (k.ftz && (k.type.bits == 64 || t == 7)) continue;
      for (k.parts = 1; k.parts <= (k.type.bits == 16 ? 2 : 1); k.parts++) {
        char opcode[24];
        snprintf(opcode, sizeof opcode, "%s%s.%s%s", k.neg ? "neg" : "abs", k.ftz ? ".ftz" : "",
                 k.type.name, k.parts == 2 ? "x2" : "");
        sweep(opcode, expect_sign, &k, false);
      }
    }
  sweep("copysign.f32", expect_copysign, &kTypes[8], false);
  sweep("copysign.f64", expect_copysign, &kTypes[9], false);
}

static const char *const kProperties[] = {"finite",     "infinite", "number",
                                          "notanumber", "normal",   "subnormal"};
typedef struct Property {
  unsigned which;
  const ExactFormat *format;
} Property;

static uint64_t expect_testp(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)in;
  const Property *k = context;
  const ExactFormat *f = k->format;
  const bool special = exact_special(f, x[0]), nan = exact_is_nan(f, x[0]);
  const bool subnormal = exact_subnormal(f, x[0]);
  const bool all[] = {!special, special && !nan, !nan, nan, !special && !subnormal, subnormal};
  *out = all[k->which];
  return 0;
}

static void test_testp(void) {
  for (unsigned i = 0; i < 6; i++)
    for (unsigned t = 8; t < kTypeCount; t++) {
      char opcode[32];
      const Property k = {i, kTypes[t].format};
      snprintf(opcode, sizeof opcode, "testp.%s.%s", kProperties[i], kTypes[t].name);
      sweep(opcode, expect_testp, &k, false);
    }
}

static uint64_t expect_selp(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)context, (void)out;
  return in ? x[0] : x[1];
}

/* context: NULL where c is an s32, else whether .ftz makes a negative subnormal c a zero. */
static uint64_t expect_slct(const void *context, const uint64_t x[4], bool in, bool *out) {
  (void)in, (void)out;
  const bool *ftz = context;
  if (ftz == NULL) return (x[2] >> 31 & 1) == 0 ? x[0] : x[1];
  const uint64_t c = flush(&kTypes[8], *ftz, x[2]);
  return exact_double(&kExactF32, c) >= 0 ? x[0] : x[1];
}

static void test_select(void) {
  const bool plain = false, ftz = true;
  static const char *const kSelect[] = {"selp.b16", "selp.u32", "selp.f32", "selp.b64", "selp.f64"};
  for (unsigned i = 0; i < 5; i++) sweep(kSelect[i], expect_selp, NULL, false);
  sweep("slct.u16.s32", expect_slct, NULL, false);
  sweep("slct.b64.s32", expect_slct, NULL, false);
  sweep("slct.f32.f32", expect_slct, &plain, false);
  sweep("slct.ftz.s64.f32", expect_slct, &ftz, false);
}

int main(void) {
  test_setp();
  test_set();
  test_min_max();
  test_signs();
  test_testp();
  test_select();
  return check_report("emu_arith_compare");
}
