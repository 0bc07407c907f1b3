/* SPDX-License-Identifier: MIT */
/* cute.h: expresses a layout as a CuTe layout and swizzle. */
#ifndef KGEN_EMIT_CUTE_H
#define KGEN_EMIT_CUTE_H

#include "base/text.h"
#include "model/layout.h"
#include "model/swizzle.h"

/* True if applying the swizzle to the offsets given by the strides alone yields this layout, for
 * every element. False for a layout without terms. */
bool cute_find(const KgenLayout *l, CuteSwizzle *out);

/* Like cute_find(), for any map of `n` row-major indices; also true for the identity, which is <0,
 * 0, 0>. */
bool cute_find_map(const int32_t *at, int n, CuteSwizzle *out);

/* The layout as a CuTe expression, a function of its coordinates:
 * composition(Swizzle<2, 3, 3>{}, Layout<Shape<_128, _32>, Stride<_32, _1>>{}). If bits
 * change places, or several XORs are needed, it is a layout of strides of the bits in as many
 * swizzles as needed. NULL if CuTe has no such form. */
const char *cute_spell(Arena *a, const KgenLayout *l);

/* Like cute_spell(), of strides with a swizzle that is known; b = 0: without one. */
const char *cute_spell_swizzle(Arena *a, const KgenLayout *l, CuteSwizzle w);

#endif
