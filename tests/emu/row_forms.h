/* SPDX-License-Identifier: MIT */
/* row_forms.h: opcodes for the rows of arithmetic (arith/arith_row.h): each type that a row takes,
 * each rounding, comparison and mode, each optional flag alone and all together. */
#ifndef KGEN_TESTS_EMU_ROW_FORMS_H
#define KGEN_TESTS_EMU_ROW_FORMS_H

#include <stdio.h>
#include <string.h>

#include "emu/arith/arith_resolve.h"

enum { ROW_FORM_TEXT = 96 };

/* types: the opcode's types, the first one lowest, 8 bits each. */
typedef struct {
  void (*visit)(void *context, const ArithRow *row, uint32_t types, const char *opcode);
  void *context;
} RowVisitor;

typedef struct {
  const ArithRow *row;
  uint32_t types;
  const char *written; /* the types as text */
  const RowVisitor *visitor;
} RowForm;

/* The row decides whether the words fit together: what it does not resolve is left out. */
static inline void row_visit(const RowForm *f, const char *words) {
  char opcode[ROW_FORM_TEXT];
  ArithInsn insn;
  snprintf(opcode, sizeof opcode, "%s%s%s", f->row->op, words, f->written);
  if (arith_resolve(opcode, &insn) == ARITH_OK && insn.row->op == f->row->op)
    f->visitor->visit(f->visitor->context, f->row, f->types, opcode);
}

static inline void row_visit_extra(const RowForm *f, const char *words) {
  static const char *const logics[] = {"", ".and", ".or", ".xor"};
  static const char *const modes[] = {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
  static const char *const tests[] = {".finite",     ".infinite", ".number",
                                      ".notanumber", ".normal",   ".subnormal"};
  const uint32_t extra = f->row->extra;
  char more[ROW_FORM_TEXT / 2];
  if (!extra) row_visit(f, words);
  for (size_t i = 0; i < ARITH_COUNT(modes) && extra & ARITH_PRMT_MODE; i++)
    row_visit(f, (snprintf(more, sizeof more, "%s%s", modes[i], words), more));
  for (size_t i = 0; i < ARITH_COUNT(tests) && extra & ARITH_TEST; i++)
    row_visit(f, (snprintf(more, sizeof more, "%s%s", tests[i], words), more));
  for (size_t i = 0; i < ARITH_COUNT(logics) && extra & ARITH_LOGIC; i++)
    for (int c = extra & ARITH_COMPARISON ? ARITH_EQ : 0; c <= ARITH_NAN; c++) {
      const char *compare = c ? arith_compare_name((ArithCompare)c) : "";
      snprintf(more, sizeof more, "%s%s%s%s", c ? "." : "", compare, logics[i], words);
      row_visit(f, more);
      if (!c) break;
    }
}

static inline void row_visit_flags(const RowForm *f, uint32_t flags, const char *rounding) {
  char words[ROW_FORM_TEXT / 2];
  int at = snprintf(words, sizeof words, "%s", rounding);
  for (uint32_t flag = 1; flag; flag <<= 1)
    if (flags & flag)
      at += snprintf(words + at, sizeof words - (size_t)at, ".%s", arith_flag_name(flag));
  row_visit_extra(f, words);
}

static inline void row_visit_words(const RowForm *f) {
  const ArithRow *row = f->row;
  for (unsigned r = 0; r <= ARITH_RPI; r++) {
    if (row->rounds ? !(row->rounds >> r & 1) : r) continue;
    char rounding[8] = "";
    if (r) snprintf(rounding, sizeof rounding, ".%s", arith_round_name((ArithRound)r));
    row_visit_flags(f, row->must, rounding);
    for (uint32_t flag = 1; flag; flag <<= 1)
      if (row->may & flag) row_visit_flags(f, row->must | flag, rounding);
    if (row->may & (row->may - 1)) row_visit_flags(f, row->must | row->may, rounding);
  }
}

static inline void row_forms(const ArithRow *row, const RowVisitor *visitor) {
  const uint64_t from = row->from ? row->from : 1;
  for (unsigned t = 1; t < ARITH_TYPES; t++)
    for (unsigned s = 0; s < ARITH_TYPES; s++) {
      if (!(row->types >> t & 1) || !(from >> s & 1)) continue;
      char written[32];
      int at = snprintf(written, sizeof written, ".%s", arith_type_name((ArithType)t));
      if (s)
        at += snprintf(written + at, sizeof written - (size_t)at, ".%s",
                       arith_type_name((ArithType)s));
      if (row->third) snprintf(written + at, sizeof written - (size_t)at, ".b32");
      row_visit_words(&(RowForm){row, t | s << 8, written, visitor});
    }
}

#endif
