/* arith_mma_sparse.h: which elements of a sparse A are stored. */
#ifndef KGEN_EMU_ARITH_ARITH_MMA_SPARSE_H
#define KGEN_EMU_ARITH_ARITH_MMA_SPARSE_H

#include "emu/arith/arith_mma_opcode.h"

/* The place along k of the s-th stored element of a row. e: the lanes' metadata. */
unsigned arith_mma_place(const ArithMma *mma, const uint64_t *e, unsigned row, unsigned s);

#endif
