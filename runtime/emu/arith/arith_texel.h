/* arith_texel.h: what the channels of a texel mean. */
#ifndef KGEN_EMU_ARITH_TEXEL_H
#define KGEN_EMU_ARITH_TEXEL_H

#include "emu/emu.h"

/* A channel as it stands in memory, extended to 32 bits by its sign, or a half as a float. */
uint32_t arith_texel_element(EmuTexel texel, const uint8_t *at);
/* A channel as a float: an integer as a fraction of the largest one. */
float arith_texel_fraction(EmuTexel texel, const uint8_t *at);
/* The integer of 8 or 16 bits that is nearest to a fraction, and what it stands for: a border. */
int32_t arith_texel_integer(EmuTexel texel, float fraction);
float arith_texel_rounded(EmuTexel texel, float fraction);
/* A fraction of 255 of an sRGB colour as a linear one. */
float arith_texel_linear(uint8_t value);

#endif
