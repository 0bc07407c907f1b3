#include "libcuda/stream.h"

#include <stdlib.h>

/* The legacy default stream belongs to the process, the other to a thread. */
Stream *stream_of(CUstream handle) {
  static Stream legacy = {.id = 1};
  static _Thread_local Stream per_thread = {.id = 2};
  if (handle == STREAM_PER_THREAD) return &per_thread;
  return !handle || handle == STREAM_LEGACY ? &legacy : handle;
}

void stream_drop(Stream *s) {
  capture_leave(s);
  free(s->tail);
  s->tail = NULL;
  s->tails = s->capacity = 0;
  s->dropped = true;
  if (!s->pending) free(s);
}

void stream_settle(Stream *s) {
  s->pending--;
  if (!s->pending && s->dropped) free(s);
}
