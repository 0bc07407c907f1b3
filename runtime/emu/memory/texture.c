/* SPDX-License-Identifier: MIT */
#include "emu/memory/texture.h"

#include <stdlib.h>

/* A handle is this mark, which is neither an address nor a small number, plus an index into the
 * memory's list. */
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

static bool make_room(EmuMemory *memory, int count) {
  if (count <= memory->textures) return true;
  Texture **grown = realloc(memory->texture, (size_t)count * sizeof *memory->texture);
  if (!grown) return false;
  memory->texture = grown;
  while (memory->textures < count) memory->texture[memory->textures++] = NULL;
  return true;
}

static int free_place(const EmuMemory *memory) {
  int i = 0;
  while (i < memory->textures && memory->texture[i]) i++;
  return i;
}

static uint64_t add(EmuMemory *memory, int place, const Texture *texture, const char **why) {
  Texture *own = make_room(memory, place + 1) ? malloc(sizeof *own) : NULL;
  *why = own ? NULL : "out of memory";
  if (!own) return 0;
  *own = *texture;
  for (uint32_t i = 0; i < own->image.levels; i++) own->level[i] = emu_image_level(&own->image, i);
  own->bytes = emu_image_bytes(&own->image);
  memory->texture[place] = own;
  return HANDLE_MARK | (uint64_t)place;
}

uint64_t emu_texture_new(EmuMemory *memory, const EmuImage *image, const EmuSampler *sampler,
                         const char **why) {
  const Texture texture = {.image = *image, .sampler = *sampler};
  *why = emu_image_refusal(image);
  if (!*why) *why = sampler_refusal(image, sampler);
  return *why ? 0 : add(memory, free_place(memory), &texture, why);
}

uint64_t emu_surface_new(EmuMemory *memory, const EmuImage *image, const char **why) {
  const Texture surface = {.image = *image, .is_surface = true};
  *why = emu_image_refusal(image);
  return *why ? 0 : add(memory, free_place(memory), &surface, why);
}

bool emu_texture_at(EmuMemory *memory, uint64_t handle, const EmuImage *image,
                    const EmuSampler *sampler, const char **why) {
  enum { MOST = 1 << 20 };
  const uint64_t place = handle ^ HANDLE_MARK;
  Texture texture = {.image = *image, .is_surface = !sampler};
  if (sampler) texture.sampler = *sampler;
  *why = emu_image_refusal(image);
  if (!*why && sampler) *why = sampler_refusal(image, sampler);
  if (!*why && place >= MOST) *why = "no handle of a texture or surface";
  if (!*why && texture_find(memory, handle)) *why = "a handle that is taken";
  return !*why && add(memory, (int)place, &texture, why);
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
