/* table.h: a plan in words, for the comments of generated files and for --explain. */
#ifndef KGEN_EMIT_TABLE_H
#define KGEN_EMIT_TABLE_H

#include "emit/plan.h"

/* The layout as one C expression over the coordinates' names: "row * 33 + col". Periods are powers
 * of two, so that it shifts and masks, and never divides. */
const char *table_offset(Arena *a, const KgenLayout *l, const char *const *dim);

/* The same for a tile's layout, also for one that is given by an expression. */
const char *table_tile_offset(Arena *a, const PlanTile *t);

/* What the header's function returns: that, and a coordinate that it does not need is unused on
 * purpose. */
const char *table_function(Arena *a, const PlanTile *t);

/* "i / 32, i % 32": the coordinates of the element with row-major index i. */
const char *table_coordinates(Arena *a, const Tile *tile);

/* "int row, int col". */
const char *table_parameters(Arena *a, int rank, const char *const *dim);

/* The same as table_offset over c0, c1, ...; i of a tile of one dimension. */
const char *table_formula(Arena *a, const KgenLayout *l);

/* X(row), with `row` standing for the row: "((row >> 1) & 24)", or "0". */
const char *table_swizzle(Arena *a, const KgenLayout *l);

/* "f32 [32, 32]: c0 * 33 + c1, 4224 bytes, 128 of them padding". */
void table_layout(Text *out, const PlanTile *t);

/* The conflict table: a line for the head and one for each access, every line after `prefix`. */
void table_accesses(Text *out, const char *prefix, const PlanTile *t);

/* Wavefronts of an access under the plain layout; "-" where that misaligns vectors. */
const char *table_plain_cost(Arena *a, const PlanTile *t, int access);

#endif
