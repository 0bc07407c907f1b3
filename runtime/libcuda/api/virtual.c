/* SPDX-License-Identifier: MIT */
/* virtual.c: the API functions for virtual memory management. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "libcuda/state/allocation.h"
#include "libcuda/state/call.h"

enum { GRANULARITY = 2 << 20 };

typedef struct {
  int type, handle_types;
  CUmemLocation location;
  void *security;
  unsigned char flags[8];
} Properties; /* CUmemAllocationProp */

/* CUmemGenericAllocationHandle: an allocation, which has device memory only while it is mapped. */
typedef struct Block {
  struct Block *next; /* next mapped allocation */
  size_t bytes;
  uint64_t mapped; /* address; 0: not mapped */
  void *kept;      /* contents from the last unmapping; NULL: zeros */
  size_t kept_bytes;
  bool released; /* released by the program: freed when it is unmapped */
  Properties properties;
} Block;

static Block **mapped_blocks(void) {
  static Block *first;
  return &first;
}

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

/* Reserves an address range by allocating and freeing it: device addresses are never reused. */
static CUresult reserve(CUdeviceptr *out, size_t bytes) {
  if (!out || !bytes || bytes % GRANULARITY) return CUDA_ERROR_INVALID_VALUE;
  uint64_t address;
  const CUresult result = allocation_new(KIND_DEVICE, bytes + GRANULARITY, 0, NULL, &address);
  if (result) return result;
  allocation_drop(address);
  *out = number_up_bytes(address, GRANULARITY);
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
  if (bytes > driver()->device->memory_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = calloc(1, sizeof **out);
  if (*out) **out = (Block){.bytes = bytes, .properties = *p};
  return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CU_API CUresult cuMemCreate(Block **out, size_t bytes, const Properties *properties,
                            unsigned long long flags) {
  (void)flags;
  SERVE(NEED_INIT, create(out, bytes, properties));
}

static void drop(Block *b) {
  free(b->kept);
  free(b);
}

/* A mapped handle is kept until it is unmapped. */
static CUresult release(Block *b) {
  if (!b) return CUDA_ERROR_INVALID_VALUE;
  b->released = true;
  if (!b->mapped) drop(b);
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemRelease(Block *b) { SERVE(NEED_INIT, release(b)); }

/* Restores the contents that the allocation had when it was last unmapped. */
static void give_back(Block *b, size_t bytes) {
  const size_t known = b->kept_bytes < bytes ? b->kept_bytes : bytes;
  if (known) memcpy(allocation_view(b->mapped, known), b->kept, known);
  free(b->kept);
  b->kept = NULL;
  b->kept_bytes = 0;
}

/* CUDA maps allocations from their beginning only [CUDA driver API, cuMemMap: offset must be 0]. */
static CUresult map(uint64_t address, size_t bytes, size_t offset, Block *b) {
  if (!b || !bytes || bytes % GRANULARITY || address % GRANULARITY) return CUDA_ERROR_INVALID_VALUE;
  if (offset || bytes > b->bytes) return CUDA_ERROR_INVALID_VALUE;
  if (b->mapped) return api_missing("memory mapped at two addresses");
  const CUresult result = allocation_new_at(address, bytes);
  if (result) return result;
  b->mapped = address;
  b->next = *mapped_blocks();
  *mapped_blocks() = b;
  give_back(b, bytes);
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, Block *b,
                         unsigned long long flags) {
  (void)flags;
  SERVE(NEED_INIT, map(address, bytes, offset, b));
}

/* Saves the contents, because the allocation may be mapped again. */
static CUresult keep(Block *b, size_t bytes) {
  b->kept = malloc(bytes);
  if (!b->kept) return CUDA_ERROR_OUT_OF_MEMORY;
  memcpy(b->kept, allocation_view(b->mapped, bytes), bytes);
  b->kept_bytes = bytes;
  return CUDA_SUCCESS;
}

/* Unmaps the first mapping in a range, and moves the range's start past it. A mapping can only be
 * unmapped as a whole [CUDA driver API, cuMemUnmap]. */
static CUresult unmap_one(uint64_t *from, uint64_t end) {
  const uint64_t address = *from;
  const Allocation *a = allocation_at(address);
  Block **at = mapped_blocks();
  while (*at && (*at)->mapped != address) at = &(*at)->next;
  Block *b = *at;
  if (!a || !b || a->bytes > end - address) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = b->released ? CUDA_SUCCESS : keep(b, (size_t)a->bytes);
  if (result) return result;
  *at = b->next;
  *from = address + a->bytes;
  b->mapped = 0;
  if (b->released) drop(b);
  return allocation_drop(address);
}

static CUresult unmap(uint64_t address, size_t bytes) {
  if (!bytes || bytes > UINT64_MAX - address) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = CUDA_SUCCESS;
  for (const uint64_t end = address + bytes; !result && address < end;)
    result = unmap_one(&address, end);
  return result;
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
