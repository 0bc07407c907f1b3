/* layout.h: questions about a KgenLayout that only the generator asks; the address formula is
 * templates/layout.h. */
#ifndef KGEN_MODEL_LAYOUT_H
#define KGEN_MODEL_LAYOUT_H

#include "model/tile.h"

/* The tile's unpadded row-major layout. */
KgenLayout layout_plain(const Tile *tile);
/* The same as if the tile had one dimension. */
KgenLayout layout_flat(const Tile *tile);
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
/* none, pad, xor, pad+xor or linear. */
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
/* Whether all terms XOR the row into the column; what then the column of that row is XORed with. */
bool layout_is_within_rows(const KgenLayout *l);
int layout_swizzle(const KgenLayout *l, int row);
/* The first coordinate that a term changes, the last if none does; whether those from there on lie
 * side by side, so that the offset of all of them is changed as one number. */
int layout_first_changed(const KgenLayout *l);
bool layout_is_together(const KgenLayout *l, int first);
/* The terms as XORs on that number, or on their coordinates if there is none, without the bits that
 * a shift to the left leaves 0; those of one source and shift are one. Fills out[KGEN_MAX_TERMS];
 * returns their number. */
int layout_join_terms(const KgenLayout *l, KgenTerm *out);
/* Mask bits over all of these. */
int layout_mask_bits(const KgenLayout *l);

#endif
