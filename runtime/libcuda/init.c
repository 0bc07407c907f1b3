/* init.c: where every program begins. */
#include <stdlib.h>

#include "libcuda/api.h"
#include "libcuda/host_watch.h"

static CUresult init(unsigned flags) {
  Driver *d = driver();
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  if (d->initialised) return CUDA_SUCCESS;
  const char *as = getenv("KGEN_EXEC_AS");
  d->device = gpu_find(as && *as ? as : "sm_90");
  if (!d->device) return CUDA_ERROR_NO_DEVICE;
  d->memory = emu_memory_new();
  d->initialised = d->memory != NULL;
  host_begin();
  return d->initialised ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CU_API CUresult cuInit(unsigned flags) { SERVE(NEED_NOTHING, init(flags)); }

static CUresult version(int *out) {
  enum { CUDA_13_0 = 13000 };
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = CUDA_13_0;
  return CUDA_SUCCESS;
}

CU_API CUresult cuDriverGetVersion(int *out) { SERVE(NEED_NOTHING, version(out)); }
