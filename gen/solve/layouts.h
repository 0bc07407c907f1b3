/* layouts.h: part of stage 4. The layouts of one set of strides, stage by stage: what is better
 * than the best so far becomes it, what is not is refused. */
#ifndef KGEN_LAYOUTS_H
#define KGEN_LAYOUTS_H

#include "solve/solver.h"

/* Asked first, with no wavefront above the floor: the strides alone, then the cheapest map. */
void layouts_try_free(Solver *s, const KgenLayout *l);
/* Asked where no layout is free: the strides alone and with single terms. */
void layouts_try_terms(Solver *s, const KgenLayout *l);
/* Asked last: maps of two terms and more, first whether any has fewer wavefronts, or as many and
 * fewer bytes, then the cheapest of them. */
void layouts_try_maps(Solver *s, const KgenLayout *l);

#endif
