/* SPDX-License-Identifier: MIT */
/* parse_loc.h: .file and .loc, which map instructions to source lines. */
#ifndef KGEN_EMU_PTX_PARSE_LOC_H
#define KGEN_EMU_PTX_PARSE_LOC_H

#include "emu/ptx/parser.h"

/* Parses .file, after the directive. */
void ptx_file(Parser *p);
/* Parses .loc, after the directive. */
void ptx_loc(Parser *p);
/* Gives the statements with line 0 the line of a neighbour. The compiler uses line 0 for code that
 * it merged from several lines, such as equal loads of an `if` and its `else`. A value is computed
 * before it is stored and used after it is loaded; therefore a store takes the line of the code
 * before it, and everything else the line of the code after it. */
void ptx_locate(const Ast *ast, Function *f);

#endif
