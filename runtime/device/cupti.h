/* cupti.h: shared-memory wavefronts from the GPU's own counters, through CUPTI's range profiler. */
#ifndef KGEN_DEVICE_CUPTI_H
#define KGEN_DEVICE_CUPTI_H

#include "device/backend.h"
#include "device/cuda_driver.h"

typedef struct Cupti Cupti;

/* Prepares the counters for device `index` and its context. NULL with the failing call in *why,
 * e.g. if the driver restricts profiling to root. */
Cupti *cupti_open(Arena *a, int index, DriverContext context, Text *why);
void cupti_close(Cupti *c);

/* To be called before a module is unloaded: the profiler keeps what it knows of kernels until it
 * rests, and kernels that were loaded in their place end in a fault within it [CUDA 13.0, on an
 * H100]. Measuring wakes it, in 0.14 s. */
void cupti_rest(Cupti *c);

/* Counts what one call of launch(context), which launches one kernel and waits for it, does. */
bool cupti_count(Cupti *c, bool (*launch)(void *context), void *context, Counters *out, Text *why);

#endif
