/* SPDX-License-Identifier: MIT */
/* profiler.c: starting and stopping a profiler, without effect. */
#include "libcuda/state/call.h"

static CUresult nothing(void) { return CUDA_SUCCESS; }

CU_API CUresult cuProfilerStart(void) { SERVE(NEED_CONTEXT, nothing()); }
CU_API CUresult cuProfilerStop(void) { SERVE(NEED_CONTEXT, nothing()); }
CU_API CUresult cuProfilerInitialize(const char *config, const char *output, int mode) {
  (void)config, (void)output, (void)mode;
  SERVE(NEED_CONTEXT, nothing());
}
