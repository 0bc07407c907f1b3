#include "model/cp_async.h"

#include "model/bank.h"

enum { LINE = 128, SECTOR = 32, HALF = 16, SECTORS_OF_LINE = LINE / SECTOR };

/* --- .ca --- */

/* Aligned pieces of equal size share banks exactly if they start at the same place of a line. */
static bool shares_bank(int64_t a, int64_t b) { return a % LINE == b % LINE; }

/* The lanes of the group that cannot be served with `lane`, itself included. */
static int lanes_apart(int lane, uint32_t group, const int64_t *target, const int64_t *source) {
  int n = 0;
  for (uint32_t m = group; m; m &= m - 1) {
    const int other = __builtin_ctz(m);
    n += shares_bank(target[lane], target[other]) || shares_bank(source[lane], source[other]);
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

/* What one sector of the target takes from one sector of the source. */
typedef struct {
  int64_t target, source; /* sectors */
  unsigned halves;        /* bit 2 * t + s: half t of the target is half s of the source */
} Piece;

static void add_half(Piece *piece, int *pieces, int64_t target, int64_t source) {
  const unsigned half = 1u << (target / HALF % 2 * 2 + source / HALF % 2);
  int i = 0;
  while (i < *pieces && (piece[i].target != target / SECTOR || piece[i].source != source / SECTOR))
    i++;
  if (i == *pieces) piece[(*pieces)++] = (Piece){target / SECTOR, source / SECTOR, 0};
  piece[i].halves |= half;
}

static bool served_together(const Piece *a, const Piece *b) {
  return a->target / SECTORS_OF_LINE == b->target / SECTORS_OF_LINE &&
         a->source / SECTORS_OF_LINE == b->source / SECTORS_OF_LINE && a->halves == b->halves &&
         ((a->target ^ a->source) & 1) == ((b->target ^ b->source) & 1);
}

static int wavefronts_cg(uint32_t active, const int64_t *target, const int64_t *source) {
  Piece piece[WARP];
  int pieces = 0, sum = 0;
  for (uint32_t m = active; m; m &= m - 1)
    add_half(piece, &pieces, target[__builtin_ctz(m)], source[__builtin_ctz(m)]);
  for (int i = 0; i < pieces; i++) {
    int first = 0;
    while (!served_together(&piece[first], &piece[i])) first++;
    sum += first == i;
  }
  return sum;
}

/* Which halves of the sectors of lane `first`'s source line are copied: bit 0 low ones alone, bit 1
 * high ones alone, bit 2 whole sectors. */
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

/* A whole sector that a layout splits becomes two halves, each of which may be served together with
 * others. */
static int least_of(unsigned kinds) {
  const int halves = __builtin_popcount(kinds & 3);
  return kinds & 4 ? 1 + (halves > 0) : halves;
}

/* True if no lane of the group below `lane` has equal lines. target: NULL: of the source alone. */
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
  static const int64_t apart[WARP] = {0}; /* a store's groups do not depend on addresses */
  if (cache == COPY_CA) return bank_groups(OP_STORE, bytes, active, apart, mask);
  mask[0] = active;
  return active != 0;
}

int cp_async_group_wavefronts(CopyCache cache, uint32_t lanes, const int64_t target[WARP],
                              const int64_t source[WARP]) {
  return cache == COPY_CG ? wavefronts_cg(lanes, target, source)
                          : wavefronts_ca(lanes, target, source);
}

int cp_async_group_ideal(CopyCache cache, uint32_t lanes, const int64_t source[WARP]) {
  int sum = 0;
  if (cache == COPY_CA) return wavefronts_ca(lanes, source, source);
  for (uint32_t m = lanes; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    if (first_of_lines(lanes, lane, NULL, source))
      sum += least_of(line_halves(lanes, lane, source));
  }
  return sum;
}

int cp_async_group_least(CopyCache cache, uint32_t lanes, const int64_t target[WARP],
                         const int64_t source[WARP]) {
  int sum = 0;
  if (cache == COPY_CA) return wavefronts_ca(lanes, target, source);
  for (uint32_t m = lanes; m; m &= m - 1)
    sum += first_of_lines(lanes, __builtin_ctz(m), target, source);
  return sum;
}

/* Of .ca the source's banks, of .cg its lines as well, numbered as they occur. */
bool cp_async_group_sources(CopyCache cache, uint32_t lanes, const int64_t source[WARP],
                            int32_t reduced[WARP]) {
  int64_t line[WARP];
  int lines = 0;
  bool decides = cache == COPY_CG;
  for (int i = 0; lanes; lanes &= lanes - 1, i++) {
    const int64_t at = source[__builtin_ctz(lanes)];
    int known = 0;
    while (known < lines && line[known] != at / LINE) known++;
    if (known == lines) line[lines++] = at / LINE;
    reduced[i] = (int32_t)(at % LINE) + (cache == COPY_CG ? known * LINE : 0);
    for (int j = 0; j < i; j++) decides = decides || reduced[j] == reduced[i];
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
