/* SPDX-License-Identifier: MIT */
/* texture.h: looks up textures and surfaces by handle. */
#ifndef KGEN_EMU_MEMORY_TEXTURE_H
#define KGEN_EMU_MEMORY_TEXTURE_H

#include "emu/memory/image.h"
#include "emu/memory/memory.h"

struct Texture {
  EmuImage image;
  EmuSampler sampler; /* textures only */
  bool is_surface;
  uint64_t bytes;
  EmuImageLevel level[IMAGE_MAX_LEVELS];
};

/* The texture or surface of a handle, or NULL. */
const Texture *texture_find(const EmuMemory *memory, uint64_t handle);

#endif
