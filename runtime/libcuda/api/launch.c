/* SPDX-License-Identifier: MIT */
/* launch.c: the API functions that launch kernels. */
#include <stdlib.h>
#include <string.h>

#include "libcuda/state/call.h"
#include "libcuda/stream/pending.h"

static CUresult start(KernelLaunch l, CUstream stream, void **params, void **extra) {
  if (!module_knows(l.function)) l.function = NULL;
  void **unpacked = params ? NULL : launch_unpack(l.function, extra);
  l.params = params ? params : unpacked;
  for (int i = 0; l.function && i < 3; i++)
    if (!l.cluster[i]) l.cluster[i] = (uint32_t)l.function->cluster[i];
  CUresult result =
      params && extra ? launch_record_failure(&l, CUDA_ERROR_INVALID_VALUE) : launch_check(&l);
  if (!result) result = pending_submit(stream, &(Work){.kind = WORK_KERNEL, .kernel = l});
  free(unpacked);
  return result;
}

CU_API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                               unsigned by, unsigned bz, unsigned shared_bytes, CUstream stream,
                               void **params, void **extra) {
  const KernelLaunch l = {
      .function = f, .grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared_bytes = shared_bytes};
  SERVE_IN(stream, NEED_HEALTH, start(l, stream, params, extra));
}
PER_THREAD(cuLaunchKernel, _ptsz,
           (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
            unsigned bz, unsigned shared_bytes, CUstream stream, void **params, void **extra),
           (f, gx, gy, gz, bx, by, bz, shared_bytes, stream, params, extra))

CU_API CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                                          unsigned bx, unsigned by, unsigned bz,
                                          unsigned shared_bytes, CUstream stream, void **params) {
  const KernelLaunch l = {.function = f,
                          .grid = {gx, gy, gz},
                          .block = {bx, by, bz},
                          .shared_bytes = shared_bytes,
                          .cooperative = true};
  SERVE_IN(stream, NEED_HEALTH, start(l, stream, params, NULL));
}
PER_THREAD(cuLaunchCooperativeKernel, _ptsz,
           (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
            unsigned bz, unsigned shared_bytes, CUstream stream, void **params),
           (f, gx, gy, gz, bx, by, bz, shared_bytes, stream, params))

static void read_attribute(const CUlaunchAttribute *a, KernelLaunch *l) {
  if (a->id == LAUNCH_PROGRAMMATIC) l->programmatic = a->value.programmatic != 0;
  if (a->id == LAUNCH_COOPERATIVE) l->cooperative = a->value.cooperative != 0;
  if (a->id == LAUNCH_CLUSTER_DIMENSION) {
    l->cluster[0] = a->value.cluster.x;
    l->cluster[1] = a->value.cluster.y;
    l->cluster[2] = a->value.cluster.z;
  }
}

static CUresult start_extended(const CUlaunchConfig *config, Function *f, void **params,
                               void **extra) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  KernelLaunch l = {.function = f, .shared_bytes = config->shared_bytes};
  memcpy(l.grid, config->grid, sizeof l.grid);
  memcpy(l.block, config->block, sizeof l.block);
  for (unsigned i = 0; i < config->attributes; i++) read_attribute(&config->attribute[i], &l);
  return start(l, config->stream, params, extra);
}

CU_API CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params,
                                 void **extra) {
  SERVE_IN(config ? config->stream : NULL, NEED_HEALTH, start_extended(config, f, params, extra));
}
PER_THREAD(cuLaunchKernelEx, _ptsz,
           (const CUlaunchConfig *config, CUfunction f, void **params, void **extra),
           (config, f, params, extra))
