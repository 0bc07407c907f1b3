/* SPDX-License-Identifier: MIT */
/* free.c: the API functions that free memory. As on an H200, they wait until no pending work may
 * use it. */
#include <stdlib.h>

#include "libcuda/state/allocation.h"
#include "libcuda/state/array.h"
#include "libcuda/state/call.h"
#include "libcuda/state/handle.h"
#include "libcuda/state/module.h"
#include "libcuda/stream/pending.h"
#include "libcuda/watch/host.h"

static CUresult refuse_to_free(uint64_t address) {
  host_cannot_free(address);
  return CUDA_ERROR_INVALID_VALUE;
}

static CUresult free_device(CUdeviceptr address) {
  if (!address) return CUDA_SUCCESS;
  const Allocation *a = allocation_at(address);
  if (!a || a->base != address || (a->kind != KIND_DEVICE && a->kind != KIND_MANAGED) ||
      allocation_is_opened(a))
    return refuse_to_free(address);
  pending_finish_all();
  return allocation_drop(address);
}

CU_API CUresult cuMemFree_v2(CUdeviceptr address) {
  SERVE_AS(allocation_context(address), NEED_SAFETY, free_device(address));
}

static CUcontext context_of(const void *host) {
  return allocation_context((uint64_t)(uintptr_t)host);
}

static CUresult free_host(void *host) {
  if (!host) return CUDA_SUCCESS;
  const Allocation *a = allocation_at((uint64_t)(uintptr_t)host);
  if (!a || a->base != (uint64_t)(uintptr_t)host || a->kind != KIND_PINNED)
    return refuse_to_free((uint64_t)(uintptr_t)host);
  pending_finish_all();
  return allocation_drop((uint64_t)(uintptr_t)host);
}

CU_API CUresult cuMemFreeHost(void *host) {
  SERVE_AS(context_of(host), NEED_HEALTH, free_host(host));
}

static CUresult remove_host(void *host) {
  const Allocation *a = allocation_at((uint64_t)(uintptr_t)host);
  if (!host) return CUDA_ERROR_INVALID_VALUE;
  if (!a || a->base != (uint64_t)(uintptr_t)host || a->kind != KIND_REGISTERED)
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  pending_finish_all();
  return allocation_drop((uint64_t)(uintptr_t)host);
}

CU_API CUresult cuMemHostUnregister(void *host) {
  SERVE_AS(context_of(host), NEED_HEALTH, remove_host(host));
}

static CUresult destroy_array(CUarray array) {
  if (!handle_is(array, HANDLE_ARRAY) || array->whole) return CUDA_ERROR_INVALID_HANDLE;
  pending_finish_all();
  const CUresult result = allocation_drop(array->image.address);
  handle_drop(array);
  free(array);
  return result;
}

CU_API CUresult cuArrayDestroy(CUarray array) { SERVE(NEED_INIT, destroy_array(array)); }

static CUresult destroy_mipmap(CUmipmappedArray whole) {
  if (!handle_is(whole, HANDLE_MIPMAP)) return CUDA_ERROR_INVALID_HANDLE;
  pending_finish_all();
  const CUresult result = allocation_drop(whole->image.address);
  for (unsigned i = 0; i < whole->image.levels; i++) handle_drop(&whole->level[i]);
  handle_drop(whole);
  free(whole);
  return result;
}

CU_API CUresult cuMipmappedArrayDestroy(CUmipmappedArray whole) {
  SERVE(NEED_INIT, destroy_mipmap(whole));
}

static CUresult unload(Module *m) {
  pending_drop_module(m);
  return module_unload(m);
}

CU_API CUresult cuModuleUnload(CUmodule m) { SERVE(NEED_INIT, unload(m)); }
CU_API CUresult cuLibraryUnload(CUlibrary m) { SERVE(NEED_INIT, unload(m)); }
