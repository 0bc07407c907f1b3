/* SPDX-License-Identifier: MIT */
/* offset.h: spells a layout as C: the offset of an element, as an expression over its
 * coordinates. */
#ifndef KGEN_EMIT_OFFSET_H
#define KGEN_EMIT_OFFSET_H

#include "emit/plan.h"

/* The layout as one C expression over the coordinates' names: "row * 33 + col". Periods are powers
 * of two, so that it shifts and masks, and never divides. */
const char *offset_spell(Arena *a, const KgenLayout *l, const char *const *dim);

/* Like offset_spell(), for a tile's layout, which may also be given by an expression. */
const char *offset_spell_tile(Arena *a, const PlanTile *t);

/* The body of the header's function: the offset; coordinates that it does not need are marked
 * unused. */
const char *offset_spell_function(Arena *a, const PlanTile *t);

/* "i / 32, i % 32": the coordinates of the element with row-major index i. */
const char *offset_spell_coordinates(Arena *a, const Tile *tile);

/* "int row, int col". */
const char *offset_spell_parameters(Arena *a, int rank, const char *const *dim);

/* Like offset_spell(), over c0, c1, ..., or i for a one-dimensional tile. */
const char *offset_spell_formula(Arena *a, const KgenLayout *l);

/* "row", "index" or "c1": what a term reads. */
const char *offset_spell_source(Arena *a, const KgenTerm *t);

/* The value that a layout XORs into the column, "((row >> 1) & 24)", or "0". row: the name of the
 * row. */
const char *offset_spell_swizzle(Arena *a, const KgenLayout *l, const char *row);

#endif
