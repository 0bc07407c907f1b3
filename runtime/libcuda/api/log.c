/* SPDX-License-Identifier: MIT */
/* log.c: the API functions for the driver's error log. The log stays empty, because kgen writes to
 * stderr. Callbacks are registered, as PyTorch does, and never called. */
#include <stdlib.h>

#include "libcuda/state/call.h"
#include "libcuda/state/handle.h"

typedef void LogCallback(void *data, int level, char *message, size_t bytes);

static CUresult register_callback(LogCallback *call, void **out) {
  if (!call) return CUDA_ERROR_INVALID_VALUE;
  void *entry = malloc(1);
  if (!entry) return CUDA_ERROR_OUT_OF_MEMORY;
  handle_add(entry, HANDLE_LOG);
  if (out) *out = entry;
  return CUDA_SUCCESS;
}

static CUresult unregister(void *entry) {
  if (!handle_is(entry, HANDLE_LOG)) return CUDA_ERROR_INVALID_VALUE;
  handle_drop(entry);
  free(entry);
  return CUDA_SUCCESS;
}

CU_API CUresult cuLogsRegisterCallback(LogCallback *call, void *data, void **out) {
  (void)data;
  SERVE(NEED_INIT, register_callback(call, out));
}
CU_API CUresult cuLogsUnregisterCallback(void *entry) { SERVE(NEED_INIT, unregister(entry)); }
