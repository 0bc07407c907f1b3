/* SPDX-License-Identifier: MIT */
/* pool.c: the API functions for stream-ordered allocation. */
#include <stdlib.h>
#include <string.h>

#include "libcuda/state/allocation.h"
#include "libcuda/state/call.h"
#include "libcuda/state/pool.h"
#include "libcuda/stream/pending.h"

enum { POOL_ATTRIBUTES = 9 };

typedef struct Pool {
  uint64_t attribute[POOL_ATTRIBUTES]; /* CUmemPool_attribute */
} Pool;

/* The values of CUmemPool_attribute from 4 on; the others are reuse flags. */
enum { THRESHOLD = 4, RESERVED, RESERVED_HIGH, USED, USED_HIGH };

static Pool *default_pool(void) {
  static Pool one = {{0, 1, 1, 1}};
  return &one;
}

static Pool **chosen(void) {
  static Pool *one;
  if (!one) one = default_pool();
  return &one;
}

static void count(Pool *p, uint64_t bytes) {
  p->attribute[USED] += bytes;
  if (p->attribute[USED] > p->attribute[USED_HIGH]) p->attribute[USED_HIGH] = p->attribute[USED];
  if (p->attribute[RESERVED] < p->attribute[USED]) p->attribute[RESERVED] = p->attribute[USED];
  if (p->attribute[RESERVED] > p->attribute[RESERVED_HIGH])
    p->attribute[RESERVED_HIGH] = p->attribute[RESERVED];
}

/* In a captured stream, an allocation becomes a node of the graph. */
static CUresult capture(CUdeviceptr *out, uint64_t address, size_t bytes, CUstream stream) {
  allocation_drop(address);
  *out = address;
  return pending_submit(stream, &(Work){.kind = WORK_ALLOC, .memory = {address, bytes}});
}

static CUresult alloc(CUdeviceptr *out, size_t bytes, Pool *pool, CUstream stream) {
  if (!out || !pool) return CUDA_ERROR_INVALID_VALUE;
  uint64_t address = 0;
  *out = 0;
  if (!bytes) return CUDA_SUCCESS;
  const CUresult result = allocation_new(KIND_DEVICE, bytes, 0, pool, &address);
  if (result) return result;
  if (stream_of(stream)->capture) return capture(out, address, bytes, stream);
  count(pool, bytes);
  *out = address;
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH, alloc(out, bytes, *chosen(), stream));
}
PER_THREAD(cuMemAllocAsync, _ptsz, (CUdeviceptr * out, size_t bytes, CUstream stream),
           (out, bytes, stream))

CU_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, Pool *pool,
                                        CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH, alloc(out, bytes, pool, stream));
}
PER_THREAD(cuMemAllocFromPoolAsync, _ptsz,
           (CUdeviceptr * out, size_t bytes, Pool *pool, CUstream stream),
           (out, bytes, pool, stream))

/* Frees stream-ordered memory; memory that did not come from a pool may be freed this way, too. */
static CUresult release(CUdeviceptr address, CUstream stream) {
  const Work w = {.kind = WORK_FREE, .memory = {address, 0}};
  if (!address) return CUDA_SUCCESS;
  if (stream_of(stream)->capture) return pending_submit(stream, &w);
  const Allocation *a = allocation_at(address);
  if (!a || a->base != address || allocation_is_opened(a)) return CUDA_ERROR_INVALID_VALUE;
  Pool *pool = (Pool *)(uintptr_t)a->pool;
  if (pool) pool->attribute[USED] -= a->bytes;
  if (pool && pool->attribute[RESERVED] > pool->attribute[THRESHOLD])
    pool->attribute[RESERVED] = pool->attribute[USED] > pool->attribute[THRESHOLD]
                                    ? pool->attribute[USED]
                                    : pool->attribute[THRESHOLD];
  return pending_submit(stream, &w);
}

CU_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH, release(address, stream));
}
PER_THREAD(cuMemFreeAsync, _ptsz, (CUdeviceptr address, CUstream stream), (address, stream))

/* --- pools --- */

static CUresult give(Pool **out, Pool *pool) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = pool;
  return CUDA_SUCCESS;
}

CU_API CUresult cuDeviceGetDefaultMemPool(Pool **out, CUdevice device) {
  (void)device;
  SERVE(NEED_INIT, give(out, default_pool()));
}

CU_API CUresult cuDeviceGetMemPool(Pool **out, CUdevice device) {
  (void)device;
  SERVE(NEED_INIT, give(out, *chosen()));
}

