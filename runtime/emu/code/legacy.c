/* SPDX-License-Identifier: MIT */
#include "emu/code/legacy.h"

#include <string.h>

#include "emu/arith/arith_resolve.h"

static bool has_word(const Decoder *d, const char *word) {
  for (int i = 1; i < d->modifiers; i++)
    if (strcmp(d->modifier[i], word) == 0) return true;
  return false;
}

static bool is_of_64_bits(const Decoder *d) {
  return has_word(d, "f64") || has_word(d, "s64") || has_word(d, "u64");
}

/* Processors before sm_20 have no subnormal f32. Up to PTX 1.4, conversions from and to 64 bits
 * keep them nevertheless. */
static bool flushes(const Decoder *d) {
  const bool is_old = strncmp(d->ast->target, "sm_1", 4) == 0 && strlen(d->ast->target) == 5;
  const bool is_cvt = strcmp(d->modifier[0], "cvt") == 0;
  return is_old && !(is_cvt && d->ast->version <= 14 && is_of_64_bits(d));
}

/* Up to PTX 3.0 mad.f32 needs no rounding modifier, and is fma.rn.f32 on all current processors. */
static bool rounds_mad(const Decoder *d) {
  return strcmp(d->modifier[0], "mad") == 0 && d->ast->version <= 30;
}

const char *legacy_opcode(const Decoder *d) {
  static const struct {
    const char *word;
    bool (*is_meant)(const Decoder *d);
  } defaults[] = {{"rn", rounds_mad}, {"ftz", flushes}};
  const char *opcode = d->statement->opcode;
  if (d->ast->version > 30 || !has_word(d, "f32")) return opcode;
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
    if (!defaults[i].is_meant(d)) continue;
    const char *words = opcode + strcspn(opcode, ".");
    const char *longer =
        arena_printf(d->arena, "%.*s.%s%s", (int)(words - opcode), opcode, defaults[i].word, words);
    ArithInsn insn;
    if (arith_resolve(longer, &insn) == ARITH_OK) opcode = longer;
  }
  return opcode;
}
