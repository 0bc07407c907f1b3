/* SPDX-License-Identifier: MIT */
/* spec_names.h: the names that a spec's expressions can use. */
#ifndef KGEN_SPEC_SPEC_NAMES_H
#define KGEN_SPEC_SPEC_NAMES_H

#include "spec/spec_reader.h"

/* lane, warp, tid, tx, ty, tz: in the order of their slots. */
extern const char *const lane_names[SLOT_FIXED];

bool is_lane_name(const char *name);
/* Declares a name that kgen defines. If a spec of `none` has a param of that name, kgen's name is
 * made inaccessible. */
int declare_ours(SpecReader *r, const char *name);
/* True for a name that kgen defines in addition to lanes, loops, params and extents: esize, bx,
 * ..., warps. */
bool slot_is_ours(const SpecReader *r, int slot);
/* True if expressions have that name in some scope, so that no param or let can use it. */
bool name_is_taken(const SpecReader *r, const char *name);

#endif
