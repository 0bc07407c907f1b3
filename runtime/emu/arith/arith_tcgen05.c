/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_tcgen05.h"

/* ABSENT: the exponent of a zero, below every sum of exponents. */
enum { ABSENT = -8192, F32_FRACTION = 23, F32_LEAST = -126, F16_FRACTION = 10, F16_LEAST = -14 };
/* The number of bits kept below the largest exponent of products and C. mxf4 and mxf4nvf4: below
 * this exponent, below the scales' exponent, and below C's exponent if C is the largest. */
enum { KEPT = 25, MXF4_KEPT = 39, MXF4_SCALE_KEPT = 35, MXF4_C_KEPT = 35 };
/* Sums of mxf4 with ue8m0 that are subnormal lack parts below this power of two. */
enum { SUBNORMAL_PART = -174 };

typedef enum { FINITE, INFINITE, NOT_A_NUMBER } Class;

/* --- numbers --- */

/* The encodings of the largest exponent that are no finite numbers. */
typedef enum { NONE, ALL_ONES_NAN, IEEE } Specials;

typedef struct {
  const char *name;
  uint8_t exponent, fraction; /* bits */
  uint8_t tail;               /* unused low bits of the container */
  uint8_t bias;
  uint8_t specials;
} Format;

static const Format formats[TCGEN05_TYPES] = {
    [TCGEN05_F16] = {"f16", 5, 10, 0, 15, IEEE},
    [TCGEN05_BF16] = {"bf16", 8, 7, 0, 127, IEEE},
    [TCGEN05_TF32] = {"tf32", 8, 10, 13, 127, IEEE},
    [TCGEN05_E4M3] = {"e4m3", 4, 3, 0, 7, ALL_ONES_NAN},
    [TCGEN05_E5M2] = {"e5m2", 5, 2, 0, 15, IEEE},
    [TCGEN05_E2M3] = {"e2m3", 2, 3, 0, 1, NONE},
    [TCGEN05_E3M2] = {"e3m2", 3, 2, 0, 3, NONE},
    [TCGEN05_E2M1] = {"e2m1", 2, 1, 0, 1, NONE},
    [TCGEN05_U8] = {.name = "u8", .fraction = 7},
    [TCGEN05_S8] = {.name = "s8", .fraction = 7},
};
static const Format format_f32 = {"f32", 8, F32_FRACTION, 0, 127, IEEE};

unsigned arith_tcgen05_bits(Tcgen05Type type) {
  const Format *f = &formats[type];
  return 1u + f->exponent + f->fraction + f->tail;
}

const char *arith_tcgen05_type_name(Tcgen05Type type) { return formats[type].name; }

/* mantissa * 2^(exponent - fraction bits) */
typedef struct {
  int32_t mantissa;
  int exponent;
  Class class;
} Number;

static Class class_of(const Format *f, uint32_t field, uint32_t fraction) {
  const uint32_t ones = (1u << f->fraction) - 1;
  if (f->specials == NONE || field != (1u << f->exponent) - 1) return FINITE;
  if (f->specials == ALL_ONES_NAN) return fraction == ones ? NOT_A_NUMBER : FINITE;
  return fraction ? NOT_A_NUMBER : INFINITE;
}

static Number decode(const Format *f, uint32_t bits) {
  const uint32_t magnitude = bits >> f->tail, fraction = magnitude & ((1u << f->fraction) - 1);
  const uint32_t field = magnitude >> f->fraction & ((1u << f->exponent) - 1);
  const int32_t mantissa = (int32_t)(field ? fraction | 1u << f->fraction : fraction);
  const bool negative = magnitude >> (f->exponent + f->fraction) & 1;
  return (Number){.mantissa = negative ? -mantissa : mantissa,
                  .exponent = mantissa ? (int)(field ? field : 1) - f->bias : ABSENT,
                  .class = class_of(f, field, fraction)};
}

void arith_tcgen05_line(Tcgen05Type type, unsigned k, const uint32_t *word, Tcgen05Line *line) {
  line->any_special = false;
  for (unsigned i = 0; i < k; i++) {
    if (type == TCGEN05_U8 || type == TCGEN05_S8) {
      line->mantissa[i] = type == TCGEN05_U8 ? (uint8_t)word[i] : (int8_t)(uint8_t)word[i];
      continue;
    }
    const Number x = decode(&formats[type], word[i]);
    line->mantissa[i] = x.mantissa;
    line->exponent[i] = (int16_t)x.exponent;
    line->class[i] = (uint8_t)x.class;
    line->any_special |= x.class != FINITE;
  }
}

