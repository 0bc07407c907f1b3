/* SPDX-License-Identifier: MIT */
/* kgen_tile.h: checks a KgenTile and converts it for the stages. */
#ifndef KGEN_TILE_H
#define KGEN_TILE_H

#include "kgen_handle.h"

/* The tile and the instructions of its accesses. NULL on an error, which is added to the handle. */
const AccessSet *tile_take(Kgen *k, const KgenTile *tile);

/* Converts a placement to a layout of that tile; only the tile's shape matters. False if a number
 * is out of range, or an offset exceeds int. */
bool tile_layout(const Tile *tile, const KgenPlacement *p, KgenLayout *out);

/* Like tile_layout(), but also checks every element. False, with an error, if two elements map to
 * one address, or one maps outside of the tile's maximum size or the range of int. *bytes: the size
 * up to the last element, or to the end of the last row. */
bool tile_take_placement(Kgen *k, const Tile *tile, const KgenPlacement *p, KgenLayout *out,
                         int64_t *bytes);

#endif
