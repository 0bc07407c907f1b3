/* SPDX-License-Identifier: MIT */
/* spec_layout.h: reads the layout that a spec requests for a tile. */
#ifndef KGEN_SPEC_SPEC_LAYOUT_H
#define KGEN_SPEC_SPEC_LAYOUT_H

#include "spec/spec.h"
#include "spec/spec_keys.h"
#include "spec/spec_value.h"

/* node: the value of `layout`, or NULL. unpadded: the tile's bytes, 0 if unknown. out: initialized
 * with the defaults. */
void read_layout(const Reader *in, const Yaml *node, int64_t unpadded, LayoutRequest *out);
/* Applies --layout, and pads that are set, to the request for that tile. */
void override_layout(Arena *a, const SpecOptions *options, const char *tile, LayoutRequest *out);

extern const KeyTable layout_table;

#endif
