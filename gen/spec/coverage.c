/* SPDX-License-Identifier: MIT */
#include "spec/coverage.h"

#include <string.h>

enum { WRITTEN = 1, COUNTED_UNWRITTEN = 2, COUNTED_REWRITTEN = 4 };

/* The last write of an element by one access, and the last iteration of the outermost loop that
 * read it; 0: none, else one more than what it is. */
typedef struct {
  int issue, lane, read;
} Last;

typedef struct {
  Arena *arena;
  const TileSpec *spec;
  const AccessSet *set;
  int warps;      /* warps per block */
  uint8_t *state; /* state per element */
  Last *last;
  Coverage out;
} Map;

static bool op_writes(Op op) {
  return op == OP_STORE || op == OP_STMATRIX || op == OP_CP_ASYNC || op == OP_TMA_LOAD;
}

static bool covers_all(const Access *a) { return a->boxes && !a->corner; }

static int index_of(const Tile *t, const int coord[KGEN_MAX_RANK]) {
  int index = 0;
  for (int d = 0; d < t->rank; d++) index = index * t->extent[d] + coord[d];
  return index;
}

static int lane_index(const Tile *t, const WarpAccess *w, int lane) {
  int coord[KGEN_MAX_RANK];
  for (int d = 0; d < KGEN_MAX_RANK; d++) coord[d] = w->coord[d][lane];
  return index_of(t, coord);
}

static void count_error(CoverageError *e, uint8_t *state, uint8_t bit, int index, int access) {
  if (*state & bit) return;
  *state |= bit;
  if (e->elements == 0) e->access = access;
  if (e->elements == 0 || index < e->first) e->first = index;
  e->elements++;
}

/* --- unwritten --- */

static void mark_run(Map *m, int access, int first, int count) {
  const bool reads =
      !op_writes(m->set->access[access].op) && m->set->access[access].op != OP_ATOMIC;
  for (int i = first; i < first + count; i++) {
    if (!reads)
      m->state[i] |= WRITTEN;
    else if (!(m->state[i] & WRITTEN))
      count_error(&m->out.unwritten, &m->state[i], COUNTED_UNWRITTEN, i, access);
  }
}

/* A box is rows of the last dimension. */
static void mark_box(Map *m, int access, const int32_t corner[KGEN_MAX_RANK]) {
  const Access *a = &m->set->access[access];
  const Tile *t = m->set->tile;
  const int last = t->rank - 1;
  int rows = 1;
  for (int d = 0; d < last; d++) rows *= a->box[d];
  for (int row = 0; row < rows; row++) {
    int coord[KGEN_MAX_RANK] = {0}, left = row;
    for (int d = last - 1; d >= 0; left /= a->box[d--]) coord[d] = corner[d] + left % a->box[d];
    coord[last] = corner[last];
    mark_run(m, access, index_of(t, coord), a->box[last]);
  }
}

static void mark_access(Map *m, int access) {
  const Access *a = &m->set->access[access];
  const Tile *t = m->set->tile;
  if (covers_all(a) && op_writes(a->op)) mark_run(m, access, 0, tile_elements(t));
  for (int b = 0; a->corner && b < a->boxes; b++) mark_box(m, access, a->corner[b]);
  for (int i = 0; i < a->warps; i++)
    for (uint32_t lanes = a->warp[i].active; lanes; lanes &= lanes - 1)
      mark_run(m, access, lane_index(t, &a->warp[i], __builtin_ctz(lanes)), a->elements);
}

static void find_unwritten(Map *m) {
  bool writes = false;
  for (int i = 0; i < m->set->accesses; i++) {
    const Op op = m->set->access[i].op;
    if (!op_writes(op) && op != OP_ATOMIC) continue;
    if (m->spec->access[i].lanes) return;
    mark_access(m, i);
    writes = writes || op != OP_ATOMIC;
  }
  for (int i = 0; writes && i < m->set->accesses; i++) {
    const Op op = m->set->access[i].op;
    if (!op_writes(op) && op != OP_ATOMIC) mark_access(m, i);
  }
}

