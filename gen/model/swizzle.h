/* swizzle.h: CuTe's Swizzle<B, M, S> of element offsets, as cute/swizzle.hpp has it: of the two
 * fields of B bits, |S| apart, the lower begins at bit M; the upper is XORed into it, and if S is
 * negative, it into the upper. */
#ifndef KGEN_MODEL_SWIZZLE_H
#define KGEN_MODEL_SWIZZLE_H

typedef struct {
  int b, m, s;
} CuteSwizzle;

/* The bits that are read, and those that are changed. */
int swizzle_source(CuteSwizzle w);
int swizzle_target(CuteSwizzle w);
int swizzle_offset(CuteSwizzle w, int offset);

#endif
