/* SPDX-License-Identifier: MIT */
/* function.c: the API functions for attributes of kernels and for occupancy. */
#include <stdlib.h>
#include <string.h>

#include "libcuda/state/call.h"
#include "libcuda/state/module.h"
#include "model/occupancy.h"

static int threads_of(const Function *f) {
  const EmuKernel *k = f->kernel;
  const uint32_t *most = k->required_block[0] ? k->required_block : k->max_block;
  const uint64_t threads = (uint64_t)most[0] * most[1] * most[2], fit = (uint64_t)module_threads(f);
  return (int)(threads && threads < fit ? threads : fit);
}

/* Returns the maximum dynamic shared memory of a launch. Without opting in, static and dynamic
 * shared memory may have 48 KiB in total. */
static int dynamic_limit(const Function *f) {
  enum { PLAIN = 49152 };
  return f->max_dynamic > 0 ? f->max_dynamic : PLAIN - (int)f->kernel->static_shared;
}

/* The architecture in the PTX's .target; `number` if there is none. */
static int target_of(const Function *f, int number) {
  static const char word[] = ".target sm_";
  const char *target = strstr(f->module->ptx, word);
  return target ? atoi(target + sizeof word - 1) : number;
}

static CUresult get(int *out, int attribute, Function *f) {
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const EmuKernel *k = f->kernel;
  const int number = gpu_number(driver()->device);
  switch (attribute) {
  case FUNCTION_MAX_THREADS: *out = threads_of(f); break;
  case FUNCTION_SHARED_BYTES: *out = (int)k->static_shared; break;
  case FUNCTION_LOCAL_BYTES: *out = (int)k->local_bytes; break;
  case FUNCTION_REGISTERS: *out = module_registers(f); break;
  case FUNCTION_PTX_VERSION: *out = target_of(f, number); break;
  case FUNCTION_BINARY_VERSION: *out = number; break;
  case FUNCTION_MAX_DYNAMIC_SHARED: *out = dynamic_limit(f); break;
  case FUNCTION_CARVEOUT: *out = f->carveout; break;
  case FUNCTION_CLUSTER_MUST_BE_SET: *out = k->explicit_cluster; break;
  case FUNCTION_CLUSTER_WIDTH:
  case FUNCTION_CLUSTER_HEIGHT:
  case FUNCTION_CLUSTER_DEPTH:
    *out = f->cluster[attribute - FUNCTION_CLUSTER_WIDTH];
    if (!*out) *out = (int)k->cluster[attribute - FUNCTION_CLUSTER_WIDTH];
    break;
  case FUNCTION_NON_PORTABLE_CLUSTER: *out = f->non_portable_cluster; break;
  case FUNCTION_CLUSTER_POLICY: *out = f->cluster_policy; break;
  case FUNCTION_CONST_BYTES:
  case FUNCTION_CACHE_MODE_CA: *out = 0; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CU_API CUresult cuFuncGetAttribute(int *out, int attribute, CUfunction f) {
  SERVE(NEED_INIT, get(out, attribute, f));
}

CU_API CUresult cuKernelGetAttribute(int *out, int attribute, CUkernel f, CUdevice device) {
  (void)device;
  SERVE(NEED_INIT, get(out, attribute, f));
}

static CUresult allow_dynamic(Function *f, int bytes) {
  const int most = gpu_arch(driver()->device)->shared_per_block;
  if (bytes < 0 || bytes > most - (int)f->kernel->static_shared) return CUDA_ERROR_INVALID_VALUE;
  f->max_dynamic = bytes;
  return CUDA_SUCCESS;
}

static CUresult set(Function *f, int attribute, int value) {
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
  case FUNCTION_MAX_DYNAMIC_SHARED: return allow_dynamic(f, value);
  case FUNCTION_CARVEOUT:
    if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE; /* percent; -1: default */
    f->carveout = value;
    break;
  case FUNCTION_CLUSTER_WIDTH:
  case FUNCTION_CLUSTER_HEIGHT:
  case FUNCTION_CLUSTER_DEPTH: f->cluster[attribute - FUNCTION_CLUSTER_WIDTH] = value; break;
  case FUNCTION_NON_PORTABLE_CLUSTER: f->non_portable_cluster = value; break;
  case FUNCTION_CLUSTER_POLICY: f->cluster_policy = value; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CU_API CUresult cuFuncSetAttribute(CUfunction f, int attribute, int value) {
  SERVE(NEED_INIT, set(f, attribute, value));
}

CU_API CUresult cuKernelSetAttribute(int attribute, int value, CUkernel f, CUdevice device) {
  (void)device;
  SERVE(NEED_INIT, set(f, attribute, value));
}

static CUresult prefer(const Function *f) {
  return module_knows(f) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CU_API CUresult cuFuncSetCacheConfig(CUfunction f, int config) {
  (void)config;
  SERVE(NEED_INIT, prefer(f));
}

CU_API CUresult cuKernelSetCacheConfig(CUkernel f, int config, CUdevice device) {
  (void)config, (void)device;
  SERVE(NEED_INIT, prefer(f));
}

CU_API CUresult cuFuncSetSharedMemConfig(CUfunction f, int config) {
  (void)config;
  SERVE(NEED_INIT, prefer(f));
}

static CUresult get_name(const char **out, const Function *f) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  *out = f->kernel->name;
  return CUDA_SUCCESS;
}

CU_API CUresult cuFuncGetName(const char **out, CUfunction f) {
  SERVE(NEED_INIT, get_name(out, f));
}

CU_API CUresult cuKernelGetName(const char **out, CUkernel f) {
  SERVE(NEED_INIT, get_name(out, f));
}

static CUresult get_param(const Function *f, size_t i, size_t *offset, size_t *bytes) {
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (!offset || i >= (size_t)f->kernel->params) return CUDA_ERROR_INVALID_VALUE;
  *offset = f->kernel->param[i].offset;
  if (bytes) *bytes = f->kernel->param[i].bytes;
  return CUDA_SUCCESS;
}

CU_API CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t *offset, size_t *bytes) {
  SERVE(NEED_INIT, get_param(f, i, offset, bytes));
}

CU_API CUresult cuKernelGetParamInfo(CUkernel f, size_t i, size_t *offset, size_t *bytes) {
  SERVE(NEED_INIT, get_param(f, i, offset, bytes));
}

static CUresult get_function(Function **out, Function *f) {
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = f;
  return CUDA_SUCCESS;
}

CU_API CUresult cuKernelGetFunction(CUfunction *out, CUkernel f) {
  SERVE(NEED_CONTEXT, get_function(out, f));
}

static CUresult is_loaded(int *out, const Function *f) {
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = 1;
  return CUDA_SUCCESS;
}

CU_API CUresult cuFuncIsLoaded(int *out, CUfunction f) { SERVE(NEED_INIT, is_loaded(out, f)); }
CU_API CUresult cuFuncLoad(CUfunction f) { SERVE(NEED_INIT, prefer(f)); }

/* --- occupancy --- */

/* Limits an estimated register count, because an estimate that is too high must not make a block
 * impossible. */
static int registers_of(Function *f, int threads) {
  enum { OF_A_BLOCK = 65536, UNIT = 8 };
  const int registers = module_registers(f), fit = OF_A_BLOCK / threads / UNIT * UNIT;
  return f->guessed && registers > fit ? fit : registers;
}

/* Ignores the kernel's launch bounds, as an H200 does. */
static int blocks_per_processor(Function *f, int threads, size_t dynamic) {
  if (threads > module_threads(f) || dynamic > (size_t)dynamic_limit(f)) return 0;
  return occupancy_blocks(gpu_arch(driver()->device), threads, registers_of(f, threads),
                          (int64_t)(f->kernel->static_shared + dynamic));
}

static CUresult get_blocks(int *out, Function *f, int threads, size_t dynamic) {
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (!out || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
  *out = blocks_per_processor(f, threads, dynamic);
  return CUDA_SUCCESS;
}

CU_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, CUfunction f, int threads,
                                                            size_t dynamic) {
  SERVE(NEED_CONTEXT, get_blocks(out, f, threads, dynamic));
}

CU_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, CUfunction f,
                                                                     int threads, size_t dynamic,
                                                                     unsigned flags) {
  (void)flags;
  SERVE(NEED_CONTEXT, get_blocks(out, f, threads, dynamic));
}

typedef size_t DynamicOf(int threads);

/* Chooses the block size with the maximum resident threads per multiprocessor; the largest if
 * several have it. */
static CUresult get_best(int *grid, int *block, Function *f, DynamicOf *dynamic_of, size_t dynamic,
                         int limit) {
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (!grid || !block) return CUDA_ERROR_INVALID_VALUE;
  int most = threads_of(f), best = 0;
  if (limit > 0 && limit < most) most = limit;
  for (int threads = most; threads > 0; threads -= threads % WARP ? threads % WARP : WARP) {
    const size_t bytes = dynamic_of ? dynamic_of(threads) : dynamic;
    const int blocks = blocks_per_processor(f, threads, bytes);
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * driver()->device->processors;
  }
  return best ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f,
                                                 DynamicOf *dynamic_of, size_t dynamic, int limit) {
  SERVE(NEED_CONTEXT, get_best(grid, block, f, dynamic_of, dynamic, limit));
}

CU_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
                                                          DynamicOf *dynamic_of, size_t dynamic,
                                                          int limit, unsigned flags) {
  (void)flags;
  SERVE(NEED_CONTEXT, get_best(grid, block, f, dynamic_of, dynamic, limit));
}

