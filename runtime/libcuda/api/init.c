/* SPDX-License-Identifier: MIT */
/* init.c: the first and the last call of every program. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "libcuda/launch/judge.h"
#include "libcuda/state/call.h"
#include "libcuda/stream/pending.h"
#include "libcuda/watch/host.h"
#include "libcuda/watch/session.h"

/* Runs in a forked process. Creates a new lock, because another thread may have held it. */
static void forked(void) {
  Driver *d = driver();
  d->lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  d->forked = true;
}

/* Runs if the program ends without exit handlers. This may be in a signal handler while another
 * thread holds the lock, or in a child that shares this memory; then nothing is written. */
static void end_at_once(void) {
  if (!session_is_of_this_process() || pthread_mutex_trylock(&driver()->lock) != 0) return;
  judge_end(false);
  pthread_mutex_unlock(&driver()->lock);
}

/* Registers end_at_once() with libkgen_preload.so, which intercepts calls of _exit(). */
static void watch_exit(void) {
  void *found = dlsym(RTLD_DEFAULT, "kgen_preload_at_exit");
  void (*add)(void (*call)(void)) = NULL;
  memcpy(&add, &found, sizeof add);
  if (add) add(end_at_once);
  at_quick_exit(end_at_once);
}

static CUresult init(unsigned flags) {
  Driver *d = driver();
  if (d->forked) return CUDA_ERROR_NOT_INITIALIZED;
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  if (d->initialised) return CUDA_SUCCESS;
  if (!session_works()) return CUDA_ERROR_OPERATING_SYSTEM;
  const char *as = getenv("KGEN_EXEC_AS");
  d->device = gpu_find(as && *as ? as : "sm_90");
  if (!d->device) return CUDA_ERROR_NO_DEVICE;
  d->memory = emu_memory_new();
  d->initialised = d->memory && pthread_atfork(NULL, NULL, forked) == 0;
  host_begin();
  watch_exit();
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

/* Runs after the exit handlers of the program and of CUDA's runtime. The lock is never released:
 * other threads of the program may still call CUDA, and their calls end with the process. */
__attribute__((destructor)) static void end(void) {
  if (!driver()->forked) api_lock();
  pending_close();
  judge_end(true);
}
