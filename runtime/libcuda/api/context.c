/* SPDX-License-Identifier: MIT */
/* context.c: the API functions for contexts. */
#include <stdlib.h>

#include "base/number.h"
#include "libcuda/state/allocation.h"
#include "libcuda/state/call.h"
#include "libcuda/state/context.h"
#include "libcuda/state/guard.h"
#include "libcuda/state/print.h"
#include "libcuda/stream/pending.h"

/* --- the primary context --- */

static CUresult retain(CUcontext *out, CUdevice device) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  *out = context_primary();
  (*out)->retained++;
  context_begin(*out);
  return CUDA_SUCCESS;
}

CU_API CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
  SERVE(NEED_INIT, retain(out, device));
}

static CUresult release(CUdevice device) {
  Context *c = context_primary();
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  if (!c->retained) return CUDA_ERROR_INVALID_CONTEXT;
  if (--c->retained == 0) {
    pending_drop(c);
    context_end(c);
  }
  return CUDA_SUCCESS;
}

CU_API CUresult cuDevicePrimaryCtxRelease(CUdevice device) { SERVE(NEED_INIT, release(device)); }
CU_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) { SERVE(NEED_INIT, release(device)); }

static CUresult reset(CUdevice device) {
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  pending_drop(context_primary());
  print_flush();
  context_end(context_primary());
  allocation_reset();
  return CUDA_SUCCESS;
}

CU_API CUresult cuDevicePrimaryCtxReset(CUdevice device) { SERVE(NEED_INIT, reset(device)); }
CU_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) { SERVE(NEED_INIT, reset(device)); }

enum { MAPS_HOST = 8 }; /* CU_CTX_MAP_HOST, which every context has */

static CUresult get_state(CUdevice device, unsigned *flags, int *active) {
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
  *flags = context_primary()->flags | MAPS_HOST;
  *active = context_primary()->alive;
  return CUDA_SUCCESS;
}

CU_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  SERVE(NEED_INIT, get_state(device, flags, active));
}

static CUresult set_primary_flags(CUdevice device, unsigned flags) {
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  context_primary()->flags = flags;
  return CUDA_SUCCESS;
}

CU_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  SERVE(NEED_INIT, set_primary_flags(device, flags));
}

CU_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  SERVE(NEED_INIT, set_primary_flags(device, flags));
}

/* --- the stack --- */

static CUresult push(CUcontext context) {
  ContextStack *s = context_stack();
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  if (s->depth == CONTEXT_DEPTH) return CUDA_ERROR_OUT_OF_MEMORY;
  s->context[s->depth++] = context;
  return CUDA_SUCCESS;
}

CU_API CUresult cuCtxPushCurrent_v2(CUcontext context) { SERVE(NEED_INIT, push(context)); }

static CUresult pop(CUcontext *out) {
  ContextStack *s = context_stack();
  if (!s->depth) return CUDA_ERROR_INVALID_CONTEXT;
  s->depth--;
  if (out) *out = s->context[s->depth];
  return CUDA_SUCCESS;
}

CU_API CUresult cuCtxPopCurrent_v2(CUcontext *out) { SERVE(NEED_INIT, pop(out)); }

static CUresult set_current(CUcontext context) {
  ContextStack *s = context_stack();
  if (s->depth) s->depth--;
  if (context) {
    context_begin(context);
    s->context[s->depth++] = context;
  }
  return CUDA_SUCCESS;
}

CU_API CUresult cuCtxSetCurrent(CUcontext context) { SERVE(NEED_INIT, set_current(context)); }

static CUresult get_current(CUcontext *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = context_current();
  return CUDA_SUCCESS;
}

CU_API CUresult cuCtxGetCurrent(CUcontext *out) { SERVE(NEED_INIT, get_current(out)); }

CU_API CUresult cuCtxGetDevice(CUdevice *out) { SERVE(NEED_CONTEXT, context_get_device(out)); }

