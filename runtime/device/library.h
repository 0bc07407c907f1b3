/* library.h: CUDA's shared libraries, found when needed, so that kgen starts without them. */
#ifndef KGEN_LIBRARY_H
#define KGEN_LIBRARY_H

#include "base/text.h"

/* Full path of a file of the CUDA Toolkit, given as "include/cuda_fp16.h", in $CUDA_HOME,
 * $CUDA_PATH or /usr/local/cuda; NULL if none has it. */
const char *library_toolkit_file(Arena *a, const char *file);

/* Full path of the first of the NULL-terminated names that lies in $CUDA_HOME, $CUDA_PATH or
 * /usr/local/cuda (lib64, extras/CUPTI/lib64); NULL if none does. */
const char *library_find(Arena *a, const char *const *names);

/* Opens that file or, if there is none, the first of the names that the loader itself knows. NULL
 * with the reason in *why. The library stays open to the end of the process. */
void *library_open(Arena *a, const char *const *names, Text *why);

typedef struct {
  const char *name;
  size_t offset; /* of a function pointer in the caller's struct */
} Symbol;

/* Fills the function pointers of `into`. False with the missing symbol's name in *why. */
bool library_symbols(void *library, const Symbol *symbol, int count, void *into, Text *why);

#endif
