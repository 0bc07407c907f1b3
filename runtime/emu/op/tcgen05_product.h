/* SPDX-License-Identifier: MIT */
/*
 * tcgen05_product.h: executes tcgen05.mma. A product is computed when it is issued; what uses its
 * operands or D before a wait for its commit is reported: run/race/tensor_uses.h.
 */
#ifndef KGEN_EMU_OP_TCGEN05_PRODUCT_H
#define KGEN_EMU_OP_TCGEN05_PRODUCT_H

#include "emu/run/state/block.h"

Flow tcgen05_multiply(Warp *w, const Insn *insn, uint32_t active);

#endif
