/* access_boxes.h: the boxes that TMA and wgmma move: how large they are, how many, and where they
 * begin. */
#ifndef KGEN_SPEC_ACCESS_BOXES_H
#define KGEN_SPEC_ACCESS_BOXES_H

#include "spec/expansion.h"

/* Fills in what an access moves, of at most `left` instructions. False on an error: a box that is
 * not one piece of the tile, leaves it, or begins where TMA faults. */
bool boxes_expand(Expansion *e, int64_t left, Access *out);

#endif
