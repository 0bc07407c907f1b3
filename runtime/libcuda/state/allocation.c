/* SPDX-License-Identifier: MIT */
#include "libcuda/state/allocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "libcuda/state/call.h"
#include "libcuda/state/context.h"
#include "libcuda/watch/host.h"
#include "libcuda/watch/session.h"

/* The allocations of the process. */
typedef struct {
  Ranges list; /* its items are Allocations; a removed one has 0 bytes */
  unsigned long long made;
  uint64_t device_end, used;
  uint64_t limit; /* limit of `used`, which the program queries; 0: not queried yet */
} Allocations;

static Allocations *all(void) {
  static Allocations one = {.list.size = sizeof(Allocation)};
  return &one;
}

#define DEVICE_BASE ((uint64_t)1 << 46) /* first device address, for the emulator */

static bool note(const Allocation *one) {
  Allocations *a = all();
  Allocation *added = ranges_add(&a->list, one);
  if (!added) return false;
  added->id = ++a->made;
  added->context = context_current();
  if (one->kind == KIND_DEVICE) a->used += one->bytes;
  return true;
}

const Allocation *allocation_at(uint64_t address) { return ranges_find(&all()->list, address); }

CUcontext allocation_context(uint64_t address) {
  const Allocation *a = allocation_at(address);
  return a ? a->context : NULL;
}

bool allocation_known(uint64_t address, Allocation *out) {
  const Allocation *a = allocation_at(address);
  EmuBuffer b;
  if (a) *out = *a;
  if (a) return true;
  if (!emu_buffer(driver()->memory, address, &b)) return false;
  *out = (Allocation){b.base, b.bytes, .kind = b.mapped ? KIND_MANAGED : KIND_DEVICE};
  return true;
}

/* --- making --- */

/* Allocates host memory, aligned to pages like CUDA's managed and pinned memory. */
static uint64_t new_host(uint64_t bytes, const char *name) {
  enum { PAGE = 4096 };
  if (bytes > PTRDIFF_MAX) return 0;
  void *host = aligned_alloc(PAGE, number_up_bytes(bytes, PAGE));
  if (!host) return 0;
  memset(host, 0, (size_t)bytes);
  if (emu_map(driver()->memory, host, bytes, name)) return (uint64_t)(uintptr_t)host;
  free(host);
  return 0;
}

static uint64_t new_device(uint64_t bytes, const char *name) {
  Allocations *a = all();
  if (bytes > driver()->device->memory_bytes - a->used) return 0;
  const uint64_t base = emu_alloc(driver()->memory, bytes, name);
  if (base && base + bytes > a->device_end) a->device_end = base + bytes;
  return base;
}

CUresult allocation_new(AllocationKind kind, uint64_t bytes, unsigned flags, const void *pool,
                        uint64_t *out) {
  static const char *const what[] = {"device memory", "pinned memory", "registered memory",
                                     "managed memory"};
  char name[64];
  snprintf(name, sizeof name, "%s #%llu", what[kind], all()->made + 1);
  Allocation one = {.bytes = bytes, .kind = kind, .flags = flags, .pool = pool};
  one.base = kind == KIND_DEVICE ? new_device(bytes, name) : new_host(bytes, name);
  if (!one.base) return CUDA_ERROR_OUT_OF_MEMORY;
  if (kind == KIND_DEVICE && session()) one.written = calloc(1, (size_t)(bytes / WRITTEN_WORD) + 1);
  if (!note(&one)) return CUDA_ERROR_OUT_OF_MEMORY;
  host_allocated(one.base, bytes, what[kind]);
  *out = one.base;
  return CUDA_SUCCESS;
}

bool allocation_is_opened(const Allocation *a) { return a->shared && a->shared->opens; }

bool allocation_can_share(const Allocation *a) {
  return a->kind == KIND_DEVICE && a->id && !a->pool && !a->fixed && !allocation_is_opened(a);
}

uint64_t allocation_of_graphs(void) {
  const Allocations *a = all();
  uint64_t bytes = 0;
  for (int i = 0; i < a->list.count; i++) {
    const Allocation *one = ranges_item(&a->list, i);
    if (one->fixed) bytes += one->bytes;
  }
  return bytes;
}

CUresult allocation_new_at(uint64_t base, uint64_t bytes) {
  Allocations *a = all();
  const Allocation one = {.base = base, .bytes = bytes, .kind = KIND_DEVICE, .fixed = true};
  if (!emu_alloc_at(driver()->memory, base, bytes, "a graph's memory") || !note(&one))
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (base + bytes > a->device_end) a->device_end = base + bytes;
  return CUDA_SUCCESS;
}

