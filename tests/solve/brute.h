/* SPDX-License-Identifier: MIT */
/* brute.h: the bank rules, the layout family and its order written a second time, as plainly as
 * possible: code that shares nothing with the solver but the access sets checks it. */
#ifndef KGEN_TESTS_SOLVE_BRUTE_H
#define KGEN_TESTS_SOLVE_BRUTE_H

#include "base/diag.h"
#include "model/address.h"
#include "solve/solve.h"
#include "spec/access.h"

/* --- random numbers: the seed is printed by the tests that use them --- */
typedef struct {
  uint64_t state;
} Random;

static inline uint32_t random_next(Random *r) { /* xorshift64* */
  r->state ^= r->state >> 12;
  r->state ^= r->state << 25;
  r->state ^= r->state >> 27;
  return (uint32_t)(r->state * 2685821657736338717u >> 32);
}
static inline int random_below(Random *r, int n) { return (int)(random_next(r) % (uint32_t)n); }

/* --- the bank rules, by definition --- */

enum { MOST_BANKS = 128 };

/* True if word w is among the first n: an earlier lane or word of the group has accessed it. */
static inline bool brute_seen(const int64_t *word, int n, int64_t w) {
  for (int i = 0; i < n; i++)
    if (word[i] == w) return true;
  return false;
}

/* The cost of one group: the words in its fullest bank (lanes, for an atomic). */
static inline int brute_group(BankGeometry g, Op op, int bytes, const int64_t *address, int lanes) {
  int64_t word[WARP * 17];
  int n = 0, fullest = 0, in_bank[MOST_BANKS] = {0};
  for (int i = 0; i < lanes; i++)
    for (int64_t w = address[i] / g.bytes; w <= (address[i] + bytes - 1) / g.bytes; w++)
      if (op == OP_ATOMIC || !brute_seen(word, n, w)) word[n++] = w;
  for (int i = 0; i < n; i++) {
    const int words = ++in_bank[word[i] % g.count];
    if (words > fullest) fullest = words;
  }
  return fullest;
}

static inline bool brute_pairs(uint32_t active, const int64_t *address, int step) {
  for (int i = 0; i < WARP; i++)
    for (int j = 0; j < WARP; j++)
      if ((i ^ j) == step && (active >> i & 1) && (active >> j & 1) && address[i] != address[j])
        return false;
  return true;
}

/* The cost of lanes of an atomic with equal addresses, which every layout has. */
static inline int brute_serial(BankGeometry g, int bytes, const int64_t *address, int lanes) {
  int most = 0;
  for (int i = 0; i < lanes; i++) {
    int equal = 0;
    for (int j = 0; j < lanes; j++) equal += address[j] == address[i];
    if (equal > most) most = equal;
  }
  const int words = bytes > g.bytes ? bytes / g.bytes : 1;
  return most * ((words + g.count - 1) / g.count);
}

/* Wavefronts of one instruction, and its ideal, unless `ideal` is NULL. */
static inline int brute_instruction(BankGeometry g, Op op, int bytes, uint32_t active,
                                    const int64_t *address, int *ideal) {
  int size = bytes == 16 ? 8 : bytes == 8 ? 16 : 32, total = 0;
  if (op == OP_LOAD && bytes >= 8 &&
      (brute_pairs(active, address, 1) || brute_pairs(active, address, 2)))
    size *= 2;
  if (ideal) *ideal = 0;
  for (int first = 0; first < WARP; first += size) {
    int64_t lane[WARP];
    int64_t at[WARP];
    int n = 0, distinct = 0;
    for (int i = first; i < first + size; i++)
      if (active >> i & 1) lane[n++] = address[i];
    if (n == 0) continue;
    total += brute_group(g, op, bytes, lane, n);
    if (!ideal) continue;
    for (int i = 0; i < n; i++)
      if (!brute_seen(at, distinct, lane[i])) at[distinct++] = lane[i];
    const int least = op == OP_ATOMIC ? brute_serial(g, bytes, lane, n) : 1;
    const int row = g.count * g.bytes, even = (distinct * bytes + row - 1) / row;
    *ideal += least > even ? least : even;
  }
  return total;
}

/* --- cp.async, by docs/explanation/layouts-and-banks.md --- */

/* The cost of a group of .ca, lanes first to last: the maximum number of lanes that share a bank
 * with one lane on either side. */
