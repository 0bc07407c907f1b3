/* parse.h: PTX text to a syntax tree with resolved names. */
#ifndef KGEN_EMU_PARSE_H
#define KGEN_EMU_PARSE_H

#include "emu/ptx/ast.h"

/* Parses all of the text. Mistakes go to ast->error; parsing goes on behind the next ';' or '}'. */
Ast *ptx_module(Arena *arena, const char *text, size_t length);

#endif
