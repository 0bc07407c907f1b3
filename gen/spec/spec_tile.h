/* SPDX-License-Identifier: MIT */
/* spec_tile.h: the tiles of a spec: one, whose keys are at the root, or several in `tiles`. */
#ifndef KGEN_SPEC_SPEC_TILE_H
#define KGEN_SPEC_SPEC_TILE_H

#include "spec/spec_keys.h"
#include "spec/spec_reader.h"

/* Declares d0... and the like; for several tiles NAME_d0..., NAME_esize; if the template lists
 * dtypes, `dtype` or NAME_dtype. Sets esize to the first tile's. */
void declare_tiles(SpecReader *r);
/* Reads sizes, dimensions and layouts; read_accesses() reads the accesses. */
void read_tiles(SpecReader *r);
/* Returns 0 if unknown. */
int64_t spec_tile_bytes(SpecReader *r, const TileNodes *t);
/* Saturates at INT_MAX for a tile too large for any memory, which is reported elsewhere. */
int64_t spec_tile_elements(SpecReader *r, const TileNodes *t);
/* The names that a tile's own expressions see: its extents as d0..., its element size as esize. */
Scope *tile_scope(SpecReader *r, const TileNodes *t);

/* The locations of a tile's keys. */
enum { FORM_SINGLE = 1, FORM_MEMBER = 2, FORM_MANY = 4, FORM_FAMILY_MANY = 8 };
enum { FORM_TILE = FORM_SINGLE | FORM_MEMBER, FORM_COMMON = FORM_TILE | FORM_FAMILY_MANY };

extern const KeyTable tile_table;

#endif
