/* SPDX-License-Identifier: MIT */
#include "solve/linear.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/address.h"

/* --- the space --- */

int linear_fixed_bits(const AccessSet *set, int unit) {
  const int word = set->banks.bytes / set->tile->dtype->bytes;
  return number_log2(unit > word ? unit : word > 1 ? word : 1);
}

int linear_changeable_bits(const Tile *t) {
  int bits = 0;
  for (int d = t->rank - 1; d >= 0; d--) {
    bits += __builtin_ctz((unsigned)t->extent[d]);
    if (!number_is_power(t->extent[d])) break;
  }
  return bits;
}

Reach linear_space(const AccessSet *set, Classes *classes, int fixed, LinearSpace *out) {
  const int n = tile_elements(set->tile), bytes = set->tile->dtype->bytes;
  const int period = set->banks.count * set->banks.bytes / bytes;
  const int changeable = linear_changeable_bits(set->tile);
  *out = (LinearSpace){.classes = classes, .fixed = fixed, .moves = number_is_power(n)};
  if (!number_is_power(period)) return REACH_UNKNOWN; /* banks are no bits of the offset then */
  while (1 << (out->bits + fixed) < n) out->bits++;
  out->banks = number_log2(period) - fixed;
  out->targets = number_least(changeable - fixed, out->banks);
  if (out->targets <= 0 || out->bits <= out->targets) return REACH_NOTHING;
  for (int i = 0; i < classes->count; i++)
    if (classes->group[i].slots == 0) return REACH_UNKNOWN;
  return out->bits <= MAPS_ROW_BITS ? REACH_ALL : REACH_UNKNOWN;
}

/* --- cost --- */

/* The costliest of the clusters of lanes that agree in all index bits from `placed` on: only the
 * images of lower bits decide where these are relative to each other. */
static int cost_placed(const LinearSpace *s, const Group *g, const Map *m, int placed) {
  const int up = s->fixed - g->slot_shift;
  uint8_t count[MOST_SLOTS];
  int fullest = 0;
  for (int i = 0, first = -1; i < g->lanes; i++) {
    const int32_t row = g->lane[i].row;
    if (first < 0 || row >> placed != g->lane[first].row >> placed) {
      first = i;
      memset(count, 0, (size_t)g->slots);
    }
    if (g->shared && i > 0 && row == g->lane[i - 1].row &&
        g->lane[i].col >> g->slot_shift == g->lane[i - 1].col >> g->slot_shift)
      continue;
    const int slot =
        maps_image(m, row & ((1 << placed) - 1)) << up | g->lane[i].col >> g->slot_shift;
    if (++count[slot] > fullest) fullest = count[slot];
  }
  return fullest;
}

int64_t linear_count(const LinearSpace *s, const Map *m, int64_t most,
                     const Group **violating_group, Budget *b) {
  Classes *c = s->classes;
  int64_t total = c->floor;
  *violating_group = NULL;
  for (int i = 0; i < c->count && total <= most; i++) {
    const Group *g = &c->group[c->order[i]];
    const int over = cost_placed(s, g, m, s->bits) - g->floor;
    budget_spend(b, 12 + 3 * g->lanes);
    total += over * g->weight;
    if (over > 0 && (!*violating_group || total > most)) *violating_group = g;
    if (total > most) total_refused(c, i);
  }
  return total;
}

/* --- the search --- */

typedef struct {
  const LinearSpace *space;
  Budget *budget;
  Arena *arena;
  bool moves;
  int64_t least, most;
  int first[MAPS_ROW_BITS + 1]; /* differences by their highest bit */
  uint32_t *difference;         /* that no image may cancel */
  int groups;                   /* that are counted */
  const Group **group;
  uint32_t *varies;                 /* the bits that a group's lanes differ in */
  int16_t *cost[MAPS_ROW_BITS + 1]; /* [bits placed][group], at least */
  MapSearch result;
  Map map;
} Search;

/* The differences of lanes that would be served apart in one bank. */
static void note_pairs(const Search *s, const Group *g, uint64_t *seen) {
  for (int i = 0; i < g->lanes; i++)
    for (int j = 0; j < i; j++) {
      const uint32_t d = (uint32_t)(g->lane[i].row ^ g->lane[j].row);
      if (d && g->lane[i].col >> g->slot_shift == g->lane[j].col >> g->slot_shift)
        seen[d / 64] |= UINT64_C(1) << d % 64;
    }
  budget_spend(s->budget, g->lanes * g->lanes);
}

/* A group that may not cost more than one wavefront is decided by pairs of its lanes, unless two of
 * them agree in all bits that have an image; the others are counted. Returns what all cost at
 * least. */
