/* SPDX-License-Identifier: MIT */
/*
 * mma.sync of the emulator against a plain triple loop, with the fragments laid out by the ISA's
 * own formulas, shape by shape; sums of any numbers against a model of an H200's rounding, which
 * equalled it on 92,160 sums of each type; and the lanes of ldmatrix, stmatrix and movmatrix.
 */
#include <math.h>

#include "emu/arith/arith_format.h"
#include "emu/arith/arith_mma_fused.h"
#include "emu/arith/arith_resolve.h"
#include "emu/arith_exact.h"
#include "emu/arith_sweep.h"

typedef struct Cell {
  unsigned row, col;
} Cell;

/* The position of element i of a lane's fragment: the formulas of "Matrix Fragments for mma". */
typedef Cell (*Layout)(unsigned lane, unsigned i);

#define LAYOUT(NAME, ROW, COL)                                                                     \
  static Cell NAME(unsigned lane, unsigned i) {                                                    \
    const unsigned group = lane >> 2, in_group = lane % 4;                                         \
    (void)i, (void)group, (void)in_group;                                                          \
    return (Cell){ROW, COL};                                                                       \
  }
LAYOUT(a_m16n8k8_16bit, i < 2 ? group : group + 8, in_group * 2 + (i & 1))
LAYOUT(b_m16n8k8_16bit, in_group * 2 + i, group)
LAYOUT(a_m16n8k16_16bit, i < 2 || (i >= 4 && i < 6) ? group : group + 8,
       i < 4 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8)
LAYOUT(b_m16n8k16_16bit, i < 2 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8, group)
LAYOUT(a_m16n8k4_32bit, i == 0 ? group : group + 8, in_group)
LAYOUT(b_m16n8k4_32bit, in_group, group)
LAYOUT(a_m16n8k8_32bit, i == 0 || i == 2 ? group : group + 8, i < 2 ? in_group : in_group + 4)
LAYOUT(b_m16n8k8_32bit, i == 0 ? in_group : in_group + 4, group)
LAYOUT(a_m8n8k4_f64, group, in_group)
LAYOUT(a_m16n8k16_f64, i % 2 == 0 ? group : group + 8, i / 2 * 4 + in_group)
LAYOUT(b_m16n8k16_f64, in_group + i * 4, group)
LAYOUT(a_m8n8k16_8bit, group, in_group * 4 + i)
LAYOUT(b_m8n8k16_8bit, in_group * 4 + i, group)
LAYOUT(a_m16n8k16_8bit, i < 4 ? group : group + 8, in_group * 4 + (i & 3))
LAYOUT(a_m16n8k32_8bit, i < 4 || (i >= 8 && i < 12) ? group : group + 8,
       i < 8 ? in_group * 4 + (i & 3) : in_group * 4 + (i & 3) + 16)
LAYOUT(b_m16n8k32_8bit, i < 4 ? in_group * 4 + (i & 3) : in_group * 4 + (i & 3) + 16, group)
LAYOUT(a_m8n8k32_4bit, group, in_group * 8 + i)
LAYOUT(b_m8n8k32_4bit, in_group * 8 + i, group)
LAYOUT(a_m16n8k32_4bit, i < 8 ? group : group + 8, in_group * 8 + (i & 7))
LAYOUT(a_m16n8k64_4bit, i < 8 || (i >= 16 && i < 24) ? group : group + 8,
       i < 16 ? in_group * 8 + (i & 7) : in_group * 8 + (i & 7) + 32)
LAYOUT(b_m16n8k64_4bit, i < 8 ? in_group * 8 + (i & 7) : in_group * 8 + (i & 7) + 32, group)
LAYOUT(a_m8n8k128_1bit, group, in_group * 32 + i)
LAYOUT(b_m8n8k128_1bit, in_group * 32 + i, group)
LAYOUT(a_m16n8k128_1bit, i < 32 ? group : group + 8, in_group * 32 + (i & 31))
LAYOUT(a_m16n8k256_1bit, i < 32 || (i >= 64 && i < 96) ? group : group + 8,
       i < 64 ? in_group * 32 + (i & 31) : in_group * 32 + (i & 31) + 128)
LAYOUT(b_m16n8k256_1bit, i < 32 ? in_group * 32 + (i & 31) : in_group * 32 + (i & 31) + 128, group)
/* m8n8k4: four matrices in two rows and two columns, one for each four lanes of both halves. */
#define QUAD  (lane % 16 / 4 * 8)
#define UPPER (lane < 16 ? 0 : 4)
LAYOUT(a_m8n8k4_row, QUAD + lane % 4 + UPPER, i)
LAYOUT(a_m8n8k4_col, QUAD + i % 4 + UPPER, lane % 4)
LAYOUT(b_m8n8k4_row, lane % 4, QUAD + i + UPPER)
LAYOUT(b_m8n8k4_col, i, QUAD + lane % 4 + UPPER)
LAYOUT(c_m8n8k4_f16, QUAD + lane % 4 + UPPER, QUAD + i)
LAYOUT(c_m8n8k4_f32, QUAD + (lane & 1) + (i & 2) + UPPER, QUAD + (i & 4) + (lane & 2) + (i & 1))
LAYOUT(c_m16n8, i < 2 ? group : group + 8, in_group * 2 + (i & 1))
LAYOUT(c_m8n8, group, in_group * 2 + i)

