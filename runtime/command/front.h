/* SPDX-License-Identifier: MIT */
/* front.h: kgen --front: the trade-off between bytes, wavefronts and occupancy over all layouts of
 * a tile, and the single changes to an access that would help. */
#ifndef KGEN_COMMAND_FRONT_H
#define KGEN_COMMAND_FRONT_H

#include "batch.h"
#include "command/options.h"

void front_print(Text *out, const Batch *b, Format format);

#endif
