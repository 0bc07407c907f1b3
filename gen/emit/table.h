/* SPDX-License-Identifier: MIT */
/* table.h: a plan as text, for the comments of generated files and for --explain. */
#ifndef KGEN_EMIT_TABLE_H
#define KGEN_EMIT_TABLE_H

#include "emit/plan.h"

/* "f32 [32, 32], offset = c0 * 33 + c1, 4224 bytes, 128 of them padding". */
void table_layout(Text *out, const PlanTile *t);

/* The conflict table: a heading and one line per access, each after `prefix`. */
void table_accesses(Text *out, const char *prefix, const PlanTile *t);

/* A line for each error of coverage, every line after `prefix`: "note: 1024 elements are ...". */
void table_coverage(Text *out, const char *prefix, const PlanTile *t);

/* Wavefronts of an access under the plain layout; "-" where that misaligns vectors. */
const char *table_plain_cost(Arena *a, const PlanTile *t, int access);

#endif
