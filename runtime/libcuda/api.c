#include "libcuda/api.h"

#include <stdio.h>
#include <string.h>

#include "libcuda/context.h"
#include "libcuda/guard.h"
#include "libcuda/host_watch.h"

/* This thread runs a function of the program for us. */
static bool *calling(void) {
  static _Thread_local bool now;
  return &now;
}

bool *api_own_default(void) {
  static _Thread_local bool own;
  return &own;
}

CUresult api_enter(Need need) {
  Driver *d = driver();
  pthread_mutex_lock(&d->lock);
  if (need >= NEED_INIT && d->forked) return CUDA_ERROR_NOT_INITIALIZED;
  if (need >= NEED_INIT && *calling()) return CUDA_ERROR_NOT_PERMITTED;
  if (need >= NEED_INIT && !d->initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (need < NEED_CONTEXT) return CUDA_SUCCESS;
  const Context *c = context_current();
  if (!c) return CUDA_ERROR_INVALID_CONTEXT;
  if (need >= NEED_HEALTH && c->error) return c->error;
  return need == NEED_SAFETY ? guard_unsafe() : CUDA_SUCCESS;
}

CUresult api_leave(const char *function, CUresult result) {
  host_called(function);
  pthread_mutex_unlock(&driver()->lock);
  return result;
}

void api_pause(void) {
  *calling() = true;
  pthread_mutex_unlock(&driver()->lock);
}

void api_resume(void) {
  pthread_mutex_lock(&driver()->lock);
  *calling() = false;
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
    host_missed(what);
  }
  pthread_mutex_unlock(&d->lock);
  return CUDA_ERROR_NOT_SUPPORTED;
}