/* --- rewritten --- */

/* The instructions of an access in the order in which they are issued. */
typedef struct {
  const Access *access;
  int inner; /* iterations of the loops within the outermost one, times the block's warps */
  int at;
} Stream;

static Stream stream_of(const Map *m, int access) {
  const AccessSpec *spec = &m->spec->access[access];
  int inner = m->warps;
  for (int i = 1; i < spec->loops; i++) inner *= (int)spec->loop[i].count;
  return (Stream){&m->set->access[access], inner, 0};
}

static bool stream_is_in(const Stream *s, int outer) {
  return s->at < s->access->warps && s->access->issue[s->at] / s->inner == outer;
}

static bool share_outer_loop(const AccessSpec *a, const AccessSpec *b) {
  return a->loops && b->loops && a->loop[0].count == b->loop[0].count &&
         strcmp(a->loop[0].name, b->loop[0].name) == 0;
}

static void note_reads(Map *m, Stream *s, int outer) {
  for (; stream_is_in(s, outer); s->at++) {
    const WarpAccess *w = &s->access->warp[s->at];
    for (uint32_t lanes = w->active; lanes; lanes &= lanes - 1) {
      const int first = lane_index(m->set->tile, w, __builtin_ctz(lanes));
      for (int k = 0; k < s->access->elements; k++) m->last[first + k].read = outer + 1;
    }
  }
}

/* True if that write loses the value of the last one. */
static bool overwrites(const Map *m, const Stream *s, const Last *last, int issue, int lane) {
  if (!last->issue) return false;
  const int before = last->issue - 1;
  if (before % m->warps == issue % m->warps && last->lane == lane) return false;
  return before / m->warps == issue / m->warps || last->read <= before / s->inner;
}

static void check_writes(Map *m, Stream *s, int access, int outer) {
  for (; stream_is_in(s, outer); s->at++) {
    const WarpAccess *w = &s->access->warp[s->at];
    const int issue = s->access->issue[s->at];
    for (uint32_t lanes = w->active; lanes; lanes &= lanes - 1) {
      const int lane = __builtin_ctz(lanes), first = lane_index(m->set->tile, w, lane);
      for (int i = first; i < first + s->access->elements; i++) {
        if (overwrites(m, s, &m->last[i], issue, lane))
          count_error(&m->out.rewritten, &m->state[i], COUNTED_REWRITTEN, i, access);
        m->last[i].issue = issue + 1;
        m->last[i].lane = lane;
      }
    }
  }
}

/* Goes through the iterations of the outermost loop, in each first through what reads. */
static void find_rewritten(Map *m, int access) {
  const AccessSpec *spec = m->spec->access;
  Stream write = stream_of(m, access), read[MAX_ACCESSES];
  int reads = 0;
  for (int i = 0; i < m->set->accesses; i++) {
    if (op_writes(m->set->access[i].op) || !share_outer_loop(&spec[access], &spec[i])) continue;
    if (m->set->access[i].boxes) return; /* no iteration is known of what boxes read */
    read[reads++] = stream_of(m, i);
  }
  memset(m->last, 0, (size_t)tile_elements(m->set->tile) * sizeof *m->last);
  const int outer = spec[access].loops ? (int)spec[access].loop[0].count : 1;
  for (int i = 0; i < outer; i++) {
    for (int r = 0; r < reads; r++) note_reads(m, &read[r], i);
    check_writes(m, &write, access, i);
  }
}

static bool shares_loop_with_read(const Map *m, int access) {
  for (int i = 0; i < m->set->accesses; i++)
    if (!op_writes(m->set->access[i].op) &&
        share_outer_loop(&m->spec->access[access], &m->spec->access[i]))
      return true;
  return false;
}

/* The state of the elements that a store writes, before the store. */
typedef struct {
  int fresh;       /* elements that no earlier access holds unread */
  int overwritten; /* elements that another thread of an earlier access wrote, unread since */
} Found;