/* A scale, whose sign bit is ignored. ue8m0 is a power of two alone. */
static Number decode_scale(Tcgen05Scale type, uint8_t bits) {
  if (type == TCGEN05_UE4M3) return decode(&formats[TCGEN05_E4M3], bits & 0x7f);
  return (Number){1, bits - 127, bits == 0xff ? NOT_A_NUMBER : FINITE};
}

/* --- cutting and rounding --- */

/* mantissa * 2^shift, cut towards zero. */
static int64_t cut(int64_t mantissa, int shift) {
  if (shift >= 0) return mantissa * (INT64_C(1) << shift);
  if (shift < -62) return 0;
  return mantissa / (INT64_C(1) << -shift);
}

static int top_bit(uint64_t x) { return 63 - __builtin_clzll(x); }

static int larger(int a, int b) { return a > b ? a : b; }

/* units * 2^exponent as f32, cut towards zero; what is too large becomes an infinity. */
static uint32_t to_f32(int64_t units, int exponent) {
  const uint64_t magnitude = units < 0 ? 0 - (uint64_t)units : (uint64_t)units;
  if (!magnitude) return 0;
  const uint32_t sign = units < 0 ? 0x80000000u : 0;
  const int top = top_bit(magnitude) + exponent, last = larger(top, F32_LEAST) - F32_FRACTION;
  if (top > 127) return sign | 0x7f800000u;
  const int64_t kept = cut((int64_t)magnitude, exponent - last);
  /* The implicit bit adds 1 to the exponent field; subnormals have none. */
  const uint32_t field = (uint32_t)(larger(top, F32_LEAST) + 126);
  return kept ? sign | ((field << F32_FRACTION) + (uint32_t)kept) : 0;
}

/* The same as f16, to nearest even. */
static uint32_t to_f16(int64_t units, int exponent) {
  const uint64_t magnitude = units < 0 ? 0 - (uint64_t)units : (uint64_t)units;
  if (!magnitude) return 0;
  const uint32_t sign = units < 0 ? 0x8000u : 0;
  const int top = top_bit(magnitude) + exponent;
  const int drop = larger(top, F16_LEAST) - F16_FRACTION - exponent;
  if (top > 15) return sign | 0x7c00u;
  if (drop > 62) return 0;
  uint64_t kept = drop > 0 ? magnitude >> drop : magnitude << -drop;
  const uint64_t rest = drop > 0 ? magnitude & ((UINT64_C(1) << drop) - 1) : 0;
  const uint64_t half = drop > 0 ? UINT64_C(1) << (drop - 1) : 1;
  kept += rest > half || (rest == half && (kept & 1));
  const uint32_t field = (uint32_t)(larger(top, F16_LEAST) + 14);
  return kept ? sign | ((field << F16_FRACTION) + (uint32_t)kept) : 0;
}

/* --- infinities and NaNs --- */

static uint32_t special_bits(const ArithTcgen05 *op, Class class, bool negative) {
  const bool halves = op->d == ARITH_F16;
  if (class == NOT_A_NUMBER) return halves ? 0x7fff : 0x7fffffff;
  return (halves ? 0x7c00u : 0x7f800000u) | (negative ? halves ? 0x8000u : 0x80000000u : 0);
}

/* The kind of the sum: its infinities must agree. */
typedef struct {
  bool nan, plus, minus;
} Outcome;

static void add_special(Outcome *o, Class class, bool negative) {
  o->nan |= class == NOT_A_NUMBER;
  o->plus |= class == INFINITE && !negative;
  o->minus |= class == INFINITE && negative;
}

static Outcome outcome_of(unsigned k, const Tcgen05Line *a, const Tcgen05Line *b) {
  Outcome o = {.nan = false};
  for (unsigned i = 0; i < k; i++) {
    const uint8_t class = a->class[i] > b->class[i] ? a->class[i] : b->class[i];
    const bool by_zero = !a->mantissa[i] || !b->mantissa[i];
    if (class == FINITE) continue;
    add_special(&o, by_zero ? NOT_A_NUMBER : class, (a->mantissa[i] < 0) != (b->mantissa[i] < 0));
  }
  return o;
}

