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

/* Counts what one call of launch(context), which launches one kernel and waits for it, does. */
bool cupti_count(Cupti *c, bool (*launch)(void *context), void *context, Counters *out, Text *why);

#endif
