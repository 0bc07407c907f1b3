/* SPDX-License-Identifier: MIT */
#include "lint/fix/access_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "solve/solve.h"

/* A proposal needs no proof that nothing is better: a search stops after about a second. */
enum { MAX_DISTANCES = 64, MAX_ELEMENT = 16, SEARCH_EFFORT = SOLVE_EFFORT / 4 };

static bool is_within(const LintArray *array, const LintInsn *insn, const LintPattern *p) {
  for (uint32_t m = p->active; m; m &= m - 1) {
    const uint32_t at = p->offset[__builtin_ctz(m)];
    if (at < array->offset || at + (uint32_t)insn->bytes > array->offset + array->bytes)
      return false;
  }
  return p->count > 0 && p->active != 0;
}

/* --- the accessed part --- */

static void span_add(LintSpan *span, const LintInsn *insn, const LintPattern *p) {
  for (uint32_t m = p->active; m; m &= m - 1) {
    const uint32_t at = p->offset[__builtin_ctz(m)], end = at + (uint32_t)insn->bytes;
    const uint32_t last = span->offset + span->bytes;
    if (!span->bytes || at < span->offset) span->offset = at;
    span->bytes = (end > last ? end : last) - span->offset;
  }
}

LintSpan lint_set_span(const LintArray *array) {
  LintSpan span = {0};
  for (int i = 0; i < array->insns; i++) {
    const LintInsn *insn = array->insn[i];
    for (int s = 0; s < insn->slots; s++)
      if (is_within(array, insn, &insn->slot[s])) span_add(&span, insn, &insn->slot[s]);
  }
  return span;
}

/* --- elements --- */

/* The largest power of two that divides all offsets of a pattern, at most `unit`. */
static int common_unit(const LintArray *array, const LintPattern *p, int unit) {
  uint32_t bits = (uint32_t)unit;
  for (uint32_t m = p->active; m; m &= m - 1) bits |= p->offset[__builtin_ctz(m)] - array->offset;
  return (int)(bits & -bits);
}

LintElements lint_set_elements(const LintArray *array) {
  int unit = MAX_ELEMENT;
  for (int i = 0; i < array->insns; i++) {
    const LintInsn *insn = array->insn[i];
    unit = number_least(unit, insn->bytes);
    for (int s = 0; s < insn->slots; s++)
      if (is_within(array, insn, &insn->slot[s])) unit = common_unit(array, &insn->slot[s], unit);
  }
  return (LintElements){unit, (int)(array->bytes / (uint32_t)unit)};
}

/* --- shapes --- */

/* Equal for patterns that differ by a translation only. */
static uint64_t shape_of(const LintPattern *p) {
  uint32_t lowest = UINT32_MAX;
  for (uint32_t m = p->active; m; m &= m - 1)
    if (p->offset[__builtin_ctz(m)] < lowest) lowest = p->offset[__builtin_ctz(m)];
  uint64_t h = p->active;
  for (uint32_t m = p->active; m; m &= m - 1) {
    h = (h ^ (p->offset[__builtin_ctz(m)] - lowest)) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
  }
  return h;
}

typedef struct {
  int count;
  uint64_t shape[LINT_MAX_SHAPES + 1];
} Shapes;

static void shapes_add(Shapes *s, uint64_t shape) {
  for (int i = 0; i < s->count; i++)
    if (s->shape[i] == shape) return;
  if (s->count <= LINT_MAX_SHAPES) s->shape[s->count++] = shape;
}

int lint_set_shapes(const LintArray *array) {
  Shapes shapes = {0};
  for (int i = 0; i < array->insns; i++) {
    const LintInsn *insn = array->insn[i];
    for (int s = 0; s < insn->slots; s++)
      if (is_within(array, insn, &insn->slot[s])) shapes_add(&shapes, shape_of(&insn->slot[s]));
  }
  return shapes.count;
}

/* --- row widths --- */

typedef struct {
  int distance; /* elements */
  uint64_t score;
} Tally;

typedef struct {
  int count;
  Tally tally[MAX_DISTANCES];
} Tallies;

static void tally_add(Tallies *t, int distance, uint64_t score) {
  for (int i = 0; i < t->count; i++)
    if (t->tally[i].distance == distance) {
      t->tally[i].score += score;
      return;
    }
  if (t->count < MAX_DISTANCES) t->tally[t->count++] = (Tally){distance, score};
}

/* Tallies the distances of lanes in a pattern. Neighbouring lanes count most; lanes 2, 4, ... apart
 * show the row length of patterns that wrap within a warp. */
