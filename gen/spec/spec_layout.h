/* spec_layout.h: what a spec wants of a tile's layout. */
#ifndef KGEN_SPEC_SPEC_LAYOUT_H
#define KGEN_SPEC_SPEC_LAYOUT_H

#include "spec/spec.h"
#include "spec/spec_keys.h"
#include "spec/spec_value.h"

/* node: the value of `layout`, or NULL. unpadded: the tile's bytes, 0 if unknown. out: with its
 * defaults. */
void read_layout(const Reader *in, const Yaml *node, int64_t unpadded, LayoutRequest *out);
/* --layout, and pads that are set, replace what the spec wants of the tile of that name. */
void override_layout(Arena *a, const SpecOptions *options, const char *tile, LayoutRequest *out);

extern const KeyTable layout_table;

#endif
