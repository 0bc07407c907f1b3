/* SPDX-License-Identifier: MIT */
/*
 * mma.sp of the emulator against a plain triple loop over a matrix that is half zeros, with the
 * fragments and the metadata laid out by the ISA's formulas and by CUTLASS's order of it.
 */
#include <stdlib.h>

#include "emu/arith_exact.h"
#include "emu/arith_sweep.h"

typedef struct {
  const char *types;
  unsigned k, selector;
} Case;

static const Case cases[] = {
    {"m16n8k16.row.col.f32.f16.f16.f32", 16, 3},   {"m16n8k32.row.col.f32.f16.f16.f32", 32, 1},
    {"m16n8k16.row.col.f16.f16.f16.f16", 16, 0},   {"m16n8k32.row.col.f32.bf16.bf16.f32", 32, 0},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", 8, 2},   {"m16n8k16.row.col.f32.tf32.tf32.f32", 16, 1},
    {"m16n8k32.row.col.s32.s8.u8.s32", 32, 1},     {"m16n8k64.row.col.s32.u8.s8.s32", 64, 0},
    {"m16n8k64.row.col.s32.s4.s4.s32", 64, 1},     {"m16n8k128.row.col.s32.u4.u4.s32", 128, 0},
    {"m16n8k64.row.col.f32.e5m2.e5m2.f32", 64, 0},
};

enum { ROWS = 16, COLS = 8, MOST_K = 128 };

typedef struct {
  int a[ROWS][MOST_K], b[MOST_K][COLS]; /* fp16 for floats */
  int packed[ROWS][MOST_K / 2];
  unsigned nibble[ROWS][MOST_K / 4];
} Problem;

/* A sparsity pattern: of `of` neighbouring groups of `unit` elements `kept` are stored. */
typedef struct {
  unsigned of, kept, unit;
} Pattern;

static Pattern pattern_of(ArithType type) {
  const unsigned bits = arith_bits(type);
  return bits == 32 ? (Pattern){2, 1, 1} : bits == 4 ? (Pattern){4, 2, 2} : (Pattern){4, 2, 1};
}

static int small(uint64_t *random, ArithType type) {
  const int n = (int)(sweep_random(random) % 7);
  return type == ARITH_U8 || type == ARITH_U4 ? n : n - 3;
}

/* Chooses the groups that are stored, an earlier and a later one; returns their indices in four
 * bits. tf32 names them by the indices of halves: 0b0100 and 0b1110. */
static unsigned choose(const Pattern *p, uint64_t *random, unsigned index[2]) {
  if (p->kept == 1) {
    index[0] = (unsigned)sweep_random(random) % 2;
    return index[0] ? 0xe : 0x4;
  }
  index[0] = (unsigned)sweep_random(random) % 3;
  index[1] = index[0] + 1 + (unsigned)sweep_random(random) % (3 - index[0]);
  return index[0] | index[1] << 2;
}

static void fill(Problem *x, const ArithMma *mma, uint64_t *random) {
  const Pattern p = pattern_of((ArithType)mma->a);
  memset(x, 0, sizeof *x);
  for (unsigned row = 0; row < ROWS; row++)
    for (unsigned chunk = 0; chunk < mma->k / (p.of * p.unit); chunk++) {
      unsigned index[2];
      x->nibble[row][chunk] = choose(&p, random, index);
      for (unsigned i = 0; i < p.kept * p.unit; i++) {
        const int value = small(random, (ArithType)mma->a);
        x->packed[row][chunk * p.kept * p.unit + i] = value;
        x->a[row][(chunk * p.of + index[i / p.unit]) * p.unit + i % p.unit] = value;
      }
    }
  for (unsigned k = 0; k < mma->k; k++)
    for (unsigned col = 0; col < COLS; col++) x->b[k][col] = small(random, (ArithType)mma->b);
}

static uint64_t bits_of(ArithType type, int n) {
  const double x = n * 0.5;
  const Exact e = exact_make((ExactWide)(fabs(x) * 1024), -10, x < 0);
  switch (type) {
  case ARITH_F16: return exact_round(&kExactF16, &e, EXACT_RN);
  case ARITH_BF16: return exact_round(&kExactBf16, &e, EXACT_RN);
  case ARITH_TF32: return exact_round(&kExactTf32, &e, EXACT_RN);
  case ARITH_E5M2: return exact_round(&kExactE5m2, &e, EXACT_RN);
  default: return sweep_low((uint64_t)(int64_t)n, arith_bits(type));
  }
}

