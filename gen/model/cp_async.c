/* SPDX-License-Identifier: MIT */
#include "model/cp_async.h"

#include "model/bank.h"

enum { LINE = 128, SECTOR = 32, HALF = 16, SECTORS_OF_LINE = LINE / SECTOR };

/* --- .ca --- */

/* Aligned vectors of equal size share banks exactly if they have the same offset within a line. A
 * negative address (a lane that reads nothing) shares none. */
static bool shares_bank(int64_t a, int64_t b) { return a >= 0 && b >= 0 && a % LINE == b % LINE; }

/* The number of lanes of the group that are serialized with `lane`, itself included. */
static int lanes_apart(int lane, uint32_t group, const int64_t *target, const int64_t *source) {
  int n = 0;
  for (uint32_t m = group; m; m &= m - 1) {
    const int other = __builtin_ctz(m);
    n += other == lane || shares_bank(target[lane], target[other]) ||
         shares_bank(source[lane], source[other]);
  }
  return n;
}

static int wavefronts_ca(uint32_t group, const int64_t *target, const int64_t *source) {
  int most = 0;
  for (uint32_t m = group; m; m &= m - 1) {
    const int n = lanes_apart(__builtin_ctz(m), group, target, source);
    if (n > most) most = n;
  }
  return most;
}

/* --- .cg --- */

/* The bytes that one sector of the target takes from one sector of the source. */
typedef struct {
  int64_t target, source; /* sector numbers */
  unsigned halves; /* bit 2 * t + s: half t of the target is copied from half s of the source */
} Piece;

/* The pieces of all lanes of a warp, at most one per lane. */
typedef struct {
  Piece piece[WARP];
  int count;
} Pieces;

static void add_half(Pieces *p, int64_t target, int64_t source) {
  const unsigned half = 1u << (target / HALF % 2 * 2 + source / HALF % 2);
  Piece *one = p->piece;
  while (one < p->piece + p->count &&
         (one->target != target / SECTOR || one->source != source / SECTOR))
    one++;
  if (one == p->piece + p->count)
    p->piece[p->count++] = (Piece){target / SECTOR, source / SECTOR, 0};
  one->halves |= half;
}

/* True if one half of the source goes to both halves of the target. */
static bool repeats_half(unsigned halves) { return (halves & 5) == 5 || (halves & 10) == 10; }

static void split(Pieces *p, int i) {
  Piece *one = &p->piece[i];
  if (!repeats_half(one->halves)) return;
  for (unsigned rest = one->halves & (one->halves - 1); rest; rest &= rest - 1)
    p->piece[p->count++] = (Piece){one->target, one->source, rest & -rest};
  one->halves &= -one->halves;
}

static Pieces pieces_of(uint32_t lanes, const int64_t *target, const int64_t *source) {
  Pieces p = {.count = 0};
  for (; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    add_half(&p, target[lane], source[lane]);
  }
  for (int i = p.count - 1; i >= 0; i--) split(&p, i);
  return p;
}

static bool served_together(const Piece *a, const Piece *b) {
  return a->target / SECTORS_OF_LINE == b->target / SECTORS_OF_LINE &&
         a->source / SECTORS_OF_LINE == b->source / SECTORS_OF_LINE && a->halves == b->halves &&
         ((a->target ^ a->source) & 1) == ((b->target ^ b->source) & 1);
}

/* Counts the wavefronts. Pieces that could be served together but come from one sector are
 * serialized: the k-th piece of each sector goes into the k-th wavefront. */
static int wavefronts_read(uint32_t lanes, const int64_t *target, const int64_t *source) {
  const Pieces p = pieces_of(lanes, target, source);
  int turn[WARP] = {0}, sum = 0;
  for (int i = 0; i < p.count; i++) {
    const Piece *one = &p.piece[i];
    bool begins = true;
    for (int k = 0; k < i; k++)
      turn[i] += served_together(&p.piece[k], one) && p.piece[k].source == one->source;
    for (int k = 0; k < i; k++)
      begins = begins && !(served_together(&p.piece[k], one) && turn[k] == turn[i]);
    sum += begins;
  }
  return sum;
}

static uint32_t zeros_of(uint32_t lanes, const int64_t *source) {
  uint32_t zeros = 0;
  for (; lanes; lanes &= lanes - 1)
    if (source[__builtin_ctz(lanes)] < 0) zeros |= lanes & -lanes;
  return zeros;
}

static int wavefronts_cg(uint32_t active, const int64_t *target, const int64_t *source) {
  const uint32_t zeros = zeros_of(active, source);
  return wavefronts_read(active & ~zeros, target, source) +
         cp_async_wavefronts(COPY_CA, HALF, zeros, target, source);
}

