/* SPDX-License-Identifier: MIT */
/* cupti.h: counts shared-memory wavefronts with the GPU's counters, through CUPTI's range
 * profiler. */
#ifndef KGEN_DEVICE_CUPTI_H
#define KGEN_DEVICE_CUPTI_H

#include "device/backend.h"
#include "device/cuda_driver.h"

typedef struct Cupti Cupti;

/* Prepares the counters for device `index` and its context. NULL, with the failing call in *why,
 * for example if the driver restricts profiling to root. */
Cupti *cupti_open(Arena *a, int index, DriverContext context, Text *why);
void cupti_close(Cupti *c);

/* Call before a module is unloaded: the profiler keeps data about kernels until it is stopped, and
 * faults if kernels were loaded at the same addresses [CUDA 13.0, on an H100]. The next measurement
 * restarts it, which takes 0.14 s. */
void cupti_rest(Cupti *c);

/* Counts the one kernel that launch(context) launches and waits for. */
bool cupti_count(Cupti *c, bool (*launch)(void *context), void *context, Counters *out, Text *why);

#endif
