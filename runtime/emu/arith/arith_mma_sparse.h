/* SPDX-License-Identifier: MIT */
/* arith_mma_sparse.h: positions of the stored elements of a sparse A. */
#ifndef KGEN_EMU_ARITH_ARITH_MMA_SPARSE_H
#define KGEN_EMU_ARITH_ARITH_MMA_SPARSE_H

#include "emu/arith/arith_mma_opcode.h"

/* The position along k of the s-th stored element of a row. e: the metadata of all lanes. */
unsigned arith_mma_position(const ArithMma *mma, const uint64_t *e, unsigned row, unsigned s);

#endif
