/* arith_mma_sparse.h: which elements of a sparse A are there. */
#ifndef KGEN_EMU_ARITH_MMA_SPARSE_H
#define KGEN_EMU_ARITH_MMA_SPARSE_H

#include "emu/arith/arith_mma_opcode.h"

/* Where along k element s of those of a row that are there stands; e: the lanes' metadata. */
unsigned arith_mma_place(const ArithMma *mma, const uint64_t *e, unsigned row, unsigned s);

#endif
