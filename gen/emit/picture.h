/* SPDX-License-Identifier: MIT */
/* picture.h: kgen --svg: one tile, unpadded and as chosen, one colour per bank, with the lanes of
 * the instruction that is costliest in the unpadded tile; for papers and READMEs. */
#ifndef KGEN_EMIT_PICTURE_H
#define KGEN_EMIT_PICTURE_H

#include "emit/plan.h"

/* The tile with that name; for NULL, the tile with most wavefronts above the ideal when unpadded.
 * NULL if there is no such tile. */
const PlanTile *picture_tile(const Plan *p, const char *name);

/* An SVG document in the style of the directory's page/picture.css. NULL, with the reason in *why,
 * if that cannot be read. */
const char *picture_svg(Arena *a, const Plan *p, const PlanTile *t, const char *template_dir,
                        Text *why);

#endif
