/* param_address.h: addresses of .param variables that are in registers. */
#ifndef KGEN_EMU_PTX_PARAM_ADDRESS_H
#define KGEN_EMU_PTX_PARAM_ADDRESS_H

#include "emu/ptx/ast.h"

/* Lets ld.param name the variable where a function reads by a register that holds the variable's
 * address and a constant, as unoptimised code does for packed structures. Where the address goes
 * anywhere else the function stays as it is, and is refused. */
void ptx_settle_param_addresses(Function *f);

#endif