Shared *allocation_share(uint64_t address) {
  Allocation *one = ranges_find(&all()->list, address);
  if (one->shared) return one->shared;
  one->shared = shared_new((size_t)one->bytes);
  if (!one->shared) return NULL;
  emu_move(driver()->memory, one->base, one->shared->host);
  free(one->written); /* other processes write to it */
  one->written = NULL;
  return one->shared;
}

CUresult allocation_new_shared(Shared *s, uint64_t *out) {
  Allocations *a = all();
  Allocation one = {.bytes = s->bytes, .kind = KIND_DEVICE, .shared = s};
  one.base = emu_map_apart(driver()->memory, s->host, s->bytes, "another process's memory");
  if (!one.base || !note(&one)) return CUDA_ERROR_OUT_OF_MEMORY;
  if (one.base + one.bytes > a->device_end) a->device_end = one.base + one.bytes;
  *out = one.base;
  return CUDA_SUCCESS;
}

const Allocation *allocation_find_opened(const SharedHandle *h) {
  const Allocations *a = all();
  for (int i = 0; i < a->list.count; i++) {
    const Allocation *one = ranges_item(&a->list, i);
    if (one->bytes && one->shared && shared_is(one->shared, h)) return one;
  }
  return NULL;
}

CUresult allocation_drop(uint64_t base) {
  Allocations *a = all();
  Allocation *found = ranges_find(&a->list, base);
  if (!found || found->base != base) return CUDA_ERROR_INVALID_VALUE;
  const Allocation one = *found;
  emu_free(driver()->memory, base);
  host_freed(base);
  free(one.written);
  shared_drop(one.shared);
  if (one.kind == KIND_PINNED || one.kind == KIND_MANAGED) free((void *)(uintptr_t)base);
  if (one.kind == KIND_DEVICE) a->used -= one.bytes;
  ranges_remove(&a->list, found);
  return CUDA_SUCCESS;
}

void allocation_reset(void) {
  const Allocations *a = all();
  for (const Allocation *one; (one = ranges_next(&a->list, a->list.count - 1, -1));)
    allocation_drop(one->base);
  emu_heap_empty(driver()->memory);
}

/* Variables of modules are in device memory, too; all other addresses are host addresses. */
void *allocation_view(uint64_t address, uint64_t bytes) {
  void *view = emu_view(driver()->memory, address, bytes);
  const Allocation *m = allocation_at(address);
  if (view && m && m->written && bytes)
    memset(m->written + (address - m->base) / WRITTEN_WORD, 1,
           (size_t)((address - m->base + bytes - 1) / WRITTEN_WORD -
                    (address - m->base) / WRITTEN_WORD + 1));
  if (view) return view;
  if (m) return NULL;
  const bool device = address >= DEVICE_BASE && address < all()->device_end;
  return device ? NULL : (void *)(uintptr_t)address;
}

size_t allocation_piece(uint64_t address, size_t bytes) {
  const Allocation *m = allocation_at(address);
  const uint64_t left = m && m->fixed ? m->base + m->bytes - address : UINT64_MAX;
  return left < bytes ? (size_t)left : bytes;
}

bool allocation_goes_on(uint64_t first, uint64_t address) {
  Allocation a, b;
  if (!allocation_known(first, &a)) return true;
  return allocation_known(address, &b) && (a.base == b.base || (a.fixed && b.fixed));
}

bool allocation_foreign(uint64_t address) {
  Allocation known;
  const bool device = address >= DEVICE_BASE && address < all()->device_end;
  return !device && !allocation_known(address, &known);
}

void allocation_written(void) {
  Allocations *a = all();
  for (int i = 0; i < a->list.count; i++) {
    Allocation *one = ranges_item(&a->list, i);
    if (!one->bytes) continue; /* its marks are freed */
    free(one->written);
    one->written = NULL;
  }
}

/* --- the API: device memory --- */

static CUresult alloc_device(CUdeviceptr *out, size_t bytes) {
  if (!out || !bytes) return CUDA_ERROR_INVALID_VALUE;
  uint64_t base;
  const CUresult result = allocation_new(KIND_DEVICE, bytes, 0, NULL, &base);
  if (!result) *out = base;
  return result;
}

CU_API CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes) {
  SERVE(NEED_SAFETY, alloc_device(out, bytes));
}

