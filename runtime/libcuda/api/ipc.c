/* SPDX-License-Identifier: MIT */
/* ipc.c: the API functions that share memory and events with other processes. */
#include <string.h>
#include <unistd.h>

#include "libcuda/state/allocation.h"
#include "libcuda/state/call.h"
#include "libcuda/state/context.h"
#include "libcuda/state/event.h"
#include "libcuda/state/handle.h"
#include "libcuda/stream/pending.h"

/* CUipcMemHandle, CUipcEventHandle. */
typedef struct {
  char bytes[64];
} IpcHandle;

_Static_assert(sizeof(SharedHandle) == sizeof(IpcHandle), "handles are CUDA's");

static CUresult give(IpcHandle *out, const Shared *s, SharedKind kind) {
  if (!s) return CUDA_ERROR_OUT_OF_MEMORY;
  const SharedHandle h = shared_handle(s, kind);
  memcpy(out, &h, sizeof h);
  return CUDA_SUCCESS;
}

/* Checks a handle. A process cannot open its own handles. */
static CUresult take(SharedHandle *out, const IpcHandle *handle, SharedKind kind) {
  memcpy(out, handle, sizeof *out);
  if (out->kind != kind) return CUDA_ERROR_INVALID_HANDLE;
  return out->process == (int32_t)getpid() ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

/* --- memory --- */

/* The handle of an address within an allocation refers to the whole allocation. */
static CUresult get_memory(IpcHandle *out, CUdeviceptr address) {
  const Allocation *a = allocation_at(address);
  if (!out || !a || !allocation_can_share(a)) return CUDA_ERROR_INVALID_VALUE;
  return give(out, allocation_share(address), SHARED_MEMORY);
}

CU_API CUresult cuIpcGetMemHandle(IpcHandle *out, CUdeviceptr address) {
  SERVE_AS(allocation_context(address), NEED_SAFETY, get_memory(out, address));
}

/* A handle that is opened again has the same address. */
static CUresult reopen(CUdeviceptr *out, const Allocation *a) {
  a->shared->opens++;
  *out = a->base;
  return CUDA_SUCCESS;
}

static CUresult open_memory(CUdeviceptr *out, const IpcHandle *handle, unsigned flags) {
  enum { LAZY_PEERS = 1 };
  SharedHandle h;
  if (!out || flags != LAZY_PEERS) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = take(&h, handle, SHARED_MEMORY);
  if (result) return result;
  const Allocation *a = allocation_find_opened(&h);
  if (a) return reopen(out, a);
  Shared *s = shared_open(&h);
  if (!s) return CUDA_ERROR_MAP_FAILED;
  uint64_t base;
  result = allocation_new_shared(s, &base);
  if (result)
    shared_drop(s);
  else
    *out = base;
  return result;
}

CU_API CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *out, IpcHandle handle, unsigned flags) {
  SERVE(NEED_SAFETY, open_memory(out, &handle, flags));
}

CU_API CUresult cuIpcOpenMemHandle(CUdeviceptr *out, IpcHandle handle, unsigned flags) {
  SERVE(NEED_SAFETY, open_memory(out, &handle, flags));
}

static CUresult close_memory(CUdeviceptr address) {
  const Allocation *a = allocation_at(address);
  if (!a || a->base != address || !allocation_is_opened(a)) return CUDA_ERROR_INVALID_VALUE;
  if (a->shared->opens > 1) return a->shared->opens--, CUDA_SUCCESS;
  pending_finish_all();
  return allocation_drop(address);
}

CU_API CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  SERVE_AS(allocation_context(address), NEED_SAFETY, close_memory(address));
}

/* --- events --- */

static CUresult get_event(IpcHandle *out, const Event *e) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!handle_is(e, HANDLE_EVENT) || !e->shared || e->shared->opens)
    return CUDA_ERROR_INVALID_HANDLE;
  return give(out, e->shared, SHARED_EVENT);
}

static CUcontext context_of(CUevent e) { return handle_is(e, HANDLE_EVENT) ? e->context : NULL; }

CU_API CUresult cuIpcGetEventHandle(IpcHandle *out, CUevent e) {
  SERVE_AS(context_of(e), NEED_HEALTH, get_event(out, e));
}

/* An opened event counts as recorded. A captured stream may wait for it only if the flags permit
 * that. */
static CUresult open_event(CUevent *out, const IpcHandle *handle) {
  SharedHandle h;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = take(&h, handle, SHARED_EVENT);
  if (result) return result;
  Shared *s = shared_open(&h);
  if (!s) return CUDA_ERROR_MAP_FAILED;
  *out = event_new(EVENT_INTERPROCESS | EVENT_DISABLE_TIMING, s);
  if (!*out) return shared_drop(s), CUDA_ERROR_OUT_OF_MEMORY;
  event_stamp(*out);
  return CUDA_SUCCESS;
}

CU_API CUresult cuIpcOpenEventHandle(CUevent *out, IpcHandle handle) {
  SERVE(NEED_HEALTH, open_event(out, &handle));
}
