/* SPDX-License-Identifier: MIT */
#include "libcuda/state/call.h"

#include <stdio.h>
#include <string.h>

#include "libcuda/state/context.h"
#include "libcuda/state/guard.h"
#include "libcuda/watch/host.h"

/* True while this thread runs a callback of the program for us. */
static bool *calling(void) {
  static _Thread_local bool now;
  return &now;
}

bool *api_own_default(void) {
  static _Thread_local bool own;
  return &own;
}

/* True while the current context comes from a call's handle. */
static bool *lent(void) {
  static _Thread_local bool now;
  return &now;
}

static void lend(Context *lender) {
  ContextStack *s = context_stack();
  if (*calling() || !lender || !lender->alive || context_current() || s->depth == CONTEXT_DEPTH)
    return;
  s->context[s->depth++] = lender;
  *lent() = true;
}

/* Ends the lending, except within a callback, which is part of the outer call. */
static void give_back(void) {
  if (*calling() || !*lent()) return;
  context_stack()->depth--;
  *lent() = false;
}

void api_lock(void) { pthread_mutex_lock(&driver()->lock); }

CUresult api_enter(CUcontext lender, Need need) {
  const Driver *d = driver();
  lend(lender);
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
  give_back();
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
