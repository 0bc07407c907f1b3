/* SPDX-License-Identifier: MIT */
/* access_reader.h: the state of reading one access. */
#ifndef KGEN_SPEC_ACCESS_READER_H
#define KGEN_SPEC_ACCESS_READER_H

#include "spec/spec_reader.h"

enum { MAX_TURNS = 1 << 17 }; /* iterations per loop */

typedef struct {
  SpecReader *r;
  const Reader *in;
  const TileNodes *tile;
  Scope *scope; /* params, extents and the like, without lanes and loops */
  const Yaml *map;
  AccessSpec *out;
  const AccessSpec *others; /* the accesses of the same tile that were read before */
  int number;
  bool op_unknown;
} AccessReader;

void access_add_loop(AccessReader *a, const char *name, int64_t count);
/* Declares the names that are equal for all lanes; call it after the loops are declared. */
void access_add_constants(AccessReader *a);

#endif
