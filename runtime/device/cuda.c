/* SPDX-License-Identifier: MIT */
/* cuda.c: the GPU backend, through the CUDA driver. */
#include <stdio.h>
#include <string.h>

#include "device/backend.h"
#include "device/cuda_driver.h"
#include "device/cupti.h"

typedef struct {
  Driver driver;
  int index;
  DriverDevice device;
  DriverContext context;
  DriverStream stream;
  DriverEvent start, stop;
  bool programmatic;     /* sm_90 and later support programmatic dependent launch */
  Cupti *cupti;          /* opened at the first count */
  const char *no_counts; /* the reason why counting is impossible */
} State;

enum { MAX_ENTRIES = MAX_OTHERS + 1 };

/* A loaded module, whose kernels are looked up when first launched. */
typedef struct {
  DriverLibrary library;
  int64_t shared_bytes; /* maximum dynamic shared memory of a launch */
  int entries;
  struct {
    const char *name;
    DriverKernel kernel;
  } entry[MAX_ENTRIES];
} Module;

static const Driver *driver(const Device *d) { return &((const State *)d->state)->driver; }

static bool ok(Device *d, DriverResult result, const char *call) {
  if (result == 0) return true;
  const char *text = NULL, *name = NULL;
  driver(d)->cuGetErrorString(result, &text);
  driver(d)->cuGetErrorName(result, &name);
  text_printf(&d->error, "%s: %s (%s)", call, text ? text : "error", name ? name : "unknown");
  return false;
}

#define TRY(d, call) ok((d), driver(d)->call, #call)

/* Makes the primary context current, which the CUDA runtime would use, too, and like the runtime
 * keeps it until the process ends. */
static bool open_context(Device *d, State *s) {
  return TRY(d, cuInit(0)) && TRY(d, cuDeviceGet(&s->device, s->index)) &&
         TRY(d, cuDevicePrimaryCtxRetain(&s->context, s->device)) &&
         TRY(d, cuCtxSetCurrent(s->context));
}

static bool attribute(Device *d, const State *s, unsigned which, int *out) {
  return TRY(d, cuDeviceGetAttribute(out, which, s->device));
}

static bool describe_name(Device *d, State *s) {
  char name[256] = "";
  int major, minor;
  if (!TRY(d, cuDeviceGetName(name, sizeof name, s->device)) ||
      !attribute(d, s, DRIVER_DEVICE_MAJOR, &major) ||
      !attribute(d, s, DRIVER_DEVICE_MINOR, &minor))
    return false;
  d->name = arena_printf(d->arena, "%s", name);
  snprintf(d->arch, sizeof d->arch, "sm_%d%d", major, minor);
  s->programmatic = major >= 9;
  return true;
}

/* An SM's shared memory processes one wavefront per cycle. */
static bool describe(Device *d, State *s) {
  int l2, version, khz;
  if (!describe_name(d, s) || !attribute(d, s, DRIVER_DEVICE_L2_BYTES, &l2) ||
      !attribute(d, s, DRIVER_DEVICE_SMS, &d->sms) ||
      !attribute(d, s, DRIVER_DEVICE_CLOCK_KHZ, &khz) || !TRY(d, cuDriverGetVersion(&version)))
    return false;
  d->l2_bytes = l2;
  d->driver = arena_printf(d->arena, "%d.%d", version / 1000, version % 1000 / 10);
  d->wavefronts_per_ms = (double)d->sms * khz;
  return true;
}

const char *backend_gpu(Arena *a, char arch[16]) {
  State *s = ARENA_NEW(a, State);
  Device d = {.backend = &backend_cuda, .arena = a, .state = s, .error = text_new(a)};
  if (!driver_open(a, &s->driver, &d.error) || !TRY(&d, cuInit(0)) ||
      !TRY(&d, cuDeviceGet(&s->device, s->index)) || !describe_name(&d, s))
    return NULL;
  memcpy(arch, d.arch, sizeof d.arch);
  return d.name;
}

int backend_gpus(Arena *a) {
  State *s = ARENA_NEW(a, State);
  Device d = {.backend = &backend_cuda, .arena = a, .state = s, .error = text_new(a)};
  int count = 0;
  const bool known = driver_open(a, &s->driver, &d.error) && TRY(&d, cuInit(0)) &&
                     TRY(&d, cuDeviceGetCount(&count));
  return known ? count : 0;
}

