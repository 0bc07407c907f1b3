/* SPDX-License-Identifier: MIT */
/* cuda_driver.h: loads the CUDA driver on demand. The used part of its API is declared here, as in
 * cuda.h of CUDA 13.0. One binary, built without a toolkit, then works on machines with and without
 * a GPU. The CUDA runtime would use the same library, but must be linked from a toolkit.
 * tests/device/abi_test.sh compares this file with cuda.h if there is one. */
#ifndef KGEN_DEVICE_CUDA_DRIVER_H
#define KGEN_DEVICE_CUDA_DRIVER_H

#include <stddef.h>

#include <stdint.h>

#include "base/text.h"

typedef struct CUctx_st *DriverContext;
typedef struct CUstream_st *DriverStream;
typedef struct CUevent_st *DriverEvent;
typedef struct CUlib_st *DriverLibrary;
typedef struct CUkern_st *DriverKernel;
typedef struct CUfunc_st *DriverFunction; /* a DriverKernel may be cast to it */
typedef unsigned long long DriverPointer;
typedef int DriverDevice;
typedef unsigned DriverResult; /* 0 is success */

struct CUtensorMap_st;    /* 128 bytes, 64-byte aligned */
struct CUlaunchConfig_st; /* a DriverLaunchConfig */

/* CUlaunchAttribute, of which two are used: the cluster dimensions, and programmatic launch, which
 * lets a launch start before the preceding one on the stream has ended. */
typedef struct {
  unsigned id;
  union {
    char pad[64];
    struct {
      unsigned x, y, z;
    } cluster;
    int programmatic;
  } __attribute__((aligned(8))) value;
} DriverLaunchAttribute;

/* CUlaunchConfig. */
typedef struct {
  unsigned grid[3], block[3], shared_bytes;
  DriverStream stream;
  DriverLaunchAttribute *attribute;
  unsigned attributes;
} DriverLaunchConfig;

enum {
  DRIVER_STREAM_NON_BLOCKING = 1,
  DRIVER_DEVICE_CLOCK_KHZ = 13,
  DRIVER_DEVICE_SMS = 16,
  DRIVER_DEVICE_L2_BYTES = 38,
  DRIVER_DEVICE_MAJOR = 75,
  DRIVER_DEVICE_MINOR = 76,
  DRIVER_KERNEL_MAX_DYNAMIC_SHARED = 8,
  DRIVER_LAUNCH_CLUSTER = 4,
  DRIVER_LAUNCH_PROGRAMMATIC = 6,
  DRIVER_TENSOR_L2_256B = 3
};

/* CALL(member, exported symbol, parameters): all functions used, none newer than CUDA 12.0. */
#define DRIVER_CALLS(CALL)                                                                         \
  CALL(cuGetErrorString, cuGetErrorString, (DriverResult result, const char **text))               \
  CALL(cuGetErrorName, cuGetErrorName, (DriverResult result, const char **name))                   \
  CALL(cuInit, cuInit, (unsigned flags))                                                           \
  CALL(cuDriverGetVersion, cuDriverGetVersion, (int *version))                                     \
  CALL(cuDeviceGetCount, cuDeviceGetCount, (int *count))                                           \
  CALL(cuDeviceGet, cuDeviceGet, (DriverDevice * device, int index))                               \
  CALL(cuDeviceGetName, cuDeviceGetName, (char *name, int size, DriverDevice device))              \
  CALL(cuDeviceGetAttribute, cuDeviceGetAttribute,                                                 \
       (int *value, unsigned attribute, DriverDevice device))                                      \
  CALL(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain,                                         \
       (DriverContext * context, DriverDevice device))                                             \
  CALL(cuCtxSetCurrent, cuCtxSetCurrent, (DriverContext context))                                  \
  CALL(cuStreamCreate, cuStreamCreate, (DriverStream * stream, unsigned flags))                    \
  CALL(cuStreamDestroy, cuStreamDestroy_v2, (DriverStream stream))                                 \
  CALL(cuStreamSynchronize, cuStreamSynchronize, (DriverStream stream))                            \
  CALL(cuEventCreate, cuEventCreate, (DriverEvent * event, unsigned flags))                        \
  CALL(cuEventDestroy, cuEventDestroy_v2, (DriverEvent event))                                     \
  CALL(cuEventRecord, cuEventRecord, (DriverEvent event, DriverStream stream))                     \
  CALL(cuEventSynchronize, cuEventSynchronize, (DriverEvent event))                                \
  CALL(cuEventElapsedTime, cuEventElapsedTime, (float *ms, DriverEvent start, DriverEvent stop))   \
  CALL(cuLibraryLoadData, cuLibraryLoadData,                                                       \
       (DriverLibrary * library, const void *image, unsigned *jit_option, void **jit_value,        \
        unsigned jit_options, unsigned *option, void **value, unsigned options))                   \
  CALL(cuLibraryUnload, cuLibraryUnload, (DriverLibrary library))                                  \
  CALL(cuLibraryGetKernel, cuLibraryGetKernel,                                                     \
       (DriverKernel * kernel, DriverLibrary library, const char *name))                           \
  CALL(cuKernelSetAttribute, cuKernelSetAttribute,                                                 \
       (unsigned attribute, int value, DriverKernel kernel, DriverDevice device))                  \
  CALL(cuLaunchKernelEx, cuLaunchKernelEx,                                                         \
       (const struct CUlaunchConfig_st *config, DriverFunction function, void **args,              \
        void **extra))                                                                             \
  CALL(cuTensorMapEncodeTiled, cuTensorMapEncodeTiled,                                             \
       (struct CUtensorMap_st * map, unsigned type, unsigned rank, void *address,                  \
        const uint64_t *dims, const uint64_t *strides, const uint32_t *box, const uint32_t *steps, \
        unsigned interleave, unsigned swizzle, unsigned l2, unsigned fill))                        \
  CALL(cuMemAlloc, cuMemAlloc_v2, (DriverPointer * memory, size_t bytes))                          \
  CALL(cuMemFree, cuMemFree_v2, (DriverPointer memory))                                            \
  CALL(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                                    \
       (DriverPointer to, const void *from, size_t bytes, DriverStream stream))                    \
  CALL(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                                    \
       (void *to, DriverPointer from, size_t bytes, DriverStream stream))                          \
  CALL(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                                    \
       (DriverPointer to, DriverPointer from, size_t bytes, DriverStream stream))

typedef struct {
#define DRIVER_MEMBER(member, symbol, parameters) DriverResult(*member) parameters;
  DRIVER_CALLS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
} Driver;

/* False, with the reason in *why, if there is no driver, or one older than CUDA 12.0. */
bool driver_open(Arena *a, Driver *out, Text *why);

#endif
