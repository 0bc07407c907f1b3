/* header.h: the values of templates/header.h, which `kernel: none` emits once a tile. */
#ifndef KGEN_HEADER_H
#define KGEN_HEADER_H

#include "emit/plan.h"

enum { HEADER_VALUES = 15 };

/* Fills the values of one tile; their names start with NAME_, as in the template. */
void header_values(Arena *a, const PlanTile *t, PlanValue out[HEADER_VALUES]);

/* Comment lines, each after `prefix`: which accesses the header's asserts leave out and why, and
 * what CuTe and TMA call the layout. */
void header_remarks(Text *out, const char *prefix, const PlanTile *t);

#endif
