/* modes.h: the layouts that TMA writes and wgmma reads: rows as they are, or with the 16-byte
 * pieces of 128-byte lines swapped, in one of three modes [docs/explanation/layouts-and-banks.md,
 * "TMA and wgmma"]. */
#ifndef KGEN_MODEL_MODES_H
#define KGEN_MODEL_MODES_H

#include "model/layout.h"

enum { MODES = 4 };
/* Of a mode: 0 (none), 32, 64, 128. As a spec calls it: none, tma32, tma64, tma128. */
extern const int mode_bytes[MODES];
extern const char *const mode_name[MODES];

/* Whether a tile can lie so, and if not, why. */
typedef enum {
  MODE_HOLDS,
  MODE_RANK,   /* a swizzle needs rows */
  MODE_PIECES, /* rows are not a multiple of 16 bytes */
  MODE_WIDE,   /* rows are longer than the mode's bytes */
  MODE_NARROW, /* rows are shorter: elements would move to other rows */
  MODE_CORE,   /* wgmma without a swizzle reads rows of 16 bytes */
  MODE_CUT     /* boxes do not begin where the mode's pattern does, every 8 rows */
} ModeVerdict;

/* mode: index. out: the layout, if it holds. */
ModeVerdict mode_judge(const AccessSet *set, int mode, KgenLayout *out);
/* The mode that a layout of the set's tile is, or -1. */
int mode_of(const AccessSet *set, const KgenLayout *l);
/* That mode's bytes: 0 (none), 32, 64, 128; -1: the layout is no mode. */
int mode_bytes_of(const AccessSet *set, const KgenLayout *l);
/* Some access moves boxes, so that the layout must be a mode. */
bool mode_needed(const AccessSet *set);

#endif
