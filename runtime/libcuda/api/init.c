/* init.c: where every program begins, and ends. */
#include <stdlib.h>

#include "libcuda/launch/judge.h"
#include "libcuda/state/call.h"
#include "libcuda/stream/pending.h"
#include "libcuda/watch/host.h"

/* Another thread may have held the lock. */
static void forked(void) {
  Driver *d = driver();
  d->lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  d->forked = true;
}

static CUresult init(unsigned flags) {
  Driver *d = driver();
  if (d->forked) return CUDA_ERROR_NOT_INITIALIZED;
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  if (d->initialised) return CUDA_SUCCESS;
  const char *as = getenv("KGEN_EXEC_AS");
  d->device = gpu_find(as && *as ? as : "sm_90");
  if (!d->device) return CUDA_ERROR_NO_DEVICE;
  d->memory = emu_memory_new();
  d->initialised = d->memory && pthread_atfork(NULL, NULL, forked) == 0;
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

/* This destructor runs after the exit handlers of the program and of CUDA's runtime. */
__attribute__((destructor)) static void end(void) {
  pending_close();
  judge_end();
}