static inline int brute_ca(uint32_t active, const int64_t *target, const int64_t *source, int first,
                           int last) {
  int most = 0;
  for (int i = first; i <= last; i++) {
    int met = 0;
    for (int j = first; j <= last; j++)
      if ((active >> i & 1) && (active >> j & 1))
        met += target[i] / 4 % 32 == target[j] / 4 % 32 || source[i] / 4 % 32 == source[j] / 4 % 32;
    if (met > most) most = met;
  }
  return most;
}

/* Which halves of a 32-byte sector of the target come from which of one of the source. */
static inline int brute_halves(uint32_t active, const int64_t *target, const int64_t *source,
                               int lane) {
  int halves = 0;
  for (int j = 0; j < WARP; j++)
    if ((active >> j & 1) && target[j] / 32 == target[lane] / 32 &&
        source[j] / 32 == source[lane] / 32)
      halves |= 1 << (target[j] / 16 % 2 * 2 + source[j] / 16 % 2);
  return halves;
}

/* Those that go with lane's: its own alone, if its half of the source goes to both of the target.
 */
static inline int brute_moved(uint32_t active, const int64_t *target, const int64_t *source,
                              int lane) {
  const int halves = brute_halves(active, target, source, lane),
            from = (int)(source[lane] / 16 % 2);
  const bool both = (halves >> from & 1) && (halves >> (2 + from) & 1);
  const bool other = (halves >> (1 - from) & 1) && (halves >> (3 - from) & 1);
  return both || other ? 1 << (int)(target[lane] / 16 % 2 * 2 + from) : halves;
}

/* The properties that all lanes of one wavefront share. */
typedef struct {
  int64_t target, source;
  int halves, parity;
} BruteWave;

static inline BruteWave brute_wave(uint32_t active, const int64_t *target, const int64_t *source,
                                   int lane) {
  return (BruteWave){target[lane] / 128, source[lane] / 128,
                     brute_moved(active, target, source, lane),
                     (int)((target[lane] / 32 + source[lane] / 32) % 2)};
}

static inline bool brute_same_wave(BruteWave a, BruteWave b) {
  return a.target == b.target && a.source == b.source && a.halves == b.halves &&
         a.parity == b.parity;
}

/* How many sectors of the target take from lane's of the source in wavefronts of its kind. */
static inline int brute_takers(uint32_t active, const int64_t *target, const int64_t *source,
                               int lane) {
  const BruteWave wave = brute_wave(active, target, source, lane);
  int n = 0;
  for (int64_t sector = target[lane] / 128 * 4; sector < target[lane] / 128 * 4 + 4; sector++) {
    bool takes = false;
    for (int j = 0; j < WARP; j++)
      takes = takes || ((active >> j & 1) && target[j] / 32 == sector &&
                        source[j] / 32 == source[lane] / 32 &&
                        brute_same_wave(brute_wave(active, target, source, j), wave));
    n += takes;
  }
  return n;
}

/* For each kind of wavefront as many as its most wanted sector is taken from. */
static inline int brute_cg(uint32_t active, const int64_t *target, const int64_t *source) {
  int n = 0;
  for (int i = 0; i < WARP; i++) {
    if (!(active >> i & 1)) continue;
    const BruteWave wave = brute_wave(active, target, source, i);
    int most = 0;
    bool first = true;
    for (int j = 0; j < WARP; j++) {
      if (!(active >> j & 1) || !brute_same_wave(brute_wave(active, target, source, j), wave))
        continue;
      first = first && j >= i;
      const int takers = brute_takers(active, target, source, j);
      if (takers > most) most = takers;
    }
    if (first) n += most;
  }
  return n;
}

/* The wavefronts of a group of a copy; .cg has one group. */
static inline int brute_copy_group(const Access *a, int warp, const int64_t *target, int group) {
  const int size = a->bytes_per_lane == 16 ? 8 : a->bytes_per_lane == 8 ? 16 : 32;
  const uint32_t active = a->warp[warp].active;
  if (a->cache == COPY_CG) return brute_cg(active, target, a->source[warp]);
  for (int first = 0; first < WARP; first += size)
    for (int i = first; i < first + size; i++)
      if (active >> i & 1) {
        if (group-- == 0) return brute_ca(active, target, a->source[warp], first, first + size - 1);
        break;
      }
  return 0;
}

static inline int brute_copy(const Access *a, int warp, const int64_t *target) {
  int sum = 0;
  for (int group = 0; group < (a->cache == COPY_CG ? 1 : 4); group++)
    sum += brute_copy_group(a, warp, target, group);
  return sum;
}

