/* arith_mma.h: mma.sync on whole-warp fragments, and the lanes of 8x8 matrices. */
#ifndef KGEN_EMU_ARITH_MMA_H
#define KGEN_EMU_ARITH_MMA_H

#include "emu/arith/arith.h"

/* A resolved mma.sync: d = a * b + c over the whole warp. */
typedef struct {
  uint8_t m, n, k;
  uint8_t a, b, c, d;         /* ArithType of the elements */
  uint8_t n_a, n_b, n_c, n_d; /* registers per lane: 64-bit for f64, else 32-bit */
  uint8_t satfinite;
} ArithMma;

/*
 * Resolves "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" and its kin: m16n8k8 and m16n8k16
 * for f16 and bf16, m16n8k4 and m16n8k8 for tf32, m8n8k4, m16n8k4, m16n8k8 and m16n8k16 for f64,
 * m8n8k16, m16n8k16 and m16n8k32 for s8 and u8, m16n8k16 and m16n8k32 for e4m3 and e5m2.
 */
ArithStatus arith_resolve_mma(const char *opcode, ArithMma *mma);

/*
 * All 32 lanes take part. d, a, b, c: n_d, n_a, n_b, n_c registers; d may be c. Products are exact;
 * the sum over k and c is taken in double and rounded once (f32: to nearest; hardware truncates and
 * orders its sums in an undocumented way, which the ISA leaves open). f64 is a chain of fma.
 */
void arith_mma(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
               const uint64_t *const *b, const uint64_t *const *c);

/* An element of an 8x8 matrix of b16. */
typedef struct {
  uint8_t row, col;
} ArithCell;

/*
 * ldmatrix and stmatrix .m8n8.b16: register i of a lane holds, in half 0 (low) or 1, this element
 * of matrix i, whose row r lies at the address that lane 8 * i + r supplies, 2 bytes per column.
 */
ArithCell arith_matrix_cell(unsigned lane, unsigned half, bool trans);

/* movmatrix.sync.aligned.m8n8.trans.b16; d may be a. */
void arith_movmatrix(uint64_t *d, const uint64_t *a);

#endif
