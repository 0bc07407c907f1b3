/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_texel.h"

#include <math.h>
#include <string.h>

#include "emu/arith/arith_format.h"

static uint32_t load(EmuTexel texel, const uint8_t *at) {
  uint16_t two;
  uint32_t four;
  switch (texel) {
  case EMU_TEXEL_U8: return *at;
  case EMU_TEXEL_S8: return (uint32_t)(int8_t)*at;
  case EMU_TEXEL_U16:
  case EMU_TEXEL_F16: memcpy(&two, at, sizeof two); return two;
  case EMU_TEXEL_S16: memcpy(&two, at, sizeof two); return (uint32_t)(int16_t)two;
  default: memcpy(&four, at, sizeof four); return four;
  }
}

uint32_t arith_texel_element(EmuTexel texel, const uint8_t *at) {
  const uint32_t bits = load(texel, at);
  if (texel != EMU_TEXEL_F16) return bits;
  return (uint32_t)arith_f32_bits((float)arith_decode(arith_format(ARITH_F16), bits));
}

/* The integer that represents 1. */
static float largest(EmuTexel texel) {
  static const float most[EMU_TEXELS] = {255, 127, 65535, 32767, 1, 1, 1, 1};
  return most[texel];
}

float arith_texel_fraction(EmuTexel texel, const uint8_t *at) {
  const uint32_t bits = arith_texel_element(texel, at);
  if (texel > EMU_TEXEL_S16) return arith_f32(bits);
  return fmaxf((float)(int32_t)bits / largest(texel), -1);
}

int32_t arith_texel_integer(EmuTexel texel, float fraction) {
  const float least = texel % 2 ? -1 : 0;
  return (int32_t)rintf(fminf(fmaxf(fraction, least), 1) * largest(texel));
}

float arith_texel_rounded(EmuTexel texel, float fraction) {
  if (texel > EMU_TEXEL_S16) return fraction;
  return (float)arith_texel_integer(texel, fraction) / largest(texel);
}

/* Linear values in units of 1/65,536, measured on an H200: 8 significant bits, not always rounded
 * to nearest. */
static const uint32_t linear[256] = {
    0,     20,    40,    60,    80,    100,   120,   140,   160,   180,   200,   220,   240,
    264,   288,   312,   340,   368,   396,   428,   460,   492,   524,   560,   600,   636,
    676,   720,   760,   804,   852,   896,   944,   1000,  1048,  1104,  1160,  1216,  1272,
    1328,  1392,  1456,  1520,  1584,  1648,  1720,  1792,  1864,  1936,  2016,  2096,  2176,
    2256,  2336,  2416,  2496,  2592,  2688,  2768,  2864,  2960,  3056,  3152,  3264,  3360,
    3456,  3584,  3680,  3776,  3904,  4000,  4128,  4256,  4352,  4480,  4608,  4736,  4864,
    4992,  5120,  5248,  5408,  5536,  5664,  5824,  5952,  6112,  6240,  6400,  6560,  6688,
    6848,  7008,  7168,  7328,  7488,  7680,  7808,  8000,  8192,  8320,  8512,  8704,  8896,
    9088,  9280,  9472,  9664,  9856,  10048, 10240, 10432, 10624, 10816, 11008, 11264, 11456,
    11648, 11904, 12096, 12288, 12544, 12736, 12992, 13184, 13440, 13696, 13888, 14144, 14400,
    14656, 14848, 15104, 15360, 15616, 15872, 16128, 16384, 16640, 16896, 17152, 17408, 17664,
    18048, 18304, 18560, 18816, 19072, 19456, 19712, 19968, 20224, 20608, 20864, 21120, 21504,
    21760, 22144, 22400, 22784, 23040, 23296, 23680, 24064, 24320, 24704, 24960, 25344, 25600,
    25984, 26368, 26752, 27008, 27392, 27776, 28032, 28416, 28800, 29184, 29568, 29952, 30336,
    30720, 30976, 31488, 31744, 32256, 32512, 33024, 33280, 33792, 34048, 34560, 35072, 35328,
    35840, 36096, 36608, 37120, 37376, 37888, 38400, 38656, 39168, 39680, 39936, 40448, 40960,
    41216, 41728, 42240, 42752, 43264, 43520, 44032, 44544, 45056, 45568, 45824, 46336, 46848,
    47360, 47872, 48384, 48896, 49408, 49920, 50432, 50944, 51456, 51968, 52480, 52992, 53504,
    54016, 54528, 55040, 55552, 56064, 56576, 57088, 57600, 58112, 58624, 59392, 59904, 60416,
    60928, 61440, 61952, 62464, 62976, 64000, 64512, 65024, 65536,
};

float arith_texel_linear(uint8_t value) { return (float)linear[value] / 65536; }
