/* SPDX-License-Identifier: MIT */
/*
 * map.h: a tensor map on the command line.
 *
 *   tmap:DTYPE:dims=AxB..:box=AxB..[:strides=B..][:steps=AxB..][:swizzle=N][:fill=nan][:zero]
 *       [:at=BUFFER]
 *
 * Dimensions stand as cuTensorMapEncodeTiled takes them, the innermost first. strides are the bytes
 * from one to the next of all but the innermost, by default dense, rounded up to 16. swizzle is 0,
 * 32, 64 or 128. Without `at` the tensor is a new buffer of random bytes, or zeros.
 */
#ifndef KGEN_LINT_INPUT_MAP_H
#define KGEN_LINT_INPUT_MAP_H

#include "model/tensor_map.h"

typedef struct {
  TensorMap map; /* with address 0 */
  bool zero;
  const char *at; /* NAME[+OFFSET] of a buffer, or NULL */
} LintMap;

/* Parses the text after `tmap:`. False, with the error in *why, which the caller reports. */
bool lint_map_read(Arena *a, const char *text, LintMap *out, const char **why);
/* The size in bytes of the tensor's memory. */
uint64_t lint_map_bytes(const TensorMap *map);

#endif