CU_API CUresult cuCtxGetDevice_v2(CUdevice *out, CUcontext context) {
  (void)context;
  SERVE(NEED_INIT, context_get_device(out));
}

/* --- creating and destroying --- */

static CUresult create(CUcontext *out, unsigned flags, CUdevice device) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  Context *c = calloc(1, sizeof *c);
  if (!c) return CUDA_ERROR_OUT_OF_MEMORY;
  c->flags = flags;
  c->attached = 1;
  context_begin(c);
  *out = c;
  return push(c);
}

CU_API CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device) {
  SERVE(NEED_INIT, create(out, flags, device));
}

CU_API CUresult cuCtxCreate_v4(CUcontext *out, void *params, unsigned flags, CUdevice device) {
  (void)params;
  SERVE(NEED_INIT, create(out, flags, device));
}

/* Keeps the context's memory, because other threads may still have it on their stacks. */
static CUresult destroy(CUcontext context) {
  static Context *last;
  if (!context || context == context_primary()) return CUDA_ERROR_INVALID_CONTEXT;
  pending_drop(context);
  print_flush();
  context_end(context);
  if (context_current() == context) context_stack()->depth--;
  context->destroyed = last;
  last = context;
  return CUDA_SUCCESS;
}

CU_API CUresult cuCtxDestroy_v2(CUcontext context) { SERVE(NEED_INIT, destroy(context)); }

/* --- reference counts, which PyCUDA uses --- */

static CUresult attach(CUcontext *out, unsigned flags) {
  if (!out || flags) return CUDA_ERROR_INVALID_VALUE;
  *out = context_current();
  (*out)->attached++;
  return CUDA_SUCCESS;
}

CU_API CUresult cuCtxAttach(CUcontext *out, unsigned flags) {
  SERVE(NEED_CONTEXT, attach(out, flags));
}

static CUresult detach(CUcontext context) {
  if (context != context_current() || !context->attached) return CUDA_ERROR_INVALID_CONTEXT;
  return --context->attached ? CUDA_SUCCESS : destroy(context);
}

CU_API CUresult cuCtxDetach(CUcontext context) { SERVE(NEED_CONTEXT, detach(context)); }

/* --- their properties --- */

static CUresult get_flags(unsigned *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = context_current()->flags | MAPS_HOST;
  return CUDA_SUCCESS;
}

CU_API CUresult cuCtxGetFlags(unsigned *out) { SERVE(NEED_CONTEXT, get_flags(out)); }

static CUresult set_flags(unsigned flags) {
  context_current()->flags = flags;
  return CUDA_SUCCESS;
}

CU_API CUresult cuCtxSetFlags(unsigned flags) { SERVE(NEED_CONTEXT, set_flags(flags)); }

static CUresult get_id(CUcontext context, unsigned long long *out) {
  const Context *c = context_or_current(context);
  if (!c || !out) return c ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_CONTEXT;
  *out = c->id;
  return CUDA_SUCCESS;
}

CU_API CUresult cuCtxGetId(CUcontext context, unsigned long long *out) {
  SERVE(NEED_INIT, get_id(context, out));
}

static CUresult get_api_version(CUcontext context, unsigned *out) {
  enum { API_VERSION = 3020 };
  if (!context_or_current(context)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = API_VERSION;
  return CUDA_SUCCESS;
}

CU_API CUresult cuCtxGetApiVersion(CUcontext context, unsigned *out) {
  SERVE(NEED_INIT, get_api_version(context, out));
}

static CUresult get_limit(size_t *out, unsigned limit) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (limit >= CONTEXT_LIMITS || limit == LIMIT_SYNC_DEPTH) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  *out = context_current()->limit[limit];
  return CUDA_SUCCESS;
}

CU_API CUresult cuCtxGetLimit(size_t *out, unsigned limit) {
  SERVE(NEED_CONTEXT, get_limit(out, limit));
}

