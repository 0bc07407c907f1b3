/* SPDX-License-Identifier: MIT */
/* swizzle.h: CuTe's Swizzle<B, M, S> of element offsets, as defined in cute/swizzle.hpp. It has two
 * fields of B bits that are |S| apart; the lower starts at bit M. The upper field is XORed into the
 * lower one; if S is negative, the lower into the upper. */
#ifndef KGEN_MODEL_SWIZZLE_H
#define KGEN_MODEL_SWIZZLE_H

typedef struct {
  int b, m, s;
} CuteSwizzle;

/* Masks of the bits that the swizzle reads, and of those that it changes. */
int swizzle_source(CuteSwizzle w);
int swizzle_target(CuteSwizzle w);
int swizzle_offset(CuteSwizzle w, int offset);

#endif
