/* SPDX-License-Identifier: MIT */
#include "libcuda/state/box_copy.h"

#include <string.h>

#include "libcuda/state/allocation.h"

Copy copy_linear(uint64_t to, uint64_t from, size_t bytes) {
  return (Copy){.from = {.address = from}, .to = {.address = to}, bytes, 1, 1};
}

CopySide copy_side(CUmemorytype type, const void *host, CUdeviceptr device, CUarray array) {
  return (CopySide){.address = type == MEMORY_HOST ? (uint64_t)(uintptr_t)host : device,
                    .array = type == MEMORY_ARRAY ? array : NULL,
                    .device = type == MEMORY_DEVICE};
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

/* Host addresses of the rows of a side. */
typedef struct {
  char *first;
  size_t row, slice; /* bytes between consecutive rows, slices */
} View;

static bool view_memory(const CopySide *s, const Copy *c, View *out) {
  const size_t last = (c->depth - 1) * out->slice + (c->height - 1) * out->row + c->width;
  out->first = allocation_view(s->address + s->z * out->slice + s->y * out->row + s->x, last);
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

static bool is_foreign(const CopySide *s) { return s->device && allocation_foreign(s->address); }

CUresult copy_check(const Copy *c) {
  if (!c->width || !c->height || !c->depth) return CUDA_SUCCESS;
  return is_foreign(&c->from) || is_foreign(&c->to) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* Returns the host address of a part of a side that begins at `first`. NULL if it is in another
 * allocation: the gap between rows must not lead into one. */
static char *view_piece(uint64_t first, uint64_t at, size_t bytes) {
  return allocation_goes_on(first, at) ? allocation_view(at, bytes) : NULL;
}

/* Copies one row, both sides of which may consist of several mappings. go = false: only checks that
 * all of it is mapped. */
static bool move_row(const Copy *c, uint64_t to, uint64_t from, bool go) {
  for (size_t bytes = c->width; bytes;) {
    const size_t n = allocation_piece(from, allocation_piece(to, bytes));
    void *const t = view_piece(c->to.address, to, n);
    const void *const f = view_piece(c->from.address, from, n);
    if (!t || !f) return false;
    if (go) memmove(t, f, n);
    to += n;
    from += n;
    bytes -= n;
  }
  return true;
}

static uint64_t row_at(const CopySide *s, const Copy *c, size_t z, size_t y) {
  const size_t row = s->pitch ? s->pitch : c->width, rows = s->height ? s->height : c->height;
  return s->address + ((s->z + z) * rows + s->y + y) * row + s->x;
}

static bool move_rows(const Copy *c, bool go) {
  for (size_t z = 0; z < c->depth; z++)
    for (size_t y = 0; y < c->height; y++)
      if (!move_row(c, row_at(&c->to, c, z, y), row_at(&c->from, c, z, y), go)) return false;
  return true;
}

/* Copies memory that consists of several mappings, whose host addresses are not contiguous. */
static CUresult copy_pieces(const Copy *c) {
  const bool there = !c->from.array && !c->to.array && move_rows(c, false);
  return there && move_rows(c, true) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The ranges of the two sides may overlap. */
CUresult copy_run(const Copy *c) {
  View from, to;
  if (!c->width || !c->height || !c->depth) return CUDA_SUCCESS;
  if (copy_check(c)) return CUDA_ERROR_INVALID_VALUE;
  if (!view(&c->from, c, &from) || !view(&c->to, c, &to)) return copy_pieces(c);
  for (size_t z = 0; z < c->depth; z++)
    for (size_t y = 0; y < c->height; y++)
      memmove(to.first + z * to.slice + y * to.row, from.first + z * from.slice + y * from.row,
              c->width);
  return CUDA_SUCCESS;
}

/* The number of bytes from the first to the last; UINT64_MAX, which no allocation contains, on
 * overflow. */
static uint64_t bytes_of_fill(const Fill *f) {
  uint64_t rows, row, all;
  const bool fits = !__builtin_mul_overflow(f->pitch, f->height - 1, &rows) &&
                    !__builtin_mul_overflow(f->width, f->element, &row) &&
                    !__builtin_add_overflow(rows, row, &all);
  return fits ? all : UINT64_MAX;
}

/* Sets one row, which may consist of several mappings. go = false: only checks that all of it is
 * mapped. */
static bool fill_row(const Fill *f, uint64_t at, bool go) {
  for (size_t bytes = f->width * f->element, n; bytes; bytes -= n, at += n) {
    n = allocation_piece(at, bytes);
    char *const to = view_piece(f->to, at, n);
    if (!to) return false;
    if (go && f->element == 1) memset(to, (int)f->value, n);
    for (size_t x = 0; go && f->element > 1 && x < n; x += f->element)
      memcpy(to + x, &f->value, f->element); /* the low bytes of the value */
  }
  return true;
}

static bool fill_rows(const Fill *f, bool go) {
  for (size_t y = 0; y < f->height; y++)
    if (!fill_row(f, f->to + y * f->pitch, go)) return false;
  return true;
}

/* Memory that a graph will allocate has an address before it exists, so only existing allocations
 * are checked for size. */
CUresult fill_check(const Fill *f) {
  const bool known = f->element == 1 || f->element == 2 || f->element == 4;
  if (!known || f->to % f->element || allocation_foreign(f->to)) return CUDA_ERROR_INVALID_VALUE;
  const bool fits = bytes_of_fill(f) < UINT64_MAX && (!allocation_at(f->to) || fill_rows(f, false));
  return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult fill_run(const Fill *f) {
  if (!f->width || !f->height) return CUDA_SUCCESS;
  return !fill_check(f) && fill_rows(f, true) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
