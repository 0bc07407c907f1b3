/* SPDX-License-Identifier: MIT */
/* lookup.c: the API functions that look up other API functions. */
#include <string.h>

#include "libcuda/api/entry.h"
#include "libcuda/state/call.h"

/* CUdriverProcAddress_flags. */
enum { PER_THREAD_DEFAULT_STREAM = 2 };

static CUresult get(const char *name, void **out, int version, uint64_t flags, int *query) {
  if (!name || !out) return CUDA_ERROR_INVALID_VALUE;
  Entry *entry = NULL;
  const EntryQuery found = entry_find(name, version, flags & PER_THREAD_DEFAULT_STREAM, &entry);
  memcpy(out, &entry,
         sizeof entry); /* ISO C has no cast from a function pointer to an object pointer */
  if (query) *query = (int)found;
  return found == ENTRY_FOUND || query ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CU_API CUresult cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags,
                                    int *query) {
  SERVE(NEED_NOTHING, get(name, out, version, flags, query));
}

CU_API CUresult cuGetProcAddress(const char *name, void **out, int version, uint64_t flags) {
  SERVE(NEED_NOTHING, get(name, out, version, flags, NULL));
}