typedef struct Row {
  const char *opcode;
  unsigned m, n, k;
  Layout a, b, c;
  Layout d; /* the layout of d if it differs from c's */
} Row;

static const Row kRows[] = {
    {"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, a_m16n8k8_16bit, b_m16n8k8_16bit, c_m16n8, NULL},
    {"m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, a_m16n8k8_16bit, b_m16n8k8_16bit, c_m16n8, NULL},
    {"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, a_m16n8k16_16bit, b_m16n8k16_16bit, c_m16n8,
     NULL},
    {"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, a_m16n8k16_16bit, b_m16n8k16_16bit, c_m16n8,
     NULL},
    {"m16n8k16.row.col.f32.f16.f16.f16", 16, 8, 16, a_m16n8k16_16bit, b_m16n8k16_16bit, c_m16n8,
     NULL},
    {"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, a_m16n8k8_16bit, b_m16n8k8_16bit, c_m16n8,
     NULL},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, a_m16n8k16_16bit, b_m16n8k16_16bit, c_m16n8,
     NULL},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, a_m16n8k4_32bit, b_m16n8k4_32bit, c_m16n8,
     NULL},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, a_m16n8k8_32bit, b_m16n8k8_32bit, c_m16n8,
     NULL},
    {"m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, a_m8n8k4_f64, b_m16n8k4_32bit, c_m8n8, NULL},
    {"m16n8k4.row.col.f64.f64.f64.f64", 16, 8, 4, a_m16n8k4_32bit, b_m16n8k4_32bit, c_m16n8, NULL},
    {"m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 8, a_m16n8k8_32bit, b_m16n8k8_32bit, c_m16n8, NULL},
    {"m16n8k16.row.col.f64.f64.f64.f64", 16, 8, 16, a_m16n8k16_f64, b_m16n8k16_f64, c_m16n8, NULL},
    {"m8n8k16.row.col.s32.s8.s8.s32", 8, 8, 16, a_m8n8k16_8bit, b_m8n8k16_8bit, c_m8n8, NULL},
    {"m16n8k16.row.col.s32.u8.s8.s32", 16, 8, 16, a_m16n8k16_8bit, b_m8n8k16_8bit, c_m16n8, NULL},
    {"m16n8k32.row.col.s32.s8.u8.s32", 16, 8, 32, a_m16n8k32_8bit, b_m16n8k32_8bit, c_m16n8, NULL},
    {"m16n8k32.row.col.satfinite.s32.s8.s8.s32", 16, 8, 32, a_m16n8k32_8bit, b_m16n8k32_8bit,
     c_m16n8, NULL},
    {"m16n8k32.row.col.s32.s8.s8.s32.satfinite", 16, 8, 32, a_m16n8k32_8bit, b_m16n8k32_8bit,
     c_m16n8, NULL},
    {"m8n8k32.row.col.s32.s4.u4.s32", 8, 8, 32, a_m8n8k32_4bit, b_m8n8k32_4bit, c_m8n8, NULL},
    {"m16n8k32.row.col.s32.u4.s4.s32", 16, 8, 32, a_m16n8k32_4bit, b_m8n8k32_4bit, c_m16n8, NULL},
    {"m16n8k64.row.col.satfinite.s32.s4.s4.s32", 16, 8, 64, a_m16n8k64_4bit, b_m16n8k64_4bit,
     c_m16n8, NULL},
    {"m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 8, 128, a_m8n8k128_1bit, b_m8n8k128_1bit, c_m8n8,
     NULL},
    {"m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16, 8, 128, a_m16n8k128_1bit, b_m8n8k128_1bit,
     c_m16n8, NULL},
    {"m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 8, 256, a_m16n8k256_1bit, b_m16n8k256_1bit,
     c_m16n8, NULL},
    {"m8n8k4.row.col.f16.f16.f16.f16", 8, 8, 4, a_m8n8k4_row, b_m8n8k4_col, c_m8n8k4_f16, NULL},
    {"m8n8k4.row.row.f32.f16.f16.f32", 8, 8, 4, a_m8n8k4_row, b_m8n8k4_row, c_m8n8k4_f32, NULL},
    {"m8n8k4.col.row.f32.f16.f16.f16", 8, 8, 4, a_m8n8k4_col, b_m8n8k4_row, c_m8n8k4_f16,
     c_m8n8k4_f32},
    {"m8n8k4.col.col.f32.f16.f16.f32", 8, 8, 4, a_m8n8k4_col, b_m8n8k4_col, c_m8n8k4_f32, NULL},
    {"m16n8k32.row.col.f32.e5m2.e5m2.f32", 16, 8, 32, a_m16n8k32_8bit, b_m16n8k32_8bit, c_m16n8,
     NULL},
};

/* Returns small multiples of 1/2: every sum is exact in every format here, whatever its order. */
static double small(uint64_t *random, ArithType type) {
  const int n = (int)(sweep_random(random) % 9);
  if (type == ARITH_B1) return n & 1;
  if (type == ARITH_U4 || type == ARITH_S4)
    return (int)(sweep_random(random) % 16) - (type == ARITH_S4 ? 8 : 0);
  if (type == ARITH_U8 || type == ARITH_S8)
    return n * (type == ARITH_U8 ? 31 : 15) - (type == ARITH_S8 ? 60 : 0);
  return type == ARITH_S32 ? (n - 4) * 1000 : (n - 4) * 0.5;
}

static uint64_t bits_of(ArithType type, double x) {
  static const struct {
    ArithType type;
    const ExactFormat *format;
  } kFormats[] = {{ARITH_F16, &kExactF16}, {ARITH_BF16, &kExactBf16}, {ARITH_TF32, &kExactTf32},
                  {ARITH_F32, &kExactF32}, {ARITH_F64, &kExactF64},   {ARITH_E5M2, &kExactE5m2}};
  for (unsigned i = 0; i < sizeof kFormats / sizeof kFormats[0]; i++)
    if (kFormats[i].type == type) {
      const Exact e = exact_make((ExactWide)(fabs(x) * 1024), -10, x < 0);
      return exact_round(kFormats[i].format, &e, EXACT_RN);
    }
  return sweep_low((uint64_t)(int64_t)x, arith_bits(type));
}

typedef struct Matrices {
  double a[32][256], b[256][32], c[32][32];
} Matrices;

static void put(uint64_t regs[][32], ArithType type, unsigned lane, unsigned i, double x) {
  const unsigned bits = arith_bits(type), per = bits < 32 ? 32 / bits : 1;
  regs[i / per][lane] |= bits_of(type, x) << (bits * (i % per));
}

static uint64_t get(uint64_t regs[][32], ArithType type, unsigned lane, unsigned i) {
  const unsigned bits = arith_bits(type), per = bits < 32 ? 32 / bits : 1;
  return sweep_low(regs[i / per][lane] >> (bits * (i % per)), bits);
}

static void fill(Matrices *x, const ArithMma *mma, uint64_t *random) {
  for (unsigned i = 0; i < 32; i++)
    for (unsigned k = 0; k < mma->k; k++) x->a[i][k] = small(random, (ArithType)mma->a);
  for (unsigned k = 0; k < mma->k; k++)
    for (unsigned j = 0; j < 32; j++) x->b[k][j] = small(random, (ArithType)mma->b);
  for (unsigned i = 0; i < 32; i++)
    for (unsigned j = 0; j < 32; j++) x->c[i][j] = small(random, (ArithType)mma->c);
  if (mma->satfinite) x->c[3][5] = INT32_MAX, x->c[9][2] = INT32_MIN;
}

static double product(const Matrices *x, const ArithMma *mma, Cell at) {
  double sum = x->c[at.row][at.col];
  for (unsigned k = 0; k < mma->k; k++) {
    const double a = x->a[at.row][k], b = x->b[k][at.col];
    sum += mma->logic == ARITH_XOR ? (a != b ? 1 : 0) : a * b;
  }
  if (!mma->satfinite) return sum;
  return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
}

typedef struct Fragments {
  uint64_t a[8][32], b[8][32], c[8][32], out[8][32];
} Fragments;

static void load(Fragments *regs, const Row *row, const ArithMma *mma, const Matrices *x) {
  for (unsigned lane = 0; lane < 32; lane++) {
    for (unsigned i = 0; i < mma->n_a * arith_mma_per_register(mma->a); i++) {
      const Cell at = row->a(lane, i);
      put(regs->a, (ArithType)mma->a, lane, i, x->a[at.row][at.col]);
    }
    for (unsigned i = 0; i < mma->n_b * arith_mma_per_register(mma->b); i++) {
      const Cell at = row->b(lane, i);
      put(regs->b, (ArithType)mma->b, lane, i, x->b[at.row][at.col]);
    }
    for (unsigned i = 0; i < mma->n_c * arith_mma_per_register(mma->c); i++) {
      const Cell at = row->c(lane, i);
      put(regs->c, (ArithType)mma->c, lane, i, x->c[at.row][at.col]);
    }
  }
}

/* Checks one shape; where d and c are of one type, in place, as compiled code does it. */
static void check_shape(const Row *row, const ArithMma *mma, unsigned vectors) {
  uint64_t random = 9;
  Matrices x;
  Fragments regs = {0};
  fill(&x, mma, &random);
  load(&regs, row, mma, &x);
  uint64_t(*const out)[32] = mma->c == mma->d ? regs.c : regs.out;
  uint64_t *d[8];
  const uint64_t *a[8], *b[8], *c[8];
  for (unsigned r = 0; r < 8; r++)
    d[r] = out[r], a[r] = regs.a[r], b[r] = regs.b[r], c[r] = regs.c[r];
  arith_mma_for(mma, vectors, d, a, b, c, NULL);
  const Layout of_d = row->d ? row->d : row->c;
  for (unsigned lane = 0; lane < 32; lane++)
    for (unsigned i = 0; i < mma->n_d * arith_mma_per_register(mma->d); i++) {
      const uint64_t got = get(out, (ArithType)mma->d, lane, i);
      const uint64_t want = bits_of((ArithType)mma->d, product(&x, mma, of_d(lane, i)));
      CHECK(got == want, "%s lane %u element %u: %#llx, want %#llx", row->opcode, lane, i,
            (unsigned long long)got, (unsigned long long)want);
    }
}

static void test_shapes(void) {
  for (size_t i = 0; i < sizeof kRows / sizeof kRows[0]; i++) {
    ArithMma mma;
    char opcode[80];
    snprintf(opcode, sizeof opcode, "mma.sync.aligned.%s", kRows[i].opcode);
    const ArithStatus status = arith_resolve_mma(opcode, &mma);
    CHECK(status == ARITH_OK && mma.m == kRows[i].m && mma.n == kRows[i].n && mma.k == kRows[i].k,
          "%s does not resolve", opcode);
    for (unsigned v = 0; status == ARITH_OK && v <= arith_most_vectors(); v++)
      check_shape(&kRows[i], &mma, v);
  }
}

static void test_registers(void) {
  ArithMma mma;
  arith_resolve_mma("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", &mma);
  CHECK(mma.n_a == 4 && mma.n_b == 2 && mma.n_c == 4 && mma.n_d == 4, "f16 registers");
  arith_resolve_mma("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", &mma);
  CHECK(mma.n_c == 2 && mma.n_d == 2, "f16 accumulator registers");
  arith_resolve_mma("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", &mma);
  CHECK(mma.n_a == 1 && mma.n_b == 1 && mma.n_c == 2 && mma.n_d == 2, "f64 registers");
}

static void test_refused(void) {
  static const char *const kBad[] = {"mma.sync.aligned.m16n8k8.col.row.f32.f16.f16.f32",
                                     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16",
                                     "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32",
                                     "mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32",
                                     "mma.sync.aligned.m16n8k16.row.col.bf16.bf16.bf16.bf16",
                                     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.x",
                                     "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
                                     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.satfinite",
                                     ("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32"
                                      ".satfinite"),
                                     "mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
                                     "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32",
                                     "mma.sync.aligned.m8n8k32.row.col.s32.s4.s8.s32",
                                     "mma.sync.aligned.m8n8k4.row.col.f32.bf16.bf16.f32",
                                     "mma.sync.aligned.m16n8k999.row.col.f32.f16.f16.f32",
                                     "mma.sync.aligned.m16n8k16.row.col",
                                     "mma."};
  ArithMma mma;
  for (size_t i = 0; i < sizeof kBad / sizeof kBad[0]; i++)
    CHECK(arith_resolve_mma(kBad[i], &mma) == ARITH_REFUSED, "%s", kBad[i]);
  CHECK(arith_resolve_mma("wmma.mma.sync", &mma) == ARITH_UNKNOWN, "wmma");
}

/* A product that f16 cannot hold and an infinity go through the accumulator's rounding. */
static void test_rounding(void) {
  ArithMma mma;
  arith_resolve_mma("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", &mma);
  uint64_t a[2][32] = {{0}}, b[1][32] = {{0}}, c[2][32] = {{0}};
  a[0][0] = 0x7bff, b[0][0] = 0x4000;            /* row 0, column 0: 65504 * 2 */
  a[0][4] = 0x3c01, c[0][4] = 0x1400 | 0x10000u; /* row 1: 1.0009765625 * 2 + 2^-10 */
  a[1][8] = 0x7e00;                              /* row 10: NaN * 2 */
  uint64_t *const d[] = {c[0], c[1]};
  const uint64_t *const pa[] = {a[0], a[1]}, *const pb[] = {b[0]}, *const pc[] = {c[0], c[1]};
  arith_mma(&mma, d, pa, pb, pc, NULL);
  CHECK(c[0][0] == 0x7c00, "overflow: %#llx", (unsigned long long)c[0][0]);
  CHECK(c[0][4] == 0x00014002, "tie to even: %#llx", (unsigned long long)c[0][4]);
  CHECK(c[1][8] == 0x7fff7fff, "NaN: %#llx", (unsigned long long)c[1][8]);
}

/* --- sums of any numbers --- */

enum { FEW_BITS = 3, VARIANTS = 11, ADDENDS = FEW_BITS + VARIANTS };

/* Numbers of ever more bits, whose sums are exact for long; for addends bits far below or above
 * theirs. */
static uint64_t few_bits(uint64_t word, const ArithFormat *f, unsigned spread) {
  const bool addend = spread >= ADDENDS;
  const unsigned variant = addend ? spread - ADDENDS : spread - FEW_BITS, all = f->fraction;
  const unsigned kept = addend ? (unsigned)(word >> 52) % all : variant < all ? variant : all;
  const unsigned drop = all - kept, step = (unsigned)(word >> 40) & 3;
  const uint64_t fraction = (word >> 8 & ((1ull << all) - 1)) >> drop << drop;
  const int reach = f->bias < 32 ? 10 : 30;
  const int from = addend ? (int)variant * 2 * reach / VARIANTS - reach : 0;
  const uint64_t field = (uint64_t)(f->bias + from) + step;
  const bool zero = (word >> 56) % 4 == 0;
  return zero ? 0 : (field << all | fraction) << f->tail | (word & 1) << (f->bits - 1);
}

/* Returns numbers near one, spread over the exponents, or of few bits: sums that are ties. */
static uint64_t any_number(uint64_t *random, ArithType type, unsigned spread) {
  const ArithFormat *f = arith_format(type);
  const uint64_t word = sweep_random(random);
  if (spread >= FEW_BITS) return few_bits(word, f, spread);
  uint64_t fraction = word >> 8 & ((1ull << f->fraction) - 1);
  unsigned field = (unsigned)f->bias - 1 + (unsigned)(word >> 40) % 3;
  if (spread == 1) field = (unsigned)f->bias - 12 + (unsigned)(word >> 40) % 16;
  if (spread == 2) field = (unsigned)f->bias - 13 + (unsigned)(word >> 40) % 14, fraction = 0;
  if ((word >> 56) % 8 == 0) field = 0, fraction = spread == 1 ? fraction : 0;
  return ((uint64_t)field << f->fraction | fraction) << f->tail | (word & 1) << (f->bits - 1);
}

/* An H200's sum: the products, whose exponents are the sums of their factors', and the addend are
 * truncated to 25 bits below the largest exponent; their exact sum is truncated to an f32, or
 * rounded to an f16. */
typedef struct {
  double value[17];
  int exponent[17];
  unsigned count;
} Terms;

static void add_term(Terms *t, double value, int exponent) {
  t->value[t->count] = value;
  t->exponent[t->count++] = value != 0 ? exponent : -10000;
}

static int exponent_of(const ArithFormat *f, double x) {
  const int least = 1 - f->bias;
  return x != 0 && ilogb(x) > least ? ilogb(x) : least;
}

static uint64_t fused(const Terms *t, ArithType type) {
  enum { KEPT = 25 };
  int largest = -10000;
  double sum = 0;
  for (unsigned i = 0; i < t->count; i++)
    largest = t->exponent[i] > largest ? t->exponent[i] : largest;
  for (unsigned i = 0; i < t->count; i++) sum += trunc(ldexp(t->value[i], KEPT - largest));
  sum = ldexp(sum, largest - KEPT);
  const ArithFormat *f = arith_format(type);
  const uint64_t bits = arith_encode(f, sum, type == ARITH_F16 ? ARITH_RN : ARITH_RZ, false);
  return bits << (65 - f->bits) ? bits : 0; /* no -0 */
}

static uint64_t bits_at(uint64_t matrix[16][8], Cell at) { return matrix[at.row][at.col]; }

static void put_bits(uint64_t regs[][32], ArithType type, unsigned lane, unsigned i, uint64_t b) {
  const unsigned bits = arith_bits(type), per = bits < 32 ? 32 / bits : 1;
  regs[i / per][lane] |= b << (bits * (i % per));
}

static uint64_t want_of(const ArithMma *mma, uint64_t a[16][16], uint64_t b[16][8], uint64_t addend,
                        Cell at) {
  const ArithFormat *f = arith_format((ArithType)mma->a), *fc = arith_format((ArithType)mma->c);
  Terms t = {.count = 0};
  for (unsigned k = 0; k < mma->k; k++) {
    const double x = arith_decode(f, a[at.row][k]), y = arith_decode(f, b[k][at.col]);
    add_term(&t, x * y, exponent_of(f, x) + exponent_of(f, y));
  }
  add_term(&t, arith_decode(fc, addend), exponent_of(fc, arith_decode(fc, addend)));
  return fused(&t, (ArithType)mma->d);
}

/* At a level that goes round, so that all are compared. */
static void check_sums(const Row *row, const ArithMma *mma, unsigned spread, unsigned addends,
                       uint64_t *random) {
  const unsigned vectors = (spread + addends) % (arith_most_vectors() + 1);
  uint64_t a[16][16], b[16][8], c[16][8];
  Fragments regs = {0};
  uint64_t *d[8];
  const uint64_t *pa[8], *pb[8], *pc[8];
  for (unsigned i = 0; i < 16; i++) {
    for (unsigned k = 0; k < 16; k++) a[i][k] = any_number(random, (ArithType)mma->a, spread);
    for (unsigned j = 0; j < 8; j++) b[i][j] = any_number(random, (ArithType)mma->b, spread);
    for (unsigned j = 0; j < 8; j++) c[i][j] = any_number(random, (ArithType)mma->c, addends);
  }
  for (unsigned lane = 0; lane < 32; lane++) {
    for (unsigned i = 0; i < mma->n_a * arith_mma_per_register(mma->a); i++)
      put_bits(regs.a, (ArithType)mma->a, lane, i, a[row->a(lane, i).row][row->a(lane, i).col]);
    for (unsigned i = 0; i < mma->n_b * arith_mma_per_register(mma->b); i++)
      put_bits(regs.b, (ArithType)mma->b, lane, i, bits_at(b, row->b(lane, i)));
    for (unsigned i = 0; i < mma->n_c * arith_mma_per_register(mma->c); i++)
      put_bits(regs.c, (ArithType)mma->c, lane, i, bits_at(c, row->c(lane, i)));
  }
  for (unsigned r = 0; r < 8; r++)
    d[r] = regs.out[r], pa[r] = regs.a[r], pb[r] = regs.b[r], pc[r] = regs.c[r];
  arith_mma_for(mma, vectors, d, pa, pb, pc, NULL);
  for (unsigned lane = 0; lane < 32; lane++)
    for (unsigned i = 0; i < 4; i++) {
      const Cell at = row->c(lane, i);
      const uint64_t got = get(regs.out, (ArithType)mma->d, lane, i);
      const uint64_t want = want_of(mma, a, b, bits_at(c, at), at);
      CHECK(got == want, "%s spread %u lane %u element %u: %#llx, want %#llx", row->opcode, spread,
            lane, i, (unsigned long long)got, (unsigned long long)want);
    }
}

/* For an f16 result m8n8k4 adds two pairs of products: of 2^24 and 0, 1 and -2^24, 1 remains. For
 * f32 it adds one product after the other, and the 1 is lost next to 2^24. */
static void test_quad_sums(void) {
  static const struct {
    const char *opcode;
    uint64_t want;
  } sums[] = {{"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16", 0x3c003c00},
              {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 0}};
  uint64_t a[2][32], b[2][32], c[8][32] = {{0}}, d[8][32];
  const uint64_t *as[] = {a[0], a[1]}, *bs[] = {b[0], b[1]}, *cs[8];
  uint64_t *ds[8];
  for (int i = 0; i < 8; i++) cs[i] = c[i], ds[i] = d[i];
  for (int lane = 0; lane < 32; lane++) {
    a[0][lane] = b[0][lane] = 0x6c00;
    a[1][lane] = 0xec003c00, b[1][lane] = 0x6c003c00;
  }
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
    ArithMma mma;
    CHECK(arith_resolve_mma(sums[i].opcode, &mma) == ARITH_OK, "%s", sums[i].opcode);
    arith_mma(&mma, ds, as, bs, cs, NULL);
    for (int r = 0; r < mma.n_d; r++)
      for (int lane = 0; lane < 32; lane++)
        CHECK(d[r][lane] == sums[i].want, "%s: %llx", sums[i].opcode,
              (unsigned long long)d[r][lane]);
  }
}

