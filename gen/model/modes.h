/* SPDX-License-Identifier: MIT */
/* modes.h: the layouts that TMA writes and wgmma reads: unswizzled rows, or one of three modes that
 * permute the 16-byte units of 128-byte lines [docs/explanation/layouts-and-banks.md, "TMA and
 * wgmma"]. */
#ifndef KGEN_MODEL_MODES_H
#define KGEN_MODEL_MODES_H

#include "model/layout.h"

enum { MODES = 4 };
/* For each mode, its swizzle width in bytes (0 = none, 32, 64, 128) and its name in specs (none,
 * tma32, tma64, tma128). */
extern const int mode_bytes[MODES];
extern const char *const mode_name[MODES];

/* Result of mode_judge(): the mode fits the tile, or the reason why not. */
typedef enum {
  MODE_HOLDS,
  MODE_RANK,   /* a swizzle needs rows */
  MODE_PIECES, /* rows are not a multiple of 16 bytes */
  MODE_WIDE,   /* rows are longer than the mode's bytes */
  MODE_NARROW, /* rows are shorter, so that elements would move to other rows */
  MODE_CORE,   /* without a swizzle, wgmma reads rows of 16 bytes */
  MODE_CUT     /* boxes do not start where the pattern of the mode starts, every 8 rows */
} ModeVerdict;

/* mode: index into mode_bytes[]. *out: the layout, if the result is MODE_HOLDS. */
ModeVerdict mode_judge(const AccessSet *set, int mode, KgenLayout *out);
/* The mode whose layout of the set's tile equals l, or -1. */
int mode_of(const AccessSet *set, const KgenLayout *l);
/* The swizzle width of that mode: 0 (none), 32, 64 or 128; -1 if the layout is no mode. */
int mode_bytes_of(const AccessSet *set, const KgenLayout *l);
/* True if an access moves boxes, so that the layout must be one of the modes. */
bool mode_needed(const AccessSet *set);

#endif
