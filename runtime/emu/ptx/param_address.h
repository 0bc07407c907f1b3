/* SPDX-License-Identifier: MIT */
/* param_address.h: resolves addresses of .param variables that are in registers. */
#ifndef KGEN_EMU_PTX_PARAM_ADDRESS_H
#define KGEN_EMU_PTX_PARAM_ADDRESS_H

#include "emu/ptx/ast.h"

/* Rewrites ld.param through a register to name the variable, if the register holds the variable's
 * address plus a constant, as unoptimized code does for packed structures. If the address is used
 * in any other way, the function is left unchanged, and will be rejected as unsupported. */
void ptx_settle_param_addresses(Function *f);

#endif