/* True, with the bits of D, if the sum is an infinity or a NaN. */
static bool is_special(const ArithTcgen05 *op, const Tcgen05Line *a, const Tcgen05Line *b, Number c,
                       uint32_t *bits) {
  Outcome o = {.nan = false};
  if (a->any_special || b->any_special) o = outcome_of(op->k, a, b);
  add_special(&o, c.class, c.mantissa < 0);
  if (!o.nan && !o.plus && !o.minus) return false;
  *bits = special_bits(op, o.nan || (o.plus && o.minus) ? NOT_A_NUMBER : INFINITE, o.minus);
  return true;
}

/* --- sums of single products --- */

/* `scaled`: the exponent of the pair of scales. */
static uint32_t sum_products(const ArithTcgen05 *op, const Tcgen05Line *a, const Tcgen05Line *b,
                             Number c, int scaled) {
  const int fraction = formats[op->a].fraction + formats[op->b].fraction;
  const int c_fraction = op->d == ARITH_F16 ? F16_FRACTION : F32_FRACTION;
  int largest = ABSENT;
  for (unsigned i = 0; i < op->k; i++) largest = larger(largest, a->exponent[i] + b->exponent[i]);
  largest = larger(largest + scaled, c.exponent);
  const int last = largest - KEPT;
  int64_t sum = cut(c.mantissa, c.exponent - c_fraction - last);
  for (unsigned i = 0; i < op->k; i++)
    sum += cut((int64_t)a->mantissa[i] * b->mantissa[i],
               a->exponent[i] + b->exponent[i] + scaled - fraction - last);
  return op->d == ARITH_F16 ? to_f16(sum, last) : to_f32(sum, last);
}

/* --- mxf4 and mxf4nvf4: parts of 16 products, which have the same scales --- */

enum { QUADS = TCGEN05_MERGED_K / 4, PARTS = TCGEN05_MAX_K / TCGEN05_MERGED_K };

typedef struct {
  int64_t quad[QUADS], all; /* exact sums, in units of 2^last */
  int last;
  int exponent;       /* the largest of its products; ABSENT if all are zeros */
  int scale_exponent; /* the sum of both scales */
  int64_t cut;        /* the addend */
} Part;

static Part part_of(const Tcgen05Line *a, const Tcgen05Line *b, unsigned first, Number scale_a,
                    Number scale_b, int scale_fraction) {
  const int64_t scale = (int64_t)scale_a.mantissa * scale_b.mantissa;
  const int both = scale_a.exponent + scale_b.exponent;
  Part p = {.exponent = ABSENT, .scale_exponent = ABSENT, .last = both - scale_fraction - 2};
  for (unsigned i = 0; i < TCGEN05_MERGED_K && scale; i++) {
    const int exponent = a->exponent[first + i] + b->exponent[first + i];
    if (exponent <= ABSENT / 2) continue;
    /* e2m1 has one fraction bit, and exponents from 0: the product is a multiple of a quarter. */
    p.quad[i / 4] += cut(a->mantissa[first + i] * b->mantissa[first + i] * scale, exponent);
    p.exponent = larger(p.exponent, exponent + both);
    p.scale_exponent = both;
  }
  for (unsigned i = 0; i < QUADS; i++) p.all += p.quad[i];
  return p;
}

/* If C is at least as large as all products, parts are cut below C. */
static uint32_t sum_below_c(unsigned parts, const Part *part, Number c) {
  const int last = c.exponent - MXF4_C_KEPT;
  int64_t sum = cut(c.mantissa, c.exponent - F32_FRACTION - last);
  for (unsigned i = 0; i < parts; i++) sum += cut(part[i].all, part[i].last - last);
  return to_f32(sum, last);
}

/* ue4m3: fours of products are cut. ue8m0: parts are, below C where C is larger than the part. */
static void cut_part(const ArithTcgen05 *op, Part *p, Number c, int last) {
  if (op->scale == TCGEN05_UE4M3) {
    for (unsigned i = 0; i < QUADS; i++) p->cut += cut(p->quad[i], p->last - last);
    return;
  }
  const bool below_c = c.mantissa && p->exponent != ABSENT && c.exponent >= p->exponent;
  const int own = below_c ? larger(last, c.exponent - MXF4_C_KEPT) : last;
  p->cut = cut(p->all, p->last - own) * (INT64_C(1) << (own - last));
}

