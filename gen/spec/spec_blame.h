/* spec_blame.h: where a spec is told that it does not suit its family. A family's formulas fail,
 * and its accesses leave the tile, for what the spec says: its author is told at his own lines. */
#ifndef KGEN_SPEC_SPEC_BLAME_H
#define KGEN_SPEC_SPEC_BLAME_H

#include "spec/spec_reader.h"

/* The first of the spec's own values that a formula of the family reads, by itself, through a let,
 * or through the family's own values; if it reads none, the kernel's name. */
Loc blame_formula(const SpecReader *r, const char *formula);
/* "d1 = 24, vector = 16": what a formula reads, by itself or through a let. */
const char *blame_readings(const SpecReader *r, const char *formula);

/* From here on, what is wrong in the family's file is kept apart: returns where. */
Diag *blame_begin(const SpecReader *r, Diag *d);
/* Tells the first of it at the spec's own line, unless something else is told there or a
 * requirement failed; or all of it at its place, if the family is broken. */
void blame_end(const SpecReader *r, Diag *d, Diag *kept, bool broken);

#endif
