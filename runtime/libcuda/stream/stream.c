/* SPDX-License-Identifier: MIT */
#include "libcuda/stream/stream.h"

#include <pthread.h>
#include <stdlib.h>

#include "libcuda/state/call.h"
#include "libcuda/state/handle.h"

/* --- the default streams --- */

static Stream *legacy(void) {
  static Stream one = {.id = 1};
  return &one;
}

/* Drops the stream of a thread that has ended; pending work in it continues. */
static void drop_own(void *stream) {
  pthread_mutex_lock(&driver()->lock);
  stream_drop(stream);
  pthread_mutex_unlock(&driver()->lock);
}

static pthread_key_t *own_key(void) {
  static pthread_key_t key;
  return &key;
}

static void make_key(void) {
  if (pthread_key_create(own_key(), drop_own) != 0) die("no key for streams of threads");
}

/* The stream of this thread. When out of memory, the legacy stream is used, which only orders more
 * work. */
static Stream *own(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_key);
  Stream *s = pthread_getspecific(*own_key());
  if (s) return s;
  s = calloc(1, sizeof *s);
  if (!s || pthread_setspecific(*own_key(), s) != 0) {
    free(s);
    return legacy();
  }
  s->id = 2;
  return s;
}

Stream *stream_of(CUstream handle) {
  if (handle == STREAM_PER_THREAD || (!handle && *api_own_default())) return own();
  return !handle || handle == STREAM_LEGACY ? legacy() : handle;
}

bool stream_is(CUstream handle) {
  const bool is_default = !handle || handle == STREAM_LEGACY || handle == STREAM_PER_THREAD;
  return is_default || handle_is(handle, HANDLE_STREAM);
}

CUcontext stream_context(CUstream handle) {
  return handle_is(handle, HANDLE_STREAM) ? handle->context : NULL;
}

/* --- their end --- */

static void stream_free(Stream *s) {
  emu_trace_free(s->trace);
  free(s);
}

void stream_drop(Stream *s) {
  capture_leave(s);
  free(s->tail);
  s->tail = NULL;
  s->tails = s->capacity = 0;
  s->dropped = true;
  if (!s->pending) stream_free(s);
}

void stream_settle(Stream *s) {
  s->pending--;
  if (!s->pending && s->dropped) stream_free(s);
}
