/* SPDX-License-Identifier: MIT */
/* access.h: expands accesses to warp-wide instructions: the start element of each active lane. */
#ifndef KGEN_SPEC_ACCESS_H
#define KGEN_SPEC_ACCESS_H

#include "spec/spec.h"

/* All instructions of a tile's accesses, by every warp of the block and for every value of the loop
 * variables. NULL on an error, which is in d. Errors: a lane outside the tile; an element count
 * that is not 1, 2, 4, 8 or 16 bytes; a column that is not a multiple of the vector; a division by
 * zero; more than ACCESS_MAX_WARPS instructions in total; more work than b has left. */
const AccessSet *access_expand(Arena *a, Diag *d, const Spec *spec, const TileSpec *tile,
                               Budget *b);

#endif
