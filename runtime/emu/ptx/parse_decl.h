/* SPDX-License-Identifier: MIT */
/* parse_decl.h: variables with their initializers, formal parameters, registers. */
#ifndef KGEN_EMU_PTX_PARSE_DECL_H
#define KGEN_EMU_PTX_PARSE_DECL_H

#include "emu/ptx/parser.h"

/* Parses a declaration of variables, after its state space, through ';'. .param variables that are
 * built for a call get registers. */
void ptx_variables(Parser *p, EmuSpace space, bool is_extern);
/* Parses one formal parameter: a .param variable, or a .reg. */
Symbol *ptx_formal(Parser *p);
/* Parses .reg declarations, up to ';'. */
void ptx_registers(Parser *p);

#endif
