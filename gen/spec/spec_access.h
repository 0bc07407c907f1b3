/* SPDX-License-Identifier: MIT */
/* spec_access.h: reads the accesses of a tile. */
#ifndef KGEN_SPEC_SPEC_ACCESS_H
#define KGEN_SPEC_SPEC_ACCESS_H

#include "spec/spec_keys.h"
#include "spec/spec_reader.h"

/* Reads the list at `access`; the problem, if there is one, must have been read. */
void read_accesses(SpecReader *r, const TileNodes *nodes, TileSpec *tile);

extern const KeyTable access_table;

#endif
