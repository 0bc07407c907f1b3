#include "libcuda/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "libcuda/api.h"
#include "libcuda/context.h"
#include "libcuda/host_watch.h"
#include "libcuda/session.h"

/* The allocations of the process, sorted by base address. */
typedef struct {
  Allocation *list;
  int count, capacity;
  unsigned long long made;
  uint64_t device_end, used;
  uint64_t limit; /* of what is used, as the program is told; 0: it has not asked */
} Allocations;

static Allocations *all(void) {
  static Allocations one;
  return &one;
}

#define DEVICE_BASE ((uint64_t)1 << 46) /* of the emulator's addresses */

/* Returns the index of the first allocation above the address. */
static int above(const Allocations *a, uint64_t address) {
  int low = 0, high = a->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a->list[middle].base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool note(const Allocation *one) {
  Allocations *a = all();
  if (a->count == a->capacity) {
    const int capacity = a->capacity ? a->capacity * 2 : 64;
    Allocation *list = realloc(a->list, (size_t)capacity * sizeof *list);
    if (!list) return false;
    a->list = list;
    a->capacity = capacity;
  }
  const int at = above(a, one->base);
  memmove(&a->list[at + 1], &a->list[at], (size_t)(a->count - at) * sizeof *a->list);
  a->list[at] = *one;
  a->list[at].id = ++a->made;
  a->list[at].context = context_current();
  a->count++;
  if (one->kind == KIND_DEVICE) a->used += one->bytes;
  return true;
}

const Allocation *memory_at(uint64_t address) {
  const Allocations *a = all();
  const int i = above(a, address) - 1;
  return i >= 0 && address - a->list[i].base < a->list[i].bytes ? &a->list[i] : NULL;
}

CUcontext memory_context(uint64_t address) {
  const Allocation *a = memory_at(address);
  return a ? a->context : NULL;
}

/* The allocation, or a module's variable, which the emulator allocates. */
static bool known_at(uint64_t address, Allocation *out) {
  const Allocation *a = memory_at(address);
  EmuBuffer b;
  if (a) *out = *a;
  if (a) return true;
  if (!emu_buffer(driver()->memory, address, &b)) return false;
  *out = (Allocation){b.base, b.bytes, .kind = b.mapped ? KIND_MANAGED : KIND_DEVICE};
  return true;
}

/* --- making --- */

/* Managed and pinned memory is aligned to pages, as CUDA's is. */
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

CUresult memory_new(AllocationKind kind, uint64_t bytes, unsigned flags, const void *pool,
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

uint64_t memory_of_graphs(void) {
  const Allocations *a = all();
  uint64_t bytes = 0;
  for (int i = 0; i < a->count; i++)
    if (a->list[i].fixed) bytes += a->list[i].bytes;
  return bytes;
}

CUresult memory_new_at(uint64_t base, uint64_t bytes) {
  Allocations *a = all();
  const Allocation one = {.base = base, .bytes = bytes, .kind = KIND_DEVICE, .fixed = true};
  if (!emu_alloc_at(driver()->memory, base, bytes, "a graph's memory") || !note(&one))
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (base + bytes > a->device_end) a->device_end = base + bytes;
  return CUDA_SUCCESS;
}

CUresult memory_drop(uint64_t base) {
  Allocations *a = all();
  const int i = above(a, base) - 1;
  if (i < 0 || a->list[i].base != base) return CUDA_ERROR_INVALID_VALUE;
  const Allocation one = a->list[i];
  emu_free(driver()->memory, base);
  host_freed(base);
  free(one.written);
  if (one.kind == KIND_PINNED || one.kind == KIND_MANAGED) free((void *)(uintptr_t)base);
  if (one.kind == KIND_DEVICE) a->used -= one.bytes;
  a->count--;
  memmove(&a->list[i], &a->list[i + 1], (size_t)(a->count - i) * sizeof *a->list);
  return CUDA_SUCCESS;
}

void memory_reset(void) {
  const Allocations *a = all();
  while (a->count) memory_drop(a->list[a->count - 1].base);
  emu_heap_empty(driver()->memory);
}

/* Variables of modules lie in device memory, too; all other addresses are the host's. */
void *memory_view(uint64_t address, uint64_t bytes) {
  void *view = emu_view(driver()->memory, address, bytes);
  const Allocation *m = memory_at(address);
  if (view && m && m->written && bytes)
    memset(m->written + (address - m->base) / WRITTEN_WORD, 1,
           (size_t)((address - m->base + bytes - 1) / WRITTEN_WORD -
                    (address - m->base) / WRITTEN_WORD + 1));
  if (view) return view;
  if (m) return NULL;
  const bool device = address >= DEVICE_BASE && address < all()->device_end;
  return device ? NULL : (void *)(uintptr_t)address;
}

size_t memory_piece(uint64_t address, size_t bytes) {
  const Allocation *m = memory_at(address);
  const uint64_t left = m && m->fixed ? m->base + m->bytes - address : UINT64_MAX;
  return left < bytes ? (size_t)left : bytes;
}

bool memory_goes_on(uint64_t first, uint64_t address) {
  Allocation a, b;
  if (!known_at(first, &a)) return true;
  return known_at(address, &b) && (a.base == b.base || (a.fixed && b.fixed));
}

bool memory_foreign(uint64_t address) {
  Allocation known;
  const bool device = address >= DEVICE_BASE && address < all()->device_end;
  return !device && !known_at(address, &known);
}

void memory_written(void) {
  Allocations *a = all();
  for (int i = 0; i < a->count; i++) {
    free(a->list[i].written);
    a->list[i].written = NULL;
  }
}

/* --- the API: device memory --- */

static CUresult alloc_device(CUdeviceptr *out, size_t bytes) {
  if (!out || !bytes) return CUDA_ERROR_INVALID_VALUE;
  uint64_t base;
  const CUresult result = memory_new(KIND_DEVICE, bytes, 0, NULL, &base);
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

/* The host's memory that is left; UINT64_MAX if it is not known. */
static uint64_t host_left(void) {
  char line[128];
  unsigned long long kib = UINT64_MAX >> 10;
  FILE *f = fopen("/proc/meminfo", "re");
  while (f && fgets(line, sizeof line, f) && sscanf(line, "MemAvailable: %llu", &kib) != 1) {}
  if (f) fclose(f);
  return kib << 10;
}

/* Device memory lies in the host's, of which there may be less: programs that take a share of what
 * is free would run out of it. */
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
  if (!known_at(address, &a)) return CUDA_ERROR_NOT_FOUND;
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
  const CUresult result = memory_new(KIND_PINNED, bytes, flags, NULL, &base);
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
  const Allocation *a = memory_at((uint64_t)(uintptr_t)host);
  if (!out || !a || a->kind == KIND_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  *out = (CUdeviceptr)(uintptr_t)host;
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *host, unsigned flags) {
  (void)flags;
  SERVE(NEED_HEALTH, get_device_address(out, host));
}

static CUresult get_host_flags(unsigned *out, void *host) {
  enum { MAPPED = 2 }; /* as all of it is */
  const Allocation *a = memory_at((uint64_t)(uintptr_t)host);
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
  const CUresult result = memory_new(KIND_MANAGED, bytes, flags, NULL, &base);
  if (!result) *out = base;
  return result;
}

CU_API CUresult cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags) {
  SERVE(NEED_SAFETY, alloc_managed(out, bytes, flags));
}

/* --- the API: what a pointer is --- */

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

/* Flags, too, have four bytes, as an H200's driver writes them. */
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
  case POINTER_LEGACY_IPC:
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

/* An attribute's type decides how many bytes of `out` are written. */
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
  return out && known_at(address, &a) ? get_pointer(out, attribute, &a, address)
                                      : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuPointerGetAttribute(void *out, int attribute, CUdeviceptr address) {
  SERVE(NEED_INIT, get_attribute(out, attribute, address));
}

/* Attributes of memory that CUDA does not know, and unknown attributes, are 0. */
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
  const bool known = known_at(address, &a);
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
  return memory_at(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr address) {
  (void)value, (void)attribute;
  SERVE(NEED_INIT, set_attribute(address));
}
