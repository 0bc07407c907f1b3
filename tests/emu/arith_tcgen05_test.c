/* SPDX-License-Identifier: MIT */
/*
 * Elements of D of tcgen05.mma: 59 words that a B200 computed (github.com/sf-tensor/tcgen05,
 * tests/emu/data/b200_tcgen05_mma.csv), and random words against a second implementation of the
 * published rule, with doubles in place of integers. No Blackwell GPU was measured by this project.
 */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "emu/arith/arith_tcgen05.h"
#include "emu/arith_sweep.h"

enum { K = TCGEN05_MAX_K, WORDS = CHECK_SANITIZED ? 1000 : 10000 };

typedef struct {
  ArithTcgen05 op;
  uint32_t a[K], b[K], c;
  uint8_t scale_a[K], scale_b[K];
} Case;

static uint32_t run(const Case *x) {
  Tcgen05Line a, b;
  arith_tcgen05_line((Tcgen05Type)x->op.a, x->op.k, x->a, &a);
  arith_tcgen05_line((Tcgen05Type)x->op.b, x->op.k, x->b, &b);
  return arith_tcgen05_dot(&x->op, &a, &b, x->scale_a, x->scale_b, x->c);
}

/* --- words of a B200 --- */

enum { NAME, KIND, A_TYPE, B_TYPE, D_TYPE, SATURATE, SCALE, VEC, K_OF, A, B, C, SCALE_A, SCALE_B };
enum { D = SCALE_B + 1, FIELDS };

static uint8_t type_named(const char *name) {
  for (unsigned i = 0; i < TCGEN05_TYPES; i++)
    if (strcmp(arith_tcgen05_type_name((Tcgen05Type)i), name) == 0) return (uint8_t)i;
  return TCGEN05_TYPES;
}

static unsigned numbers(const char *text, uint32_t *out) {
  unsigned n = 0;
  char *end;
  for (const char *at = text; n < K; at = end, n++) {
    out[n] = (uint32_t)strtoul(at, &end, 16);
    if (end == at) break;
  }
  return n;
}

static void scales(const char *text, uint8_t *out) {
  uint32_t word[K];
  const unsigned n = numbers(text, word);
  for (unsigned i = 0; i < n; i++) out[i] = (uint8_t)word[i];
}

/* The file has bf16 in the upper half of a word. */
static void operands(const char *text, uint8_t type, unsigned k, uint32_t *out) {
  const unsigned n = numbers(text, out);
  CHECK(n == k, "%u operands, expected %u", n, k);
  for (unsigned i = 0; i < n && type == TCGEN05_BF16; i++) out[i] >>= 16;
}

static Case case_of(char *const field[FIELDS]) {
  Case x = {.c = (uint32_t)strtoul(field[C], NULL, 16)};
  const unsigned k = (unsigned)atoi(field[K_OF]), vec = (unsigned)atoi(field[VEC]);
  x.op = (ArithTcgen05){.a = type_named(field[A_TYPE]),
                        .b = type_named(field[B_TYPE]),
                        .d = (uint8_t)arith_type(field[D_TYPE], 3),
                        .k = (uint8_t)k,
                        .scale = (uint8_t)(strcmp(field[SCALE], "ue8m0") == 0   ? TCGEN05_UE8M0
                                           : strcmp(field[SCALE], "ue4m3") == 0 ? TCGEN05_UE4M3
                                                                                : TCGEN05_UNSCALED),
                        .scale_block = (uint8_t)(vec ? k / vec : 0),
                        .is_mxf4 = strncmp(field[KIND], "mxf4", 4) == 0,
                        .saturates = field[SATURATE][0] == '1'};
  operands(field[A], x.op.a, k, x.a);
  operands(field[B], x.op.b, k, x.b);
  scales(field[SCALE_A], x.scale_a);
  scales(field[SCALE_B], x.scale_b);
  return x;
}