static void test_sums(void) {
  uint64_t random = 77;
  for (size_t i = 0; i < sizeof kRows / sizeof kRows[0]; i++) {
    ArithMma mma;
    char opcode[80];
    snprintf(opcode, sizeof opcode, "mma.sync.aligned.%s", kRows[i].opcode);
    arith_resolve_mma(opcode, &mma);
    const bool sums = mma.a == ARITH_F16 || mma.a == ARITH_BF16 || mma.a == ARITH_TF32;
    for (unsigned trial = 0; sums && mma.m == 16 && trial < 30; trial++)
      check_sums(&kRows[i], &mma, trial % 3, trial % 3 % 2, &random);
    for (unsigned v = 0; sums && mma.m == 16 && v < VARIANTS * VARIANTS; v++)
      check_sums(&kRows[i], &mma, FEW_BITS + v % VARIANTS, ADDENDS + v / VARIANTS, &random);
  }
}

/* --- tiles against sums one by one --- */

/* A number whose exponent is within `reach` of 0, rounded to the type: of subnormals and infinities
 * some; among many one that is none. */
static uint64_t within(uint64_t *random, ArithType type, int reach) {
  const uint64_t word = sweep_random(random);
  const int exponent = reach ? (int)(word >> 20 & 1023) % (2 * reach + 1) - reach : 0;
  const double x = ldexp((double)(int64_t)(word << 30), exponent - 63);
  if (reach > 5 && word >> 50 == 77) return arith_format(type)->nan;
  return arith_encode(arith_format(type), (word >> 40) % 16 ? x : 0, ARITH_RN, false);
}