static bool cuda_open(Device *d) {
  State *s = ARENA_NEW(d->arena, State);
  d->state = s;
  return driver_open(d->arena, &s->driver, &d->error) && open_context(d, s) && describe(d, s) &&
         TRY(d, cuStreamCreate(&s->stream, DRIVER_STREAM_NON_BLOCKING)) &&
         TRY(d, cuEventCreate(&s->start, 0)) && TRY(d, cuEventCreate(&s->stop, 0));
}

static void cuda_close(Device *d) {
  State *s = d->state;
  if (s->cupti) cupti_close(s->cupti);
  s->driver.cuEventDestroy(s->start);
  s->driver.cuEventDestroy(s->stop);
  s->driver.cuStreamDestroy(s->stream);
}

/* The module's kernel of that name; NULL on an error. */
static DriverKernel find_kernel(Device *d, Module *m, const char *name) {
  const State *s = d->state;
  DriverKernel kernel = NULL;
  for (int i = 0; i < m->entries; i++)
    if (strcmp(m->entry[i].name, name) == 0) return m->entry[i].kernel;
  if (m->entries == MAX_ENTRIES) die("more than %d kernels of a module", MAX_ENTRIES);
  if (!TRY(d, cuLibraryGetKernel(&kernel, m->library, name)) ||
      !TRY(d, cuKernelSetAttribute(DRIVER_KERNEL_MAX_DYNAMIC_SHARED, (int)m->shared_bytes, kernel,
                                   s->device)))
    return NULL;
  m->entry[m->entries].name = arena_printf(d->arena, "%s", name);
  m->entry[m->entries++].kernel = kernel;
  return kernel;
}

static void *cuda_load(Device *d, const Jit *jit, const char *kernel, int64_t shared_bytes) {
  const State *s = d->state;
  Module *m = ARENA_NEW(d->arena, Module);
  m->shared_bytes = shared_bytes;
  if (!TRY(d, cuLibraryLoadData(&m->library, jit->image, NULL, NULL, 0, NULL, NULL, 0)))
    return NULL;
  if (find_kernel(d, m, kernel)) return m;
  s->driver.cuLibraryUnload(m->library);
  return NULL;
}

static void cuda_unload(Device *d, void *module) {
  const State *s = d->state;
  if (s->cupti) cupti_rest(s->cupti);
  driver(d)->cuLibraryUnload(((Module *)module)->library);
}

static uint64_t cuda_alloc(Device *d, size_t bytes, const char *name) {
  (void)name;
  DriverPointer memory = 0;
  if (TRY(d, cuMemAlloc(&memory, bytes))) return memory;
  text_printf(&d->error, " for %zu bytes", bytes);
  return 0;
}

static void cuda_release(Device *d, uint64_t memory) { driver(d)->cuMemFree(memory); }

/* Copies use the kernels' stream: a copy from pageable memory on another stream could still be in
 * progress when the call returns. */
static bool cuda_upload(Device *d, uint64_t to, const void *from, size_t bytes) {
  const State *s = d->state;
  return TRY(d, cuMemcpyHtoDAsync(to, from, bytes, s->stream)) &&
         TRY(d, cuStreamSynchronize(s->stream));
}

static bool cuda_download(Device *d, void *to, uint64_t from, size_t bytes) {
  const State *s = d->state;
  return TRY(d, cuMemcpyDtoHAsync(to, from, bytes, s->stream)) &&
         TRY(d, cuStreamSynchronize(s->stream));
}

/* L2 fetches 256 bytes at a time: the neighbours of a tile in memory belong to other blocks'
 * tiles. */
static bool cuda_tensor_map_encode(Device *d, const TensorMap *m, void *out) {
  const unsigned swizzle = m->swizzle == 128 ? 3 : (unsigned)m->swizzle / 32;
  uint32_t step[TENSOR_MAX_RANK];
  for (int i = 0; i < TENSOR_MAX_RANK; i++) step[i] = i && i < m->rank ? m->step[i] : 1;
  return TRY(d, cuTensorMapEncodeTiled(out, m->type, (unsigned)m->rank,
                                       (void *)(uintptr_t)m->address, m->dim, m->stride + 1, m->box,
                                       step, 0, swizzle, DRIVER_TENSOR_L2_256B, m->fill_nan));
}

