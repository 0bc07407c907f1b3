/* SPDX-License-Identifier: MIT */
/* jit_log.h: the buffers in which a program requests the messages of CUDA's PTX compiler and
 * linker. */
#ifndef KGEN_LIBCUDA_IMAGE_JIT_LOG_H
#define KGEN_LIBCUDA_IMAGE_JIT_LOG_H

#include <stddef.h>

#include "libcuda/abi.h"

typedef struct {
  char *text; /* NULL: not requested */
  size_t room, filled;
  void **used; /* the option that receives the number of bytes used, or NULL */
} JitBuffer;

typedef struct {
  JitBuffer info, error;
} JitLog;

/* Finds the buffers in a list of options, and writes an empty text into them. A buffer without the
 * option for its size is an error, as with an H200's driver. */
CUresult jit_log_new(unsigned options, const int *option, void **value, JitLog *out);
/* Appends a line to the error buffer, truncated to its size. */
void jit_log_error(JitLog *log, const char *line);

#endif
