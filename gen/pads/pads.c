/* SPDX-License-Identifier: MIT */
#include "pads/pads.h"

#include "emit/offset.h"
#include "model/bank.h"
#include "solve/solve.h"

enum { BANK_PERIOD = 128, ROWS = WARP };

const PadElement pads_element[PADS_ELEMENTS] = {
    {"1 byte", "u8", 1, 1},   {"2 bytes", "f16", 2, 1},   {"4 bytes", "f32", 4, 1},
    {"8 bytes", "f64", 8, 1}, {"3 floats", "f32", 12, 3}, {"16 bytes", "b128", 16, 1},
};
const int pads_width[PADS_WIDTHS] = {8, 16, 24, 32, 33, 48, 64, 96, 100, 128, 256};

/* --- tiles and their accesses --- */

typedef struct {
  Tile tile;
  AccessSet set;
  Access access[2];
} Work;

/* A tile [rows][width] of e. The fields of a struct are adjacent within a row. */
static Work *work_new(Arena *a, const PadElement *e, int rows, int width) {
  Work *w = ARENA_NEW(a, Work);
  w->tile = (Tile){.dtype = dtype_find(e->dtype),
                   .rank = 2,
                   .extent = {rows, width * e->fields},
                   .want = {.kind = WANT_PAD, .align = 1, .max_bytes = 1 << 20}};
  w->set = (AccessSet){&w->tile, {32, 4}, 0, w->access, 0, false};
  return w;
}

/* Adds an access in which thread t takes each field of element (t / width, t % width), or with
 * `columns` of element (t % rows, t / rows). */
static void add_access(Arena *a, Work *w, const PadElement *e, Op op, bool columns) {
  const int rows = w->tile.extent[0], width = w->tile.extent[1] / e->fields;
  const int warps = rows * width * e->fields / WARP, i = w->set.accesses++;
  WarpAccess *warp = ARENA_ARRAY(a, WarpAccess, (size_t)warps);
  for (int k = 0; k < warps * WARP; k++) {
    const int field = k / WARP % e->fields, thread = k / WARP / e->fields * WARP + k % WARP;
    warp[k / WARP].active = UINT32_MAX;
    warp[k / WARP].coord[0][k % WARP] = columns ? thread % rows : thread / width;
    warp[k / WARP].coord[1][k % WARP] =
        (columns ? thread / rows : thread % width) * e->fields + field;
  }
  w->access[i] = (Access){.name = columns ? "column" : "row",
                          .op = op,
                          .weight = WEIGHT_ONE,
                          .bytes_per_lane = w->tile.dtype->bytes,
                          .elements = 1,
                          .warps = warps,
                          .warp = warp};
}

/* The cost of the costliest instruction of access i if rows are `pitch` elements apart. */
static BankCost worst_at(const Work *w, const PadElement *e, int pitch, int i) {
  const Access *access = &w->access[i];
  KgenLayout l = layout_plain(&w->tile);
  BankCost worst = {0};
  l.stride[0] = pitch * e->fields;
  for (int k = 0; k < access->warps; k++) {
    int64_t address[WARP];
    layout_addresses(&l, w->tile.dtype->bytes, &access->warp[k], address);
    const BankCost c = bank_cost(w->set.banks, access->op, access->bytes_per_lane,
                                 access->warp[k].active, address);
    if (c.wavefronts > worst.wavefronts) worst = c;
  }
  return worst;
}

static bool is_free(const Work *w, const PadElement *e, int pitch) {
  bool all = true;
  for (int i = 0; i < w->set.accesses; i++) {
    const BankCost c = worst_at(w, e, pitch, i);
    all = all && c.wavefronts == c.ideal;
  }
  return all;
}

static int width_of(const Work *w, const PadElement *e) { return w->tile.extent[1] / e->fields; }

/* The minimum pad, in whole elements, with which every access is conflict-free; -1 if there is
 * none. The solver pads by single fields, so its pad is a lower bound. */
static int least_pad(Arena *a, const Work *w, const PadElement *e) {
  const Solution *s = solve_tile(a, diag_new(a), &w->set);
  if (!s || !s->conflict_free) return -1;
  int pad = (s->layout.stride[0] - w->tile.extent[1] + e->fields - 1) / e->fields;
  for (; pad < BANK_PERIOD; pad++)
    if (is_free(w, e, width_of(w, e) + pad)) return pad;
  return -1;
}

/* --- the table of pads --- */

static MinimalPad minimal_pad(Arena *a, const PadElement *e, int width) {
  Work *w = work_new(a, e, ROWS, width);
  add_access(a, w, e, OP_LOAD, true);
  const BankCost plain = worst_at(w, e, width, 0);
  return (MinimalPad){plain.ideal, plain.wavefronts, least_pad(a, w, e)};
}

/* --- well-known pads --- */

enum { BYTE, HALF, FLOAT, DOUBLE, STRUCT, FLOAT4 };

