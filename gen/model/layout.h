/* SPDX-License-Identifier: MIT */
/* layout.h: properties of a KgenLayout that only the generator needs; the address formula is in
 * templates/layout.h. */
#ifndef KGEN_MODEL_LAYOUT_H
#define KGEN_MODEL_LAYOUT_H

#include "model/tile.h"

/* The tile's unpadded row-major layout. */
KgenLayout layout_plain(const Tile *tile);
/* The tile as one dimension, unpadded. */
KgenLayout layout_flat(const Tile *tile);
/* A rank-1 layout cut into rows of `period` elements with `pad` elements after each row. */
KgenLayout layout_cut(const KgenLayout *plain, int period, int pad);
/* Element offset of a coordinate, computed by templates/layout.h. */
int layout_offset(const KgenLayout *l, const int coord[KGEN_MAX_RANK]);
/* The coordinates of the element with this row-major index; 0 in dimensions beyond the rank of
 * l. */
void layout_coord(const KgenLayout *l, int index, int coord[KGEN_MAX_RANK]);
/* Element offset of the first element that a lane accesses. */
int layout_lane(const KgenLayout *l, const WarpAccess *w, int lane);
/* Number of rows (all dimensions but the last, flattened; or ceil(n / period)), and of elements per
 * row. */
int layout_rows(const KgenLayout *l);
int layout_cols(const KgenLayout *l);
int64_t layout_bytes(const KgenLayout *l, int element_bytes);
/* none, pad, xor, pad+xor or linear. */
const char *layout_kind(const KgenLayout *l);
/* Byte address of every active lane of one instruction, relative to the tile. */
void layout_addresses(const KgenLayout *l, int element_bytes, const WarpAccess *w,
                      int64_t address[WARP]);
/* True if the elements of every lane are contiguous and start at a multiple of their size.
 * Otherwise the hardware cannot execute the accesses. */
bool layout_serves(const KgenLayout *l, const AccessSet *set);
/* True if the layout may be used: every lane's vector, every matrix row and every `align`ed unit
 * stays aligned and contiguous, no XOR leaves its row, and the size limit holds. */
bool layout_admissible(const KgenLayout *l, const AccessSet *set);
/* layout_is_within_rows(): true if every term XORs the row into the column. layout_swizzle(): for
 * such a layout, the value that is XORed into the column of that row. */
bool layout_is_within_rows(const KgenLayout *l);
int layout_swizzle(const KgenLayout *l, int row);
/* layout_first_changed(): the first coordinate that a term changes; the last coordinate if there is
 * none. layout_is_together(): true if the coordinates from `first` on are contiguous, so that one
 * XOR on their joint offset changes all of them. */
int layout_first_changed(const KgenLayout *l);
bool layout_is_together(const KgenLayout *l, int first);
/* Rewrites the terms as XORs on that joint offset, or on single coordinates if they are not
 * contiguous. Drops the bits that a left shift always leaves 0, and merges terms with equal source,
 * shift and target. Fills out[KGEN_MAX_TERMS]; returns their number. */
int layout_join_terms(const KgenLayout *l, KgenTerm *out);
/* The number of mask bits in all joined terms. */
int layout_mask_bits(const KgenLayout *l);

#endif
