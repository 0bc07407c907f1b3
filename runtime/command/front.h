/* front.h: kgen --front: bytes against wavefronts and occupancy of every possible layout of a tile,
 * and which single change to an access would help. */
#ifndef KGEN_COMMAND_FRONT_H
#define KGEN_COMMAND_FRONT_H

#include "batch.h"
#include "command/options.h"

void front_print(Text *out, const Batch *b, Format format);

#endif
