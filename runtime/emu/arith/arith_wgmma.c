/* wgmma.mma_async, the product of a warpgroup, on operands as bytes. */
#include "emu/arith/arith_wgmma.h"

#include <math.h>
#include <stdio.h>

#include "emu/arith/arith_dot.h"
#include "emu/arith/arith_row.h"

/* --- the opcode --- */

/* The types of A and B that may be combined, and the types of D. */
typedef struct {
  uint8_t k;
  uint32_t operands, results;
  bool is_float, may_transpose;
} Kind;

static const Kind kinds[] = {
    {16, ARITH_T(F16), ARITH_T(F16) | ARITH_T(F32), true, true},
    {16, ARITH_T(BF16), ARITH_T(F32), true, true},
    {8, ARITH_T(TF32), ARITH_T(F32), true, false},
    {32, ARITH_T(E4M3) | ARITH_T(E5M2), ARITH_T(F16) | ARITH_T(F32), true, false},
    {32, ARITH_T(S8) | ARITH_T(U8), ARITH_T(S32), false, false},
    {0, ARITH_T(PRED), ARITH_T(S32), false, false}, /* .b1: k is 256 */
};

/* Reads ".word", or "" if there is none. */
static const char *read_word(const char *at, char *word, size_t size) {
  const size_t length = *at == '.' ? strcspn(at + 1, ".") : 0;
  snprintf(word, size, "%.*s", (int)length, at + (*at == '.'));
  return *at == '.' ? at + 1 + length : at;
}

static unsigned type_of(const char *word) {
  if (strcmp(word, "b1") == 0) return ARITH_PRED;
  return arith_type(word, (unsigned)strlen(word));
}

/* Reads types such as .f32.e4m3.e5m2. ptxas accepts .satfinite before and after the types of
 * integers; .and.popc follows those of bits. */
static bool read_modifiers(const char *at, ArithWgmma *op) {
  char word[5][12];
  int words = 0;
  while (*at && words < 5) {
    at = read_word(at, word[words], sizeof word[0]);
    const bool saturates = strcmp(word[words], "satfinite") == 0;
    if (saturates && op->satfinite) return false;
    op->satfinite |= saturates;
    words += !saturates;
  }
  if (*at || words < 3) return false;
  op->d = (uint8_t)type_of(word[0]);
  op->a = (uint8_t)type_of(word[1]);
  op->b = (uint8_t)type_of(word[2]);
  const bool is_bits = words == 5 && strcmp(word[3], "and") == 0 && strcmp(word[4], "popc") == 0;
  return op->a == ARITH_PRED ? is_bits : words == 3;
}

static bool n_exists(unsigned n, bool is_float) {
  if (n < 8 || n > WGMMA_MAX_COLUMNS || n % 8 != 0) return false;
  return is_float || n % 16 == 0 || n <= 24;
}

static const Kind *kind_of(const ArithWgmma *op, unsigned k) {
  for (size_t i = 0; i < ARITH_COUNT(kinds); i++) {
    const Kind *kind = &kinds[i];
    const unsigned of_kind = kind->k ? kind->k : 256;
    if ((kind->operands >> op->a & 1) && (kind->operands >> op->b & 1) && of_kind == k &&
        (kind->results >> op->d & 1))
      return kind;
  }
  return NULL;
}

ArithStatus arith_resolve_wgmma(const char *opcode, ArithWgmma *op) {
  unsigned n, k;
  int end = 0;
  if (strncmp(opcode, "wgmma.", 6) != 0) return ARITH_UNKNOWN;
  sscanf(opcode, "wgmma.mma_async.sync.aligned.m64n%3uk%3u%n", &n, &k, &end);
  *op = (ArithWgmma){.n = 0};
  if (end == 0 || !read_modifiers(opcode + end, op)) return ARITH_REFUSED;
  const Kind *kind = kind_of(op, k);
  if (!kind || !n_exists(n, kind->is_float)) return ARITH_REFUSED;
  if (op->satfinite && op->a != ARITH_S8 && op->a != ARITH_U8) return ARITH_REFUSED;
  op->n = (uint16_t)n;
  op->n_d = (uint8_t)(op->d == ARITH_F16 ? n / 4 : n / 2);
  op->is_float = kind->is_float;
  op->may_transpose = kind->may_transpose;
  return ARITH_OK;
}

