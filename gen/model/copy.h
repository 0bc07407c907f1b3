/* copy.h: the exact cost of one warp-wide cp.async, in the wavefronts that the hardware counts as
 * ldgsts. It is no store: the source decides as much as the banks. Both rules reproduce every row
 * measured on an H200: tests/model/data/h200_cp_async_ca.csv and h200_cp_async_cg.csv. */
#ifndef KGEN_COPY_H
#define KGEN_COPY_H

#include "model/tile.h"

typedef enum {
  COPY_CA, /* through L1, 4, 8 or 16 bytes a lane */
  COPY_CG  /* past L1, 16 bytes a lane */
} CopyCache;

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
 * number of sectors within its line. Over the whole warp. */
int copy_wavefronts(CopyCache cache, int bytes, uint32_t active, const int64_t target[WARP],
                    const int64_t source[WARP]);

#endif
