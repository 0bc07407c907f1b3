/* cp_async.h: the exact cost of one warp-wide cp.async, in the wavefronts that the hardware counts
 * as ldgsts. It is not a store: the source decides as much as the banks. Both rules reproduce every
 * row measured on an H200 and an H100: the files of cp_async in tests/model/data. */
#ifndef KGEN_MODEL_CP_ASYNC_H
#define KGEN_MODEL_CP_ASYNC_H

#include "model/tile.h"

/* The source of a lane that reads nothing, and whose target is filled with zeros (src-size 0). */
enum { COPY_ZEROS = -1 };

/* Wavefronts of one instruction: `active` lanes copy `bytes` each from byte source[lane] of device
 * memory to byte target[lane] of shared memory, both multiples of `bytes`; the tile starts at a
 * multiple of 128.
 *
 * COPY_CA: 128 bytes' worth of lanes are a group, as for a store. Two lanes of a group are served
 * apart if they share a bank of the target or a bank of the source, in whatever word; the group
 * costs one lane and all that are served apart from it, for the lane with the most.
 *
 * COPY_CG: one wavefront for each combination of 128-byte line of the target, 128-byte line of the
 * source, halves of the 32-byte sectors that are moved where, and whether a sector moves by an odd
 * number of sectors within its line; more where sectors of a combination come from one sector of
 * the source. A half that goes to both halves of a sector goes to one after the other. Over the
 * whole warp. Lanes that read nothing are served by themselves, as those of COPY_CA. */
int cp_async_wavefronts(CopyCache cache, int bytes, uint32_t active, const int64_t target[WARP],
                        const int64_t source[WARP]);

/* The lanes that are served apart from others: as for a store, or (COPY_CG) the whole warp. Fills
 * mask[] (at most 4) and returns their number; groups without an active lane are left out. */
int cp_async_groups(CopyCache cache, int bytes, uint32_t active, uint32_t mask[4]);
int cp_async_group_wavefronts(CopyCache cache, uint32_t lanes, const int64_t target[WARP],
                              const int64_t source[WARP]);

/* What a group costs at least, wherever it goes. COPY_CA: the most lanes that share a bank of the
 * source. COPY_CG: for each line of the source, 1 if sectors are copied whole, and 1 if others are
 * copied by half; if none is whole, 1 for the low halves and 1 for the high ones. */
int cp_async_group_ideal(CopyCache cache, uint32_t lanes, const int64_t source[WARP]);
/* What some of a group's lanes cost at least, whatever the others do: lines of the target paired
 * with lines of the source. More lanes never pair fewer. */
int cp_async_group_least(CopyCache cache, uint32_t lanes, const int64_t target[WARP],
                         const int64_t source[WARP]);

/* Where lanes read, reduced to what their cost depends on, one after the other: equal sources cost
 * the same wherever they go. False if none of them decides: a copy through L1 whose lanes read from
 * different banks costs what a store of each lane does. */
bool cp_async_group_sources(CopyCache cache, uint32_t lanes, const int64_t source[WARP],
                            int32_t reduced[WARP]);

#endif