/* --- registers --- */

/* Register r of a lane holds 4 bytes of row lane / 4, or of the row 8 below if r is odd, at 4 *
 * (lane % 4), the last two registers 16 bytes further. */
void arith_wgmma_rows(const uint64_t *const reg[WGMMA_A_REGISTERS],
                      uint8_t row[WGMMA_WARP_ROWS][WGMMA_BYTES]) {
  for (unsigned r = 0; r < WGMMA_A_REGISTERS; r++)
    for (unsigned lane = 0; lane < LANES; lane++) {
      const uint32_t bits = (uint32_t)reg[r][lane];
      memcpy(row[lane / 4 + r % 2 * 8] + lane % 4 * 4 + r / 2 * 16, &bits, sizeof bits);
    }
}

ArithWgmmaPlace arith_wgmma_place(const ArithWgmma *op, unsigned row, unsigned column) {
  const unsigned pair = 2 * (column / 8) + row / 8 % 2;
  const bool halves = op->d == ARITH_F16;
  return (ArithWgmmaPlace){.warp = (uint8_t)(row / WGMMA_WARP_ROWS),
                           .lane = (uint8_t)(row % 8 * 4 + column % 8 / 2),
                           .reg = (uint8_t)(halves ? pair : 2 * pair + column % 2),
                           .half = (uint8_t)(halves ? column % 2 : 0)};
}

/* The registers of a row among those of eight columns, and the first of the row's four lanes, as in
 * arith_wgmma_place, for all columns in turn. */
typedef struct {
  unsigned first, step, lane;
} RowPlace;

static RowPlace place_of_row(const ArithWgmma *op, unsigned row) {
  const unsigned below = row / 8 % 2, of_pair = op->d == ARITH_F16 ? 1 : 2;
  return (RowPlace){of_pair * below, 2 * of_pair, row % 8 * 4};
}

static void take_row(const ArithWgmma *op, uint64_t *const *d, unsigned row, uint32_t *bits) {
  const RowPlace at = place_of_row(op, row);
  for (unsigned j = 0, r = at.first; j < op->n; j += 8, r += at.step)
    for (unsigned i = 0; i < 4; i++) {
      const uint32_t low = (uint32_t)d[r][at.lane + i];
      const bool halves = at.step == 2;
      bits[j + 2 * i] = halves ? low & 0xffff : low;
      bits[j + 2 * i + 1] = halves ? low >> 16 : (uint32_t)d[r + 1][at.lane + i];
    }
}

static void put_row(const ArithWgmma *op, uint64_t *const *d, unsigned row, const uint32_t *bits) {
  const RowPlace at = place_of_row(op, row);
  for (unsigned j = 0, r = at.first; j < op->n; j += 8, r += at.step)
    for (unsigned i = 0; i < 4; i++) {
      const bool halves = at.step == 2;
      const uint32_t low = bits[j + 2 * i], high = bits[j + 2 * i + 1];
      d[r][at.lane + i] = halves ? low | high << 16 : low;
      if (!halves) d[r + 1][at.lane + i] = high;
    }
}

/* --- a row of D, for each kind of number --- */

typedef struct {
  const ArithWgmma *op;
  ArithWgmmaMode mode;
  const ArithTiles *tiles;
  unsigned k;
  DotColumns columns;
} Product;

static uint32_t to_s32(int64_t sum, bool saturate) {
  if (saturate) sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
  return (uint32_t)sum;
}

static unsigned common_bits(const uint8_t *a, const uint8_t *b) {
  uint64_t x[WGMMA_BYTES / 8], y[WGMMA_BYTES / 8];
  unsigned count = 0;
  memcpy(x, a, sizeof x);
  memcpy(y, b, sizeof y);
  for (unsigned i = 0; i < WGMMA_BYTES / 8; i++)
    count += (unsigned)__builtin_popcountll(x[i] & y[i]);
  return count;
}