/* --- the family --- */

/* An element's place by its layout's own terms. */
static inline int64_t brute_formula(const KgenLayout *l, const int *coord) {
  int64_t c[KGEN_MAX_RANK], row = 0, index, at = 0;
  int last = l->rank - 1;
  for (int d = 0; d < l->rank; d++) c[d] = coord[d];
  for (int d = 0; d < last; d++) row = row * l->extent[d] + c[d];
  index = row * l->extent[last] + c[last];
  if (l->period) {
    c[0] = row = index / l->period;
    c[1] = index % l->period;
    last = 1;
  }
  int64_t to[KGEN_MAX_RANK];
  for (int d = 0; d <= last; d++) to[d] = l->linear ? 0 : c[d];
  for (int i = 0; i < l->terms; i++) {
    const KgenTerm *t = &l->term[i];
    int64_t from = t->source == KGEN_ROW ? row : t->source == KGEN_INDEX ? index : 0;
    if (t->source >= KGEN_COORD) from = c[t->source - KGEN_COORD];
    for (int s = t->shift; s > 0; s--) from /= 2;
    for (int s = t->shift; s < 0; s++) from *= 2;
    to[t->target ? t->target - 1 : last] ^= from & t->mask;
  }
  if (l->linear) return to[last];
  for (int d = 0; d <= last; d++) at += to[d] * l->stride[d];
  return at;
}

/* An element's place by design.md's formula, with the map given as one image a row bit; without,
 * by the layout's terms. */
static inline int64_t brute_place(const KgenLayout *l, const unsigned *image, const int *coord) {
  int row = 0, col;
  int64_t at = 0;
  if (!image) return brute_formula(l, coord);
  if (l->rank == 1) {
    if (l->period == 0) return coord[0];
    row = coord[0] / l->period;
    col = coord[0] % l->period;
    at = (int64_t)row * l->stride[0];
  } else {
    for (int d = 0; d < l->rank - 1; d++) {
      row = row * l->extent[d] + coord[d];
      at += (int64_t)coord[d] * l->stride[d];
    }
    col = coord[l->rank - 1];
  }
  for (int bit = 0; row >> bit; bit++)
    if (row >> bit & 1) col ^= (int)image[bit];
  return at + col;
}

/* Weighted wavefronts of a layout, or -1 if it splits or misaligns a lane's elements. */
static inline int64_t brute_cost(const AccessSet *set, const KgenLayout *l, const unsigned *image,
                                 int64_t *ideal_sum) {
  int64_t total = 0;
  const int size = set->tile->dtype->bytes;
  if (ideal_sum) *ideal_sum = 0;
  for (int i = 0; i < set->accesses; i++) {
    const Access *a = &set->access[i];
    int64_t box = size;
    for (int d = 0; d < l->rank; d++) box *= a->box[d];
    total += a->weight * a->boxes * ((box + 127) / 128);
    for (int w = 0; w < a->warps; w++) {
      int64_t address[WARP] = {0};
      int ideal;
      for (int lane = 0; lane < WARP; lane++) {
        if (!(a->warp[w].active >> lane & 1)) continue;
        int coord[KGEN_MAX_RANK];
        for (int d = 0; d < KGEN_MAX_RANK; d++) coord[d] = a->warp[w].coord[d][lane];
        const int64_t first = brute_place(l, image, coord);
        for (int k = 0; k < a->elements; k++, coord[l->rank - 1]++)
          if (brute_place(l, image, coord) != first + k) return -1;
        if (first % a->elements) return -1;
        address[lane] = first * size;
      }
      if (a->op == OP_CP_ASYNC) {
        total += a->weight * brute_copy(a, w, address);
        continue;
      }
      total += a->weight * brute_instruction(set->banks, a->op, a->bytes_per_lane,
                                             a->warp[w].active, address, ideal_sum ? &ideal : NULL);
      if (ideal_sum) *ideal_sum += ideal;
    }
  }
  return total;
}

/* The criteria for comparing layouts, in order of precedence. */
typedef struct {
  int64_t total, bytes;
  int operations,
      bits; /* properties of the emitted expression, which tests/emit compares with its text */
  int terms;
} BrutePrice;