static void tally_pattern(Tallies *t, LintElements e, const LintPattern *p) {
  for (int step = 1; step < WARP; step *= 2)
    for (int lane = 0; lane + step < WARP; lane++) {
      if (!(p->active >> lane & 1) || !(p->active >> (lane + step) & 1)) continue;
      const int64_t d = (int64_t)p->offset[lane + step] - p->offset[lane];
      const int64_t distance = (d < 0 ? -d : d) / e.bytes;
      if (distance > 1 && distance <= e.count / 2)
        tally_add(t, (int)distance, p->count * (step == 1 ? WARP : 1));
    }
}

static BankCost cost_of(const LintInsn *insn, const LintPattern *p) {
  int64_t address[WARP];
  lint_pattern_addresses(p, address);
  return lint_pattern_cost(insn, p, address);
}

static int by_score(const void *pa, const void *pb) {
  const Tally *a = pa, *b = pb;
  if (a->score != b->score) return a->score > b->score ? -1 : 1;
  return a->distance - b->distance;
}

static void tally_array(Tallies *t, const LintArray *array, LintElements e) {
  for (int i = 0; i < array->insns; i++) {
    const LintInsn *insn = array->insn[i];
    for (int s = 0; s < insn->slots; s++) {
      if (!is_within(array, insn, &insn->slot[s])) continue;
      const BankCost c = cost_of(insn, &insn->slot[s]);
      if (c.wavefronts > c.ideal) tally_pattern(t, e, &insn->slot[s]);
    }
  }
}

LintWidths lint_set_widths(const LintArray *array, LintElements e) {
  Tallies t = {0};
  uint64_t sum = 0;
  tally_array(&t, array, e);
  qsort(t.tally, (size_t)t.count, sizeof t.tally[0], by_score);
  for (int i = 0; i < t.count; i++) sum += t.tally[i].score;
  LintWidths w = {.count = number_least(t.count, LINT_MAX_WIDTHS)};
  for (int i = 0; i < w.count; i++) w.width[i] = t.tally[i].distance;
  w.clear = t.count && t.tally[0].score > sum / 2;
  return w;
}

/* --- the set --- */

static const Dtype *dtype_of(int bytes) {
  for (int i = 0; i < dtype_count; i++)
    if (dtype_table[i].bytes == bytes && dtype_table[i].name[0] == 'b') return &dtype_table[i];
  die("no opaque type of %d bytes", bytes);
}

/* 32 blocks with this many bytes leave half of an SM's shared memory free. */
enum { SMALL_BYTES = 4096 };

int lint_set_most_bytes(const LintArray *array) {
  const int64_t twice = 2 * (int64_t)array->bytes;
  const int64_t small = 2 * twice < SMALL_BYTES ? 2 * twice : SMALL_BYTES;
  const int64_t most = twice > small ? twice : small;
  return most < array->max_bytes ? (int)most : array->max_bytes;
}

static Tile *tile_new(Arena *a, const LintArray *array, LintElements e, int cols, Want want) {
  Tile *tile = ARENA_NEW(a, Tile);
  tile->dtype = dtype_of(e.bytes);
  tile->rank = cols ? 2 : 1;
  tile->extent[0] = cols ? (e.count + cols - 1) / cols : e.count;
  tile->extent[1] = cols;
  tile->want = (LayoutRequest){.kind = want, .align = 1, .max_bytes = lint_set_most_bytes(array)};
  return tile;
}

/* False if a lane's elements cross the end of a row, or begin at an index that is not a multiple of
 * their number. An array that itself begins at a misaligned address for its wider accesses then has
 * no layout of its own. */
static bool place(const LintArray *array, LintElements e, int cols, const LintInsn *insn,
                  const LintPattern *p, WarpAccess *out) {
  const int elements = insn->bytes / e.bytes;
  out->active = p->active;
  for (uint32_t m = p->active; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const int index = (int)(p->offset[lane] - array->offset) / e.bytes;
    out->coord[0][lane] = cols ? index / cols : index;
    out->coord[1][lane] = cols ? index % cols : 0;
    if (index % elements) return false;
    if (cols && (index % cols % elements || index % cols + elements > cols)) return false;
  }
  return true;
}

/* The average number of executions of a pattern of the instruction. */
static uint64_t mean_count(const LintInsn *insn) {
  uint64_t sum = 0;
  for (int s = 0; s < insn->slots; s++) sum += insn->slot[s].count;
  return insn->patterns ? sum / (uint64_t)insn->patterns : 0;
}

static uint64_t least_count(const LintArray *array) {
  uint64_t lowest = UINT64_MAX;
  for (int i = 0; i < array->insns; i++) {
    const uint64_t mean = mean_count(array->insn[i]);
    if (mean && mean < lowest) lowest = mean;
  }
  return lowest;
}

/* The instruction with the fewest executions has weight 1; the maximum is 1,000. */
static long weight_of(const LintInsn *insn, uint64_t lowest) {
  const uint64_t times = mean_count(insn) / lowest;
  return WEIGHT_ONE * (long)(times < 1 ? 1 : times > 1000 ? 1000 : times);
}

