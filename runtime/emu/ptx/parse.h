/* SPDX-License-Identifier: MIT */
/* parse.h: parses PTX text into a syntax tree with resolved names. */
#ifndef KGEN_EMU_PTX_PARSE_H
#define KGEN_EMU_PTX_PARSE_H

#include "emu/ptx/ast.h"

/* Parses the whole text. Errors go to ast->error; parsing continues after the next ';' or '}'. */
Ast *ptx_module(Arena *arena, const char *text, size_t length);

#endif
