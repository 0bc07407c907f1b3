/* arith_mma.h: mma.sync on the fragments of a warp, and the lanes of 8x8 matrices. */
#ifndef KGEN_EMU_ARITH_ARITH_MMA_H
#define KGEN_EMU_ARITH_ARITH_MMA_H

#include "emu/arith/arith_mma_opcode.h"

/*
 * All 32 lanes take part. d, a, b, c: n_d, n_a, n_b, n_c registers; d may be c; e: the metadata of
 * mma.sp, else not looked at. Products are exact. Floats are summed as an H200 does it
 * (arith_mma_fused.h); of f16's m8n8k4 the sum over k and c is taken in double and rounded once, to
 * nearest. f64 is a chain of fma.
 */
void arith_mma(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
               const uint64_t *const *b, const uint64_t *const *c, const uint64_t *e);

/* The same for a processor with AVX2 (1), with AVX-512 (2), or with neither (0); at most this
 * processor's level, which arith_mma uses. Levels differ only in speed. */
void arith_mma_for(const ArithMma *mma, unsigned vectors, uint64_t *const *d,
                   const uint64_t *const *a, const uint64_t *const *b, const uint64_t *const *c,
                   const uint64_t *e);

/* An element of an 8x8 matrix of b16. */
typedef struct {
  uint8_t row, col;
} ArithCell;

/*
 * ldmatrix and stmatrix .m8n8.b16: register i of a lane holds, in half 0 (low) or 1, this element
 * of matrix i, whose row r lies at the address that lane 8 * i + r supplies, 2 bytes per column.
 */
static inline ArithCell arith_matrix_cell(unsigned lane, unsigned half, bool trans) {
  const uint8_t slow = (uint8_t)(lane / 4), fast = (uint8_t)(2 * (lane % 4) + half);
  return trans ? (ArithCell){fast, slow} : (ArithCell){slow, fast};
}

/* movmatrix.sync.aligned.m8n8.trans.b16; d may be a. */
void arith_movmatrix(uint64_t *d, const uint64_t *a);

#endif
