/* layout.h: questions about a KgenLayout that only the generator asks; the address formula is
 * templates/layout.h. */
#ifndef KGEN_MODEL_LAYOUT_H
#define KGEN_MODEL_LAYOUT_H

#include "model/tile.h"

/* The tile's unpadded row-major layout. */
KgenLayout layout_plain(const Tile *tile);
/* A rank-1 layout cut into rows of `period` elements, `pad` elements behind each. */
KgenLayout layout_cut(const KgenLayout *plain, int period, int pad);
/* Element offset of one coordinate, through templates/layout.h. */
int layout_offset(const KgenLayout *l, const int coord[KGEN_MAX_RANK]);
/* The coordinates of the element with that row-major index; 0 in dimensions that l lacks. */
void layout_coord(const KgenLayout *l, int index, int coord[KGEN_MAX_RANK]);
/* Element offset of the first element that a lane accesses. */
int layout_lane(const KgenLayout *l, const WarpAccess *w, int lane);
/* Rows (all dimensions but the last, flattened; or ceil(n / period)), and elements of a row. */
int layout_rows(const KgenLayout *l);
int layout_cols(const KgenLayout *l);
int64_t layout_bytes(const KgenLayout *l, int element_bytes);
/* none, pad, xor or pad+xor. */
const char *layout_kind(const KgenLayout *l);
/* Byte address of every active lane of one instruction, relative to the tile. */
void layout_addresses(const KgenLayout *l, int element_bytes, const WarpAccess *w,
                      int64_t address[WARP]);
/* True if the elements of every lane lie side by side and start at a multiple of their size: else
 * the accesses cannot run. */
bool layout_serves(const KgenLayout *l, const AccessSet *set);
/* True if every vector, matrix row and `align`ed piece that the accesses touch stays aligned and
 * contiguous, no XOR leaves its row, and the size limit holds. */
bool layout_admissible(const KgenLayout *l, const AccessSet *set);
/* Mask bits over all terms: the second part of a swizzle's price, after the number of terms. */
int layout_mask_bits(const KgenLayout *l);

#endif
