/* SPDX-License-Identifier: MIT */
#include "emu/memory/image.h"

#include "base/number.h"

enum { LEVEL_ALIGN = 16, FACES = 6 };

unsigned image_channel_bytes(EmuTexel texel) {
  static const uint8_t bytes[EMU_TEXELS] = {1, 1, 2, 2, 4, 4, 2, 4};
  return bytes[texel];
}

static uint32_t halved(uint32_t extent, uint32_t level) {
  return extent >> level ? extent >> level : 1;
}

/* All levels have the same number of layers and faces. */
static EmuImageLevel extents(const EmuImage *m, uint32_t level) {
  EmuImageLevel out = {.width = halved(m->width, level),
                       .height = halved(m->height, level),
                       .depth = m->shape == EMU_IMAGE_3D ? halved(m->depth, level) : m->depth,
                       .texel = image_channel_bytes(m->texel) * (uint32_t)m->channels};
  out.row = m->pitch ? m->pitch : (uint64_t)out.width * out.texel;
  out.slice = out.row * out.height;
  return out;
}

EmuImageLevel emu_image_level(const EmuImage *m, uint32_t level) {
  uint64_t offset = 0;
  for (uint32_t i = 0; i < level; i++) {
    const EmuImageLevel before = extents(m, i);
    offset += number_up_bytes(before.slice * before.depth, LEVEL_ALIGN);
  }
  EmuImageLevel out = extents(m, level);
  out.offset = offset;
  return out;
}

/* The image ends with its last texel, so the last row of a pitched image may be shorter. */
uint64_t emu_image_bytes(const EmuImage *m) {
  const EmuImageLevel last = emu_image_level(m, m->levels ? m->levels - 1 : 0);
  return last.offset + last.slice * last.depth - last.row + (uint64_t)last.width * last.texel;
}

/* The number of levels down to one texel. */
static uint32_t most_levels(const EmuImage *m) {
  uint32_t largest = m->width > m->height ? m->width : m->height, levels = 1;
  if (m->shape == EMU_IMAGE_3D && m->depth > largest) largest = m->depth;
  while (largest >>= 1) levels++;
  return levels;
}

const char *emu_image_refusal(const EmuImage *m) {
  const int rank = image_rank(m->shape);
  if (m->channels != 1 && m->channels != 2 && m->channels != 4) return "1, 2 or 4 channels";
  if (!m->width || !m->height || !m->depth) return "an extent is 0";
  if (m->width > 1u << 30 || m->height > 1u << 20 || m->depth > 1u << 20) return "too large";
  const unsigned texel = extents(m, 0).texel;
  if ((double)m->width * m->height * m->depth * texel > (double)(UINT64_C(1) << 40))
    return "too large";
  if (m->address % texel || m->pitch % texel)
    return "an address or pitch that is not a multiple of a texel";
  if (rank == 1 && m->height > 1) return "one dimension has no height";
  if (!m->levels || m->levels > IMAGE_MAX_LEVELS) return "1 to 16 levels";
  if (m->levels > most_levels(m)) return "more levels than the largest extent can be halved into";
  if (m->pitch && (m->shape != EMU_IMAGE_2D || m->levels > 1)) return "only 2-D memory has a pitch";
  if (m->pitch && m->pitch < extents(m, 0).texel * (uint64_t)m->width)
    return "rows longer than the pitch";
  if (image_is_cube(m->shape) && (m->depth % FACES || m->width != m->height))
    return "cubes have six square faces";
  return NULL;
}
