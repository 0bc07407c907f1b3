/* SPDX-License-Identifier: MIT */
#include "model/modes.h"

#include <string.h>

#include "base/number.h"

enum { PIECE = 16, LINE = 128, PATTERN_ROWS = 8 };

const int mode_bytes[MODES] = {0, 32, 64, 128};
const char *const mode_name[MODES] = {"none", "tma32", "tma64", "tma128"};

bool mode_needed(const AccessSet *set) {
  for (int i = 0; i < set->accesses; i++)
    if (set->access[i].boxes) return true;
  return false;
}

static bool has_wgmma(const AccessSet *set) {
  for (int i = 0; i < set->accesses; i++)
    if (op_is_wgmma(set->access[i].op)) return true;
  return false;
}

/* True if a TMA box starts in the middle of the swizzle pattern. */
static bool boxes_cut(const AccessSet *set, int bytes) {
  for (int i = 0; i < set->accesses; i++)
    if (set->access[i].box_starts % ((int64_t)PATTERN_ROWS * bytes)) return true;
  return false;
}

/* Byte address a ^ ((a & mask) >> 3) of dense rows: the index of a 16-byte unit within its row is
 * XORed with the number of the 128-byte line. */
static KgenLayout swizzled(const Tile *t, int bytes) {
  KgenLayout l = layout_plain(t);
  const int piece = number_log2(PIECE / t->dtype->bytes);
  l.terms = 1;
  l.term[0] =
      (KgenTerm){.shift = number_log2(LINE / bytes) - piece, .mask = (bytes / PIECE - 1) << piece};
  return l;
}

ModeVerdict mode_judge(const AccessSet *set, int mode, KgenLayout *out) {
  const Tile *t = set->tile;
  const int64_t row = (int64_t)t->extent[t->rank - 1] * t->dtype->bytes;
  const int bytes = mode_bytes[mode];
  *out = layout_plain(t);
  if (row % PIECE) return MODE_PIECES;
  if (bytes == 0) return has_wgmma(set) && row != PIECE ? MODE_CORE : MODE_HOLDS;
  if (t->rank == 1) return MODE_RANK;
  if (row != bytes) return row > bytes ? MODE_WIDE : MODE_NARROW;
  if (boxes_cut(set, bytes)) return MODE_CUT;
  *out = swizzled(t, bytes);
  return MODE_HOLDS;
}

static bool layouts_equal(const KgenLayout *a, const KgenLayout *b) {
  if (a->period != b->period || memcmp(a->stride, b->stride, sizeof a->stride) != 0) return false;
  if (!layout_is_within_rows(a) || !layout_is_within_rows(b)) return false;
  for (int row = 0; row < layout_rows(a); row++)
    if (layout_swizzle(a, row) != layout_swizzle(b, row)) return false;
  return true;
}

int mode_of(const AccessSet *set, const KgenLayout *l) {
  KgenLayout of_mode;
  for (int m = 0; m < MODES; m++)
    if (mode_judge(set, m, &of_mode) == MODE_HOLDS && layouts_equal(l, &of_mode)) return m;
  return -1;
}

int mode_bytes_of(const AccessSet *set, const KgenLayout *l) {
  const int mode = mode_of(set, l);
  return mode < 0 ? -1 : mode_bytes[mode];
}
