/* SPDX-License-Identifier: MIT */
/* preset.c: the API functions of CUDA 3 and earlier, which set a kernel's block and parameters one
 * by one and then launch a grid. Error conditions are as on an H200. */
#include <stdlib.h>
#include <string.h>

#include "libcuda/state/call.h"
#include "libcuda/stream/pending.h"

enum { PARAM_BYTES = 32764, MOST_THREADS = 1024, MOST_DEEP = 64, MOST_SHARED = 49152 };

static CUresult set_block(Function *f, int x, int y, int z) {
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (x <= 0 || y <= 0 || z <= 0 || z > MOST_DEEP) return CUDA_ERROR_INVALID_VALUE;
  if ((int64_t)x * y > MOST_THREADS || x * y * z > MOST_THREADS) return CUDA_ERROR_INVALID_VALUE;
  const uint32_t block[] = {(uint32_t)x, (uint32_t)y, (uint32_t)z};
  memcpy(f->preset.block, block, sizeof block);
  return CUDA_SUCCESS;
}

CU_API CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z) {
  SERVE(NEED_CONTEXT, set_block(f, x, y, z));
}

static CUresult set_shared(Function *f, unsigned bytes) {
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  const uint64_t all = (uint64_t)bytes + f->kernel->static_shared;
  if (all > MOST_SHARED && bytes > (unsigned)f->max_dynamic) return CUDA_ERROR_INVALID_VALUE;
  f->preset.shared_bytes = bytes;
  return CUDA_SUCCESS;
}

CU_API CUresult cuFuncSetSharedSize(CUfunction f, unsigned bytes) {
  SERVE(NEED_CONTEXT, set_shared(f, bytes));
}

static CUresult set_size(Function *f, unsigned bytes) {
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (bytes > PARAM_BYTES) return CUDA_ERROR_INVALID_VALUE;
  f->preset.param_bytes = bytes;
  return CUDA_SUCCESS;
}

CU_API CUresult cuParamSetSize(CUfunction f, unsigned bytes) {
  SERVE(NEED_CONTEXT, set_size(f, bytes));
}

static char *params_of(Function *f) {
  if (!f->preset.param) f->preset.param = ARENA_ARRAY(f->module->arena, char, PARAM_BYTES);
  return f->preset.param;
}

static CUresult set_param(Function *f, int offset, const void *value, unsigned bytes) {
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (!value || offset < 0 || offset > PARAM_BYTES || bytes > (unsigned)(PARAM_BYTES - offset))
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(params_of(f) + offset, value, bytes);
  return CUDA_SUCCESS;
}

CU_API CUresult cuParamSetv(CUfunction f, int offset, void *value, unsigned bytes) {
  SERVE(NEED_CONTEXT, set_param(f, offset, value, bytes));
}

CU_API CUresult cuParamSeti(CUfunction f, int offset, unsigned value) {
  SERVE(NEED_CONTEXT, set_param(f, offset, &value, sizeof value));
}

CU_API CUresult cuParamSetf(CUfunction f, int offset, float value) {
  SERVE(NEED_CONTEXT, set_param(f, offset, &value, sizeof value));
}

/* --- launching --- */

static uint32_t bytes_of(const Function *f) {
  const EmuKernel *k = f->kernel;
  return k->params ? k->param[k->params - 1].offset + k->param[k->params - 1].bytes : 0;
}

static CUresult start(Function *f, int width, int height, CUstream stream) {
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (width <= 0 || height <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (f->preset.param_bytes > bytes_of(f)) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  KernelLaunch l = {.function = f,
                    .grid = {(uint32_t)width, (uint32_t)height, 1},
                    .shared_bytes = f->preset.shared_bytes,
                    .params = launch_point(f, params_of(f))};
  memcpy(l.block, f->preset.block, sizeof l.block);
  CUresult result = launch_check(&l);
  if (!result) result = pending_submit(stream, &(Work){.kind = WORK_KERNEL, .kernel = l});
  free(l.params);
  return result;
}

CU_API CUresult cuLaunch(CUfunction f) { SERVE(NEED_HEALTH, start(f, 1, 1, NULL)); }

CU_API CUresult cuLaunchGrid(CUfunction f, int width, int height) {
  SERVE(NEED_HEALTH, start(f, width, height, NULL));
}

CU_API CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH, start(f, width, height, stream));
}