static int64_t list_groups(Search *s) {
  const Classes *c = s->space->classes;
  const uint32_t all = UINT32_C(1) << s->space->bits;
  uint64_t *seen = ARENA_ARRAY(s->arena, uint64_t, all / 64 + 1);
  int64_t total = c->floor;
  int count = 0;
  s->cost[0] = ARENA_ARRAY(s->arena, int16_t, (size_t)c->count);
  s->group = ARENA_ARRAY(s->arena, const Group *, (size_t)c->count);
  s->varies = ARENA_ARRAY(s->arena, uint32_t, (size_t)c->count);
  for (int i = 0; i < c->count; i++) {
    const Group *g = &c->group[i];
    const int placed = cost_placed(s->space, g, &s->map, 0);
    const int least = placed > g->floor ? placed : g->floor;
    if (least == 1 && g->weight > s->most - c->floor) {
      note_pairs(s, g, seen);
      continue;
    }
    total += (least - g->floor) * g->weight;
    s->cost[0][s->groups] = (int16_t)least;
    for (int n = 0; n < g->lanes; n++) s->varies[s->groups] |= (uint32_t)g->lane[n].row;
    s->group[s->groups++] = g;
  }
  for (uint32_t w = 0; w <= all / 64; w++) count += __builtin_popcountll(seen[w]);
  s->difference = ARENA_ARRAY(s->arena, uint32_t, (size_t)count + 1);
  count = 0;
  for (int bit = 0; bit < s->space->bits; bit++) {
    s->first[bit] = count;
    for (uint32_t d = UINT32_C(1) << bit; d < UINT32_C(2) << bit; d++) {
      if (seen[d / 64] == 0) d |= 63;
      if (seen[d / 64] >> d % 64 & 1) s->difference[count++] = d;
    }
  }
  s->first[s->space->bits] = count;
  for (int bit = 1; bit <= s->space->bits; bit++)
    s->cost[bit] = ARENA_ARRAY(s->arena, int16_t, (size_t)s->groups + 1);
  budget_spend(s->budget, (1 << s->space->bits) / 8 + 4 * count);
  return total;
}

/* The images that a bit may not have, since lanes that differ in it would then conflict. */
static uint64_t forbidden(const Search *s, int bit) {
  uint64_t closed = 0;
  for (int i = s->first[bit]; i < s->first[bit + 1]; i++)
    closed |= UINT64_C(1) << maps_image(&s->map, (int32_t)(s->difference[i] ^ UINT32_C(1) << bit));
  budget_spend(s->budget, 8 + 6 * (s->first[bit + 1] - s->first[bit]));
  return closed;
}

/* Fills in what the groups cost at least once the bit has its image; the total. */
static int64_t count_groups(const Search *s, int bit, int64_t total) {
  const int16_t *before = s->cost[bit];
  int16_t *after = s->cost[bit + 1];
  for (int i = 0; i < s->groups; i++) {
    after[i] = before[i];
    if (!(s->varies[i] >> bit & 1)) continue;
    const int cost = cost_placed(s->space, s->group[i], &s->map, bit + 1);
    budget_spend(s->budget, 12 + 3 * s->group[i]->lanes);
    if (cost <= before[i]) continue;
    after[i] = (int16_t)cost;
    total += (cost - before[i]) * s->group[i]->weight;
    if (total > s->most) break;
  }
  return total;
}

typedef struct {
  int64_t total;
  unsigned image;
} Choice;

static int by_total(const void *px, const void *py) {
  const Choice *x = px, *y = py;
  if (x->total != y->total) return x->total < y->total ? -1 : 1;
  return x->image < y->image ? -1 : 1;
}

/* The images that a bit may have, the promising ones first. Banks may be renamed: an image outside
 * of the span of those before is without loss of generality the next unit vector. */
static int list_choices(Search *s, int bit, int rank, int64_t total, Choice *out) {
  const LinearSpace *space = s->space;
  const unsigned own = bit < space->banks ? 1u << bit : 0;
  const uint64_t closed = forbidden(s, bit);
  unsigned first = own, images = bit < space->targets ? 1 : 1u << space->targets;
  int count = 0;
  if (s->moves) first = 0, images = rank < space->banks ? (1u << rank) + 1 : 1u << rank;
  for (unsigned i = 0; i < images; i++) {
    const unsigned v = first ^ i;
    if (closed >> v & 1) continue;
    s->map.column[bit] = v;
    s->result.nodes++;
    out[count] = (Choice){count_groups(s, bit, total), v};
    if (out[count].total <= s->most) count++;
  }
  s->map.column[bit] = 0;
  qsort(out, (size_t)count, sizeof *out, by_total);
  for (int i = 0; s->moves && i < count; i++) /* a new unit vector before equals */
    if (out[i].image == 1u << rank && out[i].total == out[0].total) {
      const Choice unit = out[i];
      memmove(out + 1, out, (size_t)i * sizeof *out);
      out[0] = unit;
    }
  return count;
}

