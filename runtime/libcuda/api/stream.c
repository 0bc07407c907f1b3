/* SPDX-License-Identifier: MIT */
/* stream.c: the API functions for streams and capture. */
#include <stdlib.h>
#include <string.h>

#include "libcuda/state/call.h"
#include "libcuda/state/context.h"
#include "libcuda/state/handle.h"
#include "libcuda/state/print.h"
#include "libcuda/stream/pending.h"
#include "libcuda/stream/stream.h"

/* Clamps the priority to the supported range, as an H200 does. */
static int priority_of(int wish) {
  return wish > 0 ? 0 : wish < STREAM_GREATEST_PRIORITY ? STREAM_GREATEST_PRIORITY : wish;
}

static CUresult create(CUstream *out, unsigned flags, int priority) {
  static unsigned long long made = 2; /* 1 and 2 are the default streams */
  if (!out || flags > 1) return CUDA_ERROR_INVALID_VALUE;
  Stream *s = calloc(1, sizeof *s);
  if (!s) return CUDA_ERROR_OUT_OF_MEMORY;
  *s = (Stream){.flags = flags,
                .priority = priority_of(priority),
                .id = ++made,
                .context = context_current()};
  handle_add(s, HANDLE_STREAM);
  *out = s;
  return CUDA_SUCCESS;
}

CU_API CUresult cuStreamCreate(CUstream *out, unsigned flags) {
  SERVE(NEED_HEALTH, create(out, flags, 0));
}

CU_API CUresult cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority) {
  SERVE(NEED_HEALTH, create(out, flags, priority));
}

static bool is_default(CUstream s) { return !s || s == STREAM_LEGACY || s == STREAM_PER_THREAD; }

static CUresult destroy(CUstream s) {
  if (!handle_is(s, HANDLE_STREAM)) return CUDA_ERROR_INVALID_HANDLE;
  handle_drop(s);
  stream_drop(s);
  return CUDA_SUCCESS;
}

CU_API CUresult cuStreamDestroy_v2(CUstream s) { SERVE(NEED_INIT, destroy(s)); }

/* The work of a captured stream has not run, so its result is an error. */
static CUresult check(const Stream *s) {
  const CUresult result = capture_guard_stream(s);
  return result || s != stream_of(STREAM_LEGACY) ? result : guard_legacy();
}

static CUresult query(CUstream handle) {
  const Stream *s = stream_of(handle);
  const CUresult result = check(s);
  if (result) return result;
  return pending_ask(s) ? CUDA_ERROR_NOT_READY : context_error();
}

static CUresult synchronize(CUstream handle) {
  const Stream *s = stream_of(handle);
  const CUresult result = check(s);
  if (result) return result;
  pending_finish(s);
  print_flush();
  return context_error();
}

CU_API CUresult cuStreamSynchronize(CUstream s) { SERVE_IN(s, NEED_HEALTH, synchronize(s)); }
PER_THREAD(cuStreamSynchronize, _ptsz, (CUstream s), (s))

/* Host functions and forked processes may query, as on an H200. */
CU_API CUresult cuStreamQuery(CUstream s) { SERVE_IN(s, NEED_NOTHING, query(s)); }
PER_THREAD(cuStreamQuery, _ptsz, (CUstream s), (s))

/* A captured stream may wait for an event that was recorded outside of the capture only if the
 * flags permit it. */
