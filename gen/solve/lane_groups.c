#include "solve/lane_groups.h"

#include "model/copy.h"
#include "model/cost.h"

#include <stdlib.h>
#include <string.h>

int group_masks(const AccessSet *set, const Access *access, const WarpAccess *w, uint32_t mask[4]) {
  const KgenLayout plain = layout_plain(set->tile);
  int64_t address[WARP];
  layout_addresses(&plain, set->tile->dtype->bytes, w, address);
  return cost_groups(access, w, address, mask);
}

static int log2_of(int n) { return __builtin_ctz((unsigned)n); }

/* Lanes are aligned to their own size, so where banks are powers of two a lane's words fill one of
 * `slots` runs of banks, and it is runs that lanes meet in. */
static void set_slots(const AccessSet *set, Group *g) {
  const Access *a = &set->access[g->access];
  const int count = set->banks.count, word = set->banks.bytes;
  const int piece = a->bytes_per_lane > word ? a->bytes_per_lane : word;
  if (g->copy || (count & (count - 1)) || (word & (word - 1)) || piece / word > count) return;
  const int bytes = set->tile->dtype->bytes;
  g->slots = count / (piece / word);
  g->slot_shift = log2_of(piece / bytes);
  g->shared = a->bytes_per_lane < word && a->op != OP_ATOMIC;
}

static int32_t element_at(const Placement *p, const Group *g, int i) {
  return p->base[g->row[i]] + (g->col[i] ^ p->x[g->row[i]]);
}

enum { MOST_SLOTS = 64 };

/* What bank_group_cost counts, where a lane is one piece in one slot: the search spends most of its
 * time here. */
static int slot_cost(const Placement *p, const Group *g, int lanes) {
  uint8_t count[MOST_SLOTS] = {0};
  int fullest = 0;
  for (int i = 0; i < lanes; i++) {
    const int n = ++count[element_at(p, g, i) >> g->slot_shift & (g->slots - 1)];
    if (n > fullest) fullest = n;
  }
  return fullest;
}

/* The same where lanes of one word are served together. */
static int shared_cost(const Placement *p, const Group *g, int lanes) {
  uint8_t count[MOST_SLOTS] = {0};
  int32_t held[MOST_SLOTS][WARP]; /* pieces of a slot */
  int fullest = 0;
  for (int i = 0; i < lanes; i++) {
    const int32_t piece = element_at(p, g, i) >> g->slot_shift;
    const int slot = piece & (g->slots - 1);
    int known = 0;
    while (known < count[slot] && held[slot][known] != piece) known++;
    if (known < count[slot]) continue;
    held[slot][count[slot]++] = piece;
    if (count[slot] > fullest) fullest = count[slot];
  }
  return fullest;
}

/* A group in parts is bounded by what grows with each lane. */
static int copy_cost(const Placement *p, const Group *g, int lanes) {
  const CopyCache cache = p->set->access[g->access].cache;
  const uint32_t mask = lanes == WARP ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
  int64_t target[WARP], source[WARP];
  for (int i = 0; i < lanes; i++) {
    target[i] = (int64_t)p->set->tile->dtype->bytes * element_at(p, g, i);
    source[i] = g->source[i];
  }
  return lanes == g->whole ? copy_group_wavefronts(cache, mask, target, source)
                           : copy_group_least(cache, mask, target, source);
}

int group_cost(const Placement *p, const Group *g, int lanes) {
  if (g->copy) return copy_cost(p, g, lanes);
  if (g->slots) return g->shared ? shared_cost(p, g, lanes) : slot_cost(p, g, lanes);
  const Access *a = &p->set->access[g->access];
  int64_t address[WARP];
  for (int i = 0; i < lanes; i++)
    address[i] = (int64_t)p->set->tile->dtype->bytes * element_at(p, g, i);
  const uint32_t active = lanes == WARP ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
  return bank_group_cost(p->set->banks, a->op, a->bytes_per_lane, active, address, NULL);
}

