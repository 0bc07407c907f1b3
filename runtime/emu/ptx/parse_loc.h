/* parse_loc.h: .file and .loc, which tie instructions to source lines. */
#ifndef KGEN_EMU_PTX_PARSE_LOC_H
#define KGEN_EMU_PTX_PARSE_LOC_H

#include "emu/ptx/parser.h"

/* Parses .file, after the directive. */
void ptx_file(Parser *p);
/* Parses .loc, after the directive. */
void ptx_loc(Parser *p);
/* Gives the function's statements of line 0 that of their neighbours: the compiler marks what
 * it has joined from several lines, as the equal loads of an `if` and its `else`, as of line 0. A
 * value is computed before it is stored and used after it is loaded, thus a store has the line of
 * the code before, and all else that of the code behind. */
void ptx_locate(const Ast *ast, Function *f);

#endif
