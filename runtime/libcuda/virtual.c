/* virtual.c: the API's functions for virtual memory management. */
#include <stdlib.h>

#include "libcuda/api.h"
#include "libcuda/memory.h"

enum { GRANULARITY = 2 << 20 };

typedef struct {
  int type, handle_types;
  CUmemLocation location;
  void *security;
  unsigned char flags[8];
} Properties; /* CUmemAllocationProp */

/* CUmemGenericAllocationHandle: an allocation, which has memory while it is mapped. */
typedef struct {
  size_t bytes;
  uint64_t mapped; /* 0: nowhere */
  Properties properties;
} Block;

static CUresult granularity(size_t *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = GRANULARITY;
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemGetAllocationGranularity(size_t *out, const Properties *properties,
                                              int option) {
  (void)properties, (void)option;
  SERVE(NEED_INIT, granularity(out));
}

/* Device addresses are never reused, so the range of a freed allocation stays reserved. */
static CUresult reserve(CUdeviceptr *out, size_t bytes) {
  if (!out || !bytes || bytes % GRANULARITY) return CUDA_ERROR_INVALID_VALUE;
  uint64_t address;
  const CUresult result = memory_new(KIND_DEVICE, bytes + GRANULARITY, 0, NULL, &address);
  if (result) return result;
  memory_drop(address);
  *out = (address + GRANULARITY - 1) / GRANULARITY * GRANULARITY;
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t align, CUdeviceptr wish,
                                    unsigned long long flags) {
  (void)align, (void)wish, (void)flags;
  SERVE(NEED_INIT, reserve(out, bytes));
}

static CUresult nothing(void) { return CUDA_SUCCESS; }

CU_API CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  (void)address, (void)bytes;
  SERVE(NEED_INIT, nothing());
}

static CUresult create(Block **out, size_t bytes, const Properties *p) {
  if (!out || !p || !bytes || bytes % GRANULARITY) return CUDA_ERROR_INVALID_VALUE;
  *out = calloc(1, sizeof **out);
  if (*out) **out = (Block){.bytes = bytes, .properties = *p};
  return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CU_API CUresult cuMemCreate(Block **out, size_t bytes, const Properties *properties,
                            unsigned long long flags) {
  (void)flags;
  SERVE(NEED_INIT, create(out, bytes, properties));
}

/* A handle that is mapped is kept until it is unmapped. */
static CUresult release(Block *b) {
  if (!b) return CUDA_ERROR_INVALID_VALUE;
  if (!b->mapped) free(b);
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemRelease(Block *b) { SERVE(NEED_INIT, release(b)); }

static CUresult map(uint64_t address, size_t bytes, size_t offset, Block *b) {
  if (!b || !bytes || bytes % GRANULARITY || address % GRANULARITY) return CUDA_ERROR_INVALID_VALUE;
  if (offset + bytes > b->bytes) return CUDA_ERROR_INVALID_VALUE;
  if (b->mapped) return api_missing("memory mapped at two addresses");
  b->mapped = address;
  return memory_new_at(address, bytes);
}

CU_API CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, Block *b,
                         unsigned long long flags) {
  (void)flags;
  SERVE(NEED_INIT, map(address, bytes, offset, b));
}

static CUresult unmap(uint64_t address, size_t bytes) {
  for (const uint64_t end = address + bytes; address < end;) {
    const Allocation *a = memory_at(address);
    if (!a || a->base != address) return CUDA_ERROR_INVALID_VALUE;
    address += a->bytes;
    memory_drop(a->base);
  }
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  SERVE(NEED_INIT, unmap(address, bytes));
}

CU_API CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const void *access,
                               size_t accesses) {
  (void)address, (void)bytes, (void)access, (void)accesses;
  SERVE(NEED_INIT, nothing());
}

static CUresult get_properties(Properties *out, const Block *b) {
  if (!out || !b) return CUDA_ERROR_INVALID_VALUE;
  *out = b->properties;
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemGetAllocationPropertiesFromHandle(Properties *out, Block *b) {
  SERVE(NEED_INIT, get_properties(out, b));
}
