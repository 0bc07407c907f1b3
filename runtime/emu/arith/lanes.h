/* SPDX-License-Identifier: MIT */
/* lanes.h: the lanes of a warp, and sets of lanes as bit masks. */
#ifndef KGEN_EMU_ARITH_LANES_H
#define KGEN_EMU_ARITH_LANES_H

#include "emu/emu.h"

enum { LANES = EMU_LANES };

#define ALL_LANES 0xffffffffu

static inline unsigned lane_first(uint32_t mask) { return (unsigned)__builtin_ctz(mask); }
/* Counts bits without __builtin_popcount(), which is a function call if the processor might lack
 * the instruction. */
static inline unsigned lane_count(uint32_t mask) {
  mask -= mask >> 1 & 0x55555555u;
  mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
  return (((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
}

/* Calls the variant of a function compiled for AVX-512 (2), AVX2 (1), or any processor (0). */
#ifdef KGEN_ARITH_LEVELS
#define AT_LEVEL(function, vectors)                                                                \
  ((vectors) > 1 ? function##_avx512() : (vectors) > 0 ? function##_avx2() : function())
#else
#define AT_LEVEL(function, vectors) ((void)(vectors), function())
#endif

/* for (each set bit `lane` of mask): one test and one bit scan per lane. */
#define FOR_LANES(lane, mask)                                                                      \
  for (uint32_t rest_ = (mask), lane = 0; rest_ != 0 && (lane = lane_first(rest_), true);          \
       rest_ &= rest_ - 1)

#endif
