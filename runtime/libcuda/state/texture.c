/* SPDX-License-Identifier: MIT */
#include "libcuda/state/texture.h"

#include <stdlib.h>
#include <string.h>

#include "libcuda/state/array.h"
#include "libcuda/state/call.h"
#include "libcuda/state/handle.h"

/* A texture or surface object of the program. */
typedef struct {
  uint64_t handle;
  bool is_surface, has_view;
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC texture;
  CUDA_RESOURCE_VIEW_DESC view;
} Object;

typedef struct {
  Object *list; /* sorted by handle */
  int count, room;
} Objects;

static Objects *all(void) {
  static Objects one;
  return &one;
}

/* Returns the index of the first object whose handle is at least that. */
static int from(uint64_t handle) {
  const Objects *a = all();
  int low = 0, high = a->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a->list[middle].handle < handle)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Finds a texture or a surface: they share one space of handles. */
static Object *find_any(uint64_t handle) {
  const int i = from(handle);
  return i < all()->count && all()->list[i].handle == handle ? &all()->list[i] : NULL;
}

static Object *find(uint64_t handle, bool surface) {
  Object *object = find_any(handle);
  return object && object->is_surface == surface ? object : NULL;
}

static CUresult note(const Object *object) {
  enum { FIRST = 8 };
  Objects *a = all();
  const int i = from(object->handle);
  if (a->count == a->room) {
    const int room = a->room ? a->room * 2 : FIRST;
    Object *list = realloc(a->list, (size_t)room * sizeof *list);
    if (!list) return CUDA_ERROR_OUT_OF_MEMORY;
    a->list = list;
    a->room = room;
  }
  memmove(&a->list[i + 1], &a->list[i], (size_t)(a->count++ - i) * sizeof *a->list);
  a->list[i] = *object;
  return CUDA_SUCCESS;
}

