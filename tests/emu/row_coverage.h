/* SPDX-License-Identifier: MIT */
/* row_coverage.h: which rows of arithmetic, with which of their types, an H200 has executed:
 * data/isa.txt has a form with the checksum of its results, which emu_isa_values compares, or one
 * that the row approximates. */
#ifndef KGEN_TESTS_EMU_ROW_COVERAGE_H
#define KGEN_TESTS_EMU_ROW_COVERAGE_H

#include "check.h"
#include "emu/isa_list.h"
#include "emu/row_forms.h"

enum { ROWS = 512 };

typedef struct {
  const ArithRow *row;
  uint16_t forms[ARITH_TYPES][ARITH_TYPES]; /* indexed by the first and second type */
} Covered;

typedef enum { NOT_LISTED, LATER, REJECTED, UNMEASURED, REASONS } Reason;

typedef struct {
  int rows, pairs, measured; /* pairs of a row and its types */
  int without[REASONS];      /* pairs without a measured form */
  Covered row[ROWS];
} Coverage;

static inline void count_form(Coverage *c, const char *line) {
  char opcode[ROW_FORM_TEXT];
  ArithInsn insn;
  snprintf(opcode, sizeof opcode, "%.*s", (int)strcspn(line, " "), line);
  if (arith_resolve(opcode, &insn) != ARITH_OK) return;
  const char *const words = opcode + strlen(insn.row->op);
  unsigned type[4] = {0}, types = 0;
  for (const char *at = words; *at && types < 4; at += strcspn(at, ".")) {
    at++;
    const ArithType found = arith_type(at, (unsigned)strcspn(at, "."));
    if (found != ARITH_NONE) type[types++] = found;
  }
  for (int i = 0; i < c->rows; i++)
    if (c->row[i].row == insn.row) c->row[i].forms[type[0]][insn.row->from ? type[1] : 0]++;
}

/* --- pairs of a row and its types that have no measured form --- */

static inline bool is_wide_type(unsigned t) { return t == ARITH_U64 || t == ARITH_S64; }

/* A conversion with .sat from a type whose values all fit. */
static inline bool always_fits(unsigned t, unsigned s) {
  const bool to_signed = t >= ARITH_S8 && t <= ARITH_S64;
  const bool from_signed = s >= ARITH_S8 && s <= ARITH_S64;
  return (to_signed || !from_signed) && arith_bits((ArithType)s) < arith_bits((ArithType)t) &&
         (is_wide_type(t) || arith_bits((ArithType)t) >= 16);
}

/* Why the pair has none: LATER, a later processor than sm_90 executes it; REJECTED, ptxas 13.0
 * rejects all forms. */
static inline Reason reason(const ArithRow *row, unsigned t, unsigned s) {
  const uint64_t both = ARITH_T(F16) | ARITH_T(BF16) | ARITH_T(F16X2) | ARITH_T(BF16X2);
  const uint64_t later = ARITH_T(F32X2) | ARITH_T(E2M1X2), bytes = ARITH_T(U8) | ARITH_T(S8);
  const uint64_t half2 = ARITH_T(F16X2) | ARITH_T(BF16X2);
  const uint64_t types = UINT64_C(1) << t | UINT64_C(1) << s;
  const bool cvt = strcmp(row->op, "cvt") == 0;
  if (types & later || strchr(row->op, '3') == row->op + 3) return LATER;
  if (cvt && types & ARITH_T(BF16X2)) return LATER;
  if (types & both && (strcmp(row->op, "selp") == 0 || strcmp(row->op, "slct") == 0))
    return REJECTED;
  if (strcmp(row->op, "set") == 0) return half2 >> t & 1 ? REJECTED : UNMEASURED;
  if (cvt && (always_fits(t, s) || (types & ARITH_T(BF16) && types & bytes))) return REJECTED;
  return NOT_LISTED;
}

static inline void coverage_count(Coverage *c, const IsaList *list) {
  ArithTable table[ARITH_TABLES];
  arith_tables(arith_most_vectors(), table);
  for (int t = 0; t < ARITH_TABLES; t++)
    for (size_t i = 0; i < table[t].count; i++) c->row[c->rows++].row = &table[t].rows[i];
  for (int i = 0; i < list->count; i++)
    if (list->mark[i][1] || list->mark[i][0] == '~') count_form(c, list->name[i]);
  for (int i = 0; i < c->rows; i++) {
    const ArithRow *row = c->row[i].row;
    for (unsigned t = 0; t < ARITH_TYPES; t++)
      for (unsigned s = 0; s < ARITH_TYPES; s++) {
        if (!(row->types >> t & 1) || !(row->from ? row->from >> s & 1 : s == 0)) continue;
        const bool is_measured = c->row[i].forms[t][s] > 0;
        c->pairs++;
        c->measured += is_measured;
        if (!is_measured) c->without[reason(row, t, s)]++;
        CHECK(is_measured || reason(row, t, s), "row %d: no form of %s with %s %s is measured", i,
              row->op, arith_type_name((ArithType)t), arith_type_name((ArithType)s));
      }
  }
}

#endif
