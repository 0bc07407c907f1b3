/* SPDX-License-Identifier: MIT */
/* arith_mma.h: mma.sync on the fragments of a warp, and the lanes of 8x8 matrices. */
#ifndef KGEN_EMU_ARITH_ARITH_MMA_H
#define KGEN_EMU_ARITH_ARITH_MMA_H

#include "emu/arith/arith_mma_opcode.h"

/* Executes one mma.sync for all 32 lanes. d, a, b, c: n_d, n_a, n_b, n_c registers; d may be c. e:
 * the metadata of mma.sp, else not accessed. Products are exact. Floats are summed as on an H200
 * (arith_mma_fused.h). For m8n8k4 of f16, the sum over k and c is computed in double and rounded
 * once, to nearest. f64 is a chain of fma. */
void arith_mma(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
               const uint64_t *const *b, const uint64_t *const *c, const uint64_t *e);

/* Like arith_mma(), with vector level 0 (baseline), 1 (AVX2) or 2 (AVX-512), capped at the level of
 * this processor, which arith_mma() uses. Levels differ only in speed. */
void arith_mma_for(const ArithMma *mma, unsigned vectors, uint64_t *const *d,
                   const uint64_t *const *a, const uint64_t *const *b, const uint64_t *const *c,
                   const uint64_t *e);

/* An element of an 8x8 matrix of b16. */
typedef struct {
  uint8_t row, col;
} ArithCell;

/* Fragment layout of ldmatrix and stmatrix .m8n8.b16: register i of a lane holds, in half 0 (low)
 * or 1, this element of matrix i. Row r of the matrix is at the address that lane 8 * i + r
 * supplies, 2 bytes per column. */
static inline ArithCell arith_matrix_cell(unsigned lane, unsigned half, bool trans) {
  const uint8_t slow = (uint8_t)(lane / 4), fast = (uint8_t)(2 * (lane % 4) + half);
  return trans ? (ArithCell){fast, slow} : (ArithCell){slow, fast};
}

/* movmatrix.sync.aligned.m8n8.trans.b16; d may be a. */
void arith_movmatrix(uint64_t *d, const uint64_t *a);

#endif
