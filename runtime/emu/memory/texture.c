#include "emu/memory/texture.h"

#include <stdlib.h>

/* A handle is an index into the memory's list below this mark, which no address and no small number
 * has. */
#define HANDLE_MARK UINT64_C(0x6b67746500000000)

static const char *sampler_refusal(const EmuImage *m, const EmuSampler *s) {
  const bool integer = m->texel < EMU_TEXEL_F16;
  if (s->as_fractions && integer && image_channel_bytes(m->texel) > 2)
    return "32-bit integers are not read as fractions";
  if (s->linear && integer && !s->as_fractions) return "integers are not filtered";
  if (s->seamless && s->linear && image_is_cube(m->shape)) return "seamless cubes are not filtered";
  if (s->srgb && (m->texel != EMU_TEXEL_U8 || !s->as_fractions)) return "sRGB is of 8 bits";
  return NULL;
}

static uint64_t place_of(EmuMemory *memory) {
  for (int i = 0; i < memory->textures; i++)
    if (!memory->texture[i]) return (uint64_t)i;
  Texture **grown =
      realloc(memory->texture, (size_t)(memory->textures + 1) * sizeof *memory->texture);
  if (!grown) return UINT64_MAX;
  memory->texture = grown;
  memory->texture[memory->textures] = NULL;
  return (uint64_t)memory->textures++;
}

static uint64_t add(EmuMemory *memory, const Texture *texture, const char **why) {
  Texture *own = malloc(sizeof *own);
  const uint64_t place = own ? place_of(memory) : UINT64_MAX;
  *why = "out of memory";
  if (place == UINT64_MAX) free(own);
  if (place == UINT64_MAX) return 0;
  *why = NULL;
  *own = *texture;
  for (uint32_t i = 0; i < own->image.levels; i++) own->level[i] = emu_image_level(&own->image, i);
  own->bytes = emu_image_bytes(&own->image);
  memory->texture[place] = own;
  return HANDLE_MARK | place;
}

uint64_t emu_texture_new(EmuMemory *memory, const EmuImage *image, const EmuSampler *sampler,
                         const char **why) {
  const Texture texture = {.image = *image, .sampler = *sampler};
  *why = image_refusal(image);
  if (!*why) *why = sampler_refusal(image, sampler);
  return *why ? 0 : add(memory, &texture, why);
}

uint64_t emu_surface_new(EmuMemory *memory, const EmuImage *image, const char **why) {
  const Texture surface = {.image = *image, .is_surface = true};
  *why = image_refusal(image);
  return *why ? 0 : add(memory, &surface, why);
}

static bool is_listed(const EmuMemory *memory, uint64_t handle) {
  const uint64_t place = handle ^ HANDLE_MARK;
  return place < (uint64_t)memory->textures && memory->texture[place];
}

const Texture *texture_find(const EmuMemory *memory, uint64_t handle) {
  return is_listed(memory, handle) ? memory->texture[handle ^ HANDLE_MARK] : NULL;
}

bool emu_texture_free(EmuMemory *memory, uint64_t handle) {
  if (!is_listed(memory, handle)) return false;
  free(memory->texture[handle ^ HANDLE_MARK]);
  memory->texture[handle ^ HANDLE_MARK] = NULL;
  return true;
}
