/* picture.h: kgen --svg. One tile, plain and as chosen, a colour a bank, with the lanes of the
 * instruction that is costliest in the plain tile; for papers and READMEs. */
#ifndef KGEN_EMIT_PICTURE_H
#define KGEN_EMIT_PICTURE_H

#include "emit/plan.h"

/* The tile of that name; of NULL the one with most wavefronts above the ideal when plain. NULL if
 * there is none of that name. */
const PlanTile *picture_tile(const Plan *p, const char *name);

/* An SVG document in the style of the folder's page/picture.css. NULL, with the reason in *why, if
 * that cannot be read. */
const char *picture_svg(Arena *a, const Plan *p, const PlanTile *t, const char *template_dir,
                        Text *why);

#endif
