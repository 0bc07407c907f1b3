/* nvrtc.h: NVIDIA's run-time compiler, opened when first needed. */
#ifndef KGEN_DEVICE_NVRTC_H
#define KGEN_DEVICE_NVRTC_H

#include "base/text.h"

/* Names the NVRTC that nvrtc_compile would use: its path, size and time of change, so that a cache
 * hit need not load a library of 100 MB for its version number (8 ms). NULL with the reason in *why
 * if there is none. */
const char *nvrtc_identity(Arena *a, Text *why);

/* "13.0"; NULL if there is none that can be used. */
const char *nvrtc_version(Arena *a);

typedef struct {
  const char *name; /* in the log's messages */
  const char *text;
  const char *const *option;
  int options;
  bool ptx; /* else cubin */
} NvrtcSource;

typedef struct {
  bool accepted;
  const char *log;
  const char *image; /* NULL if not accepted; PTX ends with a NUL that size counts */
  size_t size;
  const char *ptx; /* beside a cubin, what it was assembled from; NULL if this NVRTC keeps none */
} NvrtcResult;

/* False, with the call that failed in *why, if the compiler could not be used at all. */
bool nvrtc_compile(Arena *a, const NvrtcSource *source, NvrtcResult *out, Text *why);

#endif
