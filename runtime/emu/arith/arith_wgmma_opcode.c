/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_wgmma_opcode.h"

#include <stdio.h>

#include "emu/arith/arith_row.h"

/* Types of A and B that may be combined, and the types of D. */
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

/* Reads types such as .f32.e4m3.e5m2. ptxas accepts .satfinite before and after integer types;
 * .and.popc follows the types of bits. */
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
