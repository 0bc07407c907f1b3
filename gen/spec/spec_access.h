/* spec_access.h: an access that is being read. Private to gen/spec_access.c and spec_pattern.c. */
#ifndef KGEN_SPEC_ACCESS_H
#define KGEN_SPEC_ACCESS_H

#include "spec/spec_reader.h"

enum { MAX_TURNS = 1 << 17 }; /* of one loop */

typedef struct {
  SpecReader *r;
  const TileNodes *tile;
  const Scope *scope; /* params, extents and the like: no lanes, no loops */
  const Yaml *map;
  AccessSpec *out;
  bool op_unknown;
} AccessReader;

/* 0 if an extent is unknown. */
int64_t tile_elements(const AccessReader *a);
void add_loop(AccessReader *a, const char *name, int64_t count);
/* What is the same for every lane: it comes after the loops. */
void add_constants(AccessReader *a);
/* `pattern`: writes the loop, `at` and `when` that it stands for. */
void read_pattern(AccessReader *a, const Yaml *node);

#endif
