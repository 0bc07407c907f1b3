/* SPDX-License-Identifier: MIT */
/* parse_constant.h: constants and constant expressions. */
#ifndef KGEN_EMU_PTX_PARSE_CONSTANT_H
#define KGEN_EMU_PTX_PARSE_CONSTANT_H

#include "emu/ptx/parser.h"

typedef struct {
  TokenKind kind; /* TOKEN_INT, TOKEN_F32 or TOKEN_F64 */
  bool is_unsigned;
  uint64_t value; /* bits */
} Constant;

/* True if the tokens start a constant, rather than a name with or without a sign. */
bool ptx_is_constant(const Parser *p);
/* Parses an expression such as `(32 - 5) * 4`, as inline PTX produces by substituting an "n"
 * operand. */
Constant ptx_constant(Parser *p);
/* Parses an expression that must be an integer. */
int64_t ptx_constant_int(Parser *p);

#endif