enum { MAX_ATTRIBUTES = 2 };

/* Writes the launch's attributes; returns their number. */
static unsigned make_attributes(const State *s, const Launch *l,
                                DriverLaunchAttribute out[MAX_ATTRIBUTES]) {
  unsigned n = 0;
  if (l->cluster[0] > 0) {
    out[n] = (DriverLaunchAttribute){.id = DRIVER_LAUNCH_CLUSTER};
    out[n].value.cluster.x = l->cluster[0];
    out[n].value.cluster.y = l->cluster[1];
    out[n++].value.cluster.z = l->cluster[2];
  }
  if (l->programmatic && s->programmatic) {
    out[n] = (DriverLaunchAttribute){.id = DRIVER_LAUNCH_PROGRAMMATIC};
    out[n++].value.programmatic = 1;
  }
  return n;
}

/* cuLaunchKernelEx takes the arguments as pointers to mutable data, and does not modify them. */
static bool enqueue(Device *d, const Launch *l) {
  const State *s = d->state;
  DriverKernel kernel = find_kernel(d, l->module, l->kernel);
  DriverLaunchAttribute attribute[MAX_ATTRIBUTES];
  DriverLaunchConfig config = {.shared_bytes = l->shared_bytes,
                               .stream = s->stream,
                               .attribute = attribute,
                               .attributes = make_attributes(s, l, attribute)};
  memcpy(config.grid, l->grid, sizeof config.grid);
  memcpy(config.block, l->block, sizeof config.block);
  return kernel &&
         TRY(d, cuLaunchKernelEx((const struct CUlaunchConfig_st *)(const void *)&config,
                                 (DriverFunction)kernel, (void **)(uintptr_t)l->args, NULL));
}

static bool cuda_launch(Device *d, const Launch *l) {
  const State *s = d->state;
  return enqueue(d, l) && TRY(d, cuStreamSynchronize(s->stream));
}

typedef struct {
  Device *device;
  const Launch *launch;
} LaunchOnce;

static bool launch_once(void *context) {
  const LaunchOnce *once = context;
  return cuda_launch(once->device, once->launch);
}

/* A counted launch runs alone on the device: the profiler saves and restores memory around it, and
 * would also count an overlapping launch. Unavailable counters are not an error; the reason is
 * kept, so that CUPTI is tried once. */
static bool cuda_count(Device *d, const Launch *l, Counters *out) {
  State *s = d->state;
  Text why = text_new(d->arena);
  Launch alone = *l;
  alone.programmatic = false;
  LaunchOnce once = {d, &alone};
  *out = (Counters){0};
  if (!s->cupti && !s->no_counts) s->cupti = cupti_open(d->arena, s->index, s->context, &why);
  if (s->cupti && cupti_count(s->cupti, launch_once, &once, out, &why)) return true;
  if (!s->cupti && !s->no_counts) s->no_counts = why.s;
  *out = (Counters){.why_unknown = s->no_counts ? s->no_counts : why.s};
  return d->error.len == 0;
}

static bool time_begin(Device *d) {
  const State *s = d->state;
  return TRY(d, cuEventRecord(s->start, s->stream));
}

static bool time_end(Device *d, double *ms) {
  const State *s = d->state;
  float elapsed = 0;
  if (!TRY(d, cuEventRecord(s->stop, s->stream)) || !TRY(d, cuEventSynchronize(s->stop)) ||
      !TRY(d, cuEventElapsedTime(&elapsed, s->start, s->stop)))
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
    if (!TRY(d, cuMemcpyDtoDAsync(to, from, bytes, s->stream))) return false;
  return time_end(d, ms);
}

/* The guard is larger than a row of every check size, so that a row written too far is detected. */
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
    .tensor_map_encode = cuda_tensor_map_encode,
    .launch = cuda_launch,
    .count = cuda_count,
    .time = cuda_time,
    .time_copy = cuda_time_copy,
};
