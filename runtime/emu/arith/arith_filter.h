/*
 * arith_filter.h: weighted sums of texels, as the texture units of an H200 round them (measured;
 * the programming guide gives the weights' 8 bits of fraction, and no more).
 *
 * Weights are integers that sum to 256. Taps come in quads, four that one slice of one level has.
 */
#ifndef KGEN_EMU_ARITH_FILTER_H
#define KGEN_EMU_ARITH_FILTER_H

#include "emu/emu.h"

enum { FILTER_ONE = 256, FILTER_QUAD = 4, FILTER_MAX_TAPS = 16 };

/* Of floats with `bits` of significand: each quad is summed exactly, but for what lies more than 4
 * bits below the last bit of its largest texel; the sum is rounded, ties away from zero. Subnormal
 * texels and results are 0. */
float arith_filter_floats(const float *texel, const uint32_t *weight, int taps, int bits);
/* Of integers of 8 and 16 bits, as fractions. */
float arith_filter_fractions(EmuTexel type, const int32_t *texel, const uint32_t *weight, int taps);

#endif
