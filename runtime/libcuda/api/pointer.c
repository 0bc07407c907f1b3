/* SPDX-License-Identifier: MIT */
/* pointer.c: the API functions that describe an address. */
#include <string.h>

#include "libcuda/state/allocation.h"
#include "libcuda/state/call.h"
#include "libcuda/state/context.h"

/* CUpointer_attribute. */
enum {
  POINTER_CONTEXT = 1,
  POINTER_MEMORY_TYPE,
  POINTER_DEVICE,
  POINTER_HOST,
  POINTER_SYNC_MEMOPS = 6,
  POINTER_BUFFER_ID,
  POINTER_IS_MANAGED,
  POINTER_ORDINAL,
  POINTER_LEGACY_IPC,
  POINTER_RANGE_START,
  POINTER_RANGE_BYTES,
  POINTER_MAPPED,
  POINTER_HANDLE_TYPES,
  POINTER_RDMA,
  POINTER_ACCESS,
  POINTER_POOL
};

static void put(void *out, const void *value, size_t bytes) { memcpy(out, value, bytes); }

/* Attributes with 4 bytes; flags have 4 bytes, too, as with an H200's driver. */
static bool get_number(const Allocation *a, int attribute, int *out) {
  enum { READ_WRITE = 3 };
  const bool device = a->kind == KIND_DEVICE || a->kind == KIND_MANAGED;
  switch (attribute) {
  case POINTER_MEMORY_TYPE: *out = device ? MEMORY_DEVICE : MEMORY_HOST; return true;
  case POINTER_SYNC_MEMOPS: *out = device; return true;
  case POINTER_ORDINAL: *out = 0; return true;
  case POINTER_ACCESS: *out = READ_WRITE; return true;
  case POINTER_IS_MANAGED: *out = a->kind == KIND_MANAGED; return true;
  case POINTER_MAPPED: *out = 1; return true;
  case POINTER_LEGACY_IPC: *out = allocation_can_share(a); return true;
  case POINTER_RDMA: *out = 0; return true;
  default: return false;
  }
}

static CUresult get_host(const Allocation *a, uint64_t address, void *out) {
  const void *host = (void *)(uintptr_t)address;
  if (a->kind == KIND_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  put(out, &host, sizeof host);
  return CUDA_SUCCESS;
}

static CUresult get_word(const Allocation *a, int attribute, uint64_t address, void *out) {
  const CUcontext context = a->context ? a->context : context_current();
  switch (attribute) {
  case POINTER_CONTEXT: put(out, &context, sizeof context); break;
  case POINTER_DEVICE: put(out, &address, sizeof address); break;
  case POINTER_HOST: return get_host(a, address, out);
  case POINTER_BUFFER_ID: put(out, &a->id, sizeof a->id); break;
  case POINTER_RANGE_START: put(out, &a->base, sizeof a->base); break;
  case POINTER_RANGE_BYTES: put(out, &a->bytes, sizeof a->bytes); break;
  case POINTER_HANDLE_TYPES: memset(out, 0, sizeof(uint64_t)); break;
  case POINTER_POOL: put(out, &a->pool, sizeof a->pool); break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

/* The attribute determines the number of bytes written to `out`. */
static CUresult get_pointer(void *out, int attribute, const Allocation *a, uint64_t address) {
  int number;
  if (get_number(a, attribute, &number))
    put(out, &number, sizeof number);
  else
    return get_word(a, attribute, address, out);
  return CUDA_SUCCESS;
}

static CUresult get_attribute(void *out, int attribute, CUdeviceptr address) {
  Allocation a;
  return out && allocation_known(address, &a) ? get_pointer(out, attribute, &a, address)
                                              : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuPointerGetAttribute(void *out, int attribute, CUdeviceptr address) {
  SERVE(NEED_INIT, get_attribute(out, attribute, address));
}

/* Sets an unknown attribute, or an attribute of memory that CUDA does not know, to 0. */
static void clear(void *out, int attribute) {
  static const uint8_t bytes[POINTER_POOL + 1] = {
      [POINTER_CONTEXT] = 8,      [POINTER_MEMORY_TYPE] = 4, [POINTER_DEVICE] = 8,
      [POINTER_HOST] = 8,         [POINTER_SYNC_MEMOPS] = 4, [POINTER_BUFFER_ID] = 8,
      [POINTER_IS_MANAGED] = 4,   [POINTER_ORDINAL] = 4,     [POINTER_LEGACY_IPC] = 4,
      [POINTER_RANGE_START] = 8,  [POINTER_RANGE_BYTES] = 8, [POINTER_MAPPED] = 4,
      [POINTER_HANDLE_TYPES] = 8, [POINTER_RDMA] = 4,        [POINTER_ACCESS] = 4,
      [POINTER_POOL] = 8};
  if (attribute > 0 && attribute <= POINTER_POOL) memset(out, 0, bytes[attribute]);
  const int unknown = -2; /* CU_DEVICE_INVALID */
  if (attribute == POINTER_ORDINAL) memcpy(out, &unknown, sizeof unknown);
}

static CUresult get_attributes(unsigned count, const int *attribute, void **out,
                               CUdeviceptr address) {
  if (!attribute || !out) return CUDA_ERROR_INVALID_VALUE;
  Allocation a;
  const bool known = allocation_known(address, &a);
  for (unsigned i = 0; i < count; i++) {
    clear(out[i], attribute[i]);
    if (known) get_pointer(out[i], attribute[i], &a, address);
  }
  return CUDA_SUCCESS;
}

CU_API CUresult cuPointerGetAttributes(unsigned count, const int *attribute, void **out,
                                       CUdeviceptr address) {
  SERVE(NEED_INIT, get_attributes(count, attribute, out, address));
}

static CUresult set_attribute(CUdeviceptr address) {
  return allocation_at(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr address) {
  (void)value, (void)attribute;
  SERVE(NEED_INIT, set_attribute(address));
}