static CUresult wait(CUstream handle, Event *e, unsigned flags) {
  enum { EXTERNAL = 1 };
  if (flags > EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
  Stream *s = stream_of(handle);
  if (!handle_is(e, HANDLE_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  const CUresult result = flags & EXTERNAL ? CUDA_SUCCESS : capture_wait(s, e);
  const uint64_t record = event_elsewhere(e);
  if (!s->capture) pending_settle();
  if (result || s->capture || (!e->pending && !record)) return result;
  return pending_submit(handle, &(Work){.kind = WORK_WAIT, .record = record, .event = e});
}

CU_API CUresult cuStreamWaitEvent(CUstream s, CUevent event, unsigned flags) {
  SERVE_IN(s, NEED_HEALTH, wait(s, event, flags));
}
PER_THREAD(cuStreamWaitEvent, _ptsz, (CUstream s, CUevent event, unsigned flags), (s, event, flags))

static CUresult nothing(void) { return CUDA_SUCCESS; }

CU_API CUresult cuStreamAttachMemAsync(CUstream s, CUdeviceptr address, size_t bytes,
                                       unsigned flags) {
  (void)s, (void)address, (void)bytes, (void)flags;
  SERVE_IN(s, NEED_HEALTH, nothing());
}
PER_THREAD(cuStreamAttachMemAsync, _ptsz,
           (CUstream s, CUdeviceptr address, size_t bytes, unsigned flags),
           (s, address, bytes, flags))

/* Defines a function that returns one property of a stream. */
#define STREAM_PROPERTY(name, type, value)                                                         \
  static CUresult of_##name(CUstream s, type *out) {                                               \
    if (!out) return CUDA_ERROR_INVALID_VALUE;                                                     \
    *out = (value);                                                                                \
    return CUDA_SUCCESS;                                                                           \
  }                                                                                                \
  CU_API CUresult name(CUstream s, type *out) { SERVE_IN(s, NEED_CONTEXT, of_##name(s, out)); }    \
  PER_THREAD(name, _ptsz, (CUstream s, type * out), (s, out))

STREAM_PROPERTY(cuStreamGetFlags, unsigned, is_default(s) ? 0 : s->flags)
STREAM_PROPERTY(cuStreamGetPriority, int, is_default(s) ? 0 : s->priority)
STREAM_PROPERTY(cuStreamGetId, unsigned long long, stream_of(s)->id)
STREAM_PROPERTY(cuStreamGetCtx, CUcontext, is_default(s) ? context_current() : s->context)
STREAM_PROPERTY(cuStreamIsCapturing, int, (int)capture_status(stream_of(s)))

CU_API CUresult cuStreamGetDevice(CUstream s, CUdevice *out) {
  (void)s;
  SERVE_IN(s, NEED_CONTEXT, context_get_device(out));
}
PER_THREAD(cuStreamGetDevice, _ptsz, (CUstream s, CUdevice *out), (s, out))

/* --- host functions --- */

static CUresult add_callback(CUstream s, StreamCallback *call, void *data, unsigned flags) {
  if (!call || flags) return CUDA_ERROR_INVALID_VALUE;
  return pending_submit(s, &(Work){.kind = WORK_HOST, .host = {NULL, data, call, s}});
}

CU_API CUresult cuStreamAddCallback(CUstream s, StreamCallback *call, void *data, unsigned flags) {
  SERVE_IN(s, NEED_CONTEXT, add_callback(s, call, data, flags));
}
PER_THREAD(cuStreamAddCallback, _ptsz,
           (CUstream s, StreamCallback *call, void *data, unsigned flags), (s, call, data, flags))

static CUresult start_host(CUstream s, HostFunction *call, void *data) {
  if (!call) return CUDA_ERROR_INVALID_VALUE;
  return pending_submit(s, &(Work){.kind = WORK_HOST, .host = {call, data, NULL, NULL}});
}

CU_API CUresult cuLaunchHostFunc(CUstream s, HostFunction *call, void *data) {
  SERVE_IN(s, NEED_HEALTH, start_host(s, call, data));
}
PER_THREAD(cuLaunchHostFunc, _ptsz, (CUstream s, HostFunction *call, void *data), (s, call, data))

/* --- attributes: hints about caches and waiting, which have no effect here --- */

enum { STREAM_ATTRIBUTE_BYTES = 64, ATTRIBUTE_WINDOW = 1, ATTRIBUTE_WAITING = 3 };

/* The waiting policy is -1 until it is set, as on an H200. */
static CUresult get_attribute(const Stream *s, int attribute, void *out) {
  const int waiting = s->waiting ? s->waiting : -1;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  memset(out, 0, STREAM_ATTRIBUTE_BYTES);
  if (attribute == ATTRIBUTE_WAITING) memcpy(out, &waiting, sizeof waiting);
  if (attribute == ATTRIBUTE_WINDOW) memcpy(out, s->window, sizeof s->window);
  return CUDA_SUCCESS;
}

static CUresult set_attribute(Stream *s, int attribute, const void *value) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == ATTRIBUTE_WAITING) memcpy(&s->waiting, value, sizeof s->waiting);
  if (attribute == ATTRIBUTE_WINDOW) memcpy(s->window, value, sizeof s->window);
  return CUDA_SUCCESS;
}

static CUresult copy_attributes(CUstream to, CUstream from) {
  if (!stream_is(from)) return CUDA_ERROR_INVALID_HANDLE;
  Stream *s = stream_of(to);
  s->waiting = stream_of(from)->waiting;
  memcpy(s->window, stream_of(from)->window, sizeof s->window);
  return CUDA_SUCCESS;
}

CU_API CUresult cuStreamGetAttribute(CUstream s, int attribute, void *out) {
  SERVE_IN(s, NEED_CONTEXT, get_attribute(stream_of(s), attribute, out));
}
PER_THREAD(cuStreamGetAttribute, _ptsz, (CUstream s, int attribute, void *out), (s, attribute, out))

CU_API CUresult cuStreamSetAttribute(CUstream s, int attribute, const void *value) {
  SERVE_IN(s, NEED_CONTEXT, set_attribute(stream_of(s), attribute, value));
}
PER_THREAD(cuStreamSetAttribute, _ptsz, (CUstream s, int attribute, const void *value),
           (s, attribute, value))

CU_API CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  SERVE_IN(to, NEED_CONTEXT, copy_attributes(to, from));
}
PER_THREAD(cuStreamCopyAttributes, _ptsz, (CUstream to, CUstream from), (to, from))

/* --- captures --- */

static CUresult begin_capture(CUstream handle, Graph *graph, Node *const *dep, size_t deps,
                              int mode) {
  Stream *s = stream_of(handle);
  if (s == stream_of(STREAM_LEGACY)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (graph && !handle_is(graph, HANDLE_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
  if (s->capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (mode < CAPTURE_GLOBAL || mode > CAPTURE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  return capture_begin(s, graph, dep, deps, (CaptureMode)mode) ? CUDA_SUCCESS
                                                               : CUDA_ERROR_OUT_OF_MEMORY;
}

CU_API CUresult cuStreamBeginCapture(CUstream s) {
  SERVE_IN(s, NEED_HEALTH, begin_capture(s, NULL, NULL, 0, CAPTURE_GLOBAL));
}
PER_THREAD(cuStreamBeginCapture, _ptsz, (CUstream s), (s))

CU_API CUresult cuStreamBeginCapture_v2(CUstream s, int mode) {
  SERVE_IN(s, NEED_HEALTH, begin_capture(s, NULL, NULL, 0, mode));
}
PER_THREAD(cuStreamBeginCapture_v2, _ptsz, (CUstream s, int mode), (s, mode))

CU_API CUresult cuStreamBeginCaptureToGraph(CUstream s, CUgraph graph, Node *const *dep,
                                            const void *edges, size_t deps, int mode) {
  (void)edges;
  SERVE_IN(s, NEED_HEALTH, begin_capture(s, graph, dep, deps, mode));
}
PER_THREAD(cuStreamBeginCaptureToGraph, _ptsz,
           (CUstream s, CUgraph graph, Node *const *dep, const void *edges, size_t deps, int mode),
           (s, graph, dep, edges, deps, mode))

/* The program may pass NULL if the capture goes into a graph that the program supplied. */
static CUresult end_capture(CUstream handle, CUgraph *out) {
  Stream *s = stream_of(handle);
  if (!out && !(s->capture && s->capture->given)) return CUDA_ERROR_INVALID_VALUE;
  CUgraph graph;
  const CUresult result = capture_end(s, &graph);
  if (out) *out = graph;
  return result;
}

CU_API CUresult cuStreamEndCapture(CUstream s, CUgraph *out) {
  SERVE_IN(s, NEED_HEALTH, end_capture(s, out));
}
PER_THREAD(cuStreamEndCapture, _ptsz, (CUstream s, CUgraph *out), (s, out))

/* All output pointers except the status may be NULL. */
static CUresult get_info(CUstream handle, int *status, uint64_t *id, CUgraph *graph,
                         Node *const **dep, size_t *deps) {
  const Stream *s = stream_of(handle);
  if (!status) return CUDA_ERROR_INVALID_VALUE;
  *status = (int)capture_status(s);
  if (*status != CAPTURE_ACTIVE) return CUDA_SUCCESS;
  if (id) *id = s->capture->guard.id;
  if (graph) *graph = s->capture->graph;
  if (dep) *dep = s->tail;
  if (deps) *deps = (size_t)s->tails;
  return CUDA_SUCCESS;
}

CU_API CUresult cuStreamGetCaptureInfo(CUstream s, int *status, uint64_t *id) {
  SERVE_IN(s, NEED_CONTEXT, get_info(s, status, id, NULL, NULL, NULL));
}
PER_THREAD(cuStreamGetCaptureInfo, _ptsz, (CUstream s, int *status, uint64_t *id), (s, status, id))

CU_API CUresult cuStreamGetCaptureInfo_v2(CUstream s, int *status, uint64_t *id, CUgraph *graph,
                                          Node *const **dep, size_t *deps) {
  SERVE_IN(s, NEED_CONTEXT, get_info(s, status, id, graph, dep, deps));
}
PER_THREAD(cuStreamGetCaptureInfo_v2, _ptsz,
           (CUstream s, int *status, uint64_t *id, CUgraph *graph, Node *const **dep, size_t *deps),
           (s, status, id, graph, dep, deps))

CU_API CUresult cuStreamGetCaptureInfo_v3(CUstream s, int *status, uint64_t *id, CUgraph *graph,
                                          Node *const **dep, const void **edges, size_t *deps) {
  if (edges) *edges = NULL;
  SERVE_IN(s, NEED_CONTEXT, get_info(s, status, id, graph, dep, deps));
}
PER_THREAD(cuStreamGetCaptureInfo_v3, _ptsz,
           (CUstream s, int *status, uint64_t *id, CUgraph *graph, Node *const **dep,
            const void **edges, size_t *deps),
           (s, status, id, graph, dep, edges, deps))

static CUresult set_tails(CUstream handle, Node *const *dep, size_t deps, unsigned replace) {
  Stream *s = stream_of(handle);
  if (!s->capture) return CUDA_ERROR_ILLEGAL_STATE;
  return capture_set_tails(s, dep, deps, !replace) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CU_API CUresult cuStreamUpdateCaptureDependencies(CUstream s, Node *const *dep, size_t deps,
                                                  unsigned replace) {
  SERVE_IN(s, NEED_CONTEXT, set_tails(s, dep, deps, replace));
}
PER_THREAD(cuStreamUpdateCaptureDependencies, _ptsz,
           (CUstream s, Node *const *dep, size_t deps, unsigned replace), (s, dep, deps, replace))

CU_API CUresult cuStreamUpdateCaptureDependencies_v2(CUstream s, Node *const *dep,
                                                     const void *edges, size_t deps,
                                                     unsigned replace) {
  (void)edges;
  SERVE_IN(s, NEED_CONTEXT, set_tails(s, dep, deps, replace));
}
PER_THREAD(cuStreamUpdateCaptureDependencies_v2, _ptsz,
           (CUstream s, Node *const *dep, const void *edges, size_t deps, unsigned replace),
           (s, dep, edges, deps, replace))

static CUresult exchange_mode(int *mode) {
  if (!mode || *mode < CAPTURE_GLOBAL || *mode > CAPTURE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  *mode = (int)guard_exchange_mode((CaptureMode)*mode);
  return CUDA_SUCCESS;
}

CU_API CUresult cuThreadExchangeStreamCaptureMode(int *mode) {
  SERVE(NEED_NOTHING, exchange_mode(mode));
}
