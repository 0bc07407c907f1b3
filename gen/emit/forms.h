/* SPDX-License-Identifier: MIT */
/* forms.h: expresses a plan's layout, or one given by an expression, in terms of CuTe and TMA. */
#ifndef KGEN_EMIT_FORMS_H
#define KGEN_EMIT_FORMS_H

#include "emit/plan.h"
#include "model/swizzle.h"

/* none, pad, xor, pad+xor, or expr. */
const char *forms_kind(const PlanTile *t);
/* CuTe's swizzle of the offsets that the strides alone give; <0, 0, 0> without a swizzle. False if
 * there is no such form. */
bool forms_cute(const PlanTile *t, CuteSwizzle *out);
/* Like cute_spell(). */
const char *forms_cute_text(Arena *a, const PlanTile *t);
/* TMA's swizzle mode in bytes: 0 (none), 32, 64 or 128; -1 if no mode has this layout. */
int forms_tma(const PlanTile *t);
/* The name of a mode in cuda.h. */
const char *forms_tma_name(Arena *a, int mode);
/* The alignment that the tile needs, in bytes: TMA's patterns repeat every 8 rows. */
int forms_align(const PlanTile *t);
/* The offset of the element with that row-major index. */
int forms_offset(const PlanTile *t, int index);

#endif