/* Pitches are multiples of 512 bytes, as on GPUs. */
static CUresult alloc_pitch(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
                            unsigned element) {
  enum { PITCH = 512 };
  if (!pitch || !width || !height || (element != 4 && element != 8 && element != 16))
    return CUDA_ERROR_INVALID_VALUE;
  size_t bytes;
  if (width > PTRDIFF_MAX) return CUDA_ERROR_INVALID_VALUE;
  *pitch = number_up_bytes(width, PITCH);
  if (__builtin_mul_overflow(*pitch, height, &bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  return alloc_device(out, bytes);
}

CU_API CUresult cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
                                   unsigned element) {
  SERVE(NEED_SAFETY, alloc_pitch(out, pitch, width, height, element));
}

/* The available host memory; UINT64_MAX if it is unknown. */
static uint64_t host_left(void) {
  char line[128];
  unsigned long long kib = UINT64_MAX >> 10;
  FILE *f = fopen("/proc/meminfo", "re");
  while (f && fgets(line, sizeof line, f) && sscanf(line, "MemAvailable: %llu", &kib) != 1) {}
  if (f) fclose(f);
  return kib << 10;
}

/* Device memory is emulated in host memory, which may be smaller. Limit the free memory that is
 * reported, because some programs allocate a share of it. */
static uint64_t find_limit(Allocations *a) {
  const uint64_t device = driver()->device->memory_bytes, left = host_left();
  if (!a->limit) a->limit = left < device - a->used ? a->used + left : device;
  return a->limit;
}

static CUresult get_info(size_t *unused, size_t *total) {
  Allocations *a = all();
  const uint64_t limit = find_limit(a);
  if (unused) *unused = (size_t)(limit > a->used ? limit - a->used : 0);
  if (total) *total = (size_t)driver()->device->memory_bytes;
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemGetInfo_v2(size_t *unused, size_t *total) {
  SERVE(NEED_CONTEXT, get_info(unused, total));
}

static CUresult get_range(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
  Allocation a;
  if (!allocation_known(address, &a)) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = a.base;
  if (bytes) *bytes = (size_t)a.bytes;
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
  SERVE(NEED_CONTEXT, get_range(base, bytes, address));
}

/* --- the API: the host's memory --- */

static CUresult alloc_host(void **out, size_t bytes, unsigned flags) {
  if (!out || !bytes) return CUDA_ERROR_INVALID_VALUE;
  uint64_t base;
  const CUresult result = allocation_new(KIND_PINNED, bytes, flags, NULL, &base);
  if (!result) *out = (void *)(uintptr_t)base;
  return result;
}

CU_API CUresult cuMemAllocHost_v2(void **out, size_t bytes) {
  SERVE(NEED_HEALTH, alloc_host(out, bytes, 0));
}

CU_API CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
  SERVE(NEED_HEALTH, alloc_host(out, bytes, flags));
}

static CUresult add_host(void *host, size_t bytes, unsigned flags) {
  if (!host || !bytes) return CUDA_ERROR_INVALID_VALUE;
  char name[64];
  snprintf(name, sizeof name, "registered memory #%llu", all()->made + 1);
  if (!emu_map(driver()->memory, host, bytes, name))
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  const Allocation one = {
      .base = (uint64_t)(uintptr_t)host, .bytes = bytes, .kind = KIND_REGISTERED, .flags = flags};
  return note(&one) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CU_API CUresult cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags) {
  SERVE(NEED_HEALTH, add_host(host, bytes, flags));
}

static CUresult get_device_address(CUdeviceptr *out, void *host) {
  const Allocation *a = allocation_at((uint64_t)(uintptr_t)host);
  if (!out || !a || a->kind == KIND_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  *out = (CUdeviceptr)(uintptr_t)host;
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *host, unsigned flags) {
  (void)flags;
  SERVE(NEED_HEALTH, get_device_address(out, host));
}

static CUresult get_host_flags(unsigned *out, void *host) {
  enum { MAPPED = 2 }; /* all pinned memory is mapped */
  const Allocation *a = allocation_at((uint64_t)(uintptr_t)host);
  if (!out || !a || a->kind == KIND_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  *out = a->flags | (a->kind == KIND_PINNED ? MAPPED : 0);
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemHostGetFlags(unsigned *out, void *host) {
  SERVE(NEED_HEALTH, get_host_flags(out, host));
}

/* --- the API: managed memory --- */

static CUresult alloc_managed(CUdeviceptr *out, size_t bytes, unsigned flags) {
  if (!out || !bytes || (flags != 1 && flags != 2)) return CUDA_ERROR_INVALID_VALUE;
  uint64_t base;
  const CUresult result = allocation_new(KIND_MANAGED, bytes, flags, NULL, &base);
  if (!result) *out = base;
  return result;
}

CU_API CUresult cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags) {
  SERVE(NEED_SAFETY, alloc_managed(out, bytes, flags));
}
