/* kgen_tile.h: a KgenTile, checked, as the stages take it. */
#ifndef KGEN_TILE_H
#define KGEN_TILE_H

#include "kgen_handle.h"

/* The tile and the instructions of its accesses. NULL on a mistake, which is then among the
 * handle's errors. */
const AccessSet *tile_take(Kgen *k, const KgenTile *tile);

/* The placement as a layout of that tile, whose shape alone counts. False if a number of it is out
 * of range, or an offset out of int's. */
bool tile_layout(const Tile *tile, const KgenPlacement *p, KgenLayout *out);

/* The same of a whole tile. False, with an error, if it maps two elements to one address, or one
 * outside of what the tile may take or of what int holds. *bytes: up to the last element, or to the
 * end of the last row. */
bool tile_take_placement(Kgen *k, const Tile *tile, const KgenPlacement *p, KgenLayout *out,
                         int64_t *bytes);

#endif
