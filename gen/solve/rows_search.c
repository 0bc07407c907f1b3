#include "solve/rows_search.h"

#include <string.h>

enum { MOST_IMAGES = 256, WORD = 64, MOST_WORDS = MOST_IMAGES / WORD };

/* Rows placed so far, reduced so that the highest bit of each is in no later one; sum: of which
 * free rows each is the sum. */
typedef struct {
  int count;
  unsigned row[MAPS_ROW_BITS], sum[MAPS_ROW_BITS];
} Span;

/* One lane of a group; its place depends on the image of its row. */
typedef struct {
  int at;                    /* its row, as an index of those that the groups have */
  int group, first, end;     /* the lanes of its group */
  int32_t start, col;        /* of its row; elements */
  const uint64_t *images_in; /* [slot][words]: images of its row that bring it there */
} Lane;

/* What is known once some rows are placed. */
typedef struct {
  Span span;
  bool *placed;     /* [row] */
  uint64_t *closed; /* [row][words]: images that would make two lanes meet */
} Depth;

typedef struct {
  const MapSpace *space;
  int images, words, low; /* image v XORs v << low into columns */
  int rows, lanes;
  int *row;    /* [index] */
  int *index;  /* [row]: its index and 1, or 0 */
  int *first;  /* [index]: its lanes, as a range of by_row */
  int *by_row; /* lanes, by their rows */
  Lane *lane;
  Depth depth[MAPS_ROW_BITS + 2];
  unsigned image[MAPS_ROW_BITS]; /* of each free row, in the order of placing */
  int32_t *x;
  Placement place;
  Budget *budget;
  MapSearch result;
} RowsSearch;

bool rows_decide(const MapSpace *s) {
  return !maps_tear(s) && 1 << __builtin_popcount(s->col_bits) <= MOST_IMAGES;
}

/* --- spans --- */

static unsigned highest_bit(unsigned v) { return 1u << (31 - __builtin_clz(v)); }

/* What of a row is not in the span; *sum: the free rows that make up the rest of it. */
static unsigned span_rest(const Span *s, unsigned row, unsigned *sum) {
  *sum = 0;
  for (int i = 0; i < s->count; i++)
    if (row & highest_bit(s->row[i])) {
      row ^= s->row[i];
      *sum ^= s->sum[i];
    }
  return row;
}

/* Adds a free row, which is not in the span. */
static void span_add(Span *s, unsigned row) {
  unsigned sum;
  s->row[s->count] = span_rest(s, row, &sum);
  s->sum[s->count] = sum ^ 1u << s->count;
  s->count++;
}

/* --- lanes and rows --- */

/* Groups of one wavefront and lanes that fill slots are decided by pairs; others are counted. */
static bool by_pairs(const Group *g) { return g->floor == 1 && g->slots > 0; }

static void list_rows(RowsSearch *s) {
  const Classes *c = s->space->classes;
  s->row[s->rows++] = 0; /* whose image is 0 */
  s->index[0] = 1;
  for (int i = 0; i < c->count; i++)
    for (int n = 0; n < c->group[i].lanes; n++) {
      const int row = c->group[i].row[n];
      if (s->index[row]) continue;
      s->row[s->rows++] = row;
      s->index[row] = s->rows;
    }
}

static const uint64_t *list_images(Arena *a, const RowsSearch *s, const Group *g, const Lane *l) {
  uint64_t *in = ARENA_ARRAY(a, uint64_t, (size_t)(g->slots * s->words));
  for (int v = 0; v < s->images; v++) {
    const int slot = (l->start + (l->col ^ v << s->low)) >> g->slot_shift & (g->slots - 1);
    in[slot * s->words + v / WORD] |= UINT64_C(1) << v % WORD;
  }
  return in;
}

static void list_lanes(Arena *a, RowsSearch *s) {
  const Classes *c = s->space->classes;
  for (int i = 0; i < c->count; i++) {
    const Group *g = &c->group[i];
    const int first = s->lanes;
    for (int n = 0; n < g->lanes; n++) {
      Lane *l = &s->lane[s->lanes++];
      *l = (Lane){s->index[g->row[n]] - 1, i, first, first + g->lanes, 0, g->col[n], NULL};
      l->start = s->space->rows->base[g->row[n]];
      if (by_pairs(g)) l->images_in = list_images(a, s, g, l);
    }
  }
  budget_spend(s->budget, (int64_t)s->lanes * s->images * 2);
}

