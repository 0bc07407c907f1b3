/* SPDX-License-Identifier: MIT */
/* expr_spell.h: spells a parsed expression as C, with parentheses wherever compilers or readers
 * want them. */
#ifndef KGEN_SPEC_EXPR_SPELL_H
#define KGEN_SPEC_EXPR_SPELL_H

#include "spec/expr.h"

/* word: the text for each name, by slot: an identifier or a number. Lets are expanded. */
void expr_spell(Text *out, const Expr *e, const char *const *word);

#endif