static bool is_done(const Search *s) {
  return !s->result.complete || (s->result.found && s->most < s->least);
}

static void place(Search *s, int bit, int rank, int64_t total) {
  Choice choice[MOST_SLOTS + 1];
  if (bit == s->space->bits) {
    s->result.found = true;
    s->result.map = s->map;
    s->result.map.total = total;
    s->most = total - 1;
    return;
  }
  const int count = list_choices(s, bit, rank, total, choice);
  s->result.complete = budget_left(s->budget);
  for (int i = 0; i < count && !is_done(s) && choice[i].total <= s->most; i++) {
    s->map.column[bit] = choice[i].image;
    const int64_t now = s->groups ? count_groups(s, bit, total) : total;
    place(s, bit + 1, rank + (s->moves && choice[i].image == 1u << rank), now);
  }
  s->map.column[bit] = 0;
}

MapSearch linear_search(const LinearSpace *space, bool moves, int64_t least, int64_t most,
                        Budget *b) {
  Search s = {.space = space,
              .budget = b,
              .moves = moves,
              .least = least,
              .most = most,
              .result.complete = true};
  if (space->classes->floor > most) return s.result;
  s.arena = arena_new();
  const int64_t total = list_groups(&s);
  if (total <= most) place(&s, 0, 0, total);
  arena_free(s.arena);
  return s.result;
}

/* --- layouts --- */

Map linear_of_term(const LinearSpace *s, int shift, int mask) {
  Map m = {.total = 0};
  for (int b = 0; b < s->bits; b++) {
    m.column[b] = b < s->banks ? 1u << b : 0;
    if (b >= shift && mask >> s->fixed >> (b - shift) & 1) m.column[b] ^= 1u << (b - shift);
  }
  return m;
}

/* The coordinate that an index bit belongs to, and its own number of that bit. */
static int coordinate_of(const Tile *t, int bit, int *own) {
  int d = t->rank - 1;
  while (d > 0 && bit >= number_log2(t->extent[d])) bit -= number_log2(t->extent[d--]);
  *own = bit;
  return d;
}

/* The source of a term that reads the index from bit `low` to `high`: the coordinate or the row
 * that holds all of them. *below: the lowest index bit of that. */
static int source_of(const Tile *t, int low, int high, int *below) {
  const int cols = t->extent[t->rank - 1], width = number_log2(cols);
  *below = 0;
  if (t->rank == 1 || !number_is_power(cols)) return KGEN_INDEX;
  if (high < width) return KGEN_COORD + t->rank - 1;
  if (low < width) return KGEN_INDEX;
  *below = width;
  return KGEN_ROW;
}

/* Adds ((index >> shift) & mask), on the offset: a term for each coordinate that the mask is part
 * of. False if there are too many. */
static bool add_term(const Tile *t, int shift, int mask, KgenLayout *l) {
  while (mask) {
    int own, below;
    const int low = __builtin_ctz((unsigned)mask), d = coordinate_of(t, low, &own);
    const int base = low - own, bits = d ? number_log2(t->extent[d]) : 30 - base;
    const int part = mask & (int)(((1u << bits) - 1) << base);
    const int high = 31 - __builtin_clz((unsigned)part);
    const int source = source_of(t, low + shift, high + shift, &below);
    if (l->terms == KGEN_MAX_TERMS) return false;
    l->term[l->terms++] = (KgenTerm){.shift = shift + base - below,
                                     .mask = part >> base,
                                     .source = source,
                                     .target = d == t->rank - 1 ? 0 : 1 + d};
    mask ^= part;
  }
  return true;
}

/* The mask of the diagonal `shift` of a matrix whose columns are offsets of index bits. */
static int diagonal(const int *column, int bits, int shift) {
  int mask = 0;
  for (int b = shift > 0 ? shift : 0; b < bits && b - shift < bits; b++)
    mask |= column[b] & 1 << (b - shift);
  return mask;
}

/* Swaps the places of low bits that are no pivots, bits whose image is a bank bit of its own, with
 * high ones that are. */
