/* spec_reader.h: a spec while it is read: what its parts share. Names are declared first (block,
 * tiles, params, lets); then everything is read once, and values are evaluated when they are asked
 * for. */
#ifndef KGEN_SPEC_SPEC_READER_H
#define KGEN_SPEC_SPEC_READER_H

#include "spec/spec.h"
#include "spec/spec_scope.h"

enum { BLOCK_NAMES = 5 }; /* bx, by, bz, threads, warps */

typedef struct {
  const char *name; /* NULL in the one-tile form */
  const Yaml *map;  /* its keys, the spec's before the family's */
  const Yaml *extents;
  const Dtype *dtype;
  int rank;                /* 0 if unknown */
  int slot[KGEN_MAX_RANK]; /* of its extents in the scope */
  Loc loc;
} TileNodes;

/* Of a tile, in elements: above what any block has room for, so that errors name the bytes. */
enum { MAX_EXTENT = 1 << 20 };

typedef struct SpecReader {
  Reader in;
  const SpecOptions *options;
  const char *path;
  const Yaml *spec, *family; /* the two files' roots; no family for `none` */
  const Yaml *root;          /* both merged, the spec's keys before the family's */
  bool blind;                /* the family could not be read: no key can be called missing */
  bool unfit;                /* a requirement of the family failed: its accesses are not checked */
  Scope scope;               /* all names but lanes, loops and the problem's extents */
  const Yaml *params, *own_params; /* all that there are, and as the spec sets them; or NULL */
  int block_slot, sm_slot;
  int tiles;
  TileNodes tile[MAX_TILES];
  Spec *out;
} SpecReader;

/* What `esize` means beside the tiles: bytes of the first one's elements, 0 if unknown. */
static inline int first_esize(const SpecReader *r) {
  return r->tiles && r->tile[0].dtype ? r->tile[0].dtype->bytes : 0;
}

#endif