/* Passes over the elements of one access. A read clears their last writes. A store is recorded, and
 * what it overwrites is found, or counted as an error too if `reports`. */
static Found pass_over(Map *m, int access, bool records, bool reports) {
  Found found = {0};
  const Access *a = &m->set->access[access];
  for (int w = 0; w < a->warps; w++)
    for (uint32_t lanes = a->warp[w].active; lanes; lanes &= lanes - 1) {
      const int lane = __builtin_ctz(lanes), thread = a->issue[w] % m->warps * WARP + lane;
      const int first = lane_index(m->set->tile, &a->warp[w], lane);
      for (int i = first; i < first + a->elements; i++) {
        Last *last = &m->last[i];
        const bool earlier = last->issue && last->issue != access + 1;
        const bool lost = op_writes(a->op) && earlier && last->lane != thread;
        found.fresh += !earlier;
        found.overwritten += lost;
        if (lost && reports)
          count_error(&m->out.rewritten, &m->state[i], COUNTED_REWRITTEN, i, access);
        if (records) *last = op_writes(a->op) ? (Last){access + 1, thread, 0} : (Last){0};
      }
    }
  return found;
}

/* In the spec's order: a store loses what an earlier access wrote if another thread wrote it and
 * no read is listed between the two. A loop that a read shares may have the read in between. A
 * store into part of what was filled before, and nowhere else, is an update of initial values. */
static void find_overwritten(Map *m) {
  const int elements = tile_elements(m->set->tile);
  memset(m->last, 0, (size_t)elements * sizeof *m->last);
  for (int i = 0; i < m->set->accesses; i++) {
    const Access *a = &m->set->access[i];
    if (op_writes(a->op) && (a->boxes || shares_loop_with_read(m, i))) continue;
    bool updates = false;
    if (op_writes(a->op)) {
      int held = 0;
      for (int e = 0; e < elements; e++) held += m->last[e].issue != 0;
      const Found found = pass_over(m, i, false, false);
      updates = found.fresh == 0 && found.overwritten < held;
    } else if (a->boxes) {
      memset(m->last, 0, (size_t)elements * sizeof *m->last);
    }
    pass_over(m, i, true, !updates);
  }
}

Coverage coverage_of(const Spec *spec, const TileSpec *tile, const AccessSet *set) {
  Arena *scratch = arena_new();
  const size_t elements = (size_t)tile_elements(set->tile);
  Map m = {.arena = scratch,
           .spec = tile,
           .set = set,
           .warps = (spec_threads(spec) + WARP - 1) / WARP,
           .state = ARENA_ARRAY(scratch, uint8_t, elements),
           .last = ARENA_ARRAY(scratch, Last, elements)};
  find_unwritten(&m);
  for (int i = 0; i < set->accesses; i++)
    if (op_writes(set->access[i].op) && set->access[i].warps) find_rewritten(&m, i);
  find_overwritten(&m);
  arena_free(scratch);
  return m.out;
}

/* --- in words --- */

const char *coverage_spell_unwritten(Arena *a, const Coverage *c, const AccessSet *set) {
  const CoverageError *e = &c->unwritten;
  if (!e->elements) return NULL;
  return arena_printf(a, "%d element%s read but no access writes %s; the first is %s, read by '%s'",
                      e->elements, e->elements == 1 ? " is" : "s are",
                      e->elements == 1 ? "it" : "them", tile_spell_element(a, set->tile, e->first),
                      set->access[e->access].name);
}

const char *coverage_spell_rewritten(Arena *a, const Coverage *c, const AccessSet *set) {
  const CoverageError *e = &c->rewritten;
  if (!e->elements) return NULL;
  return arena_printf(
      a, "%d element%s written by two threads with no read in between; the first is %s, by '%s'",
      e->elements, e->elements == 1 ? " is" : "s are", tile_spell_element(a, set->tile, e->first),
      set->access[e->access].name);
}
