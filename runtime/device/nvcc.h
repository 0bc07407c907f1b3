/* nvcc.h: the CUDA Toolkit's compiler. NVRTC takes device code only; nvcc takes whole programs,
 * with their host code and its headers. */
#ifndef KGEN_NVCC_H
#define KGEN_NVCC_H

#include "base/text.h"

typedef struct {
  bool accepted;
  const char *log;
  const char *ptx; /* NULL if not accepted */
  size_t size;     /* of ptx, without a NUL */
} NvccResult;

/* Compiles a source text to PTX in a temporary folder, with `options` words of its command line.
 * False, with the reason in *why, if there is no nvcc (in $CUDA_HOME, $CUDA_PATH, /usr/local/cuda
 * or $PATH) or it cannot be run. */
bool nvcc_compile(Arena *a, const char *text, const char *const *option, int options,
                  NvccResult *out, Text *why);

#endif