static void fill_within(uint64_t regs[8][32], ArithType type, unsigned registers, int reach,
                        uint64_t *random) {
  memset(regs, 0, 8 * sizeof *regs);
  for (unsigned lane = 0; lane < 32; lane++)
    for (unsigned i = 0; i < registers * arith_mma_per_register(type); i++)
      put_bits(regs, type, lane, i, within(random, type, reach));
}

static void check_tiles(const char *name, const ArithMma *mma, int reach, uint64_t *random) {
  Fragments regs;
  uint64_t want[8][32] = {{0}}, *d[8], *plain[8];
  const uint64_t *a[8], *b[8], *c[8];
  fill_within(regs.a, (ArithType)mma->a, mma->n_a, reach, random);
  fill_within(regs.b, (ArithType)mma->b, mma->n_b, reach, random);
  fill_within(regs.c, (ArithType)mma->c, mma->n_c, 2 * reach, random);
  for (unsigned r = 0; r < 8; r++)
    d[r] = regs.out[r], plain[r] = want[r], a[r] = regs.a[r], b[r] = regs.b[r], c[r] = regs.c[r];
  arith_mma_fused(mma, plain, a, b, c, NULL);
  for (unsigned v = 0; v <= arith_most_vectors(); v++) {
    memset(regs.out, 0, sizeof regs.out);
    arith_mma_for(mma, v, d, a, b, c, NULL);
    CHECK(memcmp(regs.out, want, sizeof want) == 0, "%s, vectors %u, reach %d", name, v, reach);
  }
}

