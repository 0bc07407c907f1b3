#include "libcuda/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcuda/context.h"

/* Recursive, since functions of the API call others, and the program's callbacks call any. */
Driver *driver(void) {
  static Driver one = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};
  return &one;
}

CUresult api_enter(Need need) {
  Driver *d = driver();
  pthread_mutex_lock(&d->lock);
  if (need >= NEED_INIT && !d->initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (need < NEED_CONTEXT) return CUDA_SUCCESS;
  const Context *c = context_current();
  if (!c) return CUDA_ERROR_INVALID_CONTEXT;
  return need == NEED_HEALTH ? c->error : CUDA_SUCCESS;
}

CUresult api_leave(const char *function, CUresult result) {
  (void)function;
  pthread_mutex_unlock(&driver()->lock);
  return result;
}

CUresult api_missing(const char *what) {
  enum { MOST = 64 };
  static const char *said[MOST];
  Driver *d = driver();
  pthread_mutex_lock(&d->lock);
  int i = 0;
  while (i < MOST && said[i] && strcmp(said[i], what) != 0) i++;
  if (i < MOST && !said[i]) {
    said[i] = what;
    fprintf(stderr, "kgen: %s is not supported\n", what);
  }
  pthread_mutex_unlock(&d->lock);
  return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult init(unsigned flags) {
  Driver *d = driver();
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  if (d->initialised) return CUDA_SUCCESS;
  const char *as = getenv("KGEN_EXEC_AS");
  d->device = device_model(as && *as ? as : "sm_90");
  if (!d->device) return CUDA_ERROR_NO_DEVICE;
  d->memory = emu_memory_new();
  d->initialised = d->memory != NULL;
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
