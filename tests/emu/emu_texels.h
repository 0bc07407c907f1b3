/* SPDX-License-Identifier: MIT */
/* emu_texels.h: the contents of textures whose fetches were measured on an H200. */
#ifndef KGEN_TESTS_EMU_EMU_TEXELS_H
#define KGEN_TESTS_EMU_EMU_TEXELS_H

#include <string.h>

#include "emu/emu.h"

/* Random numbers; one texel of 1 in the middle; floats of 40 exponents, and of all. */
typedef enum { FILL_RANDOM, FILL_IMPULSE, FILL_WIDE, FILL_BIG } Fill;

static inline uint32_t texel_mix(uint32_t a, uint32_t b) {
  uint32_t h = a * 0x9E3779B9u + b * 0x85EBCA6Bu + 0x27220A95u;
  h = (h ^ h >> 16) * 0x7feb352du;
  h = (h ^ h >> 15) * 0x846ca68bu;
  return h ^ h >> 16;
}

static inline int texel_bytes(EmuTexel type) {
  return type <= EMU_TEXEL_S8 ? 1 : type <= EMU_TEXEL_S16 || type == EMU_TEXEL_F16 ? 2 : 4;
}

/* n / 1024 as a half. */
static inline uint32_t texel_half(int n) {
  const uint32_t sign = n < 0 ? 0x8000 : 0;
  uint32_t magnitude = (uint32_t)(n < 0 ? -n : n), exponent = 15;
  if (!magnitude) return sign;
  for (; magnitude < 1024; magnitude <<= 1) exponent--;
  return sign | exponent << 10 | (magnitude & 1023);
}

static inline uint32_t texel_f16(Fill fill, uint32_t h) {
  if (fill == FILL_RANDOM) return texel_half((int)(h % 2049) - 1024);
  return (h >> 10 & 31) == 31 ? (h & 0xffff) ^ 0x4000 : h & 0xffff;
}

static inline uint32_t texel_f32(Fill fill, uint32_t h, uint32_t other) {
  const float x = (float)(int)(h >> 8) / 8388608.0f - 1.0f;
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (fill == FILL_RANDOM) return bits;
  return (h & 0x807fffffu) | (fill == FILL_WIDE ? 107 + other % 40 : other % 255) << 23;
}

/* The bits of channel `index`, counted through the image; `hit`: of the middle texel. */
static inline uint32_t texel_bits(EmuTexel type, Fill fill, uint32_t seed, uint32_t index,
                                  bool hit) {
  static const uint32_t one[EMU_TEXELS] = {255,         127,        65535,  32767,
                                           0xffffffffu, 0x7fffffff, 0x3c00, 0x3f800000};
  const uint32_t h = texel_mix(seed, index);
  if (fill == FILL_IMPULSE) return hit ? one[type] : 0;
  if (type == EMU_TEXEL_F16) return texel_f16(fill, h);
  if (type == EMU_TEXEL_F32) return texel_f32(fill, h, texel_mix(seed + 1, index));
  const int bytes = texel_bytes(type);
  return bytes == 4 ? h : h & ((1u << 8 * bytes) - 1);
}

#endif
