/* SPDX-License-Identifier: MIT */
/* modifiers.h: the forms of opcodes, which the table of opcodes has in the notation below.
 *
 * A form lists words, separated by blanks: `sync` must be among the opcode's modifiers, `[trans]`
 * may be, `x1|x2|x4` means one of them, `[cta|gpu]` one of them or none. Their order is free, as
 * ptxas accepts some modifiers after the type. */
#ifndef KGEN_EMU_OP_MODIFIERS_H
#define KGEN_EMU_OP_MODIFIERS_H

#include "emu/code/decode.h"

/* True if the statement has the modifiers that the form lists; then sets d->choice. *fit: the
 * number of modifiers that the form has, less those that it needs and the statement lacks. */
bool modifiers_match(Decoder *d, const char *form, int *fit);
/* Reports what the statement's opcode lacks or has too much, compared with the form. */
void modifiers_explain(Decoder *d, const char *form);

#endif
