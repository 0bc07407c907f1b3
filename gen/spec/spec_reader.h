/* SPDX-License-Identifier: MIT */
/* spec_reader.h: the shared state of reading a spec. Names are declared first (block, tiles,
 * params, lets); then everything is read once, and values are evaluated on demand. */
#ifndef KGEN_SPEC_SPEC_READER_H
#define KGEN_SPEC_SPEC_READER_H

#include "spec/spec.h"
#include "spec/spec_scope.h"

enum { BLOCK_NAMES = 5 }; /* bx, by, bz, threads, warps */

typedef struct {
  const char *name; /* NULL in the one-tile form */
  const Yaml *map;  /* its keys, the spec's before the template's */
  const Yaml *extents;
  const Dtype *dtype;
  int rank;                /* 0 if unknown */
  int slot[KGEN_MAX_RANK]; /* slots of its extents in the scope */
  Loc loc;
} TileNodes;

/* Elements per tile: more than fits any block, so that errors can state the bytes. */
enum { MAX_EXTENT = 1 << 20 };

typedef struct SpecReader {
  Reader in;
  const SpecOptions *options;
  const char *path;
  const Yaml *spec, *family; /* roots of the two files; family is NULL for `none` */
  const Yaml *root;          /* both merged, the spec's keys before the template's */
  bool blind;                /* the template could not be read: do not report missing keys */
  bool unfit;                /* a requirement of the template failed: do not check its accesses */
  Scope scope;               /* all names except lanes, loops and the problem's extents */
  const Yaml *params, *own_params; /* all params, and the params that the spec sets; or NULL */
  int block_slot, sm_slot;
  int tiles;
  TileNodes tile[MAX_TILES];
  Spec *out;
} SpecReader;

/* The meaning of `esize` outside tiles: bytes of the first tile's elements, 0 if unknown. */
static inline int first_esize(const SpecReader *r) {
  return r->tiles && r->tile[0].dtype ? r->tile[0].dtype->bytes : 0;
}

#endif
