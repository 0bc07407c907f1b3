/* access.h: stage 2. Accesses expanded to warp-wide instructions: which element each active lane
 * starts at. */
#ifndef KGEN_ACCESS_H
#define KGEN_ACCESS_H

#include "spec.h"

/* One warp-wide instruction. coord[d][lane] is the tile coordinate of the lane's first element;
 * lanes that are not in `active` hold 0. An ldmatrix or stmatrix lane holds the start of its
 * 16-byte row. */
typedef struct {
  uint32_t active;
  int32_t coord[KGEN_MAX_RANK][WARP];
} WarpAccess;

typedef struct {
  const AccessSpec *spec;
  int bytes_per_lane; /* vector * element bytes; 16 for the matrix operations */
  int elements;       /* contiguous elements per lane: bytes_per_lane / element bytes */
  int warps;          /* instructions with at least one active lane */
  const WarpAccess *warp;
} Access;

typedef struct {
  const TileSpec *tile;
  BankGeometry banks;
  int accesses;
  const Access *access;
  int64_t effort; /* what the solver may spend, in costs of lane groups; 0: its own limit */
} AccessSet;

/* All instructions of a tile's accesses, by every warp of the block for every value of the loop
 * variables. NULL on a mistake, which is then in d: a lane that leaves the tile, an element count
 * that is not 1, 2, 4, 8 or 16 bytes, a column that is not a multiple of the vector, a division by
 * zero, more than ACCESS_MAX_WARPS instructions in all. */
const AccessSet *access_expand(Arena *a, Diag *d, const Spec *spec, const TileSpec *tile);

enum { ACCESS_MAX_WARPS = 1 << 17 };

#endif
