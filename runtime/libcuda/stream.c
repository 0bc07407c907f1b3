#include "libcuda/stream.h"

#include <stdlib.h>

#include "libcuda/api.h"
#include "libcuda/context.h"
#include "libcuda/print.h"

static CUresult create(CUstream *out, unsigned flags, int priority) {
  static unsigned long long made = 2; /* the default ones are 1 and 2 */
  if (!out || flags > 1) return CUDA_ERROR_INVALID_VALUE;
  Stream *s = calloc(1, sizeof *s);
  if (!s) return CUDA_ERROR_OUT_OF_MEMORY;
  *s = (Stream){flags, priority, ++made, context_current()};
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
  if (is_default(s)) return CUDA_ERROR_INVALID_HANDLE;
  free(s);
  return CUDA_SUCCESS;
}

CU_API CUresult cuStreamDestroy_v2(CUstream s) { SERVE(NEED_CONTEXT, destroy(s)); }

static CUresult synchronize(void) {
  print_flush();
  return CUDA_SUCCESS;
}

CU_API CUresult cuStreamSynchronize(CUstream s) {
  (void)s;
  SERVE(NEED_HEALTH, synchronize());
}

static CUresult nothing(void) { return CUDA_SUCCESS; }

CU_API CUresult cuStreamQuery(CUstream s) {
  (void)s;
  SERVE(NEED_HEALTH, nothing());
}

CU_API CUresult cuStreamWaitEvent(CUstream s, CUevent event, unsigned flags) {
  (void)s, (void)event, (void)flags;
  SERVE(NEED_HEALTH, nothing());
}

CU_API CUresult cuStreamAttachMemAsync(CUstream s, CUdeviceptr address, size_t bytes,
                                       unsigned flags) {
  (void)s, (void)address, (void)bytes, (void)flags;
  SERVE(NEED_HEALTH, nothing());
}

static CUresult get_flags(CUstream s, unsigned *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = is_default(s) ? 0 : s->flags;
  return CUDA_SUCCESS;
}

CU_API CUresult cuStreamGetFlags(CUstream s, unsigned *out) {
  SERVE(NEED_CONTEXT, get_flags(s, out));
}

static CUresult get_priority(CUstream s, int *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = is_default(s) ? 0 : s->priority;
  return CUDA_SUCCESS;
}

CU_API CUresult cuStreamGetPriority(CUstream s, int *out) {
  SERVE(NEED_CONTEXT, get_priority(s, out));
}

static CUresult get_id(CUstream s, unsigned long long *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = is_default(s) ? (s == STREAM_PER_THREAD) + 1ull : s->id;
  return CUDA_SUCCESS;
}

CU_API CUresult cuStreamGetId(CUstream s, unsigned long long *out) {
  SERVE(NEED_CONTEXT, get_id(s, out));
}

static CUresult get_context(CUstream s, CUcontext *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = is_default(s) ? context_current() : s->context;
  return CUDA_SUCCESS;
}

CU_API CUresult cuStreamGetCtx(CUstream s, CUcontext *out) {
  SERVE(NEED_CONTEXT, get_context(s, out));
}

static CUresult get_device(CUdevice *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = 0;
  return CUDA_SUCCESS;
}

CU_API CUresult cuStreamGetDevice(CUstream s, CUdevice *out) {
  (void)s;
  SERVE(NEED_CONTEXT, get_device(out));
}

static CUresult is_capturing(CUstream s, int *out) {
  (void)s;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = 0;
  return CUDA_SUCCESS;
}

CU_API CUresult cuStreamIsCapturing(CUstream s, int *out) {
  SERVE(NEED_CONTEXT, is_capturing(s, out));
}

/* --- the program's own functions, which may call any but ours that wait --- */

typedef void StreamCallback(CUstream s, CUresult status, void *data);

CU_API CUresult cuStreamAddCallback(CUstream s, StreamCallback *call, void *data, unsigned flags) {
  CUresult result = api_enter(NEED_CONTEXT);
  if (!result && (!call || flags)) result = CUDA_ERROR_INVALID_VALUE;
  const CUresult status = result ? result : context_current()->error;
  api_leave(__func__, result);
  if (!result) call(s, status, data);
  return result;
}

typedef void HostFunction(void *data);

CU_API CUresult cuLaunchHostFunc(CUstream s, HostFunction *call, void *data) {
  (void)s;
  CUresult result = api_enter(NEED_HEALTH);
  if (!result && !call) result = CUDA_ERROR_INVALID_VALUE;
  api_leave(__func__, result);
  if (!result) call(data);
  return result;
}
