/* SPDX-License-Identifier: MIT */
/* access_boxes.h: the boxes that TMA and wgmma move: their sizes, number and positions. */
#ifndef KGEN_SPEC_ACCESS_BOXES_H
#define KGEN_SPEC_ACCESS_BOXES_H

#include "spec/expansion.h"

/* Fills in what an access moves, with at most `left` instructions. False on an error: a box that is
 * not contiguous in the tile, leaves it, or starts where TMA faults. */
bool boxes_expand(Expansion *e, int64_t left, Access *out);

#endif