static void row_of_bits(const Product *p, unsigned row, uint32_t *d) {
  for (unsigned j = 0; j < p->op->n; j++)
    d[j] = (p->mode.adds ? d[j] : 0) + common_bits(p->tiles->a[row], p->tiles->b[j]);
}

static void row_of_bytes(const Product *p, unsigned row, uint32_t *d) {
  DotRow a;
  float sum[WGMMA_MAX_COLUMNS];
  arith_dot_row((ArithType)p->op->a, p->tiles->a[row], &a);
  arith_dot_bytes(p->k, p->op->n, &a, &p->columns, sum);
  for (unsigned j = 0; j < p->op->n; j++) {
    const int64_t before = p->mode.adds ? (int32_t)d[j] : 0;
    d[j] = to_s32(before + (int64_t)sum[j], p->op->satfinite);
  }
}

static DotRule rule_of(const ArithWgmma *op) {
  const bool bytes = op->a == ARITH_E4M3 || op->a == ARITH_E5M2, halves = op->d == ARITH_F16;
  return (DotRule){.kept = bytes ? 13 : DOT_KEPT,
                   .fraction = halves  ? 52
                               : bytes ? 13
                                       : 23,
                   .least = halves ? -14 : -126};
}

static void negate(unsigned k, DotRow *row) {
  for (unsigned i = 0; i < k; i++) row->value[i] = -row->value[i];
}

static void decode_addends(const ArithWgmma *op, const uint32_t *bits, float *out) {
  const ArithFormat *format = arith_format((ArithType)op->d);
  const bool halves = op->d == ARITH_F16;
  for (unsigned j = 0; j < op->n; j++)
    out[j] = halves ? (float)arith_decode(format, bits[j]) : arith_f32(bits[j]);
}

static void row_of_floats(const Product *p, unsigned row, uint32_t *d) {
  const ArithWgmma *op = p->op;
  const DotRule rule = rule_of(op);
  DotRow a;
  float addend[WGMMA_MAX_COLUMNS] = {0};
  double sum[WGMMA_MAX_COLUMNS];
  arith_dot_row((ArithType)op->a, p->tiles->a[row], &a);
  if (p->mode.negative) negate(p->k, &a);
  if (p->mode.adds) decode_addends(op, d, addend);
  arith_dot(&rule, p->k, op->n, &a, &p->columns, addend, sum);
  for (unsigned j = 0; j < op->n; j++)
    d[j] = op->d == ARITH_F32 ? (uint32_t)arith_f32_result((float)sum[j])
                              : (uint32_t)arith_dot_half(sum[j]);
}

void arith_wgmma(const ArithWgmma *op, ArithWgmmaMode mode, const ArithTiles *tiles,
                 uint64_t *const d[WGMMA_WARPS][WGMMA_MAX_REGISTERS]) {
  Product p;
  uint32_t bits[WGMMA_MAX_COLUMNS];
  const bool is_bits = op->a == ARITH_PRED;
  p.op = op;
  p.mode = mode;
  p.tiles = tiles;
  p.k = is_bits ? 0 : WGMMA_BYTES * 8 / arith_bits((ArithType)op->a);
  p.columns.any_wild = false;
  for (unsigned j = 0; j < op->n && !is_bits; j++)
    arith_dot_column((ArithType)op->b, tiles->b[j], j, &p.columns);
  for (unsigned row = 0; row < WGMMA_ROWS; row++) {
    uint64_t *const *of_warp = d[row / WGMMA_WARP_ROWS];
    take_row(op, of_warp, row, bits);
    if (is_bits)
      row_of_bits(&p, row, bits);
    else if (op->is_float)
      row_of_floats(&p, row, bits);
    else
      row_of_bytes(&p, row, bits);
    put_row(op, of_warp, row, bits);
  }
}
