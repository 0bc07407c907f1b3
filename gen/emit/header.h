/* SPDX-License-Identifier: MIT */
/* header.h: emits the header of a tile for `kernel: none`: templates/header.h with the tile's
 * values. */
#ifndef KGEN_EMIT_HEADER_H
#define KGEN_EMIT_HEADER_H

#include "emit/plan.h"

/* Appends the header of one tile, from the templates. False if the template has errors, which are
 * in d. */
bool header_put(Text *out, Diag *d, const Plan *p, const PlanTile *t, Templates *templates);

#endif
