/* arith_texel.h: the values of a texel's channels. */
#ifndef KGEN_EMU_ARITH_ARITH_TEXEL_H
#define KGEN_EMU_ARITH_ARITH_TEXEL_H

#include "emu/emu.h"

/* A channel as it is in memory, sign-extended to 32 bits, or an f16 converted to f32. */
uint32_t arith_texel_element(EmuTexel texel, const uint8_t *at);
/* A channel as a float; an integer becomes a fraction of its type's largest value. */
float arith_texel_fraction(EmuTexel texel, const uint8_t *at);
/* A border colour's fraction, rounded to an integer of 8 or 16 bits. */
int32_t arith_texel_integer(EmuTexel texel, float fraction);
/* The fraction that this integer stands for; floats are returned as they are. */
float arith_texel_rounded(EmuTexel texel, float fraction);
/* Converts an 8-bit sRGB value to a linear fraction. */
float arith_texel_linear(uint8_t value);

#endif
