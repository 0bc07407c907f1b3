/* SPDX-License-Identifier: MIT */
/* arith_mma_opcode.h: the shapes and types of mma.sync. */
#ifndef KGEN_EMU_ARITH_ARITH_MMA_OPCODE_H
#define KGEN_EMU_ARITH_ARITH_MMA_OPCODE_H

#include "emu/arith/arith.h"

/* A resolved mma.sync: d = a * b + c over the whole warp. */
typedef struct {
  uint8_t m, n;
  uint16_t k;
  uint8_t a, b, c, d;         /* ArithType of the elements */
  uint8_t n_a, n_b, n_c, n_d; /* registers per lane: 64-bit for f64, else 32-bit */
  uint8_t satfinite;
  uint8_t logic;                 /* ArithLogic, for b1 */
  uint8_t a_by_column, b_by_row; /* only for m8n8k4 of f16 */
  /* mma.sp: half of A is stored, and the selected lanes hold its metadata */
  uint8_t sparse, selector;
} ArithMma;

/* Resolves opcodes such as "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32": all shapes and
 * types of sm_90, including mma.sp, whose selector is an operand. */
ArithStatus arith_resolve_mma(const char *opcode, ArithMma *mma);

/* The number of elements in a register. */
static inline unsigned arith_mma_per_register(unsigned type) {
  const unsigned bits = arith_bits((ArithType)type);
  return bits < 32 ? 32 / bits : 1;
}

/* The number of lanes, out of every four, that hold the metadata of a sparse A, 32 bits each. There
 * are 4 bits per two stored elements, per one of tf32, or per four 4-bit elements. */
static inline unsigned arith_mma_metadata_lanes(const ArithMma *mma) {
  const unsigned bits = arith_bits((ArithType)mma->a);
  const unsigned of_nibble = bits == 32 ? 2 : bits == 4 ? 8 : 4;
  return 16u * mma->k / of_nibble / 8 / 8;
}

/* True for m8n8k4 of f16, which each of four groups of eight lanes executes on its own. */
static inline bool arith_mma_is_quad(const ArithMma *mma) {
  return mma->a == ARITH_F16 && mma->k == 4;
}

#endif