static CUresult choose(Pool *pool) {
  if (!pool) return CUDA_ERROR_INVALID_VALUE;
  *chosen() = pool;
  return CUDA_SUCCESS;
}

CU_API CUresult cuDeviceSetMemPool(CUdevice device, Pool *pool) {
  (void)device;
  SERVE(NEED_INIT, choose(pool));
}

static CUresult create(Pool **out, const PoolProps *props) {
  if (!out || !props) return CUDA_ERROR_INVALID_VALUE;
  *out = malloc(sizeof **out);
  if (*out) **out = (Pool){{0, 1, 1, 1}};
  return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CU_API CUresult cuMemPoolCreate(Pool **out, const PoolProps *props) {
  SERVE(NEED_INIT, create(out, props));
}

/* Allocations may outlive the pool and refer to it, so the pool's memory is not freed here. */
static CUresult destroy(Pool *pool) {
  if (!pool || pool == default_pool()) return CUDA_ERROR_INVALID_VALUE;
  if (*chosen() == pool) *chosen() = default_pool();
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemPoolDestroy(Pool *pool) { SERVE(NEED_INIT, destroy(pool)); }

static CUresult trim(Pool *pool) {
  if (!pool) return CUDA_ERROR_INVALID_VALUE;
  pool->attribute[RESERVED] = pool->attribute[USED];
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemPoolTrimTo(Pool *pool, size_t bytes) {
  (void)bytes;
  SERVE(NEED_INIT, trim(pool));
}

/* Reuse flags are ints; amounts of memory have 64 bits. */
static CUresult get_attribute(const Pool *pool, int attribute, void *out) {
  if (!pool || !out || attribute < 1 || attribute >= POOL_ATTRIBUTES)
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(out, &pool->attribute[attribute], attribute < THRESHOLD ? sizeof(int) : sizeof(uint64_t));
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemPoolGetAttribute(Pool *pool, int attribute, void *out) {
  SERVE(NEED_INIT, get_attribute(pool, attribute, out));
}

static CUresult set_attribute(Pool *pool, int attribute, const void *value) {
  if (!pool || !value || attribute < 1 || attribute >= POOL_ATTRIBUTES)
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(&pool->attribute[attribute], value,
         attribute < THRESHOLD ? sizeof(int) : sizeof(uint64_t));
  if (attribute == USED_HIGH) pool->attribute[attribute] = pool->attribute[USED];
  if (attribute == RESERVED_HIGH) pool->attribute[attribute] = pool->attribute[RESERVED];
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemPoolSetAttribute(Pool *pool, int attribute, const void *value) {
  SERVE(NEED_INIT, set_attribute(pool, attribute, value));
}

/* There is only one device, which can access all pools. */
static CUresult set_access(const Pool *pool) {
  return pool ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuMemPoolSetAccess(Pool *pool, const void *access, size_t accesses) {
  (void)access, (void)accesses;
  SERVE(NEED_INIT, set_access(pool));
}

static CUresult get_access(int *out) {
  enum { READ_WRITE = 3 };
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = READ_WRITE;
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemPoolGetAccess(int *out, Pool *pool, const CUmemLocation *location) {
  (void)pool, (void)location;
  SERVE(NEED_INIT, get_access(out));
}

/* --- memory of graphs, per device: CUgraphMem_attribute --- */

static CUresult get_graph_memory(int attribute, uint64_t *out) {
  enum { GRAPH_ATTRIBUTES = 4 };
  if (!out || attribute < 0 || attribute >= GRAPH_ATTRIBUTES) return CUDA_ERROR_INVALID_VALUE;
  *out = allocation_of_graphs();
  return CUDA_SUCCESS;
}

CU_API CUresult cuDeviceGetGraphMemAttribute(CUdevice device, int attribute, uint64_t *out) {
  (void)device;
  SERVE(NEED_INIT, get_graph_memory(attribute, out));
}

static CUresult set_graph_memory(const uint64_t *value) {
  return value ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuDeviceSetGraphMemAttribute(CUdevice device, int attribute,
                                             const uint64_t *value) {
  (void)device, (void)attribute;
  SERVE(NEED_INIT, set_graph_memory(value));
}

static CUresult trim_graphs(CUdevice device) {
  return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CU_API CUresult cuDeviceGraphMemTrim(CUdevice device) { SERVE(NEED_INIT, trim_graphs(device)); }
