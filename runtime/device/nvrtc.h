/* SPDX-License-Identifier: MIT */
/* nvrtc.h: NVIDIA's run-time compiler, loaded on demand. */
#ifndef KGEN_DEVICE_NVRTC_H
#define KGEN_DEVICE_NVRTC_H

#include "base/text.h"

/* Identifies the NVRTC that nvrtc_compile() would use by path, size and modification time, so that
 * a cache hit need not load a library of 100 MB for its version number (8 ms). NULL, with the
 * reason in *why, if there is none. */
const char *nvrtc_identity(Arena *a, Text *why);

/* "13.0"; NULL if no usable NVRTC is found. */
const char *nvrtc_version(Arena *a);

typedef struct {
  const char *name; /* name of the source in the log's messages */
  const char *text;
  const char *const *option;
  int options;
  bool ptx; /* else cubin */
} NvrtcSource;

typedef struct {
  bool accepted;
  const char *log;
  const char *image; /* NULL if the source was rejected; PTX ends with a NUL, which size counts */
  size_t size;
  /* for a cubin, the PTX from which it was assembled; NULL if this NVRTC does not provide it */
  const char *ptx;
} NvrtcResult;

/* False, with the failing call in *why, if the compiler could not be used at all. */
bool nvrtc_compile(Arena *a, const NvrtcSource *source, NvrtcResult *out, Text *why);

#endif