/* Destroying handle 0 is allowed, as on an H200. */
static CUresult drop(uint64_t handle, bool surface) {
  if (!handle && !surface) return CUDA_SUCCESS;
  Object *object = find(handle, surface);
  if (!object) return CUDA_ERROR_INVALID_VALUE;
  Objects *a = all();
  const int after = (int)(object - a->list) + 1;
  memmove(object, object + 1, (size_t)(a->count-- - after) * sizeof *object);
  return emu_texture_free(driver()->memory, handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* --- resources --- */

/* A GPU requires an alignment of 512 bytes [CUDA driver API, cuTexObjectCreate], but the emulator's
 * allocations begin at multiples of 256. */
static bool is_aligned(const CUDA_RESOURCE_DESC *r) {
  enum { ADDRESS = 256, PITCH = 32 };
  const bool at = r->memory.address && r->memory.address % ADDRESS == 0;
  return at && (r->type != RESOURCE_PITCH || r->memory.pitch % PITCH == 0);
}

static CUresult image_of_memory(const CUDA_RESOURCE_DESC *r, EmuImage *out) {
  if (!is_aligned(r)) return CUDA_ERROR_INVALID_VALUE;
  const bool flat = r->type == RESOURCE_PITCH;
  *out = (EmuImage){.shape = flat ? EMU_IMAGE_2D : EMU_IMAGE_BUFFER,
                    .channels = (int)r->memory.channels,
                    .height = flat ? (uint32_t)r->memory.height : 1,
                    .depth = 1,
                    .levels = 1,
                    .pitch = flat ? r->memory.pitch : 0,
                    .address = r->memory.address};
  if (!array_texel(r->memory.format, &out->texel) || !r->memory.channels)
    return CUDA_ERROR_INVALID_VALUE;
  const size_t texel = emu_image_level(out, 0).texel;
  const size_t width = flat ? r->memory.width : r->memory.width / texel;
  if (!width || width > UINT32_MAX) return CUDA_ERROR_INVALID_VALUE;
  out->width = (uint32_t)width;
  return CUDA_SUCCESS;
}

static CUresult image_of(const CUDA_RESOURCE_DESC *r, EmuImage *out) {
  if (!r) return CUDA_ERROR_INVALID_VALUE;
  switch (r->type) {
  case RESOURCE_ARRAY:
    if (!handle_is(r->array, HANDLE_ARRAY)) return CUDA_ERROR_INVALID_HANDLE;
    *out = r->array->image;
    return CUDA_SUCCESS;
  case RESOURCE_MIPMAP:
    if (!handle_is(r->mipmap, HANDLE_MIPMAP)) return CUDA_ERROR_INVALID_HANDLE;
    *out = r->mipmap->image;
    return CUDA_SUCCESS;
  case RESOURCE_LINEAR:
  case RESOURCE_PITCH: return image_of_memory(r, out);
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

/* True if a view selects the whole resource in its own format, and thus has no effect. */
static bool is_whole(const CUDA_RESOURCE_VIEW_DESC *v, const EmuImage *m) {
  if (!v) return true;
  const bool all_levels = !v->first_level && (v->last_level + 1 >= m->levels || !v->last_level);
  return !v->format && all_levels && !v->first_layer && (!v->width || v->width == m->width);
}

static EmuSampler sampler_of(const CUDA_TEXTURE_DESC *t, const EmuImage *m) {
  const bool narrow = m->texel <= EMU_TEXEL_S16, as_integers = t->flags & TEXTURE_AS_INTEGERS;
  EmuSampler s = {.linear = t->filter == 1 && m->shape != EMU_IMAGE_BUFFER,
                  .normalised = t->flags & TEXTURE_NORMALISED,
                  .as_fractions = narrow && !as_integers,
                  .srgb = t->flags & TEXTURE_SRGB,
                  .seamless = t->flags & TEXTURE_SEAMLESS,
                  .linear_levels = t->level_filter == 1,
                  .bias = t->bias,
                  .least_level = t->least_level,
                  .most_level = t->most_level};
  for (int i = 0; i < 3; i++) s.along[i] = (EmuAddressing)(t->addressing[i] & 3);
  memcpy(s.border, t->border, sizeof s.border);
  return s;
}

bool texture_describe(uint64_t handle, LintImage *out) {
  const Object *object = find_any(handle);
  if (!object) return false;
  *out = (LintImage){.is_surface = object->is_surface, .handle = handle};
  if (image_of(&object->resource, &out->image)) return false;
  if (!object->is_surface) out->sampler = sampler_of(&object->texture, &out->image);
  return true;
}

/* --- textures --- */

static CUresult create_texture(CUtexObject *out, const CUDA_RESOURCE_DESC *r,
                               const CUDA_TEXTURE_DESC *t, const CUDA_RESOURCE_VIEW_DESC *v) {
  EmuImage image;
  const char *why;
  if (!out || !t) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = image_of(r, &image);
  if (result) return result;
  if (!is_whole(v, &image)) return api_missing("a view of a part of a texture's resource");
  const EmuSampler sampler = sampler_of(t, &image);
  if (sampler.seamless && sampler.linear) return api_missing("a seamless cubemap's filter");
  Object object = {.resource = *r, .texture = *t, .has_view = v != NULL};
  if (v) object.view = *v;
  object.handle = emu_texture_new(driver()->memory, &image, &sampler, &why);
  if (!object.handle) return CUDA_ERROR_INVALID_VALUE;
  *out = object.handle;
  return note(&object);
}

CU_API CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *r,
                                  const CUDA_TEXTURE_DESC *t, const CUDA_RESOURCE_VIEW_DESC *v) {
  SERVE(NEED_HEALTH, create_texture(out, r, t, v));
}

CU_API CUresult cuTexObjectDestroy(CUtexObject handle) { SERVE(NEED_CONTEXT, drop(handle, false)); }

static CUresult get_resource(CUDA_RESOURCE_DESC *out, uint64_t handle, bool surface) {
  const Object *object = find(handle, surface);
  if (!out || !object) return CUDA_ERROR_INVALID_VALUE;
  *out = object->resource;
  return CUDA_SUCCESS;
}

CU_API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUtexObject handle) {
  SERVE(NEED_CONTEXT, get_resource(out, handle, false));
}

static CUresult get_texture(CUDA_TEXTURE_DESC *out, CUtexObject handle) {
  const Object *object = find(handle, false);
  if (!out || !object) return CUDA_ERROR_INVALID_VALUE;
  *out = object->texture;
  return CUDA_SUCCESS;
}

CU_API CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *out, CUtexObject handle) {
  SERVE(NEED_CONTEXT, get_texture(out, handle));
}

static CUresult get_view(CUDA_RESOURCE_VIEW_DESC *out, CUtexObject handle) {
  const Object *object = find(handle, false);
  if (!out || !object || !object->has_view) return CUDA_ERROR_INVALID_VALUE;
  *out = object->view;
  return CUDA_SUCCESS;
}

CU_API CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *out, CUtexObject handle) {
  SERVE(NEED_CONTEXT, get_view(out, handle));
}

/* --- surfaces --- */

static CUresult create_surface(CUsurfObject *out, const CUDA_RESOURCE_DESC *r) {
  EmuImage image;
  const char *why;
  if (!out || !r || r->type != RESOURCE_ARRAY) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = image_of(r, &image);
  if (result) return result;
  Object object = {.is_surface = true, .resource = *r};
  object.handle = emu_surface_new(driver()->memory, &image, &why);
  if (!object.handle) return CUDA_ERROR_INVALID_VALUE;
  *out = object.handle;
  return note(&object);
}

CU_API CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *r) {
  SERVE(NEED_HEALTH, create_surface(out, r));
}

CU_API CUresult cuSurfObjectDestroy(CUsurfObject handle) {
  SERVE(NEED_CONTEXT, drop(handle, true));
}

CU_API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUsurfObject handle) {
  SERVE(NEED_CONTEXT, get_resource(out, handle, true));
}
