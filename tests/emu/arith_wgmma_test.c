/* SPDX-License-Identifier: MIT */
/*
 * Sums of wgmma against a plain model of Hopper's tensor cores, one element at a time: products and
 * addend are truncated to F bits below the largest exponent, their sum to the result's fraction.
 * The model equalled an H200 on 204,800 sums of each type.
 */
#include <math.h>

#include "check.h"
#include "emu/arith/arith_format.h"
#include "emu/arith/arith_resolve.h"
#include "emu/arith/arith_wgmma.h"
#include "emu/arith_sweep.h"

enum { M = 64, N = 8, MAX_K = 32, TRIALS = 30 };

typedef struct {
  const char *opcode;
  ArithType a, b, d;
  unsigned size; /* bytes per element */
  int kept, fraction;
} Row;

static const Row rows[] = {
    {"m64n8k16.f32.f16.f16", ARITH_F16, ARITH_F16, ARITH_F32, 2, 25, 23},
    {"m64n8k16.f16.f16.f16", ARITH_F16, ARITH_F16, ARITH_F16, 2, 25, 52},
    {"m64n8k16.f32.bf16.bf16", ARITH_BF16, ARITH_BF16, ARITH_F32, 2, 25, 23},
    {"m64n8k8.f32.tf32.tf32", ARITH_TF32, ARITH_TF32, ARITH_F32, 4, 25, 23},
    {"m64n8k32.f32.e4m3.e4m3", ARITH_E4M3, ARITH_E4M3, ARITH_F32, 1, 13, 13},
    {"m64n8k32.f32.e4m3.e5m2", ARITH_E4M3, ARITH_E5M2, ARITH_F32, 1, 13, 13},
    {"m64n8k32.f16.e5m2.e5m2", ARITH_E5M2, ARITH_E5M2, ARITH_F16, 1, 13, 52},
};

/* --- the model --- */

/* The e of x = s * 2^e, where 1 <= |s| < 2, or less for a subnormal. */
static int exponent_of(const ArithFormat *f, double x) {
  const int e = ilogb(x), least = 1 - f->bias;
  return e > least ? e : least;
}

typedef struct {
  double value[MAX_K + 1];
  int exponent[MAX_K + 1];
  unsigned count;
} Terms;

static void add_term(Terms *t, double value, int exponent) {
  t->value[t->count] = value;
  t->exponent[t->count++] = exponent;
}

static double model(const Row *r, const Terms *t) {
  int largest = -10000;
  double all = 0, sum = 0;
  for (unsigned i = 0; i < t->count; i++) {
    all += t->value[i];
    if (t->value[i] != 0 && t->exponent[i] > largest) largest = t->exponent[i];
  }
  if (!isfinite(all)) return all;
  for (unsigned i = 0; i < t->count; i++) sum += trunc(ldexp(t->value[i], r->kept - largest));
  sum = ldexp(sum, largest - r->kept);
  if (sum == 0 || r->fraction == 52) return sum;
  const int e = ilogb(sum) > -126 ? ilogb(sum) : -126;
  return ldexp(trunc(ldexp(sum, r->fraction - e)), e - r->fraction);
}

/* --- numbers --- */

/* Returns numbers near one, spread over the exponents, small ones with subnormals and zeros, or
 * ones with infinities. */
static uint64_t number(uint64_t *random, ArithType type, unsigned spread) {
  const ArithFormat *f = arith_format(type);
  const uint64_t word = sweep_random(random), fraction = word >> 8 & ((1ull << f->fraction) - 1);
  const unsigned wide = 2u * (unsigned)f->bias;
  unsigned field = (unsigned)f->bias - 1 + (unsigned)(word >> 40) % 3;
  if (spread == 1) field = 1 + (unsigned)(word >> 40) % (wide < 60 ? wide - 1 : wide);
  if (spread == 2) field = (unsigned)(word >> 40) % 3;
  uint64_t magnitude = (uint64_t)field << f->fraction | fraction;
  if (spread == 3 && (word >> 50) % 64 == 0) magnitude = f->max + (word >> 60) % 2;
  if (magnitude > f->max + (spread == 3)) magnitude = f->max;
  if ((word >> 56) % 8 == 0) magnitude = 0;
  return magnitude << f->tail | (word & 1) << (f->bits - 1);
}

typedef struct {
  ArithTiles tiles;
  uint64_t d[4][4][32], out[4][4][32];
} Operands;

static uint64_t element(const uint8_t *line, unsigned size, unsigned k) {
  uint64_t bits = 0;
  memcpy(&bits, line + k * size, size);
  return bits;
}

