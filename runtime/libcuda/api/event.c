/* SPDX-License-Identifier: MIT */
/* event.c: the API functions for events. */
#include "libcuda/state/event.h"
#include "libcuda/state/call.h"
#include "libcuda/state/context.h"
#include "libcuda/state/handle.h"
#include "libcuda/state/print.h"
#include "libcuda/stream/pending.h"
#include "libcuda/stream/stream.h"

/* Interprocess events must have timing disabled [CUDA driver API, cuEventCreate]. */
static CUresult create(CUevent *out, unsigned flags) {
  const bool shares = flags & EVENT_INTERPROCESS;
  if (!out || flags > 7 || (shares && !(flags & EVENT_DISABLE_TIMING)))
    return CUDA_ERROR_INVALID_VALUE;
  Shared *shared = shares ? shared_new(sizeof(uint64_t)) : NULL;
  *out = shares && !shared ? NULL : event_new(flags, shared);
  if (!*out) shared_drop(shared);
  return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CU_API CUresult cuEventCreate(CUevent *out, unsigned flags) {
  SERVE(NEED_HEALTH, create(out, flags));
}

static CUcontext context_of(CUevent e) { return handle_is(e, HANDLE_EVENT) ? e->context : NULL; }

static CUresult destroy(CUevent e) {
  if (!handle_is(e, HANDLE_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  handle_drop(e);
  event_drop(e);
  return CUDA_SUCCESS;
}

CU_API CUresult cuEventDestroy_v2(CUevent e) { SERVE(NEED_INIT, destroy(e)); }

static CUresult record(CUevent e, CUstream stream) {
  Stream *s = stream_of(stream);
  if (!handle_is(e, HANDLE_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  if (!capture_record(s, e)) return CUDA_ERROR_OUT_OF_MEMORY;
  if (s->capture) return CUDA_SUCCESS;
  pending_settle();
  if (!pending_before(s)) return event_pass(e), CUDA_SUCCESS;
  return pending_submit(stream, &(Work){.kind = WORK_RECORD, .event = e});
}

CU_API CUresult cuEventRecord(CUevent e, CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH, record(e, stream));
}
PER_THREAD(cuEventRecord, _ptsz, (CUevent e, CUstream stream), (e, stream))

CU_API CUresult cuEventRecordWithFlags(CUevent e, CUstream stream, unsigned flags) {
  (void)flags;
  SERVE_IN(stream, NEED_HEALTH, record(e, stream));
}
PER_THREAD(cuEventRecordWithFlags, _ptsz, (CUevent e, CUstream stream, unsigned flags),
           (e, stream, flags))

/* A query is unsafe while another stream is captured; waiting is not. */
static CUresult query(CUevent e) {
  if (!handle_is(e, HANDLE_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  const CUresult result = capture_guard_event(e), unsafe = result ? result : guard_unsafe();
  if (unsafe) return unsafe;
  return pending_ask_event(e) ? CUDA_ERROR_NOT_READY : context_error();
}

static CUresult synchronize(CUevent e) {
  if (!handle_is(e, HANDLE_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  const CUresult result = capture_guard_event(e);
  if (result) return result;
  pending_finish_event(e);
  print_flush();
  return context_error();
}

CU_API CUresult cuEventSynchronize(CUevent e) {
  SERVE_AS(context_of(e), NEED_HEALTH, synchronize(e));
}

/* Host functions and forked processes may query, as on an H200. */
CU_API CUresult cuEventQuery(CUevent e) { SERVE_AS(context_of(e), NEED_NOTHING, query(e)); }

static CUresult elapsed(float *ms, CUevent from, CUevent to) {
  if (!ms) return CUDA_ERROR_INVALID_VALUE;
  if (!handle_is(from, HANDLE_EVENT) || !handle_is(to, HANDLE_EVENT))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!from->recorded || !to->recorded) return CUDA_ERROR_INVALID_HANDLE;
  if ((from->flags | to->flags) & EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_HANDLE;
  if (from->pending || to->pending) return CUDA_ERROR_NOT_READY;
  *ms = (float)((double)(to->time.tv_sec - from->time.tv_sec) * 1e3 +
                (double)(to->time.tv_nsec - from->time.tv_nsec) / 1e6);
  return CUDA_SUCCESS;
}

CU_API CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to) {
  SERVE_AS(context_of(from), NEED_HEALTH, elapsed(ms, from, to));
}

CU_API CUresult cuEventElapsedTime_v2(float *ms, CUevent from, CUevent to) {
  SERVE_AS(context_of(from), NEED_HEALTH, elapsed(ms, from, to));
}