typedef struct {
  uint64_t a[8][32], b[8][32], c[4][32], e[32];
} Fragments;

static void put(uint64_t reg[][32], ArithType type, unsigned lane, unsigned i, int n) {
  const unsigned bits = arith_bits(type), per = 32 / bits;
  reg[i / per][lane] |= bits_of(type, n) << (bits * (i % per));
}

/* Loads the fragments: A's stored elements are arranged like a dense A of half the depth. */
static void load(Fragments *f, const Problem *x, const ArithMma *mma) {
  const unsigned per = 32 / arith_bits((ArithType)mma->a);
  for (unsigned lane = 0; lane < 32; lane++) {
    const unsigned group = lane / 4, first = lane % 4 * per;
    for (unsigned i = 0; i < mma->n_a * per; i++) {
      const unsigned row = i / per % 2 ? group + 8 : group, k = first + i / per / 2 * 4 * per;
      put(f->a, (ArithType)mma->a, lane, i, x->packed[row][k + i % per]);
    }
    for (unsigned i = 0; i < mma->n_b * per; i++)
      put(f->b, (ArithType)mma->b, lane, i, x->b[first + i / per * 4 * per + i % per][group]);
  }
}

/* Loads the metadata. 16-bit parts for rows r and r + 8 share a word, and the lanes continue along
 * k; 32-bit parts have a word each, with rows r and r + 8 in neighbouring lanes. */
static void load_metadata(Fragments *f, const Problem *x, const ArithMma *mma, unsigned selector) {
  const bool wide = arith_bits((ArithType)mma->a) >= 16;
  const Pattern p = pattern_of((ArithType)mma->a);
  const unsigned nibbles = mma->k / (p.of * p.unit), of_piece = wide ? 4 : 8;
  const unsigned pieces = nibbles / of_piece, lanes = wide ? pieces : 2 * pieces;
  for (unsigned row = 0; row < ROWS; row++)
    for (unsigned i = 0; i < nibbles; i++) {
      const unsigned piece = i / of_piece, upper = row / 8;
      const unsigned lane = row % 8 * 4 + selector * lanes + (wide ? piece : 2 * piece + upper);
      const unsigned at = i % of_piece * 4 + (wide ? 16 * upper : 0);
      f->e[lane] |= (uint64_t)x->nibble[row][i] << at;
    }
}

static uint64_t expected(const Problem *x, const ArithMma *mma, unsigned row, unsigned col) {
  int sum = 0;
  for (unsigned k = 0; k < mma->k; k++) sum += x->a[row][k] * x->b[k][col];
  if (mma->d == ARITH_S32) return (uint32_t)sum;
  const Exact e = exact_make((ExactWide)abs(sum), -2, sum < 0);
  return exact_round(mma->d == ARITH_F16 ? &kExactF16 : &kExactF32, &e, EXACT_RN);
}

static void run(const Case *c) {
  char opcode[96];
  ArithMma mma;
  Problem x;
  Fragments f = {0};
  uint64_t random = 5, out[4][32], *d[4];
  const uint64_t *pa[8], *pb[8], *pc[4];
  snprintf(opcode, sizeof opcode, "mma.sp::ordered_metadata.sync.aligned.%s", c->types);
  const ArithStatus status = arith_resolve_mma(opcode, &mma);
  CHECK(status == ARITH_OK, "%s does not resolve", opcode);
  if (status != ARITH_OK) return;
  CHECK(mma.k == c->k && 4 / arith_mma_metadata_lanes(&mma) > c->selector, "%s", opcode);
  mma.selector = (uint8_t)c->selector;
  fill(&x, &mma, &random);
  load(&f, &x, &mma);
  load_metadata(&f, &x, &mma, c->selector);
  for (int i = 0; i < 8; i++) pa[i] = f.a[i], pb[i] = f.b[i];
  for (int i = 0; i < 4; i++) pc[i] = f.c[i], d[i] = out[i];
  arith_mma(&mma, d, pa, pb, pc, f.e);
  for (unsigned lane = 0; lane < 32; lane++)
    for (unsigned i = 0; i < 4; i++) {
      const bool half = mma.d == ARITH_F16;
      const uint64_t got = half ? out[i / 2][lane] >> 16 * (i % 2) & 0xffff : out[i][lane];
      const uint64_t want = expected(&x, &mma, lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2);
      CHECK(got == want, "%s lane %u element %u: %#llx, want %#llx", opcode, lane, i,
            (unsigned long long)got, (unsigned long long)want);
    }
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run(&cases[i]);
  return check_report("emu_arith_mma_sparse");
}
