/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_mma_sparse.h"

/* Finds the lane, out of four, and the half of its register that hold the indices of a row's
 * elements. The layout is CUTLASS's for sm_80, and an H200 reads it for all types and selectors.
 * For 16-bit and 32-bit types a register holds 16 bits for row g and 16 for row g + 8, and the next
 * lane continues in k. For narrower types all 32 bits belong to one row; lanes alternate between
 * the two rows, and every other lane continues in k. The selector names the first lane. */
static unsigned metadata(const ArithMma *mma, const uint64_t *e, unsigned row, unsigned nibble) {
  enum { PER_HALF = 4, PER_WORD = 8 };
  const bool wide = arith_bits((ArithType)mma->a) >= 16;
  const unsigned half = row / 8, part = nibble / (wide ? PER_HALF : PER_WORD);
  const unsigned first = mma->selector * arith_mma_metadata_lanes(mma);
  const unsigned lane = row % 8 * 4 + first + (wide ? part : part * 2 + half);
  const unsigned at = wide ? nibble % PER_HALF + half * PER_HALF : nibble % PER_WORD;
  return (unsigned)(e[lane] >> (4 * at)) & 15;
}

/* Two of every four elements are stored, and a nibble holds their two indices. For tf32, one of two
 * is stored, with the index of its lower half; for 4-bit types, two pairs out of four. */
unsigned arith_mma_position(const ArithMma *mma, const uint64_t *e, unsigned row, unsigned s) {
  const unsigned unit = arith_bits((ArithType)mma->a) == 4 ? 2 : 1;
  const bool of_two = mma->a == ARITH_TF32;
  const unsigned i = s / unit, nibble = of_two ? i : i / 2;
  const unsigned bits = metadata(mma, e, row, nibble);
  const unsigned index = of_two ? bits >> 1 & 1 : bits >> (i % 2 * 2) & 3;
  return (nibble * (of_two ? 2 : 4) + index) * unit + s % unit;
}