static void test_tiles(void) {
  static const char *const opcodes[] = {
      "m16n8k8.row.col.f32.f16.f16.f32",    "m16n8k16.row.col.f32.f16.f16.f16",
      "m16n8k16.row.col.f16.f16.f16.f16",   "m16n8k16.row.col.f16.f16.f16.f32",
      "m16n8k16.row.col.f32.bf16.bf16.f32", "m16n8k4.row.col.f32.tf32.tf32.f32",
      "m16n8k8.row.col.f32.tf32.tf32.f32",  "m16n8k16.row.col.f32.e4m3.e5m2.f32",
      "m16n8k32.row.col.f32.e4m3.e4m3.f32", "m16n8k32.row.col.f16.e4m3.e4m3.f16",
      "m16n8k32.row.col.f16.e5m2.e4m3.f32", "m16n8k32.row.col.f32.e5m2.e5m2.f16"};
  static const int reaches[] = {0, 1, 5, 14, 40, 70, 120};
  uint64_t random = 7;
  for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
    char opcode[80];
    ArithMma mma;
    snprintf(opcode, sizeof opcode, "mma.sync.aligned.%s", opcodes[i]);
    CHECK(arith_resolve_mma(opcode, &mma) == ARITH_OK, "%s", opcode);
    for (unsigned trial = 0; trial < 40; trial++)
      for (size_t k = 0; k < sizeof reaches / sizeof *reaches; k++)
        check_tiles(opcodes[i], &mma, reaches[k], &random);
  }
}

