/* access_source.h: where the lanes of a cp_async read device memory. */
#ifndef KGEN_SPEC_ACCESS_SOURCE_H
#define KGEN_SPEC_ACCESS_SOURCE_H

#include "spec/expansion.h"

/* By default an element lies in the source as it does in the tile, whose rows are parts of longer
 * ones. */
void source_default(Expansion *e, const WarpAccess *w);
/* Sets the byte of each active lane, from `from` or by default. False on an error. */
bool source_place(Expansion *e, const WarpAccess *w);

#endif