static void fill(const Row *r, Operands *x, uint64_t *random, unsigned spread) {
  const unsigned k = 32 / r->size;
  for (unsigned line = 0; line < M + N; line++)
    for (unsigned i = 0; i < k; i++) {
      const bool of_a = line < M;
      const uint64_t bits = number(random, of_a ? r->a : r->b, spread);
      memcpy((of_a ? x->tiles.a[line] : x->tiles.b[line - M]) + i * r->size, &bits, r->size);
    }
  memset(x->d, 0, sizeof x->d);
  for (unsigned i = 0; i < M * N; i++) {
    const unsigned halves = r->d == ARITH_F16;
    x->d[i / 128][i / 32 % 4][i % 32] = number(random, r->d, spread == 1 && !halves ? 0 : spread);
    if (halves) x->d[i / 128][i / 32 % 4][i % 32] |= number(random, r->d, spread) << 16;
  }
}

/* --- comparing --- */

static uint64_t want_of(const Row *r, const Operands *x, ArithWgmmaMode mode, uint64_t addend,
                        unsigned i, unsigned j) {
  const ArithFormat *fa = arith_format(r->a), *fb = arith_format(r->b), *fd = arith_format(r->d);
  Terms t = {.count = 0};
  for (unsigned k = 0; k < 32 / r->size; k++) {
    const double a = arith_decode(fa, element(x->tiles.a[i], r->size, k));
    const double b = arith_decode(fb, element(x->tiles.b[j], r->size, k));
    const bool finite = isfinite(a) && isfinite(b) && a != 0 && b != 0;
    add_term(&t, mode.negative ? -(a * b) : a * b,
             finite ? exponent_of(fa, a) + exponent_of(fb, b) : 0);
  }
  const double c = mode.adds ? arith_decode(fd, addend) : 0;
  add_term(&t, c, c != 0 && isfinite(c) ? exponent_of(fd, c) : 0);
  const double sum = model(r, &t);
  if (r->d == ARITH_F32) return arith_f32_result((float)sum);
  const uint64_t bits = arith_encode(fd, sum, ARITH_RN, false);
  return bits == 0x8000 ? 0 : bits; /* an H200 has no -0 */
}

static uint64_t held(const ArithWgmmaPlace *at, uint64_t d[4][4][32], bool halves) {
  const uint64_t word = d[at->warp][at->reg][at->lane];
  return halves ? word >> (16 * at->half) & 0xffff : word;
}

static unsigned wrong_elements(const Row *r, const ArithWgmma *op, Operands *x, ArithWgmmaMode mode,
                               unsigned vectors) {
  uint64_t *d[WGMMA_WARPS][WGMMA_MAX_REGISTERS];
  unsigned wrong = 0;
  const bool halves = r->d == ARITH_F16;
  memcpy(x->out, x->d, sizeof x->out);
  for (unsigned w = 0; w < 4; w++)
    for (unsigned i = 0; i < 4; i++) d[w][i] = x->out[w][i];
  arith_wgmma_for(op, mode, vectors, &x->tiles, (uint64_t *const(*)[WGMMA_MAX_REGISTERS])d);
  for (unsigned i = 0; i < M; i++)
    for (unsigned j = 0; j < N; j++) {
      const ArithWgmmaPlace at = arith_wgmma_location(op, i, j);
      const uint64_t got = held(&at, x->out, halves);
      const uint64_t want = want_of(r, x, mode, held(&at, x->d, halves), i, j);
      const uint64_t sign = 1ull << (halves ? 15 : 31);
      wrong += got != want && ((got | want) & (sign - 1)) != 0; /* zeros of both signs */
    }
  return wrong;
}

static void test_sums(void) {
  static Operands x;
  uint64_t random = 3;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char opcode[80];
    ArithWgmma op;
    unsigned wrong = 0;
    snprintf(opcode, sizeof opcode, "wgmma.mma_async.sync.aligned.%s", rows[i].opcode);
    CHECK(arith_resolve_wgmma(opcode, &op) == ARITH_OK, "%s", opcode);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
      fill(&rows[i], &x, &random, trial % 4);
      for (unsigned v = 0; v <= arith_most_vectors(); v++)
        wrong += wrong_elements(&rows[i], &op, &x,
                                (ArithWgmmaMode){.adds = trial % 3 > 0, .negative = trial % 2}, v);
    }
    CHECK(wrong == 0, "%s: %u sums differ", rows[i].opcode, wrong);
  }
}

