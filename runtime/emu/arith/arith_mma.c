/* mma.sync on whole-warp fragments, and the lanes of 8x8 matrices. */
#include "emu/arith/arith_mma.h"

#include "emu/arith/arith_row.h"

#include <math.h>
#include <stdio.h>

enum { MAX_M = 16, MAX_N = 8, MAX_K = 32 };

/*
 * The ISA's fragment layouts are one rule. A register holds p = 32 / bits consecutive elements of k
 * (one for tf32 and f64). With g = lane / 4 and t = lane % 4, register r of A holds row g, or g + 8
 * where m is 16 and r is odd, at k = p * t + 4 * p * (its number among the registers of that row);
 * B's hold column g at k = p * t + 4 * p * r. C and D hold row g + 8 * (i / 2), column 2 * t + i
 * % 2.
 */
typedef struct {
  uint8_t a; /* s8 stands for u8 too, e4m3 for e5m2 */
  uint8_t m, n, k;
} Shape;

static const Shape shapes[] = {
    {ARITH_F16, 16, 8, 8},   {ARITH_F16, 16, 8, 16},  {ARITH_BF16, 16, 8, 8},
    {ARITH_BF16, 16, 8, 16}, {ARITH_TF32, 16, 8, 4},  {ARITH_TF32, 16, 8, 8},
    {ARITH_F64, 8, 8, 4},    {ARITH_F64, 16, 8, 4},   {ARITH_F64, 16, 8, 8},
    {ARITH_F64, 16, 8, 16},  {ARITH_S8, 8, 8, 16},    {ARITH_S8, 16, 8, 16},
    {ARITH_S8, 16, 8, 32},   {ARITH_E4M3, 16, 8, 16}, {ARITH_E4M3, 16, 8, 32},
};

/* The type that stands for all those which may be mixed with it. */
static unsigned mixing_type(unsigned type) {
  return type == ARITH_U8 ? ARITH_S8 : type == ARITH_E5M2 ? ARITH_E4M3 : type;
}

static bool accumulates(unsigned a, unsigned c, unsigned d) {
  switch (mixing_type(a)) {
  case ARITH_F16:
  case ARITH_E4M3: return (c == ARITH_F16 || c == ARITH_F32) && (d == ARITH_F16 || d == ARITH_F32);
  case ARITH_F64: return c == ARITH_F64 && d == ARITH_F64;
  case ARITH_S8: return c == ARITH_S32 && d == ARITH_S32;
  default: return c == ARITH_F32 && d == ARITH_F32;
  }
}

static unsigned per_register(unsigned type) {
  const unsigned bits = arith_bits((ArithType)type);
  return bits < 32 ? 32 / bits : 1;
}

static uint8_t registers(unsigned elements, unsigned type) {
  return (uint8_t)(elements / 32 / per_register(type));
}

/* Skips .satfinite; true if it was there. */
static bool take_satfinite(const char **at) {
  static const char word[] = ".satfinite";
  if (strncmp(*at, word, sizeof word - 1) != 0) return false;
  *at += sizeof word - 1;
  return true;
}

/* Four types, as in ".f32.f16.f16.f32". The ISA has .satfinite before them; ptxas takes it behind
 * them too, where CUTLASS writes it. */
static bool read_types(const char *at, uint8_t types[4], uint8_t *satfinite) {
  *satfinite = take_satfinite(&at);
  for (unsigned i = 0; i < 4; i++) {
    if (*at++ != '.') return false;
    const size_t length = strcspn(at, ".");
    types[i] = (uint8_t)arith_type(at, (unsigned)length);
    at += length;
  }
  if (!*satfinite) *satfinite = take_satfinite(&at);
  return *at == '\0';
}

static bool shape_exists(const ArithMma *mma) {
  for (size_t i = 0; i < ARITH_COUNT(shapes); i++)
    if (shapes[i].a == mixing_type(mma->a) && shapes[i].m == mma->m && shapes[i].n == mma->n &&
        shapes[i].k == mma->k)
      return mixing_type(mma->a) == mixing_type(mma->b);
  return false;
}

ArithStatus arith_resolve_mma(const char *opcode, ArithMma *mma) {
  unsigned m, n, k;
  int end = 0;
  uint8_t types[4], satfinite;
  if (strncmp(opcode, "mma.", 4) != 0) return ARITH_UNKNOWN;
  sscanf(opcode, "mma.sync.aligned.m%2un%2uk%2u.row.col%n", &m, &n, &k, &end);
  if (end == 0) return ARITH_REFUSED;
  if (!read_types(opcode + end, types, &satfinite)) return ARITH_REFUSED;
  *mma = (ArithMma){.m = (uint8_t)m, .n = (uint8_t)n, .k = (uint8_t)k, .satfinite = satfinite};
  mma->d = types[0], mma->a = types[1], mma->b = types[2], mma->c = types[3];
  if (!shape_exists(mma) || !accumulates(mma->a, mma->c, mma->d)) return ARITH_REFUSED;
  if (satfinite && mixing_type(mma->a) != ARITH_S8) return ARITH_REFUSED;
  mma->n_a = registers(m * k, mma->a), mma->n_b = registers(n * k, mma->b);
  mma->n_c = registers(m * n, mma->c), mma->n_d = registers(m * n, mma->d);
  return ARITH_OK;
}

