/* forms.h: a plan's layout, or one given by an expression, in the terms of CuTe and TMA. */
#ifndef KGEN_EMIT_FORMS_H
#define KGEN_EMIT_FORMS_H

#include "emit/plan.h"
#include "model/swizzle.h"

/* none, pad, xor, pad+xor, or expr. */
const char *forms_kind(const PlanTile *t);
/* CuTe's swizzle of the offsets that the strides alone give; without a swizzle <0, 0, 0>. False if
 * there is no such form. */
bool forms_cute(const PlanTile *t, CuteSwizzle *out);
/* As cute_spell. */
const char *forms_cute_text(Arena *a, const PlanTile *t);
/* Bytes of TMA's mode: 0 (none), 32, 64 or 128; -1 if no mode has this layout. */
int forms_tma(const PlanTile *t);
/* A mode's name in cuda.h. */
const char *forms_tma_name(Arena *a, int mode);
/* The alignment that the tile needs, in bytes: TMA's patterns repeat after 8 rows. */
int forms_align(const PlanTile *t);
/* Where the element of that row-major index of the tile is stored. */
int forms_offset(const PlanTile *t, int index);

#endif
