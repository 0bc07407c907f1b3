/* SPDX-License-Identifier: MIT */
/* array.c: CUDA arrays. The order of their elements in memory is the emulator's. */
#include "libcuda/state/array.h"

#include <stdlib.h>
#include <string.h>

#include "libcuda/state/allocation.h"
#include "libcuda/state/call.h"
#include "libcuda/state/handle.h"

bool array_texel(CUarray_format format, EmuTexel *out) {
  static const struct {
    CUarray_format format;
    EmuTexel texel;
  } known[] = {{FORMAT_U8, EMU_TEXEL_U8},    {FORMAT_S8, EMU_TEXEL_S8},
               {FORMAT_U16, EMU_TEXEL_U16},  {FORMAT_S16, EMU_TEXEL_S16},
               {FORMAT_U32, EMU_TEXEL_U32},  {FORMAT_S32, EMU_TEXEL_S32},
               {FORMAT_HALF, EMU_TEXEL_F16}, {FORMAT_FLOAT, EMU_TEXEL_F32}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i].format != format) continue;
    *out = known[i].texel;
    return true;
  }
  return false;
}

void *array_view(CUarray array, size_t *row_bytes, size_t *rows, size_t *slices) {
  if (!handle_is(array, HANDLE_ARRAY)) return NULL;
  const EmuImageLevel m = emu_image_level(&array->image, 0);
  *row_bytes = m.row;
  *rows = m.height;
  *slices = m.depth;
  return allocation_view(array->image.address, emu_image_bytes(&array->image));
}

/* --- making --- */

static EmuImageShape shape_of(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  const bool layered = d->flags & ARRAY_LAYERED;
  if (d->flags & ARRAY_CUBEMAP) return layered ? EMU_IMAGE_ACUBE : EMU_IMAGE_CUBE;
  if (layered) return d->height ? EMU_IMAGE_A2D : EMU_IMAGE_A1D;
  return d->depth ? EMU_IMAGE_3D : d->height ? EMU_IMAGE_2D : EMU_IMAGE_1D;
}

static uint32_t at_least_one(size_t extent) { return extent ? (uint32_t)extent : 1; }

/* True if the sizes are valid for a cube: six square faces per layer [CUDA driver API,
 * cuArray3DCreate]. */
static bool is_cube(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  enum { FACES = 6 };
  const bool whole =
      d->flags & ARRAY_LAYERED ? d->depth && d->depth % FACES == 0 : d->depth == FACES;
  return whole && d->width == d->height;
}

static CUresult describe(const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels, EmuImage *out) {
  enum { WIDEST = 131072, HIGHEST = 65536, DEEPEST = 16384, MOST_LEVELS = 16 };
  EmuTexel texel;
  if (!d || !d->width || d->width > WIDEST || d->height > HIGHEST || d->depth > DEEPEST)
    return CUDA_ERROR_INVALID_VALUE;
  if (d->channels != 1 && d->channels != 2 && d->channels != 4) return CUDA_ERROR_INVALID_VALUE;
  if (!levels || levels > MOST_LEVELS || ((d->flags & ARRAY_LAYERED) && !d->depth))
    return CUDA_ERROR_INVALID_VALUE;
  if ((d->flags & ARRAY_CUBEMAP) && !is_cube(d)) return CUDA_ERROR_INVALID_VALUE;
  if (!array_texel(d->format, &texel)) return api_missing("a compressed or fractional format");
  *out = (EmuImage){.shape = shape_of(d),
                    .texel = texel,
                    .channels = (int)d->channels,
                    .width = (uint32_t)d->width,
                    .height = at_least_one(d->height),
                    .depth = at_least_one(d->depth),
                    .levels = levels};
  return allocation_new(KIND_DEVICE, emu_image_bytes(out), 0, NULL, &out->address);
}

static CUresult create(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  EmuImage image;
  const CUresult result = out ? describe(d, 1, &image) : CUDA_ERROR_INVALID_VALUE;
  if (result) return result;
  *out = malloc(sizeof **out);
  if (!*out) return CUDA_ERROR_OUT_OF_MEMORY;
  **out = (Array){.image = image, .as_made = *d};
  handle_add(*out, HANDLE_ARRAY);
  return CUDA_SUCCESS;
}

CU_API CUresult cuArray3DCreate_v2(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  SERVE(NEED_HEALTH, create(out, d));
}

static CUresult create_flat(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d) {
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR deep = {
      .width = d->width, .height = d->height, .format = d->format, .channels = d->channels};
  return create(out, &deep);
}

CU_API CUresult cuArrayCreate_v2(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d) {
  SERVE(NEED_HEALTH, create_flat(out, d));
}

static CUresult get(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!handle_is(array, HANDLE_ARRAY)) return CUDA_ERROR_INVALID_HANDLE;
  *out = array->as_made;
  return CUDA_SUCCESS;
}

CU_API CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array) {
  SERVE(NEED_INIT, get(out, array));
}

static CUresult get_flat(CUDA_ARRAY_DESCRIPTOR *out, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR deep;
  const CUresult result = out ? get(&deep, array) : CUDA_ERROR_INVALID_VALUE;
  if (!result) *out = (CUDA_ARRAY_DESCRIPTOR){deep.width, deep.height, deep.format, deep.channels};
  return result;
}

CU_API CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *out, CUarray array) {
  SERVE(NEED_INIT, get_flat(out, array));
}

/* --- mipmaps --- */

/* Makes a level of a mipmap: an array of its own in the mipmap's memory. */
static Array level_of(Mipmap *whole, const CUDA_ARRAY3D_DESCRIPTOR *d, uint32_t level) {
  const EmuImageLevel at = emu_image_level(&whole->image, level);
  Array a = {.image = whole->image, .whole = whole, .as_made = *d};
  a.image.width = at.width;
  a.image.height = at.height;
  a.image.depth = at.depth;
  a.image.levels = 1;
  a.image.address += at.offset;
  a.as_made.width = at.width;
  if (d->height) a.as_made.height = at.height;
  if (d->depth) a.as_made.depth = at.depth;
  return a;
}

static CUresult create_mipmap(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d,
                              unsigned levels) {
  EmuImage image;
  const CUresult result = out ? describe(d, levels, &image) : CUDA_ERROR_INVALID_VALUE;
  if (result) return result;
  *out = malloc(sizeof **out + levels * sizeof(Array));
  if (!*out) return CUDA_ERROR_OUT_OF_MEMORY;
  (*out)->image = image;
  handle_add(*out, HANDLE_MIPMAP);
  for (unsigned i = 0; i < levels; i++) {
    (*out)->level[i] = level_of(*out, d, i);
    handle_add(&(*out)->level[i], HANDLE_ARRAY);
  }
  return CUDA_SUCCESS;
}

CU_API CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                       unsigned levels) {
  SERVE(NEED_HEALTH, create_mipmap(out, d, levels));
}

static CUresult get_level(CUarray *out, CUmipmappedArray whole, unsigned level) {
  if (!handle_is(whole, HANDLE_MIPMAP)) return CUDA_ERROR_INVALID_HANDLE;
  if (!out || level >= whole->image.levels) return CUDA_ERROR_INVALID_VALUE;
  *out = &whole->level[level];
  return CUDA_SUCCESS;
}

CU_API CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray whole, unsigned level) {
  SERVE(NEED_CONTEXT, get_level(out, whole, level));
}
