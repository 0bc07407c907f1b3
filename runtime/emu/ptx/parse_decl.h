/* parse_decl.h: variables with their initialisers, formal parameters, registers. */
#ifndef KGEN_EMU_PTX_PARSE_DECL_H
#define KGEN_EMU_PTX_PARSE_DECL_H

#include "emu/ptx/parser.h"

/* A declaration of variables after its state space, up to and with ';'. Those in .param, which a
 * call builds, get registers. */
void ptx_variables(Parser *p, EmuSpace space, bool is_extern);
/* One formal parameter: a .param variable, or a .reg. */
Symbol *ptx_formal(Parser *p);
/* .reg declarations, up to ';'. */
void ptx_registers(Parser *p);

#endif