/* The kinds of copies from the source line of lane `first`, as a bit set. Bit 0: some sector's low
 * half alone; bit 1: some sector's high half alone; bit 2: some whole sector. */
static unsigned line_halves(uint32_t lanes, int first, const int64_t *source) {
  unsigned half[SECTORS_OF_LINE] = {0}, kinds = 0;
  for (uint32_t m = lanes; m; m &= m - 1) {
    const int64_t at = source[__builtin_ctz(m)];
    if (at / LINE == source[first] / LINE)
      half[at / SECTOR % SECTORS_OF_LINE] |= 1u << at / HALF % 2;
  }
  for (int i = 0; i < SECTORS_OF_LINE; i++)
    if (half[i]) kinds |= 1u << (half[i] - 1);
  return kinds;
}

/* The minimum number of wavefronts for a source line with these kinds. A layout may split a whole
 * sector into two halves, each of which may share a wavefront with others. */
static int least_of(unsigned kinds) {
  const int halves = __builtin_popcount(kinds & 3);
  return kinds & 4 ? 1 + (halves > 0) : halves;
}

/* True if no lower lane of the group has the same source line and target line. target = NULL:
 * compares the source lines only. */
static bool first_of_lines(uint32_t lanes, int lane, const int64_t *target, const int64_t *source) {
  for (uint32_t m = lanes & ((UINT32_C(1) << lane) - 1); m; m &= m - 1) {
    const int i = __builtin_ctz(m);
    if (source[i] / LINE == source[lane] / LINE &&
        (!target || target[i] / LINE == target[lane] / LINE))
      return false;
  }
  return true;
}

/* --- both caches --- */

int cp_async_groups(CopyCache cache, int bytes, uint32_t active, uint32_t mask[4]) {
  static const int64_t apart[WARP] = {0}; /* the groups of a store do not depend on addresses */
  if (cache == COPY_CA) return bank_groups(OP_STORE, bytes, active, apart, mask);
  mask[0] = active;
  return active != 0;
}

int cp_async_group_wavefronts(CopyCache cache, uint32_t lanes, const int64_t target[WARP],
                              const int64_t source[WARP]) {
  return cache == COPY_CG ? wavefronts_cg(lanes, target, source)
                          : wavefronts_ca(lanes, target, source);
}

static int ideal_cg(uint32_t lanes, const int64_t *source) {
  const uint32_t zeros = zeros_of(lanes, source);
  uint32_t mask[4];
  int sum = cp_async_groups(COPY_CA, HALF, zeros, mask);
  lanes &= ~zeros;
  for (uint32_t m = lanes; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    if (first_of_lines(lanes, lane, NULL, source))
      sum += least_of(line_halves(lanes, lane, source));
  }
  return sum;
}

int cp_async_group_ideal(CopyCache cache, uint32_t lanes, const int64_t source[WARP]) {
  return cache == COPY_CA ? wavefronts_ca(lanes, source, source) : ideal_cg(lanes, source);
}

int cp_async_group_least(CopyCache cache, uint32_t lanes, const int64_t target[WARP],
                         const int64_t source[WARP]) {
  int sum = 0;
  if (cache == COPY_CA) return wavefronts_ca(lanes, target, source);
  lanes &= ~zeros_of(lanes, source);
  for (uint32_t m = lanes; m; m &= m - 1)
    sum += first_of_lines(lanes, __builtin_ctz(m), target, source);
  return sum;
}

/* COPY_CA keeps the bank of each source; COPY_CG also its line, numbered in order of occurrence. */
bool cp_async_group_sources(CopyCache cache, uint32_t lanes, const int64_t source[WARP],
                            int32_t reduced[WARP]) {
  int64_t line[WARP];
  int lines = 0;
  bool decides = cache == COPY_CG;
  for (int i = 0; lanes; lanes &= lanes - 1, i++) {
    const int64_t at = source[__builtin_ctz(lanes)];
    int known = 0;
    reduced[i] = COPY_ZEROS;
    if (at < 0) continue;
    while (known < lines && line[known] != at / LINE) known++;
    if (known == lines) line[lines++] = at / LINE;
    reduced[i] = (int32_t)(at % LINE) + (cache == COPY_CG ? known * LINE : 0);
    for (int k = 0; k < i; k++) decides = decides || reduced[k] == reduced[i];
  }
  return decides;
}

int cp_async_wavefronts(CopyCache cache, int bytes, uint32_t active, const int64_t target[WARP],
                        const int64_t source[WARP]) {
  uint32_t mask[4];
  const int groups = cp_async_groups(cache, bytes, active, mask);
  int sum = 0;
  for (int g = 0; g < groups; g++) sum += cp_async_group_wavefronts(cache, mask[g], target, source);
  return sum;
}