static void place_pivots(const LinearSpace *s, const Map *m, int *column) {
  unsigned image[MAPS_ROW_BITS];
  int pivot[MOST_SLOTS], place[MOST_SLOTS], rank = 0, low = 0;
  memcpy(image, m->column, sizeof image);
  for (int b = 0; b < s->bits && rank < s->banks; b++)
    if (image[b] == 1u << rank) pivot[rank++] = b;
  for (int b = 0; b < s->bits && rank < s->banks; b++) {
    bool is_pivot = false;
    for (int j = 0; j < rank; j++) is_pivot = is_pivot || pivot[j] == b;
    if (is_pivot) continue;
    image[b] = 1u << rank;
    pivot[rank++] = b;
  }
  unsigned taken = 0;
  for (int j = 0; j < rank; j++)
    if (pivot[j] < s->banks) taken |= 1u << (place[j] = pivot[j]);
  for (int b = 0; b < s->bits; b++) column[b] = 1 << b;
  for (int j = 0; j < rank; j++) {
    if (pivot[j] < s->banks) continue;
    while (taken >> low & 1) low++;
    place[j] = low;
    taken |= 1u << low;
    column[low] = 1 << pivot[j];
    column[pivot[j]] = 1 << low;
  }
  for (int b = 0; b < s->bits; b++) {
    bool is_pivot = false;
    for (int j = 0; j < rank; j++) is_pivot = is_pivot || pivot[j] == b;
    for (int j = 0; j < rank && !is_pivot; j++)
      if (image[b] >> j & 1) column[b] ^= 1 << place[j];
  }
}

bool linear_layout(const LinearSpace *s, const Map *m, KgenLayout *out) {
  const Tile *t = s->classes->set->tile;
  const int bits = s->bits + s->fixed;
  int column[MAPS_ROW_BITS + 10] = {0};
  bool stays = true, fits = true;
  for (int b = 0; b < s->targets; b++) stays = stays && m->column[b] == 1u << b;
  for (int b = 0; b < s->bits; b++) {
    column[b] = 1 << b;
    if (stays) column[b] ^= (int)m->column[b] ^ (b < s->banks ? 1 << b : 0);
  }
  if (!stays) place_pivots(s, m, column);
  memmove(column + s->fixed, column, (size_t)s->bits * sizeof *column);
  for (int b = 0; b < bits; b++) column[b] = b < s->fixed ? 1 << b : column[b] << s->fixed;
  *out = layout_plain(t);
  out->linear = !stays;
  for (int shift = 1 - bits; shift < bits && fits; shift++) {
    const int mask = diagonal(column, bits, shift);
    if (mask == 0 || (stays && shift == 0)) continue;
    if (stays)
      fits = add_term(t, shift, mask, out);
    else if ((fits = out->terms < KGEN_MAX_TERMS))
      out->term[out->terms++] = (KgenTerm){.shift = shift, .mask = mask, .source = KGEN_INDEX};
  }
  return fits;
}

void linear_of_term_layout(const Tile *t, int shift, int mask, KgenLayout *out) {
  *out = layout_plain(t);
  add_term(t, shift, mask, out);
}

static int by_term_price(const void *px, const void *py) {
  return maps_compare_terms(&((const IndexTerm *)px)->price, &((const IndexTerm *)py)->price);
}

int linear_terms(Arena *a, const LinearSpace *space, IndexTerm **out) {
  const Tile *t = space->classes->set->tile;
  const int n = space->bits + space->fixed, top = ((1 << space->targets) - 1) << space->fixed;
  const int cols = t->rank > 1 ? t->extent[t->rank - 1] : 1 << (space->banks + space->fixed);
  IndexTerm *list = ARENA_ARRAY(a, IndexTerm, (size_t)n << space->targets);
  int count = 0;
  for (int shift = 1; shift < n; shift++)
    for (int mask = top & -top; mask && !(mask >> (n - shift)); mask = (mask - top) & top) {
      KgenLayout l;
      linear_of_term_layout(t, shift, mask, &l);
      list[count++] = (IndexTerm){shift,
                                  mask,
                                  {{.shift = shift - number_log2(cols), .mask = mask},
                                   address_operations(&l),
                                   __builtin_popcount((unsigned)mask)}};
    }
  qsort(list, (size_t)count, sizeof *list, by_term_price);
  *out = list;
  return count;
}

bool linear_of_rows(const Tile *t, KgenLayout *l) {
  const KgenLayout rows = *l;
  if (!l->period || l->stride[0] != l->period || l->extent[0] % l->period) return true;
  *l = layout_plain(t);
  for (int i = 0; i < rows.terms; i++)
    if (!add_term(t, rows.term[i].shift + number_log2(rows.period), rows.term[i].mask, l))
      return false;
  return true;
}
