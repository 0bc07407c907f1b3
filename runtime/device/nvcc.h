/* nvcc.h: the CUDA Toolkit's compiler. NVRTC takes device code only; nvcc takes whole programs,
 * with their host code and its headers. */
#ifndef KGEN_DEVICE_NVCC_H
#define KGEN_DEVICE_NVCC_H

#include "device/cache.h"
#include "device/process.h"

typedef struct {
  const char *path; /* of the program; any characters but '"' and line breaks in its last part */
  const char *more; /* C++ after it, or "" */
  const char *const *option; /* words of nvcc's command line: letters, digits and _ = . + - only */
  int options;
  const char *const *include; /* folders of headers, of any name */
  int includes;
  const char *const *define; /* NAME, NAME=VALUE, of any text */
  int defines;
  ProcessWait wait;   /* a large file takes a minute and more */
  const Cache *cache; /* NULL: compile even what has been compiled before */
} NvccSource;

typedef struct {
  bool accepted;
  const char *log;
  const char *ptx; /* NULL if not accepted */
  size_t size;     /* of ptx, without a NUL */
  bool cached;     /* found in the cache */
  bool no_host;    /* not accepted, as nvcc could not start its host compiler */
} NvccResult;

/* Compiles a program to PTX, unless the cache has it: the key is the words, the compiler, and the
 * contents of the program and of all files that it includes, which nvcc lists. nvcc passes its
 * words through a shell: only words that are made here go there, and names from users reach the
 * compiler that it drives through a file. False, with the reason in *why, if there is no nvcc (in
 * $CUDA_HOME, $CUDA_PATH, /usr/local/cuda or $PATH) or it cannot be run. */
bool nvcc_compile(Arena *a, const NvccSource *source, NvccResult *out, Text *why);

#endif