static void sort_lanes(RowsSearch *s) {
  for (int i = 0; i < s->lanes; i++) s->first[s->lane[i].at + 1]++;
  for (int r = 0; r < s->rows; r++) s->first[r + 1] += s->first[r];
  for (int i = s->lanes - 1; i >= 0; i--) {
    int at = s->first[s->lane[i].at];
    while (s->by_row[at]) at++;
    s->by_row[at] = i + 1;
  }
}

static int32_t piece_of(const RowsSearch *s, const Lane *l, const Group *g, int image) {
  return (l->start + (l->col ^ image << s->low)) >> g->slot_shift;
}

/* Lanes of one row meet under some images only, where rows do not start at whole words. */
static void close_rows(RowsSearch *s) {
  uint64_t *closed = s->depth[0].closed;
  for (int i = 0; i < s->lanes; i++)
    for (int j = s->lane[i].first; j < i && s->lane[i].images_in; j++) {
      const Lane *a = &s->lane[i], *b = &s->lane[j];
      const Group *g = &s->space->classes->group[a->group];
      for (int v = 0; v < s->images && a->at == b->at; v++) {
        const int32_t piece = piece_of(s, a, g, v), other = piece_of(s, b, g, v);
        const bool meet = ((piece ^ other) & (g->slots - 1)) == 0;
        if (meet && !(g->shared && piece == other))
          closed[a->at * s->words + v / WORD] |= UINT64_C(1) << v % WORD;
      }
    }
}

static RowsSearch search_new(Arena *a, const MapSpace *space, Budget *b) {
  const size_t rows = (size_t)1 << space->rows->row_bits;
  const size_t most = (size_t)space->classes->count * WARP + 1;
  RowsSearch s = {.space = space, .budget = b, .result = {.complete = true}};
  s.images = 1 << __builtin_popcount(space->col_bits);
  s.words = (s.images + WORD - 1) / WORD;
  s.low = __builtin_ctz(space->col_bits);
  s.row = ARENA_ARRAY(a, int, most);
  s.index = ARENA_ARRAY(a, int, rows);
  s.x = ARENA_ARRAY(a, int32_t, rows);
  s.first = ARENA_ARRAY(a, int, most + 1);
  s.by_row = ARENA_ARRAY(a, int, most);
  s.lane = ARENA_ARRAY(a, Lane, most);
  s.place = (Placement){space->classes->set, space->rows->base, s.x};
  list_rows(&s);
  list_lanes(a, &s);
  sort_lanes(&s);
  for (int d = 0; d <= space->rows->row_bits + 1; d++) {
    s.depth[d].placed = ARENA_ARRAY(a, bool, (size_t)s.rows);
    s.depth[d].closed = ARENA_ARRAY(a, uint64_t, (size_t)(s.rows * s.words));
  }
  close_rows(&s);
  budget_spend(b, (int64_t)rows / 2);
  return s;
}

/* --- the search --- */

static bool is_closed(const RowsSearch *s, const Depth *d, int at, unsigned image) {
  const unsigned v = image >> s->low;
  return d->closed[at * s->words + (int)(v / WORD)] >> v % WORD & 1;
}

/* Lanes of one word are served together: images that bring l to the same one are not closed. */
static void close_apart(const RowsSearch *s, Depth *d, const Lane *l, const Group *g,
                        int32_t piece) {
  for (int v = 0; v < s->images; v++) {
    const int32_t other = piece_of(s, l, g, v);
    if (other != piece && ((other ^ piece) & (g->slots - 1)) == 0)
      d->closed[l->at * s->words + v / WORD] |= UINT64_C(1) << v % WORD;
  }
}

/* Closes images of the rows that are not placed yet, where they would meet a lane that is. */
static void close_others(const RowsSearch *s, Depth *d, const Lane *placed) {
  const Group *g = &s->space->classes->group[placed->group];
  const int32_t piece = (placed->start + (placed->col ^ s->x[s->row[placed->at]])) >> g->slot_shift;
  const int32_t near = s->space->classes->cols + (1 << g->slot_shift);
  const int slot = piece & (g->slots - 1);
  for (int i = placed->first; i < placed->end; i++) {
    const Lane *l = &s->lane[i];
    const int32_t apart = l->start - placed->start;
    if (d->placed[l->at]) continue;
    if (g->shared && apart < near && apart > -near) {
      close_apart(s, d, l, g, piece);
      continue;
    }
    for (int w = 0; w < s->words; w++)
      d->closed[l->at * s->words + w] |= l->images_in[slot * s->words + w];
  }
}

