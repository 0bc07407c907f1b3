/* cute.h: other libraries' names for a layout: CuTe's Swizzle<B, M, S> and TMA's swizzle modes. */
#ifndef KGEN_CUTE_H
#define KGEN_CUTE_H

#include "model/layout.h"

/* CuTe's Swizzle<B, M, S> on element offsets: o ^ ((o >> S) & (((1 << B) - 1) << M)). */
typedef struct {
  int b, m, s;
} CuteSwizzle;

/* True if the unpadded tile with that swizzle is exactly this layout, at every element. */
bool cute_find(const KgenLayout *l, CuteSwizzle *out);

/* The TMA mode, 32, 64 or 128 bytes, that stores the tile so, at every byte; 0 if none does. */
int cute_tma_mode(const KgenLayout *l, int element_bytes);

#endif
