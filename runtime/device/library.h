/* SPDX-License-Identifier: MIT */
/* library.h: loads CUDA's shared libraries on demand, so that kgen starts without them. */
#ifndef KGEN_DEVICE_LIBRARY_H
#define KGEN_DEVICE_LIBRARY_H

#include "base/text.h"

/* Names of the libraries, newest first, each list ended by NULL. */
extern const char *const library_nvrtc[], *const library_driver[], *const library_cupti[];

/* Instructions if NVRTC or its headers are missing, for users without the sources of kgen. */
extern const char library_get_nvrtc[];

/* Full path of a file of the CUDA Toolkit, for example "include/cuda_fp16.h", in $CUDA_HOME,
 * $CUDA_PATH, /usr/local/cuda, or the directory that scripts/install fills if there is no toolkit;
 * NULL if none contains it. */
const char *library_toolkit_file(Arena *a, const char *file);

/* Full path of the first of the names found in one of those directories (lib64, lib,
 * extras/CUPTI/lib64) or, if there is none, found by the loader, which is determined through
 * `symbol`. NULL with the reason in *why. */
const char *library_path(Arena *a, const char *const *names, const char *symbol, Text *why);

/* Opens that file. NULL with the reason in *why. The library stays open until the process ends. */
void *library_open(Arena *a, const char *const *names, Text *why);

typedef struct {
  const char *name;
  size_t offset; /* offset of a function pointer in the caller's struct */
} Symbol;

/* Fills the function pointers of `into`. False with the missing symbol's name in *why. */
bool library_symbols(void *library, const Symbol *symbol, int count, void *into, Text *why);

#endif