static void test_b200(void) {
  FILE *file = fopen(KGEN_SOURCE_DIR "/tests/emu/data/b200_tcgen05_mma.csv", "r");
  char line[4096], *field[FIELDS];
  unsigned rows = 0, equal = 0;
  CHECK(file, "the words are missing");
  while (file && fgets(line, sizeof line, file)) {
    char *rest = line;
    for (unsigned i = 0; i < FIELDS; i++) field[i] = rest ? strsep(&rest, ",\n") : line;
    if (strcmp(field[NAME], "name") == 0) continue;
    const Case x = case_of(field);
    const uint32_t got = run(&x), want = (uint32_t)strtoul(field[D], NULL, 16);
    CHECK(got == want, "%s: %08x, a B200 has %08x", field[NAME], got, want);
    rows++;
    equal += got == want;
  }
  if (file) fclose(file);
  CHECK(rows == 59 && equal == 59, "%u of %u words", equal, rows);
}

/* --- the same rule on doubles, which represent every number below exactly --- */

/* exponent bits, fraction bits, bias; the largest finite magnitude */
typedef struct {
  int exponent, fraction, bias;
  uint32_t max;
  bool infinite;
} Layout;

static const Layout layouts[] = {
    [TCGEN05_F16] = {5, 10, 15, 0x7bff, true},    [TCGEN05_BF16] = {8, 7, 127, 0x7f7f, true},
    [TCGEN05_TF32] = {8, 10, 127, 0x3fbff, true}, [TCGEN05_E4M3] = {4, 3, 7, 0x7e, false},
    [TCGEN05_E5M2] = {5, 2, 15, 0x7b, true},      [TCGEN05_E2M3] = {2, 3, 1, 0x1f, false},
    [TCGEN05_E3M2] = {3, 2, 3, 0x1f, false},      [TCGEN05_E2M1] = {2, 1, 1, 0x7, false},
};
static const Layout layout_f32 = {8, 23, 127, 0x7f7fffff, true};

typedef struct {
  double value;
  int encoded; /* exponent as encoded */
} Plain;

static Plain plain(const Layout *l, uint32_t bits) {
  const int width = l->exponent + l->fraction;
  const uint32_t magnitude = bits & ((1u << width) - 1);
  const int field = (int)(magnitude >> l->fraction);
  Plain x = {.encoded = (field > 1 ? field : 1) - l->bias};
  if (magnitude <= l->max) {
    const double fraction = (double)(magnitude & ((1u << l->fraction) - 1));
    x.value = ldexp(fraction + (field ? ldexp(1, l->fraction) : 0), x.encoded - l->fraction);
  } else {
    x.value = l->infinite && magnitude == l->max + 1 ? (double)INFINITY : (double)NAN;
  }
  if (bits >> width & 1) x.value = -x.value;
  return x;
}

static Plain plain_scale(uint8_t scale, uint8_t bits) {
  if (scale == TCGEN05_UE4M3) return plain(&layouts[TCGEN05_E4M3], bits & 0x7f);
  return (Plain){bits == 0xff ? (double)NAN : ldexp(1, bits - 127), bits - 127};
}

static double chop(double x, int last) { return ldexp(trunc(ldexp(x, -last)), last); }

static uint32_t bits_of_f32(double x) {
  float f = (float)x;
  uint32_t bits;
  if (x != x) return 0x7fffffff;
  if (fabs((double)f) > fabs(x)) f = nextafterf(f, 0);
  if (isfinite(x) && fabs(x) >= ldexp(1, 128)) f = x < 0 ? -INFINITY : INFINITY;
  memcpy(&bits, &f, sizeof bits);
  return f == 0 ? 0 : bits;
}

static uint32_t bits_of_f16(double x) {
  if (x != x) return 0x7fff;
  const uint32_t sign = x < 0 ? 0x8000 : 0;
  const double magnitude = fabs(x);
  if (magnitude >= 65520) return sign | 0x7c00;
  if (magnitude < ldexp(1, -14)) {
    const uint32_t kept = (uint32_t)nearbyint(ldexp(magnitude, 24));
    return kept ? sign | kept : 0;
  }
  const int top = ilogb(magnitude);
  return sign | (uint32_t)(nearbyint(ldexp(magnitude, 10 - top)) + 1024 * (top + 14));
}

