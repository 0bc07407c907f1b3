/* SPDX-License-Identifier: MIT */
/* access_source.h: the device-memory addresses from which the lanes of a cp_async read. */
#ifndef KGEN_SPEC_ACCESS_SOURCE_H
#define KGEN_SPEC_ACCESS_SOURCE_H

#include "spec/expansion.h"

/* The default: the source has the tile's arrangement, with its rows being parts of longer rows. */
void source_default(Expansion *e, const WarpAccess *w);
/* Sets the source byte of each active lane, from `from` or the default. False on an error. */
bool source_resolve(Expansion *e, const WarpAccess *w);

#endif