/* Sums that an H200 gave, which show how it adds products of bytes: the elements of a row and of a
 * column along k, two digits each, the addend and the result. */
static const struct {
  const char *opcode, *a, *b;
  uint32_t c, d;
} byte_sums[] = {
    {"m16n8k32.row.col.f32.e4m3.e4m3.f32",
     "982f1700cf000000080000270000b600af0081009938000000e62b1100870000",
     "08180a004f000000020000080000300010000100084000000060280400010000", 0x3ba382c8, 0xc4e6d285},
    {"m16n8k32.row.col.f32.e4m3.e4m3.f32",
     "01bc0000df00000000000000cf00c7002c00070000000000ee00a347009f00c7",
     "01280000600000000000000057004e0024000100000000007000084800180040", 0xc14b59dd, 0xc6714117},
    {"m16n8k32.row.col.f32.e4m3.e4m3.f32",
     "0000006f18e7000000a08f8a009700000000000046009700bf378e00e52791cf",
     "00000076086500000010010800080000000000003e00100043181000682f0444", 0x3521bcb5, 0x469f7543},
    {"m16n8k16.row.col.f32.e4m3.e4m3.f32", "ad89b64f089c00002fd4be2fbf1cb7af",
     "3001305002140000374c3d344008302f", 0x0, 0xc19913f0},
    {"m16n8k16.row.col.f32.e4m3.e4m3.f32", "00f6a300330036303f2f00004f6e94b7",
     "00700800320030184735000057700431", 0xbcffffff, 0xc65e1f01},
    {"m16n8k16.row.col.f32.e4m3.e4m3.f32", "0000230000005e60f72f000027009000",
     "00001e00000060687e2000001c001000", 0xbf800000, 0xc7cc4072},
    {"m16n8k32.row.col.f32.e5m2.e5m2.f32",
     "18048600b8001428001808000000a40018a00000000008a800a414000e0030b0",
     "180802003800182c00140c0000002800182000000000042c0024180008003034", 0xbf7fffff, 0xbfa2198e},
    {"m16n8k32.row.col.f32.e5m2.e5m2.f32",
     "00a834a094000000002094a828001400000430181c0094140000a400a4b8ac20",
     "002c382414000000002410282800100000083018200010180000280028382c24", 0xbe800000, 0xbebb6b6f},
    {"m16n8k32.row.col.f32.e5m2.e5m2.f32",
     "00040c200000ac001400860010180098880094a4301e0000acb4208c0000a8b8",
     "0004102400002c0018000200101c001c0c001828301800003038241000002c38", 0x3f000000, 0x3e01c310},
    {"m16n8k32.row.col.f16.e4m3.e4m3.f16",
     "302800000000b8b000b800a000001888000000a0b000000090000088a0000000",
     "3830000000003830003800200000200400000020380000000400000210000000", 0x4000, 0xb0e0},
    {"m16n8k32.row.col.f16.e4m3.e4m3.f16",
     "0000a8003000989000081820000000000007209430a800000000000020180094",
     "0000300038002004000818280000000000012808302800000000000020100004", 0xb7ff, 0x306a},
    {"m16n8k32.row.col.f16.e4m3.e4m3.f16",
     "00000000a000008808180000a000a0008e000718008798b8000008201008180c",
     "0000000028000001101800002800200008000104000320380000042002102008", 0x35c0, 0xb994},
    {"m16n8k16.row.col.f32.e4m3.e5m2.f32", "06c378e32ea2f0a6b51f3bbdc1985bee",
     "744915059cdd9a600f13b216c819893c", 0x3f5ef23e, 0x411ca134},
    {"m16n8k16.row.col.f32.e4m3.e5m2.f32", "5e90b58592b3bc024713c082c9da5fc7",
     "10db873e4958dafa2526852fba48243e", 0x40566584, 0xc30fbfb4},
    {"m16n8k16.row.col.f32.e5m2.e4m3.f32", "1c0f2e69a58b8c5374bd9fed25b78f88",
     "933192a1c3e904c2834bac8ce187a04b", 0x3d54eccd, 0xc3f1b9f2},
    {"m16n8k16.row.col.f32.e5m2.e4m3.f32", "44d3511914138f0017f9f4d39604b1f9",
     "2f951ce7f3c79eb70d0410ef3a01fda0", 0x3ea1d57f, 0x462d25d9},
};