typedef struct {
  double product[K], c;
  int exponent[K], scale[K], c_exponent, largest, largest_scale;
  double special; /* the sum of all terms, to find infinities and NaNs */
  bool any;       /* some product is no zero */
} Terms;

static void find_terms(const Case *x, Terms *t) {
  const ArithTcgen05 *op = &x->op;
  const Layout *lc = op->d == ARITH_F16 ? &layouts[TCGEN05_F16] : &layout_f32;
  const Plain c = plain(lc, x->c);
  *t = (Terms){.c = c.value, .c_exponent = c.encoded, .special = c.value};
  for (unsigned i = 0; i < op->k; i++) {
    const unsigned tail = op->a == TCGEN05_TF32 ? 13 : 0;
    const Plain a = plain(&layouts[op->a], x->a[i] >> tail);
    const Plain b = plain(&layouts[op->b], x->b[i] >> tail);
    Plain sa = {1, 0}, sb = {1, 0};
    if (op->scale) sa = plain_scale(op->scale, x->scale_a[i / op->scale_block]);
    if (op->scale) sb = plain_scale(op->scale, x->scale_b[i / op->scale_block]);
    t->product[i] = a.value * b.value * sa.value * sb.value;
    t->scale[i] = sa.encoded + sb.encoded;
    t->exponent[i] = a.encoded + b.encoded + t->scale[i];
    t->special += isfinite(t->product[i]) ? 0 : t->product[i];
    if (t->product[i] == 0) continue;
    t->largest = t->any && t->largest > t->exponent[i] ? t->largest : t->exponent[i];
    t->largest_scale = t->any && t->largest_scale > t->scale[i] ? t->largest_scale : t->scale[i];
    t->any = true;
  }
}

static int most(int a, int b) { return a > b ? a : b; }

static double sum_of(const Terms *t, unsigned first, unsigned n) {
  double sum = 0;
  for (unsigned i = first; i < first + n; i++) sum += t->product[i];
  return sum;
}

static double narrow(const Case *x, const Terms *t) {
  const int last = (t->c == 0 ? t->largest
                    : !t->any ? t->c_exponent
                              : most(t->largest, t->c_exponent)) -
                   25;
  double sum = chop(t->c, last);
  for (unsigned i = 0; i < x->op.k; i++) sum += chop(t->product[i], last);
  return sum;
}

/* The part of 16 products from `first`; `small`: whether a subnormal sum lacks it. */
static double wide_part(const Terms *t, unsigned first, int last, bool *small) {
  int largest = -9999, scale = -9999;
  for (unsigned i = first; i < first + 16; i++) {
    if (t->product[i] == 0) continue;
    largest = most(largest, t->exponent[i]);
    scale = most(scale, t->scale[i]);
  }
  const bool below_c = t->c != 0 && largest > -9999 && t->c_exponent >= largest;
  const double part = chop(sum_of(t, first, 16), below_c ? most(last, t->c_exponent - 35) : last);
  *small = scale > -9999 && scale < t->largest_scale && fabs(part) < ldexp(1, most(last, -174));
  return part;
}

static double wide(const Case *x, const Terms *t) {
  if (!t->any) return t->c;
  if (t->c != 0 && t->c_exponent >= t->largest) {
    double sum = t->c;
    for (unsigned i = 0; i < x->op.k; i += 16) sum += chop(sum_of(t, i, 16), t->c_exponent - 35);
    return sum;
  }
  /* A C of zero has no exponent; one that is smaller does not count. */
  const int last = most(t->largest - 39, t->largest_scale - 35);
  double sum = chop(t->c, last), normal = 0;
  if (x->op.scale == TCGEN05_UE4M3) {
    for (unsigned i = 0; i < x->op.k; i += 4) sum += chop(sum_of(t, i, 4), last);
    return sum;
  }
  for (unsigned i = 0; i < x->op.k; i += 16) {
    bool small;
    const double part = wide_part(t, i, last, &small);
    sum += small ? 0 : part;
    normal += part;
  }
  normal += chop(t->c, last);
  const double kept = fabs(normal);
  return kept >= ldexp(1, -149) && kept < ldexp(1, -126) ? sum : normal;
}