/* As measured: a group whose lanes share words takes three times as long, the bank model ten; a
 * copy compares its lanes with each other. */
int group_steps(const Group *g, int lanes) {
  return (12 + lanes) * (g->copy ? 2 * lanes : g->slots == 0 ? 10 : g->shared ? 3 : 1);
}

/* The coordinates of one group's lanes as rows of `dims` numbers, the last one the column. */
typedef struct {
  int dims, lanes;
  int32_t at[WARP][KGEN_MAX_RANK];
} Points;

static Points group_points(const Classes *c, const WarpAccess *w, uint32_t mask) {
  const int rank = c->set->tile->rank;
  Points p = {.dims = rank == 1 ? 2 : rank};
  for (; mask; mask &= mask - 1, p.lanes++) {
    const int lane = __builtin_ctz(mask);
    for (int d = 0; d < rank; d++) p.at[p.lanes][d] = w->coord[d][lane];
    if (rank > 1) continue;
    const int i = w->coord[0][lane], width = c->period ? c->period : c->cols;
    p.at[p.lanes][0] = i / width;
    p.at[p.lanes][1] = i % width;
  }
  return p;
}

/* Moves the points to the origin, by whole words whatever the strides: multiples of the elements in
 * a word. */
static void shift_points(Points *p, int elements_per_word) {
  for (int d = 0; d < p->dims; d++) {
    int32_t low = p->at[0][d];
    for (int i = 1; i < p->lanes; i++)
      if (p->at[i][d] < low) low = p->at[i][d];
    low -= low % elements_per_word;
    for (int i = 0; i < p->lanes; i++) p->at[i][d] -= low;
  }
}

static int32_t flat_row(const Tile *t, const int32_t at[KGEN_MAX_RANK]) {
  int32_t row = at[0];
  for (int d = 1; d < t->rank - 1; d++) row = row * t->extent[d] + at[d];
  return row;
}

/* Sorted by (row, col): lanes few, mostly in order already. */
static void insert_sorted(Group *g, int32_t row, int32_t col, int32_t source) {
  int i = g->lanes++;
  for (; i > 0 && (g->row[i - 1] > row || (g->row[i - 1] == row && g->col[i - 1] > col)); i--) {
    g->row[i] = g->row[i - 1];
    g->col[i] = g->col[i - 1];
    g->source[i] = g->source[i - 1];
  }
  g->row[i] = row;
  g->col[i] = col;
  g->source[i] = source;
}

/* --- what a copy reads --- */

enum { LINE = 128 };

/* Where lanes read, as far as it decides: .ca sees the source's banks, .cg its lines as well. */
static void copy_sources(const Access *a, const WarpAccess *w, uint32_t lanes, int32_t out[WARP]) {
  const int64_t *source = a->source[w - a->warp];
  int64_t line[WARP];
  int lines = 0;
  for (int i = 0; lanes; lanes &= lanes - 1, i++) {
    const int64_t at = source[__builtin_ctz(lanes)];
    int known = 0;
    while (known < lines && line[known] != at / LINE) known++;
    if (known == lines) line[lines++] = at / LINE;
    out[i] = (int32_t)(at % LINE) + (a->cache == COPY_CG ? known * LINE : 0);
  }
}

/* A copy through L1 whose lanes read from different banks costs what a store of each lane does. */
static bool source_decides(const Access *a, const int32_t *source, int lanes) {
  if (a->op != OP_CP_ASYNC) return false;
  for (int i = 0; i < lanes; i++)
    for (int j = 0; j < i; j++)
      if (a->cache == COPY_CG || source[i] == source[j]) return true;
  return a->cache == COPY_CG;
}

/* XORs rows and columns by the first lane's, which leaves conflicts alone where addresses are
 * linear over F2. */
static void xor_first(int lanes, int32_t row[WARP], int32_t col[WARP]) {
  for (int i = lanes - 1; i >= 0; i--) {
    row[i] ^= row[0];
    col[i] ^= col[0];
  }
}

