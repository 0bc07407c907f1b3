/* events.c: the API's functions for events. */
#include <stdlib.h>

#include "libcuda/api.h"
#include "libcuda/event.h"
#include "libcuda/print.h"
#include "libcuda/stream.h"

enum { EVENT_DISABLE_TIMING = 2 };

static CUresult create(CUevent *out, unsigned flags) {
  if (!out || flags > 7) return CUDA_ERROR_INVALID_VALUE;
  *out = calloc(1, sizeof **out);
  if (!*out) return CUDA_ERROR_OUT_OF_MEMORY;
  (*out)->flags = flags;
  return CUDA_SUCCESS;
}

CU_API CUresult cuEventCreate(CUevent *out, unsigned flags) {
  SERVE(NEED_HEALTH, create(out, flags));
}

static CUresult destroy(CUevent e) {
  if (!e) return CUDA_ERROR_INVALID_HANDLE;
  free(e->tail);
  free(e);
  return CUDA_SUCCESS;
}

CU_API CUresult cuEventDestroy_v2(CUevent e) { SERVE(NEED_CONTEXT, destroy(e)); }

static CUresult record(CUevent e, CUstream stream) {
  if (!e) return CUDA_ERROR_INVALID_HANDLE;
  return capture_record(stream_of(stream), e) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CU_API CUresult cuEventRecord(CUevent e, CUstream stream) { SERVE(NEED_HEALTH, record(e, stream)); }

CU_API CUresult cuEventRecordWithFlags(CUevent e, CUstream stream, unsigned flags) {
  (void)flags;
  SERVE(NEED_HEALTH, record(e, stream));
}

/* Asking is unsafe while another stream is captured; waiting is not. */
static CUresult query(CUevent e) {
  if (!e) return CUDA_ERROR_INVALID_HANDLE;
  const CUresult result = capture_guard_event(e);
  return result ? result : guard_unsafe();
}

static CUresult synchronize(CUevent e) {
  if (!e) return CUDA_ERROR_INVALID_HANDLE;
  const CUresult result = capture_guard_event(e);
  if (!result) print_flush();
  return result;
}

CU_API CUresult cuEventSynchronize(CUevent e) { SERVE(NEED_HEALTH, synchronize(e)); }

CU_API CUresult cuEventQuery(CUevent e) { SERVE(NEED_HEALTH, query(e)); }

static CUresult elapsed(float *ms, CUevent from, CUevent to) {
  if (!ms) return CUDA_ERROR_INVALID_VALUE;
  if (!from || !to || !from->recorded || !to->recorded) return CUDA_ERROR_INVALID_HANDLE;
  if ((from->flags | to->flags) & EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_HANDLE;
  *ms = (float)((double)(to->time.tv_sec - from->time.tv_sec) * 1e3 +
                (double)(to->time.tv_nsec - from->time.tv_nsec) / 1e6);
  return CUDA_SUCCESS;
}

CU_API CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to) {
  SERVE(NEED_HEALTH, elapsed(ms, from, to));
}

CU_API CUresult cuEventElapsedTime_v2(float *ms, CUevent from, CUevent to) {
  SERVE(NEED_HEALTH, elapsed(ms, from, to));
}
