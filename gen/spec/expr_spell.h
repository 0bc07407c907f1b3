/* expr_spell.h: a parsed expression as C, with parentheses wherever a compiler or a reader asks for
 * them. */
#ifndef KGEN_SPEC_EXPR_SPELL_H
#define KGEN_SPEC_EXPR_SPELL_H

#include "spec/expr.h"

/* word: what stands for a name, by slot: an identifier or a number. A let is written out. */
void expr_spell(Text *out, const Expr *e, const char *const *word);

#endif
