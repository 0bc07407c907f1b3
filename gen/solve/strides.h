/* strides.h: part of stage 4. Every way to pad a tile, fewest bytes first. */
#ifndef KGEN_STRIDES_H
#define KGEN_STRIDES_H

#include "model/layout.h"

/* Is shown a layout without terms; false ends the walk. */
typedef bool StridesVisit(void *visitor, const KgenLayout *strides);

/* Shows every padding that can matter, the plain layout first: bank costs depend on each stride
 * modulo the bank period only (docs/layout.md, "Bank rules"), so larger pads repeat smaller ones.
 * A rank-1 tile also has every power of two below its size as a period. Of equally many bytes, no
 * period comes before long ones before short ones, and small outer pads before large ones.
 * multiple: what each stride is a multiple of, in elements; the others are left out. */
void strides_walk(const AccessSet *set, bool pads, const int multiple[KGEN_MAX_RANK - 1],
                  StridesVisit *visit, void *visitor);
/* The strides that add `pad` elements to a row; to every bank period of a rank-1 tile. */
KgenLayout strides_given(const AccessSet *set, int pad);

#endif
