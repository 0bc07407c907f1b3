/* rows.h: the rows of a tile and what the accesses demand of them. */
#ifndef KGEN_SOLVE_ROWS_H
#define KGEN_SOLVE_ROWS_H

#include "model/layout.h"

/* The rows of a tile, or of all its elements cut by a period, at the strides that were entered
 * last; rows up to 1 << row_bits, those behind the last going on in the outermost dimension. */
typedef struct {
  int rows, row_bits;
  int32_t (*coord)[KGEN_MAX_RANK - 1]; /* of each row, outermost dimension first; NULL: of a
                                          period, its number */
  const int32_t *unit; /* of each row: pieces of so many elements must stay aligned and contiguous
                          there; a power of two */
  int min_unit, max_unit;
  int align; /* elements: what `align` asks of every row */
  int32_t stride[KGEN_MAX_RANK - 1];
} Rows;

/* period: rows of so many elements side by side, whatever the tile's rank; 0: the tile's own. */
Rows rows_new(Arena *a, const AccessSet *set, int period);

/* Whether the pieces hold at these strides, and if not, how they break: a row is misaligned, or a
 * period cuts them. */
typedef enum { ROWS_HOLD, ROWS_MISALIGN, ROWS_TEAR } RowsVerdict;
/* Sets the strides to those of a layout. */
RowsVerdict rows_enter(Rows *r, const KgenLayout *l);

/* What each stride must be a multiple of, in elements: where the row one step from the first
 * starts. */
void rows_multiples(const Rows *r, const Tile *t, int multiple[KGEN_MAX_RANK - 1]);

/* The element offset at which a row starts. */
static inline int32_t rows_start(const Rows *r, int32_t row) {
  if (!r->coord) return row * r->stride[0];
  const int32_t *at = r->coord[row];
  return at[0] * r->stride[0] + at[1] * r->stride[1] + at[2] * r->stride[2];
}
/* Bits of all starts together: the lowest set one says what all are multiples of. */
int32_t rows_start_bits(const Rows *r);

#endif
