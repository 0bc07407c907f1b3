/* SPDX-License-Identifier: MIT */
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
  const int32_t *start;  /* coordinates: the offset of each row in the unpadded tile; else NULL */
  const int32_t *row_of; /* coordinates: the row of each aligned unit of the row-major index */
  int low;               /* coordinates: the bits below a row's */
  unsigned own;          /* spread: the bits of an image that change the last coordinate */
  const int32_t *spread; /* [image] the row bits that it XORs; NULL: an image is XORed into the
                            column */
} Rows;

/* period: rows of so many elements side by side, whatever the tile's rank; 0: the tile's own. */
Rows rows_new(Arena *a, const AccessSet *set, int period);
/* The aligned units of 1 << low elements of the unpadded tile as rows: the number of a row is its
 * coordinates side by side, each in as many bits as it has, without the lowest `low`. target: of
 * each bit of an image the row bit that it changes; NULL: images change columns. */
Rows rows_of_coordinates(Arena *a, const AccessSet *set, int low, int targets, const int *target);
/* The bits of a coordinate, and the lowest of these in all coordinates side by side. */
int rows_coordinate_bits(const Tile *t, int dim);
int rows_coordinate_base(const Tile *t, int dim);

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
  if (r->start) return r->start[row];
  if (!r->coord) return row * r->stride[0];
  const int32_t *at = r->coord[row];
  return at[0] * r->stride[0] + at[1] * r->stride[1] + at[2] * r->stride[2];
}
/* The offset of an element under an image. */
static inline int32_t rows_place(const Rows *r, int32_t row, int32_t col, int32_t image) {
  if (r->spread) return r->start[row ^ r->spread[image]] + col;
  return rows_start(r, row) + (col ^ image);
}
/* Bits of all starts together: the lowest set one says what all are multiples of. */
int32_t rows_start_bits(const Rows *r);

#endif