static uint32_t whole(const Case *x) {
  int64_t sum = (int32_t)x->c;
  for (unsigned i = 0; i < x->op.k; i++) {
    const int64_t a = (int64_t)(x->a[i] & 0xff) - (x->op.a == TCGEN05_S8 && x->a[i] & 0x80) * 256;
    const int64_t b = (int64_t)(x->b[i] & 0xff) - (x->op.b == TCGEN05_S8 && x->b[i] & 0x80) * 256;
    sum += a * b;
  }
  if (x->op.saturates) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
  return (uint32_t)(uint64_t)sum;
}

static uint32_t model(const Case *x) {
  Terms t;
  if (x->op.d == ARITH_S32) return whole(x);
  find_terms(x, &t);
  const double sum = !isfinite(t.special) ? t.special : x->op.is_mxf4 ? wide(x, &t) : narrow(x, &t);
  return x->op.d == ARITH_F16 ? bits_of_f16(sum) : bits_of_f32(sum);
}

/* --- random words --- */

/* Any word; exponents near one another; subnormals and zeros; or now and then an infinity or NaN.
 */
static uint32_t random_number(uint64_t *random, const Layout *l, unsigned spread, int near) {
  const uint64_t word = sweep_random(random);
  const int top = (1 << l->exponent) - 1, width = l->exponent + l->fraction;
  const uint32_t fraction = (uint32_t)(word >> 8) & ((1u << l->fraction) - 1);
  int field = (int)(word >> 40) % (top + 1);
  if (spread == 1) field = l->bias + near + (int)(word >> 40) % 3 - 1;
  if (spread == 2) field = (int)(word >> 40) % 3;
  if (field < 0) field = 0;
  if (field > top) field = top;
  uint32_t magnitude = (uint32_t)field << l->fraction | fraction;
  const bool may_be_special = spread == 3 && (word >> 48) % 16 == 0;
  if (may_be_special) magnitude = l->max + (uint32_t)(word >> 60) % 3;
  if (magnitude > l->max && !may_be_special) magnitude = l->max;
  if ((word >> 52) % 8 == 0) magnitude = 0;
  return (magnitude & ((1u << width) - 1)) | (uint32_t)(word & 1) << width;
}

static uint32_t element(uint64_t *random, uint8_t type, unsigned spread) {
  if (type >= TCGEN05_U8) return (uint32_t)sweep_random(random) & (spread == 1 ? 0xffffff7f : ~0u);
  const uint32_t bits = random_number(random, &layouts[type], spread, 0);
  return type == TCGEN05_TF32 ? bits << 13 | (uint32_t)(sweep_random(random) >> 51) : bits;
}

/* Scales near one another at any magnitude, so that parts of several magnitudes are summed. */
static void random_scales(const ArithTcgen05 *op, uint64_t *random, unsigned base, uint8_t *scale) {
  const unsigned spread = 1 + (unsigned)(sweep_random(random) >> 32) % 40;
  for (unsigned i = 0; op->scale && i < op->k / op->scale_block; i++) {
    const uint64_t r = sweep_random(random);
    const unsigned of_e8m0 = base + (unsigned)r % spread;
    scale[i] = (uint8_t)(op->scale == TCGEN05_UE4M3 ? r : of_e8m0 > 254 ? 254 : of_e8m0);
    if (op->scale == TCGEN05_UE4M3 && (scale[i] & 0x7f) == 0x7f) scale[i] ^= 1;
    if (r >> 54 == 0) scale[i] |= op->scale == TCGEN05_UE4M3 ? 0x7f : 0xff;
  }
}

static int exponent_of_products(const Case *x) {
  Terms t;
  find_terms(x, &t);
  return t.any ? t.largest : 0;
}

