/* SPDX-License-Identifier: MIT */
/* op_printf.h: printf of kernels, functions of the device runtime. */
#ifndef KGEN_EMU_OP_OP_PRINTF_H
#define KGEN_EMU_OP_OP_PRINTF_H

#include "emu/run/state/block.h"

Flow exec_printf(Warp *w, const Insn *insn, uint32_t active);

#endif