static unsigned byte_at(const char *text, unsigned i) {
  unsigned byte = 0;
  sscanf(text + 2 * i, "%2x", &byte);
  return byte;
}

static void test_byte_sums(void) {
  for (size_t n = 0; n < sizeof byte_sums / sizeof *byte_sums; n++) {
    ArithMma mma;
    Fragments regs = {0};
    uint64_t *d[8];
    const uint64_t *a[8], *b[8], *c[8];
    char opcode[80];
    snprintf(opcode, sizeof opcode, "mma.sync.aligned.%s", byte_sums[n].opcode);
    CHECK(arith_resolve_mma(opcode, &mma) == ARITH_OK, "%s", opcode);
    const Layout of_a = mma.k == 32 ? a_m16n8k32_8bit : a_m16n8k16_8bit;
    const Layout of_b = mma.k == 32 ? b_m16n8k32_8bit : b_m8n8k16_8bit;
    for (unsigned lane = 0; lane < 32; lane++) {
      for (unsigned i = 0; i < mma.n_a * 4u; i++)
        if (of_a(lane, i).row == 0)
          put_bits(regs.a, ARITH_E4M3, lane, i, byte_at(byte_sums[n].a, of_a(lane, i).col));
      for (unsigned i = 0; i < mma.n_b * 4u; i++)
        if (of_b(lane, i).col == 0)
          put_bits(regs.b, ARITH_E4M3, lane, i, byte_at(byte_sums[n].b, of_b(lane, i).row));
    }
    regs.c[0][0] = byte_sums[n].c;
    for (unsigned r = 0; r < 8; r++)
      d[r] = regs.out[r], a[r] = regs.a[r], b[r] = regs.b[r], c[r] = regs.c[r];
    arith_mma(&mma, d, a, b, c, NULL);
    const uint64_t got = get(regs.out, (ArithType)mma.d, 0, 0);
    CHECK(got == byte_sums[n].d, "%s, sum %zu: %#llx, want %#x", opcode, n, (unsigned long long)got,
          byte_sums[n].d);
  }
}

