#include "libcuda/stream.h"

/* The legacy default stream belongs to the process, the other to a thread. */
Stream *stream_of(CUstream handle) {
  static Stream legacy = {.id = 1};
  static _Thread_local Stream per_thread = {.id = 2};
  if (handle == STREAM_PER_THREAD) return &per_thread;
  return !handle || handle == STREAM_LEGACY ? &legacy : handle;
}

CUresult stream_submit(CUstream handle, const Work *w) {
  Stream *s = stream_of(handle);
  if (s->capture) return capture_work(s, w);
  const CUresult refused = s == stream_of(STREAM_LEGACY) ? guard_legacy() : CUDA_SUCCESS;
  if (refused) return refused;
  if (w->kind != WORK_GRAPH) return work_run(w);
  graph_reset(w->graph);
  return graph_run(w->graph);
}
