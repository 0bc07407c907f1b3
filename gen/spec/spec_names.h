/* spec_names.h: which names a spec's expressions have, wherever they stand. */
#ifndef KGEN_SPEC_SPEC_NAMES_H
#define KGEN_SPEC_SPEC_NAMES_H

#include "spec/spec_reader.h"

/* lane, warp, tid, tx, ty, tz: in the order of their slots. */
extern const char *const lane_names[SLOT_FIXED];

bool is_lane_name(const char *name);
/* Declares a name that kgen gives. Where a spec of `none` has a param of that name, kgen's gets one
 * that nobody can write. */
int declare_ours(SpecReader *r, const char *name);
/* True for a name that kgen gives: what expressions have beyond lanes, loops, params and extents:
 * esize, bx, ..., warps. */
bool slot_is_ours(const SpecReader *r, int slot);
/* True if expressions have that name already, or have it in some place: no param or let can. */
bool name_is_taken(const SpecReader *r, const char *name);

#endif
