/* SPDX-License-Identifier: MIT */
/*
 * sampler.h: fetches from textures.
 *
 * A linear filter weighs neighbouring texels by 8-bit fractions, as the programming guide has it:
 * with x_B = x - 0.5, i = floor(x_B) and a = frac(x_B) in 1.8 fixed point, tex(x) = (1 - a) T[i] +
 * a T[i + 1].
 */
#ifndef KGEN_EMU_RUN_TEXTURE_SAMPLER_H
#define KGEN_EMU_RUN_TEXTURE_SAMPLER_H

#include "emu/memory/texture.h"

/* How the mipmap level is selected. */
typedef enum { LEVEL_BASE, LEVEL_GIVEN, LEVEL_BY_GRADIENT } LevelChoice;

/* The sample position: float coordinates, or integer ones, which are neither normalized nor
 * filtered. */
typedef struct {
  EmuImageShape shape; /* as named by the instruction */
  bool integers;
  float at[3];
  int32_t texel[3];
  uint32_t layer;
  int32_t offset[3]; /* in texels */
  LevelChoice choice;
  float level;
  float dx[3], dy[3]; /* gradients */
} SamplePoint;

/* A texture, and the host address of its texels. */
typedef struct {
  const Texture *texture;
  const uint8_t *host;
} Sampled;

/* The texels that a fetch has read, for the race detector. */
enum { SAMPLER_MAX_TAPS = 16 };

typedef struct {
  int count;
  uint64_t offset[SAMPLER_MAX_TAPS]; /* offsets from the start of the image */
} SampleTaps;

/* Fetches the bits of four channels. Channels that the texture lacks read as 0, 0, 0, 1. */
void sampler_fetch(const Sampled *s, const SamplePoint *p, uint32_t out[4], SampleTaps *taps);
/* Fetches one channel of the four texels that a linear filter uses, counterclockwise from the lower
 * left. */
void sampler_gather(const Sampled *s, const SamplePoint *p, int channel, uint32_t out[4],
                    SampleTaps *taps);

#endif