/* Whether a group that is counted is at its floor, as far as its rows are placed. */
static bool count_holds(const RowsSearch *s, const Depth *d, int group) {
  const Group *g = &s->space->classes->group[group];
  Group part = *g;
  part.lanes = 0;
  for (int n = 0; n < g->lanes; n++) {
    if (!d->placed[s->index[g->row[n]] - 1]) continue;
    part.row[part.lanes] = g->row[n];
    part.source[part.lanes] = g->source[n];
    part.col[part.lanes++] = g->col[n];
  }
  return part.lanes < 2 || group_cost(&s->place, &part, part.lanes) <= g->floor;
}

/* Places one row at an image. False if two lanes that must not then meet. */
static bool place_row(RowsSearch *s, Depth *d, int at, unsigned image) {
  if (is_closed(s, d, at, image)) return false;
  s->x[s->row[at]] = (int32_t)image;
  d->placed[at] = true;
  for (int i = s->first[at]; i < s->first[at + 1]; i++) {
    const Lane *l = &s->lane[s->by_row[i] - 1];
    budget_spend(s->budget, l->end - l->first);
    if (l->images_in)
      close_others(s, d, l);
    else if (!count_holds(s, d, l->group))
      return false;
  }
  return true;
}

static unsigned sum_of(const RowsSearch *s, unsigned sum) {
  unsigned v = 0;
  for (; sum; sum &= sum - 1) v ^= s->image[__builtin_ctz(sum)];
  return v;
}

/* Places all rows that are sums of rows placed before. */
static bool place_sums(RowsSearch *s, Depth *d) {
  for (int at = 0; at < s->rows; at++) {
    unsigned sum;
    if (d->placed[at] || span_rest(&d->span, (unsigned)s->row[at], &sum)) continue;
    if (!place_row(s, d, at, sum_of(s, sum))) return false;
  }
  return true;
}

/* The row of the fewest images left; -1 if all are placed. */
static int choose_row(const RowsSearch *s, const Depth *d) {
  int best = -1, most = -1;
  for (int at = 0; at < s->rows; at++) {
    int closed = 0;
    if (d->placed[at]) continue;
    for (int w = 0; w < s->words; w++) closed += __builtin_popcountll(d->closed[at * s->words + w]);
    if (closed <= most) continue;
    best = at;
    most = closed;
  }
  return best;
}

static void enter_depth(RowsSearch *s, const Depth *from, Depth *to) {
  to->span = from->span;
  memcpy(to->placed, from->placed, (size_t)s->rows * sizeof *to->placed);
  memcpy(to->closed, from->closed, (size_t)(s->rows * s->words) * sizeof *to->closed);
  if (!budget_spend(s->budget, 40 + s->rows * (s->words + 4))) s->result.complete = false;
}

static void place_next(RowsSearch *s, int depth) {
  const Depth *d = &s->depth[depth];
  Depth *next = &s->depth[depth + 1];
  const int at = choose_row(s, d);
  if (at < 0) {
    s->result.found = true;
    s->depth[0].span = d->span;
    return;
  }
  for (int v = 0; v < s->images; v++) {
    const unsigned image = (unsigned)v << s->low;
    if (is_closed(s, d, at, image)) continue;
    s->result.nodes++;
    s->image[d->span.count] = image;
    enter_depth(s, d, next);
    span_add(&next->span, (unsigned)s->row[at]);
    if (place_sums(s, next)) place_next(s, depth + 1);
    if (s->result.found || !s->result.complete) return;
  }
}

/* The images of the row bits; where the rows placed leave one open it is 0. */
static void find_images(RowsSearch *s) {
  Span *span = &s->depth[0].span;
  for (int b = 0; b < s->space->rows->row_bits; b++) {
    unsigned sum;
    if (span_rest(span, 1u << b, &sum)) {
      s->image[span->count] = 0;
      span_add(span, 1u << b);
      span_rest(span, 1u << b, &sum);
    }
    s->result.map.column[b] = sum_of(s, sum);
  }
}

MapSearch rows_search(Arena *a, const MapSpace *space, Budget *b) {
  RowsSearch s = search_new(a, space, b);
  if (place_sums(&s, &s.depth[0])) place_next(&s, 0);
  if (s.result.found) find_images(&s);
  s.result.complete = s.result.complete || s.result.found;
  return s.result;
}
