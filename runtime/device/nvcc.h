/* nvcc.h: the CUDA Toolkit's compiler. NVRTC takes device code only; nvcc takes whole programs,
 * with their host code and its headers. */
#ifndef KGEN_NVCC_H
#define KGEN_NVCC_H

#include "device/cache.h"
#include "device/child.h"

typedef struct {
  const char *path; /* of the program; any characters but '"' and line breaks in its last part */
  const char *more; /* C++ behind it, or "" */
  const char *const *option; /* words of nvcc's command line: letters, digits and _ = . + - only */
  int options;
  const char *const *include; /* folders of headers, of any name */
  int includes;
  const char *const *define; /* NAME, NAME=VALUE, of any text */
  int defines;
  ChildWait wait;     /* it takes a minute and more for a large file */
  const Cache *cache; /* NULL: compile even what has been compiled before */
} NvccSource;

typedef struct {
  bool accepted;
  const char *log;
  const char *ptx; /* NULL if not accepted */
  size_t size;     /* of ptx, without a NUL */
  bool cached;     /* found, not compiled */
} NvccResult;

/* Compiles a program to PTX, unless the cache has it: of the same words, compiler, and contents of
 * the program and of all files that it includes, which nvcc is asked for. nvcc passes its words
 * through a shell: they are only such as are made here, and what users named goes to the compiler
 * that it drives in a file. False, with the reason in *why, if there is no nvcc (in $CUDA_HOME,
 * $CUDA_PATH, /usr/local/cuda or $PATH) or it cannot be run. */
bool nvcc_compile(Arena *a, const NvccSource *source, NvccResult *out, Text *why);

#endif
