/* SPDX-License-Identifier: MIT */
/* image.h: the layout and size of images (arrays of texels) in device memory. */
#ifndef KGEN_EMU_MEMORY_IMAGE_H
#define KGEN_EMU_MEMORY_IMAGE_H

#include "emu/emu.h"

enum { IMAGE_MAX_LEVELS = 16 };

/* The number of bytes per channel. */
unsigned image_channel_bytes(EmuTexel texel);
static inline bool image_is_layered(EmuImageShape shape) {
  return shape == EMU_IMAGE_A1D || shape == EMU_IMAGE_A2D || shape == EMU_IMAGE_ACUBE;
}
static inline bool image_is_cube(EmuImageShape shape) {
  return shape == EMU_IMAGE_CUBE || shape == EMU_IMAGE_ACUBE;
}
/* The number of coordinates within a layer, or the number of components of a cube direction. */
static inline int image_rank(EmuImageShape shape) {
  static const uint8_t rank[EMU_IMAGE_SHAPES] = {1, 2, 3, 1, 2, 3, 3, 1};
  return rank[shape];
}

#endif