/* Pads from published lists, and the habit of adding 1 to every row. */
static const KnownPad known[] = {
    {.text = "float  [32][33]", .element = FLOAT, .rows = 32, .width = 32, .pad = 1},
    {.text = "float  [64][65]", .element = FLOAT, .rows = 64, .width = 64, .pad = 1},
    {.text = "float  [16][17]", .element = FLOAT, .rows = 16, .width = 16, .pad = 1},
    {.text = "double [32][33]", .element = DOUBLE, .rows = 32, .width = 32, .pad = 1},
    {.text = "int    [32][33]", .element = FLOAT, .rows = 32, .width = 32, .pad = 1},
    {.text = "char   [32][129]", .element = BYTE, .rows = 32, .width = 128, .pad = 1},
    {.text = "half   [32][33]", .element = HALF, .rows = 32, .width = 32, .pad = 1},
    {.text = "float4 [32][9]", .element = FLOAT4, .rows = 32, .width = 8, .pad = 1},
    {.text = "float3 [32][11]", .element = STRUCT, .rows = 32, .width = 10, .pad = 1},
};
enum { KNOWN = sizeof known / sizeof *known };

/* An XOR with which storing rows and loading columns is conflict-free, for a tile where no pad
 * achieves that. */
static const char *find_swizzle(Arena *a, Work *w) {
  w->tile.want.kind = WANT_XOR;
  const Solution *s = solve_tile(a, diag_new(a), &w->set);
  return s && s->conflict_free ? offset_spell_swizzle(a, &s->layout, "row") : NULL;
}

static void judge_pad(Arena *a, KnownPad *k) {
  const PadElement *e = &pads_element[k->element];
  Work *w = work_new(a, e, k->rows, k->width);
  add_access(a, w, e, OP_STORE, false);
  add_access(a, w, e, OP_LOAD, true);
  const BankCost load = worst_at(w, e, k->width + k->pad, 1);
  k->store = worst_at(w, e, k->width + k->pad, 0).wavefronts;
  k->load = load.wavefronts;
  k->ideal = load.ideal;
  k->right = k->load == k->ideal;
  k->right_pad = k->right ? k->pad : least_pad(a, w, e);
  if (k->right_pad < 0) k->swizzle = find_swizzle(a, w);
}

/* --- rules --- */

static bool is_odd(int pitch, const PadElement *e) {
  (void)e;
  return pitch % 2 == 1;
}

static bool is_odd_in_words(int pitch, const PadElement *e) { return pitch * e->bytes % 8 == 4; }

static bool is_off_period(int pitch, const PadElement *e) {
  return pitch * e->bytes % BANK_PERIOD != 0;
}

/* Lanes are as wide as one field. */
static bool is_odd_multiple(int pitch, const PadElement *e) {
  const int lane = e->bytes / e->fields, unit = lane > 4 ? lane : 4;
  return pitch * e->bytes % (2 * unit) == unit;
}

static const PadRule rules[PADS_RULES] = {
    {.text = "pitch in elements coprime with 32", .holds = is_odd},
    {.text = "pitch in words whole and coprime with 32", .holds = is_odd_in_words},
    {.text = "pitch_bytes % 128 != 0", .holds = is_off_period},
    {.text = "pitch_bytes an odd multiple of max(4, bytes per lane)", .holds = is_odd_multiple},
};

/* Evaluates the rule for rows of 32 elements with every pad of one bank period. */
static RuleVerdict judge_rule(Arena *a, const PadRule *rule, const PadElement *e) {
  Work *w = work_new(a, e, ROWS, ROWS);
  RuleVerdict v = {.pitches = BANK_PERIOD / (e->bytes / e->fields)};
  add_access(a, w, e, OP_LOAD, true);
  for (int pitch = ROWS; pitch < ROWS + v.pitches; pitch++) {
    const BankCost c = worst_at(w, e, pitch, 0);
    const bool is_right = c.wavefronts == c.ideal, holds = rule->holds(pitch, e);
    if (holds && !is_right) {
      v.passed++;
      if (!v.first) v.first = pitch;
      if (c.wavefronts > v.wavefronts) v.most = pitch;
      if (c.wavefronts > v.wavefronts) v.wavefronts = c.wavefronts;
    }
    if (holds || !is_right) continue;
    v.refused++;
    if (!v.first_free) v.first_free = pitch;
  }
  return v;
}

/* --- all of it --- */

const Pads *pads_compute(Arena *a) {
  Pads *p = ARENA_NEW(a, Pads);
  KnownPad *list = ARENA_ARRAY(a, KnownPad, KNOWN);
  for (int e = 0; e < PADS_ELEMENTS; e++)
    for (int i = 0; i < PADS_WIDTHS; i++)
      p->minimal[e][i] = minimal_pad(a, &pads_element[e], pads_width[i]);
  for (int i = 0; i < KNOWN; i++) {
    list[i] = known[i];
    judge_pad(a, &list[i]);
  }
  p->known = KNOWN;
  p->known_pad = list;
  for (int r = 0; r < PADS_RULES; r++) {
    p->rule[r] = rules[r];
    for (int e = 0; e < PADS_ELEMENTS; e++)
      p->rule[r].verdict[e] = judge_rule(a, &rules[r], &pads_element[e]);
  }
  return p;
}
