/* SPDX-License-Identifier: MIT */
/* header_boxes.h: extends a tile's header for TMA and wgmma: the swizzle mode, boxes with their
 * tensor maps, and wgmma's descriptors, from templates/tile_{mode,box,operand}.h. */
#ifndef KGEN_EMIT_HEADER_BOXES_H
#define KGEN_EMIT_HEADER_BOXES_H

#include "emit/stamp.h"

/* Appends nothing if no access moves boxes or the layout is not a mode. `header`: prefix and
 * columns of the header's stamp. False if a template has errors, which are in d. */
bool header_put_boxes(Text *out, Diag *d, const PlanTile *t, Templates *templates,
                      const Stamp *header);

#endif