/* The pieces that all its rows keep whole. */
static int smallest_unit(const Classes *c, const Points *p) {
  int unit = c->unit[flat_row(c->set->tile, p->at[0])];
  for (int i = 1; i < p->lanes; i++) {
    const int other = c->unit[flat_row(c->set->tile, p->at[i])];
    if (other < unit) unit = other;
  }
  return unit;
}

static void fill_group(Group *g, const Classes *c, const WarpAccess *w, ClassKind kind) {
  const Tile *t = c->set->tile;
  const Access *a = &c->set->access[g->access];
  const int word = c->set->banks.bytes / t->dtype->bytes;
  Points p = group_points(c, w, g->mask);
  int32_t row[WARP], col[WARP], source[WARP] = {0};
  g->unit = smallest_unit(c, &p);
  if (a->op == OP_CP_ASYNC) copy_sources(a, w, g->mask, source);
  g->copy = source_decides(a, source, p.lanes);
  g->whole = p.lanes;
  /* Which lines of the target are one changes when lanes move. */
  if (kind == CLASS_SHIFT && !(g->copy && a->cache == COPY_CG))
    shift_points(&p, word > 1 ? word : 1);
  for (int i = 0; i < p.lanes; i++) {
    row[i] = flat_row(t, p.at[i]);
    col[i] = p.at[i][p.dims - 1];
  }
  if (kind == CLASS_XOR) xor_first(p.lanes, row, col);
  for (int i = 0; i < p.lanes; i++) insert_sorted(g, row[i], col[i], g->copy ? source[i] : 0);
}

static bool serves_lanes_apart(Op op) { return op == OP_ATOMIC || op == OP_CP_ASYNC; }

/* Lanes of one element are one, except for atomics and copies, which serve each lane apart. */
static void drop_repeats(Group *g, Op op) {
  int kept = 1;
  for (int i = 1; i < g->lanes; i++) {
    if (!serves_lanes_apart(op) && g->row[i] == g->row[kept - 1] && g->col[i] == g->col[kept - 1])
      continue;
    g->row[kept] = g->row[i];
    g->source[kept] = g->source[i];
    g->col[kept++] = g->col[i];
  }
  g->lanes = g->whole = kept;
}

static uint64_t group_hash(const Group *g) {
  uint64_t h = 1469598103934665603u;
  for (int i = 0; i < g->lanes; i++)
    h = (h ^ (uint64_t)(uint32_t)g->row[i] << 32 ^ (uint32_t)(g->col[i] ^ g->source[i] << 16)) *
        1099511628211u;
  return h ^ h >> 29;
}

static bool group_equal(const AccessSet *set, const Group *a, const Group *b) {
  const Access *x = &set->access[a->access], *y = &set->access[b->access];
  const size_t bytes = (size_t)a->lanes * sizeof a->row[0];
  return a->lanes == b->lanes && a->unit == b->unit && x->bytes_per_lane == y->bytes_per_lane &&
         (x->op == OP_ATOMIC) == (y->op == OP_ATOMIC) && a->copy == b->copy &&
         (!a->copy || x->cache == y->cache) && memcmp(a->row, b->row, bytes) == 0 &&
         memcmp(a->col, b->col, bytes) == 0 && memcmp(a->source, b->source, bytes) == 0;
}

/* Whether conflicts within a row depend on where it starts in a word, and then on the XOR too: rows
 * of elements smaller than a word that nothing keeps aligned, or a number of banks that XOR does
 * not permute. */
static bool rows_irregular(const AccessSet *set, const Group *g) {
  const int count = set->banks.count;
  return g->unit * set->tile->dtype->bytes < set->banks.bytes || (count & (count - 1)) != 0;
}

