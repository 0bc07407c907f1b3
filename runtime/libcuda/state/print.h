/* SPDX-License-Identifier: MIT */
/* print.h: buffers the output of kernels' printf until the program synchronizes, as CUDA does. */
#ifndef KGEN_LIBCUDA_STATE_PRINT_H
#define KGEN_LIBCUDA_STATE_PRINT_H

#include <stddef.h>

/* Copies the text. */
void print_add(const char *text, size_t bytes);
/* Writes the buffered text to stdout. */
void print_flush(void);

#endif
