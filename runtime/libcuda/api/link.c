/* SPDX-License-Identifier: MIT */
/* link.c: the API functions for linking. The "cubin" that they produce is PTX. */
#include <string.h>

#include "base/file.h"
#include "libcuda/image/cubin.h"
#include "libcuda/image/fatbin.h"
#include "libcuda/image/host_object.h"
#include "libcuda/image/link.h"
#include "libcuda/state/call.h"
#include "libcuda/state/handle.h"
#include "libcuda/state/module.h"

/* CUlinkState. */
typedef struct Link {
  Arena *arena;
  JitLog log; /* the program's buffers, valid until the link is destroyed */
  int count;
  PtxUnit unit[FATBIN_UNITS];
} Link;

static CUresult create(unsigned options, const int *option, void **value, Link **out) {
  JitLog log;
  if (!out || jit_log_new(options, option, value, &log)) return CUDA_ERROR_INVALID_VALUE;
  Arena *a = arena_new();
  *out = ARENA_NEW(a, Link);
  (*out)->arena = a;
  (*out)->log = log;
  handle_add(*out, HANDLE_LINK);
  return CUDA_SUCCESS;
}

CU_API CUresult cuLinkCreate_v2(unsigned options, int *option, void **value, Link **out) {
  SERVE(NEED_CONTEXT, create(options, option, value, out));
}

static CUresult add_image(Link *l, const void *image, size_t bytes, Diag *diag) {
  PtxUnit *unit = ARENA_ARRAY(l->arena, PtxUnit, FATBIN_UNITS);
  int units;
  const CUresult result =
      fatbin_read(l->arena, image, bytes, gpu_number(driver()->device), unit, &units, diag);
  for (int i = 0; !result && i < units && l->count < FATBIN_UNITS; i++)
    l->unit[l->count++] = unit[i];
  return result;
}

/* Adds the device code of a host object or archive. Members without PTX are left out; a GPU leaves
 * out unused members of an archive. If one is used, the link lacks it. */
static CUresult add_object(Link *l, const void *image, size_t bytes, Diag *diag) {
  const ObjectCode code = host_object_code(l->arena, image, bytes);
  CUresult result = code.count ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_IMAGE;
  if (!code.count) diag_say(diag, DIAG_INPUT, "no device code to link: build with nvcc -rdc=true");
  for (int i = 0; i < code.count; i++) {
    Diag *unused = diag_new(l->arena);
    if (!add_image(l, code.fatbin[i], SIZE_MAX, i ? unused : diag)) result = CUDA_SUCCESS;
  }
  return code.archive ? CUDA_SUCCESS : result;
}

/* Copies the image, because the program may free it. The copy ends with a NUL, which PTX of a given
 * size may lack. */
static CUresult add(Link *l, const void *data, size_t bytes) {
  if (!handle_is(l, HANDLE_LINK) || !data || bytes < 4) return CUDA_ERROR_INVALID_VALUE;
  Diag *diag = diag_new(l->arena);
  const CUresult result = host_object_is(data, bytes)
                              ? add_object(l, data, bytes, diag)
                              : add_image(l, arena_strndup(l->arena, data, bytes), bytes, diag);
  if (result) module_say_refused(l->arena, diag, &l->log);
  return result;
}

CU_API CUresult cuLinkAddData_v2(Link *l, int kind, void *data, size_t bytes, const char *name,
                                 unsigned options, int *option, void **value) {
  (void)kind, (void)name, (void)options, (void)option, (void)value;
  SERVE(NEED_CONTEXT, add(l, data, bytes));
}

static CUresult add_file(Link *l, const char *path) {
  enum { MAX_FILE = 1 << 30 };
  if (!handle_is(l, HANDLE_LINK) || !path) return CUDA_ERROR_INVALID_VALUE;
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
  if (!handle_is(l, HANDLE_LINK) || !out || !l->count) return CUDA_ERROR_INVALID_VALUE;
  const PtxUnit text = link_units(l->arena, l->unit, l->count);
  *out = (void *)(uintptr_t)text.ptx;
  if (bytes) *bytes = text.bytes + 1;
  return CUDA_SUCCESS;
}

CU_API CUresult cuLinkComplete(Link *l, void **out, size_t *bytes) {
  SERVE(NEED_CONTEXT, complete(l, out, bytes));
}

static CUresult destroy(Link *l) {
  if (!handle_is(l, HANDLE_LINK)) return CUDA_ERROR_INVALID_VALUE;
  handle_drop(l);
  arena_free(l->arena);
  return CUDA_SUCCESS;
}

CU_API CUresult cuLinkDestroy(Link *l) { SERVE(NEED_INIT, destroy(l)); }