/* The cost of some lanes of one row, XORed by x and starting `start` elements into a word. */
static int row_cost(const AccessSet *set, const Group *g, int first, int lanes, int x, int start) {
  const Access *a = &set->access[g->access];
  const int bytes = set->tile->dtype->bytes;
  const uint32_t mask = lanes == WARP ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
  int64_t address[WARP];
  for (int i = 0; i < lanes; i++) address[i] = (int64_t)bytes * ((g->col[first + i] ^ x) + start);
  return bank_group_cost(set->banks, a->op, a->bytes_per_lane, mask, address, NULL);
}

/* Lanes of one row meet in the same banks under every pad and every XOR of a regular row; of an
 * irregular one, the least over all its starts and XORs bounds every layout from below. */
static int row_floor(const Classes *c, const Group *g, int first, int lanes, Budget *b) {
  enum { MOST_TRIES = 4096, STEPS = 40 };
  const int word = c->set->banks.bytes / c->set->tile->dtype->bytes;
  const int starts = word > 1 ? word : 1;
  int least = row_cost(c->set, g, first, lanes, 0, 0);
  if (!rows_irregular(c->set, g)) return least;
  if (c->col_limit * starts > MOST_TRIES || !budget_left(b)) return 1;
  for (int x = 0; x < c->col_limit && least > 1; x++)
    for (int start = 0; start < starts && least > 1; start++) {
      budget_spend(b, STEPS + 8 * lanes);
      const int cost = row_cost(c->set, g, first, lanes, x, start);
      if (cost < least) least = cost;
    }
  return least;
}

/* Where rows keep pieces of several words whole, a word's place within its piece is fixed, and with
 * it the banks that it can be in: words of one place share count / piece banks. This is the rank
 * argument for columns of a tile that is filled by vectors. */
static int place_floor(const Classes *c, const Group *g) {
  enum { MAX_PIECE = 128 };
  const AccessSet *set = c->set;
  const Access *a = &set->access[g->access];
  const int bytes = set->tile->dtype->bytes, word = set->banks.bytes;
  const int piece = g->unit * bytes / word;
  int count[MAX_PIECE] = {0}, fullest = 0;
  if (piece < 2 || piece > MAX_PIECE || set->banks.count % piece) return 1;
  if (c->period % g->unit) return 1; /* a row is part of a piece */
  for (int i = 0; i < g->lanes; i++) {
    const int first = g->col[i] * bytes / word;
    const int last = (g->col[i] * bytes + a->bytes_per_lane - 1) / word;
    const bool known = !serves_lanes_apart(a->op) && i > 0 && g->row[i] == g->row[i - 1] &&
                       g->col[i - 1] * bytes / word == first;
    for (int w = first; w <= last && !known; w++) count[w % piece]++;
  }
  for (int i = 0; i < piece; i++)
    if (count[i] > fullest) fullest = count[i];
  const int banks = set->banks.count / piece;
  return (fullest + banks - 1) / banks;
}

static int copy_floor(const AccessSet *set, const Group *g) {
  const uint32_t mask = g->lanes == WARP ? UINT32_MAX : (UINT32_C(1) << g->lanes) - 1;
  int64_t source[WARP];
  for (int i = 0; i < g->lanes; i++) source[i] = g->source[i];
  return copy_group_ideal(set->access[g->access].cache, mask, source);
}

/* No layout serves a group in fewer wavefronts than its words need, or than its fullest row. */
static int group_floor(const Classes *c, Group *g, Budget *b) {
  const AccessSet *set = c->set;
  const Access *a = &set->access[g->access];
  const int lane_words = a->bytes_per_lane / set->banks.bytes;
  const int copied = g->copy ? copy_floor(set, g) : 1;
  if (g->copy && a->cache == COPY_CG) return copied; /* no bank decides */
  int floor = (g->lanes * lane_words + set->banks.count - 1) / set->banks.count;
  if (set->tile->dtype->bytes < set->banks.bytes || a->op == OP_ATOMIC || floor < 1) floor = 1;
  for (int first = 0, end; first < g->lanes; first = end) {
    for (end = first + 1; end < g->lanes && g->row[end] == g->row[first];) end++;
    const int least = end - first > 1 ? row_floor(c, g, first, end - first, b) : 1;
    if (least > floor) floor = least;
  }
  const int placed = place_floor(c, g);
  if (copied > floor) floor = copied;
  g->piece = placed > floor ? g->unit * set->tile->dtype->bytes / set->banks.bytes : 0;
  return placed > floor ? placed : floor;
}

