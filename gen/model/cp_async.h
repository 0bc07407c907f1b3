/* SPDX-License-Identifier: MIT */
/* cp_async.h: exact cost of one warp-wide cp.async, in the wavefronts that the hardware counts as
 * ldgsts. Unlike a store, its cost depends on the source addresses as much as on the banks. Both
 * rules reproduce every row measured on an H200 and an H100: the cp_async files in
 * tests/model/data. */
#ifndef KGEN_MODEL_CP_ASYNC_H
#define KGEN_MODEL_CP_ASYNC_H

#include "model/tile.h"

/* Source of a lane that reads nothing and fills its target with zeros (src-size 0). */
enum { COPY_ZEROS = -1 };

/* Wavefronts of one instruction: `active` lanes copy `bytes` each from byte source[lane] of device
 * memory to byte target[lane] of shared memory. Both are multiples of `bytes`; the tile starts at a
 * multiple of 128. COPY_CA: lanes are grouped as for a store, 128 bytes per group. Two lanes of a
 * group are serialized if they share a bank of the target or of the source, even at the same word.
 * A group costs the maximum over its lanes of 1 + the number of lanes serialized with that lane.
 * COPY_CG: the whole warp is one group. Lanes are served in one wavefront if four things agree: the
 * 128-byte line of the target; the 128-byte line of the source; the halves of the 32-byte sectors
 * that are copied, and to which half; and the parity of the sector's shift within its line. Lanes
 * of such a set that read from one source sector are serialized. A half that is copied to both
 * halves of a sector counts as two copies. Lanes that read nothing are costed separately, as
 * COPY_CA. */
int cp_async_wavefronts(CopyCache cache, int bytes, uint32_t active, const int64_t target[WARP],
                        const int64_t source[WARP]);

/* Splits the lanes into groups that are served one after another: as for a store, or the whole warp
 * for COPY_CG. Fills mask[] (at most 4) and returns their number; groups without an active lane are
 * left out. */
int cp_async_groups(CopyCache cache, int bytes, uint32_t active, uint32_t mask[4]);
int cp_async_group_wavefronts(CopyCache cache, uint32_t lanes, const int64_t target[WARP],
                              const int64_t source[WARP]);

/* Minimum cost of a group over all targets. COPY_CA: the maximum number of lanes that share a bank
 * of the source. COPY_CG: per line of the source, 1 if whole sectors are copied, plus 1 if any
 * sector is copied only by half. If no sector is whole: 1 for the low halves and 1 for the high
 * halves. */
int cp_async_group_ideal(CopyCache cache, uint32_t lanes, const int64_t source[WARP]);
/* Lower bound on the cost of any group that contains these lanes. COPY_CG: the number of pairs of a
 * target line and a source line, which further lanes can only increase. */
int cp_async_group_least(CopyCache cache, uint32_t lanes, const int64_t target[WARP],
                         const int64_t source[WARP]);

/* Reduces the sources of the lanes to what their cost depends on: lane groups with equal reduced
 * sources cost the same for every target. Returns false if the sources do not matter, which is so
 * for COPY_CA if all lanes read from different banks: the copy then costs as much as a store. */
bool cp_async_group_sources(CopyCache cache, uint32_t lanes, const int64_t source[WARP],
                            int32_t reduced[WARP]);

#endif