/* Each block's share of the multiprocessor's shared memory. As on an H200, shared memory
 * reserved for the system is not subtracted, and more blocks than registers and threads allow
 * are an error. */
static CUresult get_available(size_t *out, Function *f, int blocks, int threads) {
  enum { GRAIN = 128 };
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (!out || blocks <= 0 || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (blocks > blocks_per_processor(f, threads, 0)) return CUDA_ERROR_INVALID_VALUE;
  int64_t bytes = gpu_arch(driver()->device)->shared_per_sm / blocks / GRAIN * GRAIN;
  bytes -= f->kernel->static_shared;
  if (bytes > dynamic_limit(f)) bytes = dynamic_limit(f);
  *out = bytes > 0 ? (size_t)bytes : 0;
  return CUDA_SUCCESS;
}

CU_API CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *out, CUfunction f, int blocks,
                                                        int threads) {
  SERVE(NEED_CONTEXT, get_available(out, f, blocks, threads));
}

static CUresult get_cluster(int *out, const Function *f) {
  enum { PORTABLE = 8, LARGEST = 16 };
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = f->non_portable_cluster ? LARGEST : PORTABLE;
  return CUDA_SUCCESS;
}

CU_API CUresult cuOccupancyMaxPotentialClusterSize(int *out, CUfunction f,
                                                   const CUlaunchConfig *config) {
  (void)config;
  SERVE(NEED_CONTEXT, get_cluster(out, f));
}

static CUresult get_clusters(int *out, Function *f, const CUlaunchConfig *config) {
  if (!module_knows(f)) return CUDA_ERROR_INVALID_HANDLE;
  if (!out || !config) return CUDA_ERROR_INVALID_VALUE;
  unsigned blocks = 1;
  for (unsigned i = 0; i < config->attributes; i++)
    if (config->attribute[i].id == LAUNCH_CLUSTER_DIMENSION)
      blocks = config->attribute[i].value.cluster.x * config->attribute[i].value.cluster.y *
               config->attribute[i].value.cluster.z;
  const int threads = (int)(config->block[0] * config->block[1] * config->block[2]);
  if (!blocks || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
  const int resident = blocks_per_processor(f, threads, config->shared_bytes);
  *out = resident * driver()->device->processors / (int)blocks;
  return CUDA_SUCCESS;
}

CU_API CUresult cuOccupancyMaxActiveClusters(int *out, CUfunction f, const CUlaunchConfig *config) {
  SERVE(NEED_CONTEXT, get_clusters(out, f, config));
}