static inline int brute_compare(const BrutePrice *a, const BrutePrice *b) {
  if (a->total != b->total) return a->total < b->total ? -1 : 1;
  if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
  return a->operations != b->operations ? a->operations - b->operations : a->bits - b->bits;
}

/* Terms, mask bits and operations of a map: one term for each diagonal that is not empty. */
static inline void brute_map_price(const KgenLayout *strides, const unsigned *image, int row_bits,
                                   BrutePrice *p) {
  KgenLayout l = *strides;
  p->terms = p->bits = 0;
  for (int shift = -31; shift < 32; shift++) {
    unsigned mask = 0;
    for (int r = 0; r < row_bits; r++)
      if (r - shift >= 0 && r - shift < 31) mask |= image[r] & 1u << (r - shift);
    if (mask && p->terms < KGEN_MAX_TERMS)
      l.term[l.terms++] = (KgenTerm){.shift = shift, .mask = (int)mask};
    p->terms += mask != 0;
    p->bits += __builtin_popcount(mask);
  }
  p->operations = address_operations(&l);
}

typedef struct {
  const AccessSet *set;
  bool pads, xors;
  BrutePrice best;
  BrutePrice few; /* the cheapest in wavefronts and bytes with the fewest terms, then mask bits */
  int64_t tried;
} Brute;

static inline void brute_take(Brute *b, const BrutePrice *p) {
  const bool equal = p->total == b->best.total && p->bytes == b->best.bytes;
  const bool fewer = p->terms != b->few.terms ? p->terms < b->few.terms : p->bits < b->few.bits;
  if (equal ? fewer : brute_compare(p, &b->best) < 0) b->few = *p;
  if (brute_compare(p, &b->best) < 0) b->best = *p;
}

/* Every linear map of the rows' bits into column bits that keep an element in its row and `align`
 * pieces whole. */
static inline void brute_maps(Brute *b, const KgenLayout *l, int64_t bytes) {
  const int cols = layout_cols(l), rows = layout_rows(l);
  const int piece = b->set->tile->want.align > b->set->tile->dtype->bytes
                        ? b->set->tile->want.align / b->set->tile->dtype->bytes
                        : 1;
  int row_bits = 0, col_bits = 0;
  while (1 << row_bits < rows) row_bits++;
  while (b->xors && cols % (2 << col_bits) == 0) col_bits++;
  for (uint64_t code = 0; code < UINT64_C(1) << row_bits * col_bits; code++) {
    unsigned image[32] = {0};
    bool whole = true;
    for (int r = 0; r < row_bits; r++) {
      image[r] = (unsigned)(code >> r * col_bits) & ((1u << col_bits) - 1);
      whole = whole && image[r] % (unsigned)piece == 0;
    }
    if (!whole) continue;
    BrutePrice p = {.bytes = bytes};
    brute_map_price(l, image, row_bits, &p);
    p.total = brute_cost(b->set, l, image, NULL);
    b->tried++;
    if (p.total >= 0) brute_take(b, &p);
  }
}

static inline void brute_layout(Brute *b, const KgenLayout *l) {
  const Tile *t = b->set->tile;
  const int64_t bytes = (int64_t)kgen_elements(l) * t->dtype->bytes;
  if (bytes > t->want.max_bytes) return;
  if (l->period * t->dtype->bytes % t->want.align) return; /* a period that cuts an aligned piece */
  for (int d = 0; d < (l->period ? 1 : l->rank - 1); d++)
    if (l->stride[d] * t->dtype->bytes % t->want.align && l->extent[d] > 1) return;
  brute_maps(b, l, bytes);
}

static inline void brute_pads(Brute *b, KgenLayout l, int dim) {
  if (dim < 0) {
    brute_layout(b, &l);
    return;
  }
  /* every pad of a period (of 16-byte pieces), twice over where there is one stride: the second
   * only repeats the first */
  const int period = b->set->banks.count * b->set->banks.bytes;
  const int most = (period % 16 ? 16 * period : period) / b->set->tile->dtype->bytes;
  for (int pad = 0; pad < (!b->pads ? 1 : l.rank == 2 ? 2 * most : most); pad++) {
    l.stride[dim] = l.extent[dim + 1] * l.stride[dim + 1] + pad;
    brute_pads(b, l, dim - 1);
  }
}

/* The rows' images of a mode of TMA, whose byte address is a ^ ((a & mask) >> 3). False if the
 * tile's rows are not as long as the mode, or its boxes do not hold whole patterns of 8 rows. */
