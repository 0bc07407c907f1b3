/* access_reader.h: an access that is being read. */
#ifndef KGEN_SPEC_ACCESS_READER_H
#define KGEN_SPEC_ACCESS_READER_H

#include "spec/spec_reader.h"

enum { MAX_TURNS = 1 << 17 }; /* of one loop */

typedef struct {
  SpecReader *r;
  const Reader *in;
  const TileNodes *tile;
  Scope *scope; /* params, extents and the like: no lanes, no loops */
  const Yaml *map;
  AccessSpec *out;
  const AccessSpec *others; /* of the same tile, before it */
  int number;
  bool op_unknown;
} AccessReader;

void access_add_loop(AccessReader *a, const char *name, int64_t count);
/* What is the same for every lane: it comes after the loops. */
void access_add_constants(AccessReader *a);

#endif
