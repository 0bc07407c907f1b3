#include "libcuda/copy.h"

#include <string.h>

#include "libcuda/memory.h"

Copy copy_linear(uint64_t to, uint64_t from, size_t bytes) {
  return (Copy){.from = {.address = from}, .to = {.address = to}, bytes, 1, 1};
}

CopySide copy_side(CUmemorytype type, const void *host, CUdeviceptr device, CUarray array) {
  return (CopySide){.address = type == MEMORY_HOST ? (uint64_t)(uintptr_t)host : device,
                    .array = type == MEMORY_ARRAY ? array : NULL};
}

static CopySide side_of_3d(const Side3D *s) {
  CopySide out = copy_side(s->type, s->host, s->device, s->array);
  out.x = s->x;
  out.y = s->y;
  out.z = s->z;
  out.pitch = s->pitch;
  out.height = s->height;
  return out;
}

Copy copy_of_box(const Box3D *b) {
  return (Copy){side_of_3d(&b->from), side_of_3d(&b->to), b->width, b->height, b->depth};
}

/* Host addresses of a side's rows. */
typedef struct {
  char *first;
  size_t row, slice; /* bytes from one to the next */
} View;

static bool view_memory(const CopySide *s, const Copy *c, View *out) {
  const size_t last = (c->depth - 1) * out->slice + (c->height - 1) * out->row + c->width;
  out->first = memory_view(s->address + s->z * out->slice + s->y * out->row + s->x, last);
  return out->first != NULL;
}

static bool view(const CopySide *s, const Copy *c, View *out) {
  size_t row = s->pitch ? s->pitch : c->width, rows = s->height ? s->height : c->height;
  size_t slices = 0;
  char *base = s->array ? array_view(s->array, &row, &rows, &slices) : NULL;
  *out = (View){.row = row, .slice = row * rows};
  if (!s->array) return view_memory(s, c, out);
  out->first = base ? base + s->z * out->slice + s->y * row + s->x : NULL;
  return base && s->x + c->width <= row && s->y + c->height <= rows && s->z + c->depth <= slices;
}

const void *copy_source(const Copy *c) {
  View from;
  return view(&c->from, c, &from) ? from.first : NULL;
}

/* Ranges may overlap. */
CUresult copy_run(const Copy *c) {
  View from, to;
  if (!c->width || !c->height || !c->depth) return CUDA_SUCCESS;
  if (!view(&c->from, c, &from) || !view(&c->to, c, &to)) return CUDA_ERROR_INVALID_VALUE;
  for (size_t z = 0; z < c->depth; z++)
    for (size_t y = 0; y < c->height; y++)
      memmove(to.first + z * to.slice + y * to.row, from.first + z * from.slice + y * from.row,
              c->width);
  return CUDA_SUCCESS;
}

/* From the first byte to the end of the last; what is too large to count is in no allocation. */
static uint64_t bytes_of_fill(const Fill *f) {
  uint64_t rows, row, all;
  const bool fits = !__builtin_mul_overflow(f->pitch, f->height - 1, &rows) &&
                    !__builtin_mul_overflow(f->width, f->element, &row) &&
                    !__builtin_add_overflow(rows, row, &all);
  return fits ? all : UINT64_MAX;
}

CUresult fill_check(const Fill *f) {
  const bool known = f->element == 1 || f->element == 2 || f->element == 4;
  return known && f->to % f->element == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult fill_run(const Fill *f) {
  if (!f->width || !f->height) return CUDA_SUCCESS;
  if (fill_check(f)) return CUDA_ERROR_INVALID_VALUE;
  char *to = memory_view(f->to, bytes_of_fill(f));
  if (!to) return CUDA_ERROR_INVALID_VALUE;
  for (size_t y = 0; y < f->height; y++, to += f->pitch) {
    if (f->element == 1) memset(to, (int)f->value, f->width);
    for (size_t x = 0; f->element > 1 && x < f->width; x++)
      memcpy(to + x * f->element, &f->value, f->element); /* the low bytes */
  }
  return CUDA_SUCCESS;
}