/* Element e of a register, as a double, which holds every type's values exactly. */
static double element(uint64_t bits, unsigned type, unsigned e) {
  const unsigned width = arith_bits((ArithType)type);
  const uint64_t part = width == 64 ? bits : bits >> (width * e) & ((1ull << width) - 1);
  switch (type) {
  case ARITH_S8: return (double)(int8_t)part;
  case ARITH_U8: return (double)part;
  case ARITH_S32: return (double)(int32_t)part;
  default: return arith_decode(arith_format((ArithType)type), part);
  }
}

typedef struct {
  double a[MAX_M][MAX_K], b[MAX_K][MAX_N];
} Operands;

static void gather_a(Operands *x, const ArithMma *mma, const uint64_t *const *a) {
  const unsigned p = per_register(mma->a), rows = mma->m / 8;
  for (unsigned r = 0; r < mma->n_a; r++)
    for (unsigned lane = 0; lane < 32; lane++)
      for (unsigned e = 0; e < p; e++) {
        const unsigned k = p * (lane % 4) + e + 4 * p * (r / rows);
        x->a[lane / 4 + 8 * (r % rows)][k] = element(a[r][lane], mma->a, e);
      }
}

static void gather_b(Operands *x, const ArithMma *mma, const uint64_t *const *b) {
  const unsigned p = per_register(mma->b);
  for (unsigned r = 0; r < mma->n_b; r++)
    for (unsigned lane = 0; lane < 32; lane++)
      for (unsigned e = 0; e < p; e++)
        x->b[p * (lane % 4) + e + 4 * p * r][lane / 4] = element(b[r][lane], mma->b, e);
}

/* The products of row i with all columns, summed over k in order. */
static void multiply_row(const ArithMma *mma, const Operands *x, unsigned i, double sum[MAX_N]) {
  for (unsigned k = 0; k < mma->k; k++)
    for (unsigned j = 0; j < MAX_N; j++) sum[j] += x->a[i][k] * x->b[k][j];
}

static double chain(const ArithMma *mma, const Operands *x, unsigned i, unsigned j, double c) {
  for (unsigned k = 0; k < mma->k; k++) c = fma(x->a[i][k], x->b[k][j], c);
  return c;
}

/* A sum of at most 32 products of bytes and an s32 is an exact double. */
static uint64_t to_s32(double sum, bool saturate) {
  if (saturate) sum = fmin(fmax(sum, INT32_MIN), INT32_MAX);
  return (uint32_t)(int64_t)sum;
}

static uint64_t encode(const ArithMma *mma, double sum) {
  if (mma->d == ARITH_S32) return to_s32(sum, mma->satfinite != 0);
  if (mma->d == ARITH_F64) return arith_f64_bits(sum);
  return arith_encode(arith_format((ArithType)mma->d), sum, ARITH_RN, false);
}

void arith_mma(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
               const uint64_t *const *b, const uint64_t *const *c) {
  Operands x;
  double sum[MAX_M][MAX_N] = {{0}};
  gather_a(&x, mma, a);
  gather_b(&x, mma, b);
  const bool chained = mma->d == ARITH_F64;
  for (unsigned i = 0; i < mma->m && !chained; i++) multiply_row(mma, &x, i, sum[i]);
  const unsigned cp = per_register(mma->c), dp = per_register(mma->d);
  for (unsigned lane = 0; lane < 32; lane++) {
    uint64_t out[4] = {0};
    for (unsigned e = 0; e < mma->m / 4u; e++) {
      const unsigned i = lane / 4 + 8 * (e / 2), j = 2 * (lane % 4) + e % 2;
      const double addend = element(c[e / cp][lane], mma->c, e % cp);
      out[e] = encode(mma, chained ? chain(mma, &x, i, j, addend) : sum[i][j] + addend);
    }
    for (unsigned r = 0; r < mma->n_d; r++)
      d[r][lane] = dp == 1 ? out[r] : out[2 * r] | out[2 * r + 1] << 16;
  }
}

ArithCell arith_matrix_cell(unsigned lane, unsigned half, bool trans) {
  const uint8_t slow = (uint8_t)(lane / 4), fast = (uint8_t)(2 * (lane % 4) + half);
  return trans ? (ArithCell){fast, slow} : (ArithCell){slow, fast};
}

void arith_movmatrix(uint64_t *d, const uint64_t *a) {
  uint16_t matrix[8][8];
  for (unsigned lane = 0; lane < 32; lane++)
    for (unsigned half = 0; half < 2; half++) {
      const ArithCell cell = arith_matrix_cell(lane, half, false);
      matrix[cell.row][cell.col] = (uint16_t)(a[lane] >> (16 * half));
    }
  for (unsigned lane = 0; lane < 32; lane++) {
    const ArithCell low = arith_matrix_cell(lane, 0, true), high = arith_matrix_cell(lane, 1, true);
    d[lane] = (uint32_t)matrix[low.row][low.col] | (uint32_t)matrix[high.row][high.col] << 16;
  }
}