/* Rounds a limit as an H200 does: up to the next supported value. */
static size_t rounded(unsigned limit, size_t value) {
  enum { STACK_GRAIN = 16, LEAST_PRINT = 512 << 10, LEAST_HEAP = 4 << 20 };
  if (limit == LIMIT_STACK_BYTES) return number_up_bytes(value, STACK_GRAIN);
  const size_t least = limit == LIMIT_PRINT_BYTES  ? LEAST_PRINT
                       : limit == LIMIT_HEAP_BYTES ? LEAST_HEAP
                                                   : 0;
  return value < least ? least : value;
}

/* The heap's limit is fixed once kernels may have allocated from it. */
static CUresult set_limit(unsigned limit, size_t given) {
  enum { MOST_FETCH = 128 };
  if (limit >= CONTEXT_LIMITS || limit == LIMIT_SYNC_DEPTH) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  if (limit == LIMIT_FETCH_BYTES && given > MOST_FETCH) return CUDA_ERROR_INVALID_VALUE;
  const size_t value = rounded(limit, given);
  size_t *now = &context_current()->limit[limit];
  if (limit == LIMIT_HEAP_BYTES && value != *now && !emu_set_heap(driver()->memory, value))
    return CUDA_ERROR_INVALID_VALUE;
  *now = value;
  return CUDA_SUCCESS;
}

CU_API CUresult cuCtxSetLimit(unsigned limit, size_t value) {
  SERVE(NEED_CONTEXT, set_limit(limit, value));
}

/* Preferences for caches and banks are accepted without effect. As on an H200, the cache preference
 * can be read back, and banks always have 4 bytes. */
static CUresult get_preference(int *out, int value) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = value;
  return CUDA_SUCCESS;
}

static CUresult set_preference(void) { return CUDA_SUCCESS; }

static CUresult set_cache(int config) {
  enum { PREFER_EQUAL = 3 };
  if (config < 0 || config > PREFER_EQUAL) return CUDA_ERROR_INVALID_VALUE;
  context_current()->cache_config = config;
  return CUDA_SUCCESS;
}

enum { BANKS_OF_FOUR_BYTES = 1 };

CU_API CUresult cuCtxGetCacheConfig(int *out) {
  SERVE(NEED_CONTEXT, get_preference(out, context_current()->cache_config));
}
CU_API CUresult cuCtxSetCacheConfig(int config) { SERVE(NEED_CONTEXT, set_cache(config)); }
CU_API CUresult cuCtxGetSharedMemConfig(int *out) {
  SERVE(NEED_CONTEXT, get_preference(out, BANKS_OF_FOUR_BYTES));
}
CU_API CUresult cuCtxSetSharedMemConfig(int config) {
  (void)config;
  SERVE(NEED_CONTEXT, set_preference());
}
CU_API CUresult cuCtxResetPersistingL2Cache(void) { SERVE(NEED_CONTEXT, set_preference()); }

static CUresult get_priorities(int *least, int *greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = STREAM_GREATEST_PRIORITY;
  return CUDA_SUCCESS;
}

CU_API CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  SERVE(NEED_CONTEXT, get_priorities(least, greatest));
}

/* Waits for pending work, then writes what kernels have printed, as CUDA does. */
static CUresult synchronize(const Context *c) {
  const CUresult refused = guard_device();
  if (refused) return refused;
  pending_finish_all();
  print_flush();
  return c ? c->error : CUDA_ERROR_INVALID_CONTEXT;
}

CU_API CUresult cuCtxSynchronize(void) { SERVE(NEED_CONTEXT, synchronize(context_current())); }

CU_API CUresult cuCtxSynchronize_v2(CUcontext context) {
  SERVE(NEED_INIT, synchronize(context_or_current(context)));
}

static CUresult refuse_peer(void) { return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED; }

CU_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  (void)peer, (void)flags;
  SERVE(NEED_CONTEXT, refuse_peer());
}

static CUresult refuse_no_peer(void) { return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED; }

CU_API CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  (void)peer;
  SERVE(NEED_CONTEXT, refuse_no_peer());
}