/* An open hash table over the classes found so far. */
typedef struct {
  size_t slots; /* a power of two */
  int32_t *slot;
} Index;

static Group *find_or_add(Classes *c, Index *ix, const Group *g, Budget *b) {
  size_t at = (size_t)group_hash(g) & (ix->slots - 1);
  for (; ix->slot[at]; at = (at + 1) & (ix->slots - 1)) {
    Group *known = &c->group[ix->slot[at] - 1];
    if (!group_equal(c->set, known, g)) continue;
    if (rows_irregular(c->set, g) && g->floor < known->floor) known->floor = g->floor;
    return known;
  }
  ix->slot[at] = c->count + 1;
  c->group[c->count] = *g;
  set_slots(c->set, &c->group[c->count]);
  if (!rows_irregular(c->set, g)) c->group[c->count].floor = group_floor(c, &c->group[c->count], b);
  return &c->group[c->count++];
}

/* One lane group as a class of its own. The floor of irregular rows is not the same for all members
 * of a class, so it is taken from the group as it stands; others get theirs with their class. */
static Group make_group(const Classes *c, const Group *where, ClassKind kind, Budget *b) {
  const Access *a = &c->set->access[where->access];
  Group g = *where;
  fill_group(&g, c, &a->warp[g.warp], CLASS_SAME);
  drop_repeats(&g, a->op);
  if (rows_irregular(c->set, &g)) g.floor = group_floor(c, &g, b);
  if (kind == CLASS_SAME) return g;
  g.lanes = 0;
  fill_group(&g, c, &a->warp[g.warp], kind);
  drop_repeats(&g, a->op);
  return g;
}

static void add_warp(Classes *c, Index *ix, int access, int warp, ClassKind kind, Budget *b) {
  const Access *a = &c->set->access[access];
  uint32_t mask[4];
  const int groups = group_masks(c->set, a, &a->warp[warp], mask);
  for (int i = 0; i < groups; i++) {
    const Group where = {.access = access, .warp = warp, .index = i, .mask = mask[i]};
    const Group g = make_group(c, &where, kind, b);
    find_or_add(c, ix, &g, b)->weight += a->weight;
  }
}

static int bits_for(int n) {
  int bits = 0;
  while (1 << bits < n) bits++;
  return bits;
}

const Classes *group_classes(Arena *a, const AccessSet *set, int period, const int32_t *unit,
                             ClassKind kind, Budget *b) {
  Classes *c = ARENA_NEW(a, Classes);
  KgenLayout l = layout_plain(set->tile);
  l.period = period;
  *c = (Classes){
      .set = set, .period = period, .unit = unit, .rows = layout_rows(&l), .cols = layout_cols(&l)};
  c->row_bits = bits_for(c->rows);
  c->col_limit = c->cols & -c->cols;
  size_t most = 0;
  for (int i = 0; i < set->accesses; i++)
    most += (size_t)set->access[i].warps * (size_t)(set->access[i].bytes_per_lane > 4 ? 4 : 1);
  Index ix = {.slots = 16};
  while (ix.slots < 2 * most) ix.slots *= 2;
  ix.slot = ARENA_ARRAY(a, int32_t, ix.slots);
  c->group = ARENA_ARRAY(a, Group, most);
  for (int i = 0; i < set->accesses; i++)
    for (int w = 0; w < set->access[i].warps; w++) add_warp(c, &ix, i, w, kind, b);
  for (int i = 0; i < c->count; i++) c->floor += c->group[i].floor * c->group[i].weight;
  return c;
}
