/* SPDX-License-Identifier: MIT */
/* arith_texel.h: the values of a texel's channels. */
#ifndef KGEN_EMU_ARITH_ARITH_TEXEL_H
#define KGEN_EMU_ARITH_ARITH_TEXEL_H

#include "emu/emu.h"

/* A channel as it is in memory, sign-extended to 32 bits; an f16 is converted to f32. */
uint32_t arith_texel_element(EmuTexel texel, const uint8_t *at);
/* A channel as a float; an integer becomes a fraction of its type's largest value. */
float arith_texel_fraction(EmuTexel texel, const uint8_t *at);
/* Rounds the fraction of a border color to an 8-bit or 16-bit integer. */
int32_t arith_texel_integer(EmuTexel texel, float fraction);
/* The fraction after rounding to that integer; floats are returned unchanged. */
float arith_texel_rounded(EmuTexel texel, float fraction);
/* Converts an 8-bit sRGB value to a linear fraction. */
float arith_texel_linear(uint8_t value);

#endif
