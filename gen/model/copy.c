#include "model/copy.h"

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

static int group_wavefronts(uint32_t group, const int64_t *target, const int64_t *source) {
  int most = 0;
  for (uint32_t m = group; m; m &= m - 1) {
    const int n = lanes_apart(__builtin_ctz(m), group, target, source);
    if (n > most) most = n;
  }
  return most;
}

static int wavefronts_ca(int bytes, uint32_t active, const int64_t *target, const int64_t *source) {
  uint32_t group[4];
  const int groups = bank_groups(OP_STORE, bytes, active, target, group);
  int sum = 0;
  for (int g = 0; g < groups; g++) sum += group_wavefronts(group[g], target, source);
  return sum;
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

int copy_wavefronts(CopyCache cache, int bytes, uint32_t active, const int64_t target[WARP],
                    const int64_t source[WARP]) {
  return cache == COPY_CG ? wavefronts_cg(active, target, source)
                          : wavefronts_ca(bytes, active, target, source);
}
