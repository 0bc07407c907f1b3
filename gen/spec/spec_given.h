/* SPDX-License-Identifier: MIT */
/* spec_given.h: reads a user-specified layout, which is evaluated. */
#ifndef KGEN_SPEC_SPEC_GIVEN_H
#define KGEN_SPEC_SPEC_GIVEN_H

#include "spec/spec_scope.h"

/* Reads layout: {swizzle: ...}, {cute: [B, M, S]}, {pad: N} or {expr: "..."}; NULL if the map has
 * none of them, or with an error. scope: the names that the tile's own expressions see. */
const GivenLayout *read_given(const Reader *in, Scope *scope, const Yaml *map, const Tile *tile);

#endif