static bool add_access(Arena *a, AccessSet *set, Access *out, const LintArray *array,
                       LintElements e, int cols, const LintInsn *insn, long weight) {
  const size_t most = (size_t)insn->patterns + 1;
  WarpAccess *warp = ARENA_ARRAY(a, WarpAccess, most);
  int64_t(*source)[WARP] = arena_array(a, insn->op == OP_CP_ASYNC ? most : 1, sizeof *source);
  int warps = 0;
  for (int s = 0; s < insn->slots; s++) {
    if (!is_within(array, insn, &insn->slot[s])) continue;
    if (insn->op == OP_CP_ASYNC) memcpy(source[warps], insn->slot[s].source, sizeof *source);
    if (!place(array, e, cols, insn, &insn->slot[s], &warp[warps++])) return false;
  }
  if (warps)
    out[set->accesses++] = (Access){.name = "access",
                                    .op = insn->op,
                                    .weight = weight * insn->passes,
                                    .bytes_per_lane = insn->bytes,
                                    .elements = insn->bytes / e.bytes,
                                    .warps = warps,
                                    .warp = warp,
                                    .cache = insn->cache,
                                    .source = (const int64_t(*)[WARP])source};
  return true;
}

const AccessSet *lint_set_new(Arena *a, const LintArray *array, LintElements e, int cols,
                              Want want) {
  AccessSet *set = ARENA_NEW(a, AccessSet);
  Access *access = ARENA_ARRAY(a, Access, (size_t)array->insns);
  *set =
      (AccessSet){tile_new(a, array, e, cols, want), banks_nvidia, 0, access, SEARCH_EFFORT, true};
  const uint64_t lowest = least_count(array);
  for (int i = 0; i < array->insns; i++)
    if (!add_access(a, set, access, array, e, cols, array->insn[i],
                    weight_of(array->insn[i], lowest)))
      return NULL;
  return set->accesses ? set : NULL;
}

/* Uses the order of add_access(). */
LintOrigin lint_set_origin(Arena *a, const LintArray *array, const AccessSet *set) {
  LintOrigin o = {ARENA_ARRAY(a, const LintInsn *, (size_t)set->accesses),
                  ARENA_ARRAY(a, const uint64_t *, (size_t)set->accesses)};
  for (int i = 0, access = 0; i < array->insns; i++) {
    const LintInsn *insn = array->insn[i];
    uint64_t *times = ARENA_ARRAY(a, uint64_t, (size_t)insn->patterns + 1);
    int warps = 0;
    for (int s = 0; s < insn->slots; s++)
      if (is_within(array, insn, &insn->slot[s])) times[warps++] = insn->slot[s].count;
    if (!warps) continue;
    o.insn[access] = insn;
    o.times[access++] = times;
  }
  return o;
}

/* --- what it costs --- */

typedef int PatternCost(const LintInsn *insn, const LintPattern *p);

static int wavefronts_of(const LintInsn *insn, const LintPattern *p) {
  return cost_of(insn, p).wavefronts;
}

static int one_of(const LintInsn *insn, const LintPattern *p) {
  (void)insn, (void)p;
  return 1;
}

static int ideal_of(const LintInsn *insn, const LintPattern *p) { return cost_of(insn, p).ideal; }

static uint64_t sum_patterns(const LintArray *array, PatternCost *cost) {
  uint64_t sum = 0;
  for (int i = 0; i < array->insns; i++) {
    const LintInsn *insn = array->insn[i];
    for (int s = 0; s < insn->slots; s++)
      if (is_within(array, insn, &insn->slot[s]))
        sum += insn->slot[s].count * (uint64_t)cost(insn, &insn->slot[s]);
  }
  return sum;
}

uint64_t lint_set_plain(const LintArray *array) { return sum_patterns(array, wavefronts_of); }

uint64_t lint_set_ideal(const LintArray *array) { return sum_patterns(array, ideal_of); }

uint64_t lint_set_executions(const LintArray *array) { return sum_patterns(array, one_of); }

uint64_t lint_set_cost(const LintArray *array, LintElements e, const KgenLayout *l) {
  const int cols = l->rank == 2 ? l->extent[1] : 0;
  uint64_t sum = 0;
  for (int i = 0; i < array->insns; i++) {
    const LintInsn *insn = array->insn[i];
    for (int s = 0; s < insn->slots; s++) {
      WarpAccess w = {0};
      int64_t address[WARP];
      if (!is_within(array, insn, &insn->slot[s])) continue;
      place(array, e, cols, insn, &insn->slot[s], &w);
      layout_addresses(l, e.bytes, &w, address);
      sum += insn->slot[s].count *
             (uint64_t)lint_pattern_cost(insn, &insn->slot[s], address).wavefronts;
    }
  }
  return sum;
}