/* --- several groups of columns --- */

enum { GROUPS = 32, MOST = GROUPS * 4 };

static void multiply(const char *opcode, unsigned vectors, const ArithTiles *tiles,
                     uint64_t out[4][MOST][32]) {
  ArithWgmma op;
  char text[80];
  uint64_t *d[WGMMA_WARPS][WGMMA_MAX_REGISTERS];
  snprintf(text, sizeof text, "wgmma.mma_async.sync.aligned.%s", opcode);
  CHECK(arith_resolve_wgmma(text, &op) == ARITH_OK, "%s", text);
  for (unsigned w = 0; w < 4; w++)
    for (unsigned i = 0; i < MOST; i++) {
      d[w][i] = out[w][i];
      for (unsigned lane = 0; lane < 32; lane++) out[w][i][lane] = 1000 * (i % 2) + lane;
    }
  arith_wgmma_for(&op, (ArithWgmmaMode){.adds = true}, vectors, tiles,
                  (uint64_t *const(*)[WGMMA_MAX_REGISTERS])d);
}

static bool same_group(uint64_t all[4][MOST][32], uint64_t one[4][MOST][32], unsigned g,
                       unsigned registers) {
  bool same = true;
  for (unsigned w = 0; w < 4; w++)
    same &= memcmp(all[w][registers * g], one[w][0], registers * sizeof *one[w]) == 0;
  return same;
}

/* Each group as if it were alone, whatever is in the others: here a NaN in the second and in the
 * last one, which only floats have. */
static void test_groups(void) {
  static const char *const opcodes[][2] = {
      {"m64n256k16.f32.bf16.bf16", "m64n8k16.f32.bf16.bf16"},
      {"m64n256k16.f16.f16.f16", "m64n8k16.f16.f16.f16"},
      {"m64n256k32.s32.s8.u8", "m64n8k32.s32.s8.u8"},
      {"m64n256k256.s32.b1.b1.and.popc", "m64n8k256.s32.b1.b1.and.popc"}};
  static ArithTiles all, one;
  static uint64_t got[4][MOST][32], want[4][MOST][32];
  uint64_t random = 5;
  for (size_t i = 0; i < sizeof all / 2; i++) {
    const uint16_t half = (uint16_t)(0x3c00 + sweep_random(&random) % 512);
    memcpy((uint8_t *)&all + 2 * i, &half, sizeof half);
  }
  memset(all.b[N + 3], 0x7f, WGMMA_BYTES);
  memset(all.b[N * GROUPS - 1], 0x7f, WGMMA_BYTES);
  for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
    for (unsigned v = 0; v <= arith_most_vectors(); v++) {
      multiply(opcodes[i][0], v, &all, got);
      for (unsigned g = 0; g < GROUPS; g++) {
        one = all;
        memcpy(one.b, all.b[N * g], N * sizeof *one.b);
        multiply(opcodes[i][1], v, &one, want);
        CHECK(same_group(got, want, g, i == 1 ? 2 : 4), "%s, group %u", opcodes[i][0], g);
      }
    }
}

static void test_refused(void) {
  static const char *const bad[] = {
      "m64n8k16.f32.f16.bf16",    "m64n8k16.f16.bf16.bf16",
      "m64n12k16.f32.f16.f16",    "m64n264k16.f32.f16.f16",
      "m64n0k16.f32.f16.f16",     "m64n8k8.f32.f16.f16",
      "m64n40k32.s32.s8.s8",      "m64n8k32.f32.e4m3.e4m3.satfinite",
      "m64n8k32.f32.s8.s8",       "m64n8k256.s32.b1.b1.xor.popc",
      "m64n8k256.s32.b1.b1",      "m64n8k16.f32.f16",
      "m64n8k16.f32.f16.f16.f16", "m64n8k32.satfinite.s32.u8.u8.satfinite"};
  ArithWgmma op;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char opcode[100];
    snprintf(opcode, sizeof opcode, "wgmma.mma_async.sync.aligned.%s", bad[i]);
    CHECK(arith_resolve_wgmma(opcode, &op) == ARITH_REFUSED, "%s", bad[i]);
  }
  CHECK(arith_resolve_wgmma("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16", &op) ==
            ARITH_REFUSED,
        "sparse");
  CHECK(arith_resolve_wgmma("mma.sync", &op) == ARITH_UNKNOWN, "mma");
}

int main(void) {
  test_sums();
  test_groups();
  test_refused();
  return check_report("emu_arith_wgmma");
}
