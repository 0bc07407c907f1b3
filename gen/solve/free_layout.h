/* free_layout.h: part of stage 4, asked first: the cheapest layout under which every group is at
 * its floor, at one set of strides. */
#ifndef KGEN_FREE_LAYOUT_H
#define KGEN_FREE_LAYOUT_H

#include "solve/solver.h"

/* The strides alone, then with XORs. */
void free_layout_try(Solver *s, const Padding *p);

#endif
