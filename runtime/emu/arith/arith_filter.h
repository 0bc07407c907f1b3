/* SPDX-License-Identifier: MIT */
/*
 * arith_filter.h: weighted sums of texels, as the texture units of an H200 round them (measured;
 * the programming guide specifies only the 8 fraction bits of the weights).
 *
 * Weights are integers that sum to 256. Taps come in quads: the four of one slice of one level.
 */
#ifndef KGEN_EMU_ARITH_ARITH_FILTER_H
#define KGEN_EMU_ARITH_ARITH_FILTER_H

#include "emu/emu.h"

enum { FILTER_ONE = 256, FILTER_QUAD = 4, FILTER_MAX_TAPS = 16 };

/* For floats with `bits` bits of significand. Each quad is summed exactly, except for bits more
 * than 4 below the last bit of its largest texel; the sum is rounded to nearest, ties away from
 * zero. Subnormal texels and results are 0. */
float arith_filter_floats(const float *texel, const uint32_t *weight, int taps, int bits);
/* For 8-bit and 16-bit integers that are read as fractions. */
float arith_filter_fractions(EmuTexel type, const int32_t *texel, const uint32_t *weight, int taps);

#endif
