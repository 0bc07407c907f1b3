/* least_layout.h: part of stage 4, asked where no layout is free: the least total at one set of
 * strides. */
#ifndef KGEN_LEAST_LAYOUT_H
#define KGEN_LEAST_LAYOUT_H

#include "solve/solver.h"

/* The strides alone and with single terms. */
void least_layout_try(Solver *s, const Padding *p);
/* Maps of two terms and more: first whether any has fewer wavefronts, or as many and fewer bytes,
 * then the cheapest of them. */
void least_layout_try_maps(Solver *s, const Padding *p);

#endif
