/* SPDX-License-Identifier: MIT */
/* nvcc.h: compiles with the CUDA Toolkit's nvcc. NVRTC accepts only device code; nvcc accepts whole
 * programs, with their host code and its headers. */
#ifndef KGEN_DEVICE_NVCC_H
#define KGEN_DEVICE_NVCC_H

#include "device/cache.h"
#include "device/process.h"

typedef struct {
  /* path of the program; its last part may contain any characters except '"' and line breaks */
  const char *path;
  const char *more; /* C++ appended to it, or "" */
  /* words for nvcc's command line: letters, digits and _ = . + - only */
  const char *const *option;
  int options;
  const char *const *include; /* include directories, with any names */
  int includes;
  const char *const *define; /* NAME, NAME=VALUE, with any text */
  int defines;
  ProcessWait wait;   /* called meanwhile: a large file takes a minute or more */
  const Cache *cache; /* NULL: do not use the cache */
} NvccSource;

typedef struct {
  bool accepted;
  const char *log;
  const char *ptx; /* NULL if the program was rejected */
  size_t size;     /* length of ptx, without a NUL */
  bool cached;     /* found in the cache */
  bool no_host;    /* rejected because nvcc could not start its host compiler */
} NvccResult;

/* Compiles a program to PTX, unless the cache has it. The key is the words, the compiler, and the
 * contents of the program and of all files that it includes, which nvcc lists. nvcc passes its
 * words through a shell: only words generated here go there, and names from users reach the
 * compiler through a file. False, with the reason in *why, if nvcc is not found (in $CUDA_HOME,
 * $CUDA_PATH, /usr/local/cuda or $PATH) or cannot be run. */
bool nvcc_compile(Arena *a, const NvccSource *source, NvccResult *out, Text *why);

#endif