static void test_matrix_lanes(void) {
  uint64_t a[32], d[32];
  for (unsigned lane = 0; lane < 32; lane++) {
    /* The ISA's figure: row r is held by lanes 4 r to 4 r + 3, two columns each. */
    const unsigned row = lane / 4, col = lane % 4 * 2;
    a[lane] = (row * 8 + col) | (row * 8 + col + 1) << 16;
    for (unsigned half = 0; half < 2; half++) {
      const ArithCell plain = arith_matrix_cell(lane, half, false);
      const ArithCell trans = arith_matrix_cell(lane, half, true);
      CHECK(plain.row == row && plain.col == col + half, "lane %u half %u", lane, half);
      CHECK(trans.col == row && trans.row == col + half, "lane %u half %u, trans", lane, half);
    }
  }
  memcpy(d, a, sizeof d);
  arith_movmatrix(d, d);
  for (unsigned lane = 0; lane < 32; lane++) {
    const unsigned row = lane / 4, col = lane % 4 * 2;
    CHECK(d[lane] == ((col * 8 + row) | ((col + 1) * 8 + row) << 16), "movmatrix lane %u", lane);
  }
}

int main(void) {
  test_shapes();
  test_registers();
  test_refused();
  test_rounding();
  test_quad_sums();
  test_sums();
  test_tiles();
  test_byte_sums();
  test_matrix_lanes();
  return check_report("emu_arith_mma");
}
