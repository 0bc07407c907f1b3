/* cuda.c: the GPU behind backend.h, through the CUDA runtime, which is linked statically and finds
 * the driver when it starts. */
#include "device/backend.h"

#if KGEN_HAVE_CUDA

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "device/cupti.h"

typedef struct {
  int index;
  cudaStream_t stream;
  cudaEvent_t start, stop;
  Cupti *cupti;          /* opened at the first count */
  const char *no_counts; /* why it cannot be */
} State;

typedef struct {
  cudaLibrary_t library;
  cudaKernel_t kernel;
} Module;

static bool ok(Device *d, cudaError_t error, const char *call) {
  if (error == cudaSuccess) return true;
  text_printf(&d->error, "%s: %s (%s)", call, cudaGetErrorString(error), cudaGetErrorName(error));
  return false;
}

#define TRY(d, expression) ok((d), (expression), #expression)

static bool cuda_open(Device *d) {
  State *s = ARENA_NEW(d->arena, State);
  d->state = s;
  int count = 0;
  if (!TRY(d, cudaGetDeviceCount(&count))) return false;
  struct cudaDeviceProp p;
  if (!TRY(d, cudaSetDevice(s->index)) || !TRY(d, cudaGetDeviceProperties(&p, s->index)) ||
      !TRY(d, cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking)) ||
      !TRY(d, cudaEventCreate(&s->start)) || !TRY(d, cudaEventCreate(&s->stop)))
    return false;
  d->name = arena_printf(d->arena, "%s", p.name);
  snprintf(d->arch, sizeof d->arch, "sm_%d%d", p.major, p.minor);
  d->l2_bytes = p.l2CacheSize;
  return true;
}

static void cuda_close(Device *d) {
  State *s = d->state;
  if (s->cupti) cupti_close(s->cupti);
  cudaEventDestroy(s->start);
  cudaEventDestroy(s->stop);
  cudaStreamDestroy(s->stream);
}

static void *cuda_load(Device *d, const Jit *jit, const char *kernel, int64_t shared_bytes) {
  const State *s = d->state;
  Module *m = ARENA_NEW(d->arena, Module);
  if (!TRY(d, cudaLibraryLoadData(&m->library, jit->image, NULL, NULL, 0, NULL, NULL, 0)))
    return NULL;
  if (TRY(d, cudaLibraryGetKernel(&m->kernel, m->library, kernel)) &&
      TRY(d, cudaKernelSetAttributeForDevice(m->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             (int)shared_bytes, s->index)))
    return m;
  cudaLibraryUnload(m->library);
  return NULL;
}

static void cuda_unload(Device *d, void *module) {
  (void)d;
  cudaLibraryUnload(((Module *)module)->library);
}

static uint64_t cuda_alloc(Device *d, size_t bytes, const char *name) {
  (void)name;
  void *p = NULL;
  if (!TRY(d, cudaMalloc(&p, bytes))) {
    text_printf(&d->error, " for %zu bytes", bytes);
    return 0;
  }
  return (uint64_t)(uintptr_t)p;
}

static void *pointer(uint64_t address) { return (void *)(uintptr_t)address; }

static void cuda_release(Device *d, uint64_t memory) {
  (void)d;
  cudaFree(pointer(memory));
}

/* On the kernels' stream: a copy from pageable memory on another could still be under way when the
 * call returns. */
static bool copy(Device *d, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  const State *s = d->state;
  return TRY(d, cudaMemcpyAsync(to, from, bytes, kind, s->stream)) &&
         TRY(d, cudaStreamSynchronize(s->stream));
}

static bool cuda_upload(Device *d, uint64_t to, const void *from, size_t bytes) {
  return copy(d, pointer(to), from, bytes, cudaMemcpyHostToDevice);
}

static bool cuda_download(Device *d, void *to, uint64_t from, size_t bytes) {
  return copy(d, to, pointer(from), bytes, cudaMemcpyDeviceToHost);
}

static bool enqueue(Device *d, const Launch *l) {
  const State *s = d->state;
  const Module *m = l->module;
  const dim3 grid = {l->grid[0], l->grid[1], l->grid[2]};
  const dim3 block = {l->block[0], l->block[1], l->block[2]};
  /* cudaLaunchKernel takes the arguments as pointers to mutable, and does not write them. */
  return TRY(d, cudaLaunchKernel((const void *)m->kernel, grid, block, (void **)(uintptr_t)l->args,
                                 l->shared_bytes, s->stream));
}

static bool cuda_launch(Device *d, const Launch *l) {
  const State *s = d->state;
  return enqueue(d, l) && TRY(d, cudaStreamSynchronize(s->stream));
}

typedef struct {
  Device *device;
  const Launch *launch;
} LaunchOnce;

static bool launch_once(void *context) {
  const LaunchOnce *once = context;
  return cuda_launch(once->device, once->launch);
}

/* Counters that cannot be had are no failure: the reason is kept, so that CUPTI is asked once. */
static bool cuda_count(Device *d, const Launch *l, Counters *out) {
  State *s = d->state;
  Text why = text_new(d->arena);
  LaunchOnce once = {d, l};
  *out = (Counters){0};
  if (!s->cupti && !s->no_counts) s->cupti = cupti_open(d->arena, s->index, &why);
  if (s->cupti && cupti_count(s->cupti, launch_once, &once, out, &why)) return true;
  if (!s->cupti && !s->no_counts) s->no_counts = why.s;
  *out = (Counters){.why_unknown = s->no_counts ? s->no_counts : why.s};
  return d->error.len == 0;
}

static bool time_begin(Device *d) {
  const State *s = d->state;
  return TRY(d, cudaEventRecord(s->start, s->stream));
}

static bool time_end(Device *d, double *ms) {
  const State *s = d->state;
  float elapsed = 0;
  if (!TRY(d, cudaEventRecord(s->stop, s->stream)) || !TRY(d, cudaEventSynchronize(s->stop)) ||
      !TRY(d, cudaEventElapsedTime(&elapsed, s->start, s->stop)))
    return false;
  *ms = (double)elapsed;
  return true;
}

static bool cuda_time(Device *d, const Launch *list, int launches, int runs, double *ms) {
  if (!time_begin(d)) return false;
  for (int i = 0; i < runs; i++)
    if (!enqueue(d, &list[i % launches])) return false;
  return time_end(d, ms);
}

static bool cuda_time_copy(Device *d, uint64_t to, uint64_t from, size_t bytes, int runs,
                           double *ms) {
  const State *s = d->state;
  if (!time_begin(d)) return false;
  for (int i = 0; i < runs; i++)
    if (!TRY(d, cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice,
                                s->stream)))
      return false;
  return time_end(d, ms);
}

/* The guard exceeds a row of every check size, so that a row written too far lands in it. */
const Backend backend_cuda = {
    .name = "cuda",
    .form = JIT_CUBIN,
    .guard = 64 << 10,
    .timed = true,
    .open = cuda_open,
    .close = cuda_close,
    .load = cuda_load,
    .unload = cuda_unload,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .upload = cuda_upload,
    .download = cuda_download,
    .launch = cuda_launch,
    .count = cuda_count,
    .time = cuda_time,
    .time_copy = cuda_time_copy,
};

#else

static bool cuda_absent(Device *d) {
  text_puts(&d->error, "this kgen was built without the CUDA Toolkit");
  return false;
}

const Backend backend_cuda = {.name = "cuda", .open = cuda_absent};

#endif
