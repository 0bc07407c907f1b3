/*
 * sampler.h: fetches from textures.
 *
 * A linear filter weighs the texels around the place by 8 bits of fraction each way, as the
 * programming guide has it: with x_B = x - 0.5, i = floor(x_B) and a = frac(x_B) in 1.8 fixed
 * point, tex(x) = (1 - a) T[i] + a T[i + 1].
 */
#ifndef KGEN_EMU_RUN_TEXTURE_SAMPLER_H
#define KGEN_EMU_RUN_TEXTURE_SAMPLER_H

#include "emu/memory/texture.h"

/* How the level of a mipmap is selected. */
typedef enum { LEVEL_BASE, LEVEL_GIVEN, LEVEL_BY_GRADIENT } LevelChoice;

/* The place: coordinates as floats, or as integers, which are neither normalised nor filtered. */
typedef struct {
  EmuImageShape shape; /* that the instruction names */
  bool integers;
  float at[3];
  int32_t texel[3];
  uint32_t layer;
  int32_t offset[3]; /* texels */
  LevelChoice choice;
  float level;
  float dx[3], dy[3]; /* gradients */
} SamplePoint;

/* A texture, and where its texels are in the host's memory. */
typedef struct {
  const Texture *texture;
  const uint8_t *host;
} Sampled;

/* The texels that a fetch has read, for the race detector. */
enum { SAMPLER_MAX_TAPS = 16 };

typedef struct {
  int count;
  uint64_t offset[SAMPLER_MAX_TAPS]; /* from the image's start */
} SampleTaps;

/* The bits of four channels; those that the texture lacks are 0, 0, 0, 1. */
void sampler_fetch(const Sampled *s, const SamplePoint *p, uint32_t out[4], SampleTaps *taps);
/* One channel of the four texels that a linear filter uses, anticlockwise from the lower left. */
void sampler_gather(const Sampled *s, const SamplePoint *p, int channel, uint32_t out[4],
                    SampleTaps *taps);

#endif
