/* parse_constant.h: constants, and expressions of them. */
#ifndef KGEN_EMU_PTX_PARSE_CONSTANT_H
#define KGEN_EMU_PTX_PARSE_CONSTANT_H

#include "emu/ptx/parser.h"

typedef struct {
  TokenKind kind; /* TOKEN_INT, TOKEN_F32 or TOKEN_F64 */
  bool is_unsigned;
  uint64_t value; /* bits */
} Constant;

/* True if the tokens begin a constant, rather than a name with a sign or one without. */
bool ptx_is_constant(const Parser *p);
/* `(32 - 5) * 4`, as inline PTX has where its text puts an "n" into an expression. */
Constant ptx_constant(Parser *p);
/* The same, which must be an integer. */
int64_t ptx_constant_int(Parser *p);

#endif