static bool is_subnormal(uint32_t f32) {
  return (f32 & 0x7fffffff) != 0 && (f32 & 0x7f800000) == 0;
}

/* ue8m0: a subnormal sum lacks the small parts that do not have the largest scale. */
static uint32_t drop_small_parts(unsigned parts, const Part *part, int largest_scale, int64_t c,
                                 int last) {
  const int64_t least = last < SUBNORMAL_PART ? INT64_C(1) << (SUBNORMAL_PART - last) : 1;
  int64_t sum = c;
  for (unsigned i = 0; i < parts; i++) {
    const int64_t magnitude = part[i].cut < 0 ? -part[i].cut : part[i].cut;
    const bool has_largest = part[i].scale_exponent >= largest_scale;
    if (part[i].scale_exponent == ABSENT || has_largest || magnitude >= least) sum += part[i].cut;
  }
  return to_f32(sum, last);
}

static uint32_t sum_parts(const ArithTcgen05 *op, unsigned parts, Part *part, Number c) {
  int largest = ABSENT, scale = ABSENT;
  for (unsigned i = 0; i < parts; i++) {
    largest = larger(largest, part[i].exponent);
    scale = larger(scale, part[i].scale_exponent);
  }
  if (c.mantissa && c.exponent >= largest) return sum_below_c(parts, part, c);
  if (largest == ABSENT) return 0;
  const int last = larger(larger(largest, c.exponent) - MXF4_KEPT, scale - MXF4_SCALE_KEPT);
  const int64_t own = cut(c.mantissa, c.exponent - F32_FRACTION - last);
  int64_t sum = own;
  for (unsigned i = 0; i < parts; i++) {
    cut_part(op, &part[i], c, last);
    sum += part[i].cut;
  }
  const uint32_t result = to_f32(sum, last);
  if (op->scale == TCGEN05_UE4M3 || !is_subnormal(result)) return result;
  return drop_small_parts(parts, part, scale, own, last);
}

/* --- D --- */

static uint32_t sum_integers(const ArithTcgen05 *op, const Tcgen05Line *a, const Tcgen05Line *b,
                             uint32_t c) {
  int64_t sum = (int32_t)c;
  for (unsigned i = 0; i < op->k; i++) sum += a->mantissa[i] * b->mantissa[i];
  if (op->saturates && sum > INT32_MAX) sum = INT32_MAX;
  if (op->saturates && sum < INT32_MIN) sum = INT32_MIN;
  return (uint32_t)(uint64_t)sum;
}

/* Scales of K elements; false if one is a NaN. */
static bool decode_scales(const ArithTcgen05 *op, const uint8_t *bits, Number scale[PARTS]) {
  bool finite = true;
  for (unsigned i = 0; i < op->k / op->scale_block; i++) {
    scale[i] = decode_scale((Tcgen05Scale)op->scale, bits[i]);
    finite &= scale[i].class == FINITE;
  }
  return finite;
}

uint32_t arith_tcgen05_dot(const ArithTcgen05 *op, const Tcgen05Line *a, const Tcgen05Line *b,
                           const uint8_t *scale_a, const uint8_t *scale_b, uint32_t c) {
  if (op->d == ARITH_S32) return sum_integers(op, a, b, c);
  const Number addend = decode(op->d == ARITH_F16 ? &formats[TCGEN05_F16] : &format_f32, c);
  const bool is_scaled = op->scale != TCGEN05_UNSCALED;
  Number of_a[PARTS], of_b[PARTS];
  uint32_t bits;
  if (is_scaled && (!decode_scales(op, scale_a, of_a) || !decode_scales(op, scale_b, of_b)))
    return special_bits(op, NOT_A_NUMBER, false);
  if (is_special(op, a, b, addend, &bits)) return bits;
  if (!op->is_mxf4)
    return sum_products(op, a, b, addend, is_scaled ? of_a[0].exponent + of_b[0].exponent : 0);
  Part part[PARTS];
  const unsigned parts = op->k / (unsigned)TCGEN05_MERGED_K;
  const int fraction = op->scale == TCGEN05_UE4M3 ? 2 * formats[TCGEN05_E4M3].fraction : 0;
  for (unsigned i = 0; i < parts; i++) {
    const unsigned first = i * TCGEN05_MERGED_K, at = first / op->scale_block;
    part[i] = part_of(a, b, first, of_a[at], of_b[at], fraction);
  }
  return sum_parts(op, parts, part, addend);
}
