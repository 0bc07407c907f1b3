/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_mma_opcode.h"

#include <stdio.h>
#include <string.h>

#include "emu/arith/arith_row.h"

typedef struct {
  uint8_t a; /* s8 also represents u8, s4 u4, and e4m3 e5m2 */
  uint8_t m, n;
  uint16_t k;
} Shape;

static const Shape dense[] = {
    {ARITH_F16, 16, 8, 8},   {ARITH_F16, 16, 8, 16},  {ARITH_BF16, 16, 8, 8},
    {ARITH_BF16, 16, 8, 16}, {ARITH_TF32, 16, 8, 4},  {ARITH_TF32, 16, 8, 8},
    {ARITH_F64, 8, 8, 4},    {ARITH_F64, 16, 8, 4},   {ARITH_F64, 16, 8, 8},
    {ARITH_F64, 16, 8, 16},  {ARITH_S8, 8, 8, 16},    {ARITH_S8, 16, 8, 16},
    {ARITH_S8, 16, 8, 32},   {ARITH_E4M3, 16, 8, 16}, {ARITH_E4M3, 16, 8, 32},
    {ARITH_S4, 8, 8, 32},    {ARITH_S4, 16, 8, 32},   {ARITH_S4, 16, 8, 64},
    {ARITH_B1, 8, 8, 128},   {ARITH_B1, 16, 8, 128},  {ARITH_B1, 16, 8, 256},
    {ARITH_F16, 8, 8, 4},
};

/* k is B's: half of the elements of a sparse A are stored. */
static const Shape sparse[] = {
    {ARITH_F16, 16, 8, 16},  {ARITH_F16, 16, 8, 32},  {ARITH_BF16, 16, 8, 16},
    {ARITH_BF16, 16, 8, 32}, {ARITH_TF32, 16, 8, 8},  {ARITH_TF32, 16, 8, 16},
    {ARITH_S8, 16, 8, 32},   {ARITH_S8, 16, 8, 64},   {ARITH_S4, 16, 8, 64},
    {ARITH_S4, 16, 8, 128},  {ARITH_E4M3, 16, 8, 64},
};

/* The type that represents all types that may be mixed with it. */
static unsigned family(unsigned type) {
  switch (type) {
  case ARITH_U8: return ARITH_S8;
  case ARITH_U4: return ARITH_S4;
  case ARITH_E5M2: return ARITH_E4M3;
  default: return type;
  }
}

static bool accumulates(unsigned a, unsigned c, unsigned d) {
  switch (family(a)) {
  case ARITH_F16:
  case ARITH_E4M3: return (c == ARITH_F16 || c == ARITH_F32) && (d == ARITH_F16 || d == ARITH_F32);
  case ARITH_F64: return c == ARITH_F64 && d == ARITH_F64;
  case ARITH_S8:
  case ARITH_S4:
  case ARITH_B1: return c == ARITH_S32 && d == ARITH_S32;
  default: return c == ARITH_F32 && d == ARITH_F32;
  }
}

static uint8_t registers(unsigned elements, unsigned type) {
  return (uint8_t)(elements / 32 / arith_mma_per_register(type));
}

/* Skips the word if it is next. */
static bool take(const char **at, const char *word) {
  const size_t length = strlen(word);
  if (strncmp(*at, word, length) != 0) return false;
  *at += length;
  return true;
}

/* Reads four types, as in ".f32.f16.f16.f32". In the ISA .satfinite precedes them; ptxas also
 * accepts it after them, as CUTLASS writes it. */
static bool read_types(const char **at, ArithMma *mma) {
  uint8_t *const types[] = {&mma->d, &mma->a, &mma->b, &mma->c};
  mma->satfinite = take(at, ".satfinite");
  for (unsigned i = 0; i < 4; i++) {
    if (!take(at, ".")) return false;
    const size_t length = strcspn(*at, ".");
    *types[i] = (uint8_t)arith_type(*at, (unsigned)length);
    *at += length;
  }
  if (!mma->satfinite) mma->satfinite = take(at, ".satfinite");
  return true;
}

static bool read_layouts(const char **at, ArithMma *mma) {
  mma->a_by_column = take(at, ".col");
  if (!mma->a_by_column && !take(at, ".row")) return false;
  mma->b_by_row = take(at, ".row");
  return mma->b_by_row || take(at, ".col");
}

/* Reads the operation that b1 applies to each pair of bits. */
static bool read_logic(const char **at, ArithMma *mma) {
  if (mma->a != ARITH_B1) return true;
  mma->logic = take(at, ".xor.popc") ? ARITH_XOR : take(at, ".and.popc") ? ARITH_AND : 0;
  return mma->logic != ARITH_NO_LOGIC;
}

static bool shape_exists(const ArithMma *mma) {
  const Shape *shape = mma->sparse ? sparse : dense;
  const size_t count = mma->sparse ? ARITH_COUNT(sparse) : ARITH_COUNT(dense);
  for (size_t i = 0; i < count; i++)
    if (shape[i].a == family(mma->a) && shape[i].m == mma->m && shape[i].n == mma->n &&
        shape[i].k == mma->k)
      return family(mma->a) == family(mma->b);
  return false;
}

static bool is_possible(const ArithMma *mma) {
  const unsigned kind = family(mma->a);
  if (!shape_exists(mma) || !accumulates(mma->a, mma->c, mma->d)) return false;
  if (mma->satfinite && kind != ARITH_S8 && kind != ARITH_S4) return false;
  return arith_mma_is_quad(mma) || (!mma->a_by_column && !mma->b_by_row);
}

/* m8n8k4 of f16 is distributed over a quarter of a warp, so the four quarters execute one each. */
static void count_registers(ArithMma *mma) {
  const unsigned times = arith_mma_is_quad(mma) ? 4 : 1;
  const unsigned m = mma->m, n = mma->n, k = mma->k;
  mma->n_a = registers(times * m * k / (mma->sparse ? 2 : 1), mma->a);
  mma->n_b = registers(times * n * k, mma->b);
  mma->n_c = registers(times * m * n, mma->c);
  mma->n_d = registers(times * m * n, mma->d);
}

ArithStatus arith_resolve_mma(const char *opcode, ArithMma *mma) {
  unsigned m, n, k;
  int end = 0;
  *mma = (ArithMma){0};
  if (!take(&opcode, "mma")) return ARITH_UNKNOWN;
  mma->sparse = take(&opcode, ".sp::ordered_metadata") || take(&opcode, ".sp");
  sscanf(opcode, ".sync.aligned.m%2un%2uk%3u%n", &m, &n, &k, &end);
  if (end == 0) return ARITH_REFUSED;
  opcode += end;
  mma->m = (uint8_t)m, mma->n = (uint8_t)n, mma->k = (uint16_t)k;
  if (!read_layouts(&opcode, mma) || !read_types(&opcode, mma) || !read_logic(&opcode, mma))
    return ARITH_REFUSED;
  if (*opcode || !is_possible(mma)) return ARITH_REFUSED;
  count_registers(mma);
  return ARITH_OK;
}
