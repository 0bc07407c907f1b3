/* library.h: CUDA's shared libraries, found when needed, so that kgen starts without them. */
#ifndef KGEN_DEVICE_LIBRARY_H
#define KGEN_DEVICE_LIBRARY_H

#include "base/text.h"

/* Names of the libraries, newest first, each list ended by NULL. */
extern const char *const library_nvrtc[], *const library_driver[], *const library_cupti[];

/* What to do where NVRTC or its headers are missing, for users who have no sources of kgen. */
extern const char library_get_nvrtc[];

/* Full path of a file of the CUDA Toolkit, given as "include/cuda_fp16.h", in $CUDA_HOME,
 * $CUDA_PATH, /usr/local/cuda or the folder that scripts/install fills where there is no toolkit;
 * NULL if none has it. */
const char *library_toolkit_file(Arena *a, const char *file);

/* Full path of the first of the names that lies in one of those folders (lib64, lib,
 * extras/CUPTI/lib64) or, if none does, that the loader itself finds, shown by `symbol` in it. NULL
 * with the reason in *why. */
const char *library_path(Arena *a, const char *const *names, const char *symbol, Text *why);

/* Opens that file. NULL with the reason in *why. The library stays open to the end of the
 * process. */
void *library_open(Arena *a, const char *const *names, Text *why);

typedef struct {
  const char *name;
  size_t offset; /* of a function pointer in the caller's struct */
} Symbol;

/* Fills the function pointers of `into`. False with the missing symbol's name in *why. */
bool library_symbols(void *library, const Symbol *symbol, int count, void *into, Text *why);

#endif
