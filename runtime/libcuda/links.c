/* links.c: the API's functions for linking. The "cubin" that they produce is PTX. */
#include <string.h>

#include "base/file.h"
#include "libcuda/api.h"
#include "libcuda/cubin.h"
#include "libcuda/fatbin.h"
#include "libcuda/link.h"

/* CUlinkState. */
typedef struct Link {
  Arena *arena;
  int count;
  PtxUnit unit[FATBIN_UNITS];
} Link;

static CUresult create(Link **out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  Arena *a = arena_new();
  *out = ARENA_NEW(a, Link);
  (*out)->arena = a;
  return CUDA_SUCCESS;
}

CU_API CUresult cuLinkCreate_v2(unsigned options, int *option, void **value, Link **out) {
  (void)options, (void)option, (void)value;
  SERVE(NEED_CONTEXT, create(out));
}

/* PTX need not be NUL-terminated, since its size is given. */
static CUresult add(Link *l, const void *data, size_t bytes) {
  if (!l || !data || bytes < 4) return CUDA_ERROR_INVALID_VALUE;
  Text why = text_new(l->arena);
  PtxUnit *unit = ARENA_ARRAY(l->arena, PtxUnit, FATBIN_UNITS);
  int units;
  const char *copy = arena_strndup(l->arena, "", 0);
  if (!cubin_is(data) && *(const char *)data != 0x50)
    copy = arena_strndup(l->arena, data, strnlen(data, bytes));
  const void *image = *copy ? copy : data;
  const CUresult result =
      fatbin_read(l->arena, image, gpu_number(driver()->device), unit, &units, &why);
  for (int i = 0; !result && i < units && l->count < FATBIN_UNITS; i++)
    l->unit[l->count++] = unit[i];
  return result;
}

CU_API CUresult cuLinkAddData_v2(Link *l, int kind, void *data, size_t bytes, const char *name,
                                 unsigned options, int *option, void **value) {
  (void)kind, (void)name, (void)options, (void)option, (void)value;
  SERVE(NEED_CONTEXT, add(l, data, bytes));
}

static CUresult add_file(Link *l, const char *path) {
  enum { MAX_FILE = 1 << 30 };
  if (!l || !path) return CUDA_ERROR_INVALID_VALUE;
  size_t bytes;
  const char *data = file_read(l->arena, path, MAX_FILE, &bytes);
  return data ? add(l, data, bytes) : CUDA_ERROR_FILE_NOT_FOUND;
}

CU_API CUresult cuLinkAddFile_v2(Link *l, int kind, const char *path, unsigned options, int *option,
                                 void **value) {
  (void)kind, (void)options, (void)option, (void)value;
  SERVE(NEED_CONTEXT, add_file(l, path));
}

static CUresult complete(Link *l, void **out, size_t *bytes) {
  if (!l || !out || !l->count) return CUDA_ERROR_INVALID_VALUE;
  const PtxUnit text = link_units(l->arena, l->unit, l->count);
  *out = (void *)(uintptr_t)text.ptx;
  if (bytes) *bytes = text.bytes + 1;
  return CUDA_SUCCESS;
}

CU_API CUresult cuLinkComplete(Link *l, void **out, size_t *bytes) {
  SERVE(NEED_CONTEXT, complete(l, out, bytes));
}

static CUresult destroy(Link *l) {
  if (!l) return CUDA_ERROR_INVALID_VALUE;
  arena_free(l->arena);
  return CUDA_SUCCESS;
}

CU_API CUresult cuLinkDestroy(Link *l) { SERVE(NEED_INIT, destroy(l)); }
