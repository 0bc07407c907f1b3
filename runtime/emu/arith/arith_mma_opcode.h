/* arith_mma_opcode.h: the shapes and types of mma.sync. */
#ifndef KGEN_EMU_ARITH_MMA_OPCODE_H
#define KGEN_EMU_ARITH_MMA_OPCODE_H

#include "emu/arith/arith.h"

/* A resolved mma.sync: d = a * b + c over the whole warp. */
typedef struct {
  uint8_t m, n;
  uint16_t k;
  uint8_t a, b, c, d;         /* ArithType of the elements */
  uint8_t n_a, n_b, n_c, n_d; /* registers per lane: 64-bit for f64, else 32-bit */
  uint8_t satfinite;
  uint8_t logic;                 /* ArithLogic, of b1 */
  uint8_t a_by_column, b_by_row; /* of f16's m8n8k4 alone */
  uint8_t sparse, selector;      /* mma.sp: half of A, and which lanes hold its metadata */
} ArithMma;

/* Resolves "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" and its kin: all shapes and types
 * that sm_90 has, mma.sp too, whose selector is an operand. */
ArithStatus arith_resolve_mma(const char *opcode, ArithMma *mma);

/* Elements that a register holds. */
static inline unsigned arith_mma_per_register(unsigned type) {
  const unsigned bits = arith_bits((ArithType)type);
  return bits < 32 ? 32 / bits : 1;
}

/* How many lanes of four hold the metadata of a sparse A: 32 bits of it, 4 for each two elements
 * that are there, or for one tf32, or four of 4 bits. */
static inline unsigned arith_mma_metadata_lanes(const ArithMma *mma) {
  const unsigned bits = arith_bits((ArithType)mma->a);
  const unsigned of_nibble = bits == 32 ? 2 : bits == 4 ? 8 : 4;
  return 16u * mma->k / of_nibble / 8 / 8;
}

/* f16's m8n8k4, which four groups of eight lanes do each on their own. */
static inline bool arith_mma_is_quad(const ArithMma *mma) {
  return mma->a == ARITH_F16 && mma->k == 4;
}

#endif
