#include "solve/pairs.h"

#include <stdlib.h>

/* An image is a value of the column bits that banks see; masks of images have a bit for each. */
enum { MOST_IMAGES = 64 };

/* X(rows) is none of the images. */
typedef struct {
  uint32_t rows;
  uint64_t images;
} Forbidden;

typedef struct {
  const MapSpace *space;
  int low; /* the lowest column bit: image v XORs v << low */
  int images, row_bits;
  int count, capacity;
  Forbidden *forbidden; /* by rows, one each */
  uint64_t closed;      /* bits of masks that are no image */
  bool impossible;      /* lanes of one row meet */
  Budget *budget;
  MapSearch result;
} Pairs;

bool pairs_decide(const MapSpace *s) {
  if (__builtin_popcount(s->col_bits) > 6 || !maps_are_aligned(s)) return false;
  for (int i = 0; i < s->classes->count; i++)
    if (s->classes->group[i].floor > 1 || s->classes->group[i].slots == 0) return false;
  return true;
}

/* --- what pairs of lanes forbid --- */

static void forbid(Arena *a, Pairs *p, uint32_t rows, uint64_t images) {
  if (images == 0) return;
  p->forbidden = arena_grow(a, p->forbidden, p->count, &p->capacity, sizeof *p->forbidden);
  p->forbidden[p->count++] = (Forbidden){rows, images};
}

/* The images of their rows' difference for which two lanes meet: in one slot, but not in one word
 * that serves both. `apart` is the XOR of their places without a map. */
static uint64_t images_that_meet(const Pairs *p, const Group *g, int32_t apart) {
  const int32_t movable = (p->images - 1) << p->low;
  const int32_t slot_bits = (g->slots - 1) << g->slot_shift;
  uint64_t images = 0;
  if (apart & slot_bits & ~movable) return 0;
  for (int v = 0; v < p->images; v++) {
    const int32_t left = (apart ^ v << p->low) >> g->slot_shift;
    if ((left & (g->slots - 1)) == 0 && !(g->shared && left == 0)) images |= UINT64_C(1) << v;
  }
  return images;
}

static void forbid_group(Arena *a, Pairs *p, const Group *g) {
  const int32_t *base = p->space->rows->base;
  for (int i = 0; i < g->lanes; i++)
    for (int j = 0; j < i; j++) {
      const int32_t apart = base[g->row[i]] ^ base[g->row[j]] ^ g->col[i] ^ g->col[j];
      const uint64_t images = images_that_meet(p, g, apart);
      if (g->row[i] != g->row[j])
        forbid(a, p, (uint32_t)(g->row[i] ^ g->row[j]), images);
      else if (images & 1) /* X(0) is image 0 */
        p->impossible = true;
    }
  budget_spend(p->budget, (int64_t)g->lanes * g->lanes * 4);
}

/* Rows that keep longer pieces whole than others do. */
static void forbid_tears(Arena *a, Pairs *p) {
  const Rows *rows = p->space->rows;
  for (int row = 1; maps_tear(p->space) && row < p->space->classes->rows; row++) {
    uint64_t images = 0;
    for (int v = 0; v < p->images; v++)
      if ((v << p->low) % rows->unit[row]) images |= UINT64_C(1) << v;
    forbid(a, p, (uint32_t)row, images);
  }
}

static int by_rows(const void *pa, const void *pb) {
  const Forbidden *a = pa, *b = pb;
  return (a->rows > b->rows) - (a->rows < b->rows);
}

static void merge_equal(Pairs *p) {
  int kept = 0;
  if (p->count) qsort(p->forbidden, (size_t)p->count, sizeof *p->forbidden, by_rows);
  for (int i = 0; i < p->count; i++) {
    if (kept && p->forbidden[kept - 1].rows == p->forbidden[i].rows)
      p->forbidden[kept - 1].images |= p->forbidden[i].images;
    else
      p->forbidden[kept++] = p->forbidden[i];
  }
  p->count = kept;
}

/* --- the search --- */

/* The images that remain when each is XORed by v: bit i becomes bit i ^ v. */
static uint64_t images_xor(uint64_t images, unsigned v) {
  static const uint64_t even[] = {UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
                                  UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x00ff00ff00ff00ff),
                                  UINT64_C(0x0000ffff0000ffff), UINT64_C(0x00000000ffffffff)};
  for (int bit = 0; bit < 6; bit++)
    if (v >> bit & 1)
      images = (images & even[bit]) << (1 << bit) | (images >> (1 << bit) & even[bit]);
  return images;
}

static unsigned image_of(const Pairs *p, uint32_t rows) {
  unsigned v = 0;
  for (; rows; rows &= rows - 1) v ^= p->result.map.column[__builtin_ctz(rows)];
  return v >> p->low;
}

/* What the rows placed so far, `last` among them, forbid the one row bit that a difference leaves
 * open. */
static void forbid_open(const Pairs *p, uint32_t placed, uint32_t last, uint64_t closed[]) {
  for (int i = 0; i < p->count; i++) {
    const Forbidden *f = &p->forbidden[i];
    const uint32_t open = f->rows & ~placed;
    if ((f->rows & last) != last || open == 0 || open & (open - 1)) continue;
    closed[__builtin_ctz(open)] |= images_xor(f->images, image_of(p, f->rows & placed));
  }
  budget_spend(p->budget, p->count * 3);
}

/* The open row bit of the fewest images left. */
static int choose_bit(const Pairs *p, uint32_t placed, const uint64_t closed[]) {
  int best = -1, most = -1;
  for (int b = 0; b < p->row_bits; b++) {
    const int n = __builtin_popcountll(closed[b]);
    if (placed >> b & 1 || n <= most) continue;
    best = b;
    most = n;
  }
  return best;
}

static void place_next(Pairs *p, uint32_t placed, const uint64_t before[MAPS_ROW_BITS]) {
  const int bit = choose_bit(p, placed, before);
  MapSearch *r = &p->result;
  if (bit < 0) {
    r->found = true;
    return;
  }
  for (int v = 0; v < p->images && !r->found; v++) {
    if (before[bit] >> v & 1) continue;
    r->nodes++;
    if (!budget_spend(p->budget, 40)) {
      r->complete = false;
      return;
    }
    uint64_t closed[MAPS_ROW_BITS];
    for (int b = 0; b < p->row_bits; b++) closed[b] = before[b];
    r->map.column[bit] = (unsigned)v << p->low;
    forbid_open(p, placed | 1u << bit, 1u << bit, closed);
    place_next(p, placed | 1u << bit, closed);
    if (!r->complete) return;
  }
}

MapSearch pairs_search(Arena *a, const MapSpace *s, Budget *b) {
  const int bits = __builtin_popcount(s->col_bits);
  Pairs p = {.space = s, .images = 1 << bits, .row_bits = s->rows->row_bits, .budget = b};
  p.low = bits ? __builtin_ctz(s->col_bits) : 0;
  p.closed = p.images == MOST_IMAGES ? 0 : UINT64_MAX << p.images;
  for (int i = 0; i < s->classes->count; i++) forbid_group(a, &p, &s->classes->group[i]);
  forbid_tears(a, &p);
  merge_equal(&p);
  uint64_t closed[MAPS_ROW_BITS];
  for (int i = 0; i < MAPS_ROW_BITS; i++) closed[i] = p.closed;
  p.result.complete = true;
  forbid_open(&p, 0, 0, closed);
  if (!p.impossible) place_next(&p, 0, closed);
  return p.result;
}
