/* SPDX-License-Identifier: MIT */
/* parse_body.h: function bodies: scopes, labels, statements and their operands. */
#ifndef KGEN_EMU_PTX_PARSE_BODY_H
#define KGEN_EMU_PTX_PARSE_BODY_H

#include "emu/ptx/parser.h"

/* Parses a function's body, after its '{'. */
void ptx_body(Parser *p, Function *function);

#endif