static inline bool brute_mode(const AccessSet *set, int mode, unsigned image[32]) {
  static const int mask[] = {0, 0x80, 0x180, 0x380};
  const Tile *t = set->tile;
  const int row = t->extent[t->rank - 1] * t->dtype->bytes, bytes = 16 << mode;
  bool fits = row % 16 == 0 && (mode == 0 || (t->rank > 1 && row == bytes));
  for (int bit = 0; bit < 32; bit++)
    image[bit] = bit < 20 && mode
                     ? (unsigned)((row << bit & mask[mode]) >> 3) / (unsigned)t->dtype->bytes
                     : 0;
  for (int i = 0; i < set->accesses; i++) {
    const Access *a = &set->access[i];
    const bool wgmma = a->op == OP_WGMMA_A || a->op == OP_WGMMA_B;
    int rows = 1;
    for (int d = 0; d < t->rank - 1; d++) rows *= a->box[d];
    if (wgmma && mode == 0 && row != 16) fits = false;
    if (!wgmma && a->boxes > 1 && mode && rows % 8) fits = false;
  }
  return fits;
}

/* The least price among TMA's modes. */
static inline Brute brute_modes(const AccessSet *set) {
  const Want kind = set->tile->want.kind;
  Brute b = {.set = set, .best = {INT64_MAX, INT64_MAX, 0, 0, 0}};
  const KgenLayout l = layout_plain(set->tile);
  const int64_t bytes = (int64_t)kgen_elements(&l) * set->tile->dtype->bytes;
  const int piece = set->tile->want.align / set->tile->dtype->bytes;
  for (int mode = 0; mode < (kind == WANT_NONE || kind == WANT_PAD ? 1 : 4); mode++) {
    unsigned image[32];
    BrutePrice p = {.bytes = bytes};
    if (!brute_mode(set, mode, image) || bytes > set->tile->want.max_bytes) continue;
    bool whole = piece < 2 || l.extent[l.rank - 1] % piece == 0 || l.rank == 1;
    for (int bit = 0; piece > 1 && 1 << bit < layout_rows(&l); bit++) /* rows that there are */
      whole = whole && image[bit] % (unsigned)piece == 0;
    brute_map_price(&l, image, 20, &p);
    p.total = whole ? brute_cost(set, &l, image, NULL) : -1;
    b.tried++;
    if (p.total >= 0) brute_take(&b, &p);
  }
  return b;
}

/* How many layouts brute force would have to try, about. */
static inline double brute_size(const AccessSet *set) {
  const Tile *t = set->tile;
  const int period = set->banks.count * set->banks.bytes, cols = t->extent[t->rank - 1];
  double size = 1, rows = 1;
  for (int d = 0; d < t->rank - 1; d++) {
    rows *= t->extent[d];
    size *= (period % 16 ? 16.0 * period : period) / t->dtype->bytes;
  }
  int row_bits = 0, col_bits = 0;
  while (1 << row_bits < rows) row_bits++;
  while (cols % (2 << col_bits) == 0) col_bits++;
  return t->rank == 1 ? 1e4 : size * (double)(UINT64_C(1) << row_bits * col_bits);
}

/* The least price over the whole family, by trying all of it. */
static inline Brute brute_solve(const AccessSet *set) {
  const Want kind = set->tile->want.kind;
  bool boxes = false;
  for (int i = 0; i < set->accesses; i++) boxes = boxes || set->access[i].boxes;
  if (kind == WANT_TMA || boxes) return brute_modes(set);
  Brute b = {.set = set,
             .pads = kind == WANT_AUTO || kind == WANT_PAD,
             .xors = kind == WANT_AUTO || kind == WANT_XOR,
             .best = {INT64_MAX, INT64_MAX, 0, 0, 0}};
  KgenLayout l = layout_plain(set->tile);
  if (l.rank > 1) {
    brute_pads(&b, l, l.rank - 2);
    return b;
  }
  brute_layout(&b, &l);
  const int period = set->banks.count * set->banks.bytes;
  const int most = (period % 16 ? 16 * period : period) / set->tile->dtype->bytes;
  const int pads = b.pads ? most : 1;
  for (l.period = 1; kind != WANT_NONE && l.period < l.extent[0]; l.period *= 2)
    for (int pad = 0; pad < pads; pad++) {
      l.stride[0] = l.period + pad;
      l.stride[1] = 1;
      brute_layout(&b, &l);
    }
  return b;
}

#endif
