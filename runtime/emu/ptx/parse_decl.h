/* parse_decl.h: variables with their initialisers, formal parameters, registers. */
#ifndef KGEN_EMU_PTX_PARSE_DECL_H
#define KGEN_EMU_PTX_PARSE_DECL_H

#include "emu/ptx/parser.h"

/* A variable's declaration after its state space, up to ';' (or ',' and ')' of a parameter). */
Symbol *ptx_variable(Parser *p, EmuSpace space, bool is_extern);
/* `= ...` of a variable. */
void ptx_initialiser(Parser *p, Symbol *var);
/* One formal parameter: a .param variable, or a .reg. */
Symbol *ptx_formal(Parser *p);
/* Gives registers to a .param variable that is not a kernel's. */
void ptx_place_in_slots(Parser *p, Symbol *var);
/* .reg declarations, up to ';'. */
void ptx_registers(Parser *p);

#endif
