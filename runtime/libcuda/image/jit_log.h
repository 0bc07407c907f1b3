/* jit_log.h: the buffers in which a program asks what CUDA's PTX compiler and linker say. */
#ifndef KGEN_LIBCUDA_IMAGE_JIT_LOG_H
#define KGEN_LIBCUDA_IMAGE_JIT_LOG_H

#include <stddef.h>

#include "libcuda/abi.h"

typedef struct {
  char *text; /* NULL: not asked for */
  size_t room, filled;
  void **used; /* the option that says how much of it is filled, or NULL */
} JitBuffer;

typedef struct {
  JitBuffer info, error;
} JitLog;

/* Finds the buffers of a list of options, which hold an empty text from then on. A buffer without
 * the option that gives its size is refused, as by an H200's driver. */
CUresult jit_log_new(unsigned options, const int *option, void **value, JitLog *out);
/* Appends a line to what is said of errors, as much of it as there is room for. */
void jit_log_error(JitLog *log, const char *line);

#endif