static Case random_case(const ArithTcgen05 *op, uint64_t *random, unsigned trial) {
  Case x = {.op = *op};
  const unsigned spread = trial % 4;
  for (unsigned i = 0; i < op->k; i++) {
    x.a[i] = element(random, op->a, spread);
    x.b[i] = element(random, op->b, spread);
  }
  /* Now and then the scales are such that sums are subnormal. */
  const unsigned base = (unsigned)sweep_random(random) % 254, tiny = trial / 8 % 4 == 0;
  random_scales(op, random, tiny ? 20 : base, x.scale_a);
  random_scales(op, random, tiny ? 55 : (unsigned)sweep_random(random) % 254, x.scale_b);
  if (op->d == ARITH_S32) {
    x.c = (uint32_t)sweep_random(random) | (trial % 2 ? 0x7fff0000 : 0);
    return x;
  }
  /* C near the products in every other case: the windows of mxf4 depend on which is larger. */
  const Layout *l = op->d == ARITH_F16 ? &layouts[TCGEN05_F16] : &layout_f32;
  const int offset = (int)(sweep_random(random) % 48) - 24;
  x.c = trial / 4 % 2 ? random_number(random, l, 1, exponent_of_products(&x) + offset)
                      : random_number(random, l, spread, 0);
  return x;
}

typedef struct {
  const char *name;
  ArithTcgen05 op;
} Kind;

static void test_kind(const Kind *kind, uint64_t seed) {
  uint64_t random = seed;
  unsigned wrong = 0;
  for (unsigned trial = 0; trial < WORDS; trial++) {
    const Case x = random_case(&kind->op, &random, trial);
    const uint32_t got = run(&x), want = model(&x);
    if (got == want || wrong++ > 2) continue;
    CHECK(false, "%s, word %u: %08x, the model has %08x (c %08x)", kind->name, trial, got, want,
          x.c);
  }
  CHECK(wrong == 0, "%s: %u of %d words differ", kind->name, wrong, WORDS);
}

static void test_random(void) {
  static const Kind kinds[] = {
      {"f16", {TCGEN05_F16, TCGEN05_F16, ARITH_F32, .k = 16}},
      {"f16, f16 D", {TCGEN05_F16, TCGEN05_F16, ARITH_F16, .k = 16}},
      {"bf16", {TCGEN05_BF16, TCGEN05_BF16, ARITH_F32, .k = 16}},
      {"tf32", {TCGEN05_TF32, TCGEN05_TF32, ARITH_F32, .k = 8}},
      {"mxf4", {TCGEN05_E2M1, TCGEN05_E2M1, ARITH_F32, 64, TCGEN05_UE8M0, 32, true, false}},
      {"mxf4nvf4 4X", {TCGEN05_E2M1, TCGEN05_E2M1, ARITH_F32, 64, TCGEN05_UE8M0, 16, true, false}},
      {"nvfp4", {TCGEN05_E2M1, TCGEN05_E2M1, ARITH_F32, 64, TCGEN05_UE4M3, 16, true, false}},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) test_kind(&kinds[i], 7 + i);
}

static void test_random_bytes(void) {
  for (unsigned i = 0; i < 25; i++) {
    const uint8_t a = (uint8_t)(TCGEN05_E4M3 + i / 5), b = (uint8_t)(TCGEN05_E4M3 + i % 5);
    const Kind kinds[] = {{"f8f6f4", {a, b, ARITH_F32, .k = 32}},
                          {"f8f6f4, f16 D", {a, b, ARITH_F16, .k = 32}},
                          {"mxf8f6f4", {a, b, ARITH_F32, 32, TCGEN05_UE8M0, 32, false, false}}};
    for (unsigned j = 0; j < 3; j++) test_kind(&kinds[j], 100 * j + i);
  }
  for (unsigned i = 0; i < 8; i++) {
    const uint8_t a = i & 1 ? TCGEN05_S8 : TCGEN05_U8, b = i & 2 ? TCGEN05_S8 : TCGEN05_U8;
    const Kind kind = {"i8", {a, b, ARITH_S32, .k = 32, .saturates = i >> 2}};
    test_kind(&kind, i);
  }
}

int main(void) {
  test_b200();
  test_random();
  test_random_bytes();
  return check_report("emu_arith_tcgen05");
}
