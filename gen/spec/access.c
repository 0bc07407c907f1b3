#include "spec/access.h"

#include <string.h>

#include "spec/expr_eval.h"

/* What the expansion of one access carries along. */
typedef struct {
  Arena *arena;
  Diag *diag;
  const Spec *spec;
  const Tile *tile;
  const AccessSpec *access;
  int elements; /* per lane */
  WarpAccess *out;
  int64_t (*source)[WARP]; /* of a cp_async, beside `out` */
  int count;
  int64_t value[EXPR_MAX_VARS][WARP];
  int64_t turn[MAX_LOOPS];  /* the loop variables' current values */
  bool lost[KGEN_MAX_RANK]; /* dimensions (of a linear index, the first) that are skipped: an
                               error in them was reported */
} Expansion;

/* 0 if an extent is unknown; saturates at what an int holds for a tile too large for any memory. */
static int64_t tile_elements(const Tile *t) {
  int64_t n = t->rank > 0;
  for (int d = 0; d < t->rank; d++) n = n * t->extent[d] < INT32_MAX ? n * t->extent[d] : INT32_MAX;
  return n;
}

/* The names that differ from lane to lane: lane, warp, tid, tx, ty, tz. */
static void set_lanes(Expansion *e, int warp) {
  const int *block = e->spec->block;
  for (int lane = 0; lane < WARP; lane++) {
    const int tid = warp * WARP + lane;
    e->value[SLOT_LANE][lane] = lane;
    e->value[SLOT_WARP][lane] = warp;
    e->value[SLOT_TID][lane] = tid;
    e->value[SLOT_TX][lane] = tid % block[0];
    e->value[SLOT_TY][lane] = tid / block[0] % block[1];
    e->value[SLOT_TZ][lane] = tid / block[0] / block[1];
  }
}

static void set_everywhere(Expansion *e, int slot, int64_t v) {
  for (int lane = 0; lane < WARP; lane++) e->value[slot][lane] = v;
}

/* The lanes whose address an instruction reads: 8 per matrix of ldmatrix and stmatrix, else all. */
static uint32_t address_lanes(const AccessSpec *a) {
  return a->matrices == 1 || a->matrices == 2 ? (UINT32_C(1) << 8 * a->matrices) - 1 : UINT32_MAX;
}

/* Lanes of that warp that exist in the block and for which `when` holds. False on an error in the
 * expression. */
static bool active_lanes(Expansion *e, int warp, uint32_t *active) {
  const int left = spec_threads(e->spec) - warp * WARP;
  *active = left >= WARP ? UINT32_MAX : (UINT32_C(1) << left) - 1;
  *active &= address_lanes(e->access);
  if (!e->access->when) return true;
  int64_t holds[WARP];
  const WarpEnv env = {(const int64_t(*)[WARP])e->value, *active, false};
  if (!expr_eval_warp(e->access->when, &env, e->diag, holds)) return false;
  for (int lane = 0; lane < WARP; lane++)
    if (!holds[lane]) *active &= ~(UINT32_C(1) << lane);
  return true;
}

/* "lane 3 of warp 1, j = 2": where in the expansion an error occurred. */
static const char *where(const Expansion *e, int lane) {
  Text t = text_new(e->arena);
  text_printf(&t, "lane %d of warp %d", lane, (int)e->value[SLOT_WARP][lane]);
  for (int i = 0; i < e->access->loops; i++)
    text_printf(&t, ", %s = %lld", e->access->loop[i].name, (long long)e->turn[i]);
  return t.s;
}

static Loc loc_of(const Expansion *e, int dim) {
  const Expr *at = e->access->at[e->access->linear ? 0 : dim];
  return at ? at->loc : e->access->loc;
}

/* Splits a linear element index into coordinates. */
static bool set_linear(Expansion *e, WarpAccess *w, int lane, int64_t index) {
  const int64_t n = tile_elements(e->tile);
  if (index < 0 || index >= n) {
    diag_error(e->diag, loc_of(e, 0), "access '%s' leaves the tile: element %lld of %lld (%s)",
               e->access->name, (long long)index, (long long)n, where(e, lane));
    return false;
  }
  for (int d = e->tile->rank - 1; d >= 0; d--) {
    w->coord[d][lane] = (int32_t)(index % e->tile->extent[d]);
    index /= e->tile->extent[d];
  }
  return true;
}

/* The lane's last element must be inside the tile too, and its first where a vector may start. */
static bool vector_fits(Expansion *e, const WarpAccess *w, int lane) {
  const int last = e->tile->rank - 1, col = w->coord[last][lane];
  if (col + e->elements > e->tile->extent[last]) {
    diag_error(e->diag, loc_of(e, last),
               "access '%s' leaves the tile: elements %d to %d of a dimension of %d (%s)",
               e->access->name, col, col + e->elements - 1, e->tile->extent[last], where(e, lane));
    return false;
  }
  if (col % e->elements) {
    diag_error(e->diag, loc_of(e, last),
               "access '%s' is misaligned: a lane of %d elements starts at element %d (%s)",
               e->access->name, e->elements, col, where(e, lane));
    return false;
  }
  return true;
}

/* "dimension 1", or "'col'" if the spec names it. */
static const char *dim_text(const Expansion *e, int dim) {
  const char *name = e->tile->dim[dim];
  const char *standard = e->tile->rank == 1 ? "i" : arena_printf(e->arena, "c%d", dim);
  return strcmp(name, standard) == 0 ? arena_printf(e->arena, "dimension %d", dim)
                                     : arena_printf(e->arena, "'%s'", name);
}

static bool set_coord(Expansion *e, WarpAccess *w, int lane, int dim, int64_t v) {
  if (v >= 0 && v < e->tile->extent[dim]) {
    w->coord[dim][lane] = (int32_t)v;
    return true;
  }
  diag_error(e->diag, loc_of(e, dim),
             "access '%s' leaves the tile: index %lld of %s, which has %d (%s)", e->access->name,
             (long long)v, dim_text(e, dim), e->tile->extent[dim], where(e, lane));
  return false;
}

static int dimensions(const Expansion *e) { return e->access->linear ? 1 : e->tile->rank; }

/* What cannot be checked in a spec with errors. */
static void lose_unread(Expansion *e) {
  const bool linear = e->access->linear || e->access->lanes;
  for (int d = 0; d < KGEN_MAX_RANK; d++)
    e->lost[d] = (!e->access->lanes && !e->access->at[d]) ||
                 (linear ? tile_elements(e->tile) : e->tile->extent[d]) == 0;
}

static bool all_lost(const Expansion *e) {
  bool all = true;
  for (int d = 0; d < dimensions(e); d++) all = all && e->lost[d];
  return all;
}

static bool any_lost(const Expansion *e) {
  bool any = false;
  for (int d = 0; d < dimensions(e); d++) any = any || e->lost[d];
  return any;
}

/* Evaluates `at` in one dimension for the active lanes of one instruction. */
static bool place_dimension(Expansion *e, WarpAccess *w, int dim) {
  const WarpEnv env = {(const int64_t(*)[WARP])e->value, w->active, false};
  int64_t v[WARP];
  bool ok = expr_eval_warp(e->access->at[dim], &env, e->diag, v);
  for (uint32_t m = w->active; ok && m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    ok = e->access->linear ? set_linear(e, w, lane, v[lane]) : set_coord(e, w, lane, dim, v[lane]);
  }
  return ok;
}

/* One instruction. Only the first error of each dimension is reported. */
static void place_lanes(Expansion *e, WarpAccess *w) {
  const int last = dimensions(e) - 1;
  for (int d = 0; d <= last; d++)
    if (!e->lost[d]) e->lost[d] = !place_dimension(e, w, d);
  for (uint32_t m = w->active; m && !e->lost[last]; m &= m - 1)
    e->lost[last] = !vector_fits(e, w, __builtin_ctz(m));
}

/* --- where a copy reads --- */

/* Rows of a source lie so far apart that no two share a cache line: all coordinates but the last
 * pick one of SOURCE_ROWS, the last is an element of its SOURCE_ROW bytes. */
enum { SOURCE_ROWS = 1 << 14, SOURCE_ROW = 1 << 20 };
#define SOURCE_ELEMENTS (INT64_C(1) << 40) /* of a source with one dimension */

static bool set_source(Expansion *e, int lane, int dim, int64_t v) {
  const int last = e->access->from_dims - 1, bytes = e->tile->dtype->bytes;
  const int64_t most = last == 0 ? SOURCE_ELEMENTS : dim < last ? SOURCE_ROWS : SOURCE_ROW / bytes;
  int64_t *source = &e->source[e->count][lane];
  *source = dim < last ? *source * SOURCE_ROWS + v : *source * SOURCE_ROW + v * bytes;
  if (v < 0 || v >= most)
    diag_error(e->diag, e->access->from[dim]->loc,
               "access '%s' reads index %lld of its source's dimension %d, but there are 0 to %lld "
               "(%s)",
               e->access->name, (long long)v, dim, (long long)most - 1, where(e, lane));
  else if (dim == last && *source % (e->elements * bytes))
    diag_error(e->diag, e->access->from[dim]->loc,
               "access '%s' is misaligned: a lane of %d elements reads from element %lld (%s)",
               e->access->name, e->elements, (long long)v, where(e, lane));
  else
    return true;
  return false;
}

static bool place_source(Expansion *e, const WarpAccess *w, int dim) {
  const WarpEnv env = {(const int64_t(*)[WARP])e->value, w->active, false};
  int64_t v[WARP];
  bool ok = expr_eval_warp(e->access->from[dim], &env, e->diag, v);
  for (uint32_t m = w->active; ok && m; m &= m - 1)
    ok = set_source(e, __builtin_ctz(m), dim, v[__builtin_ctz(m)]);
  return ok;
}

/* By default an element lies in the source as it does in the tile, whose rows are parts of longer
 * ones. */
static void default_source(Expansion *e, const WarpAccess *w) {
  const int last = e->tile->rank - 1, bytes = e->tile->dtype->bytes;
  for (uint32_t m = w->active; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    int64_t row = 0;
    for (int d = 0; d < last; d++) row = row * e->tile->extent[d] + w->coord[d][lane];
    e->source[e->count][lane] = row * SOURCE_ROW + (int64_t)w->coord[last][lane] * bytes;
  }
}

static bool place_sources(Expansion *e, const WarpAccess *w) {
  if (e->access->from_dims == 0) default_source(e, w);
  bool ok = true;
  for (int d = 0; ok && d < e->access->from_dims; d++) ok = place_source(e, w, d);
  return ok;
}

/* All warps of the block for one turn of the loops; false if `when` has no value. */
static bool expand_turn(Expansion *e) {
  const int warps = (spec_threads(e->spec) + WARP - 1) / WARP;
  for (int i = 0; i < e->access->loops; i++) set_everywhere(e, e->access->loop[i].slot, e->turn[i]);
  for (int warp = 0; warp < warps; warp++) {
    WarpAccess *w = &e->out[e->count];
    set_lanes(e, warp);
    if (!active_lanes(e, warp, &w->active)) return false;
    if (w->active == 0) continue;
    place_lanes(e, w);
    if (e->source && !any_lost(e) && !place_sources(e, w)) return false;
    e->count++;
  }
  return true;
}

/* The next turn, the last loop fastest. False after the last. */
static bool next_turn(Expansion *e) {
  for (int i = e->access->loops - 1; i >= 0; i--) {
    if (++e->turn[i] < e->access->loop[i].count) return true;
    e->turn[i] = 0;
  }
  return false;
}

static bool expand_expressions(Expansion *e) {
  for (int slot = 0; slot < e->access->names.count; slot++)
    set_everywhere(e, slot, e->access->value[slot]);
  do
    if (!expand_turn(e)) return false;
  while (!all_lost(e) && next_turn(e));
  return !any_lost(e);
}

/* `lanes` gives one instruction outright. */
static bool expand_list(Expansion *e) {
  WarpAccess *w = &e->out[0];
  if (e->lost[0]) return false;
  for (int lane = 0; lane < WARP; lane++) {
    if (e->access->lanes[lane] < 0 || !(address_lanes(e->access) >> lane & 1)) continue;
    if (!set_linear(e, w, lane, e->access->lanes[lane]) || !vector_fits(e, w, lane)) return false;
    w->active |= UINT32_C(1) << lane;
  }
  if (e->source) default_source(e, w);
  e->count = w->active != 0;
  return true;
}

/* How many instructions an access may expand to; 0 with an error if `left` are fewer. */
static int64_t instruction_limit(const Expansion *e, int64_t left) {
  int64_t n = e->access->lanes ? 1 : (spec_threads(e->spec) + WARP - 1) / WARP;
  for (int i = 0; i < e->access->loops; i++) {
    n *= e->access->loop[i].count;
    if (n > ACCESS_MAX_WARPS) break;
  }
  if (n <= left) return n;
  diag_error(e->diag, e->access->loc, "with access '%s' the tile has more than %d instructions",
             e->access->name, ACCESS_MAX_WARPS);
  return 0;
}

/* --- boxes --- */

/* The largest divisor that a box may have. */
static int divisor_within(int extent, int most) {
  int n = extent < most ? extent : most;
  while (extent % n) n--;
  return n;
}

/* Bytes from one element of the dimension to the next. */
static int64_t pitch_of(const Expansion *e, int dim) {
  int64_t pitch = e->tile->dtype ? e->tile->dtype->bytes : 0;
  for (int d = dim + 1; d < e->tile->rank; d++) pitch *= e->tile->extent[d];
  return pitch;
}

/* Rows along k that hold half of what wgmma takes go on in the next matrix. */
static bool needs_two_matrices(const Expansion *e) {
  const int rank = e->tile->rank;
  const bool along_k = op_is_wgmma(e->access->op) && e->access->major == MAJOR_K;
  if (!along_k || rank < 3 || e->tile->extent[rank - 3] % 2) return false;
  return 2 * pitch_of(e, rank - 2) == WGMMA_K_BYTES;
}

/* The default is a matrix, or as much of it as a box may hold. */
static void default_box(const Expansion *e, int box[KGEN_MAX_RANK]) {
  const int last = e->tile->rank - 1;
  for (int d = 0; d <= last; d++) {
    const bool inner = d >= last - 1;
    box[d] = inner ? divisor_within(e->tile->extent[d], TENSOR_MAX_BOX) : 1;
    if (inner && op_is_wgmma(e->access->op)) box[d] = e->tile->extent[d];
  }
  if (last > 0 && box[last] < e->tile->extent[last]) box[last - 1] = 1;
  if (needs_two_matrices(e)) box[last - 2] = 2;
}

/* TMA stores a box's elements contiguously: they must be contiguous in the tile. */
static bool box_is_whole(Expansion *e, const int box[KGEN_MAX_RANK]) {
  int d = 0;
  while (d < e->tile->rank && box[d] == 1) d++;
  for (d++; d < e->tile->rank; d++) {
    if (box[d] == e->tile->extent[d]) continue;
    diag_error(e->diag, e->access->loc,
               "a box of %d in %s, which has %d, would not lie in the tile as TMA stores it: side "
               "by side",
               box[d], dim_text(e, d), e->tile->extent[d]);
    return false;
  }
  return true;
}

/* True if the box whose corner is lane 0's is in the tile. */
static bool box_fits(Expansion *e, const WarpAccess *w, const int box[KGEN_MAX_RANK]) {
  for (int d = 0; d < e->tile->rank; d++) {
    if (w->coord[d][0] + box[d] <= e->tile->extent[d]) continue;
    diag_error(e->diag, loc_of(e, d), "access '%s' leaves the tile: %d to %d of %s, which has %d",
               e->access->name, w->coord[d][0], w->coord[d][0] + box[d] - 1, dim_text(e, d),
               e->tile->extent[d]);
    return false;
  }
  return true;
}

/* An instruction of wgmma takes so much of k from a box: of its rows, or so many rows. A tile of
 * one dimension has been refused. */
static bool box_holds_k(Expansion *e, const Access *out) {
  const AccessSpec *a = e->access;
  const Dtype *t = e->tile->dtype;
  const int last = e->tile->rank - 1, step = t ? WGMMA_K_BYTES / t->bytes : 1;
  if (last == 0) return false;
  int64_t k = a->major == MAJOR_MN ? out->box[last - 1] : out->box[last];
  for (int d = 0; d < last - 1 && a->major == MAJOR_K; d++) k *= out->box[d];
  if (k % step == 0) return true;
  diag_error(e->diag, a->box[0] ? a->box_loc : a->loc,
             "wgmma takes %d elements of k at a time, and a box of access '%s' has %lld", step,
             a->name, (long long)k);
  return false;
}

/* TMA faults on boxes that begin anywhere else in shared memory. */
static bool box_begins_well(Expansion *e, const int32_t corner[KGEN_MAX_RANK], Access *out) {
  int64_t byte = 0;
  int wrong = -1;
  for (int d = e->tile->rank - 1; d >= 0 && !op_is_wgmma(out->op); d--) {
    byte += corner[d] * pitch_of(e, d);
    if (corner[d] * pitch_of(e, d) % TILE_ALIGN) wrong = d;
  }
  out->box_starts |= byte;
  if (byte % TILE_ALIGN == 0) return true;
  const bool placed = e->access->at[0] != NULL, sized = e->access->box[0] != 0;
  diag_error(e->diag,
             placed  ? loc_of(e, wrong)
             : sized ? e->access->box_loc
                     : e->access->loc,
             "access '%s' moves a box at byte %lld of the tile, but TMA asks for multiples of %d",
             e->access->name, (long long)byte, TILE_ALIGN);
  return false;
}

/* One box for each turn of the loops, issued by one thread. */
static bool count_placed(Expansion *e, Access *out) {
  WarpAccess w = {.active = 1};
  for (int slot = 0; slot < e->access->names.count; slot++)
    set_everywhere(e, slot, e->access->value[slot]);
  do {
    uint32_t active;
    for (int i = 0; i < e->access->loops; i++)
      set_everywhere(e, e->access->loop[i].slot, e->turn[i]);
    set_lanes(e, 0);
    if (!active_lanes(e, 0, &active)) return false;
    if (!(active & 1)) continue;
    for (int d = 0; d < dimensions(e); d++)
      if (!e->lost[d]) e->lost[d] = !place_dimension(e, &w, d);
    if (any_lost(e) || !box_fits(e, &w, out->box)) return false;
    int32_t corner[KGEN_MAX_RANK];
    for (int d = 0; d < KGEN_MAX_RANK; d++) corner[d] = w.coord[d][0];
    if (!box_begins_well(e, corner, out)) return false;
    out->boxes++;
  } while (next_turn(e));
  return true;
}

/* All begin well if the second one in each dimension does. */
static bool cover_begins_well(Expansion *e, Access *out) {
  for (int d = 0; d < e->tile->rank; d++) {
    int32_t corner[KGEN_MAX_RANK] = {0};
    if (out->box[d] == e->tile->extent[d]) continue;
    corner[d] = out->box[d];
    if (!box_begins_well(e, corner, out)) return false;
  }
  return true;
}

static bool count_covering(Expansion *e, Access *out) {
  out->boxes = 1;
  for (int d = 0; d < e->tile->rank; d++) {
    if (e->tile->extent[d] % out->box[d]) {
      diag_error(e->diag, e->access->loc, "boxes of %d do not cover %s, which has %d", out->box[d],
                 dim_text(e, d), e->tile->extent[d]);
      return false;
    }
    out->boxes *= e->tile->extent[d] / out->box[d];
  }
  return cover_begins_well(e, out);
}

static bool expand_boxes(Expansion *e, int64_t left, Access *out) {
  const AccessSpec *a = e->access;
  if (a->unread || tile_elements(e->tile) == 0 || instruction_limit(e, left) == 0) return false;
  out->major = a->major;
  default_box(e, out->box);
  for (int d = 0; a->box[0] && d < e->tile->rank; d++) out->box[d] = a->box[d];
  if (!(op_is_wgmma(a->op) ? box_holds_k(e, out) : box_is_whole(e, out->box))) return false;
  if (!(a->at[0] ? count_placed(e, out) : count_covering(e, out))) return false;
  if (out->boxes == 0) diag_error(e->diag, a->loc, "access '%s' moves no box", a->name);
  return out->boxes > 0;
}

/* What does not depend on the lanes. */
static void begin_access(Expansion *e, Access *out) {
  const AccessSpec *a = e->access;
  const int bytes = e->tile->dtype ? e->tile->dtype->bytes : 1;
  out->name = a->name;
  out->loc = a->loc;
  out->op = a->op;
  out->weight = a->weight;
  out->bytes_per_lane = op_moves_matrices(a->op) ? 16 : a->vector * bytes;
  out->elements = e->elements = e->tile->dtype ? out->bytes_per_lane / bytes : 1;
  if (op_moves_boxes(a->op)) out->bytes_per_lane = out->elements = 0;
}

static bool expand_access(Expansion *e, int64_t left, Access *out) {
  const AccessSpec *a = e->access;
  begin_access(e, out);
  if (a->at[0] || !op_moves_boxes(a->op)) lose_unread(e);
  if (op_moves_boxes(a->op)) return expand_boxes(e, left, out);
  const int64_t limit = a->unread || e->tile->rank == 0 ? 0 : instruction_limit(e, left);
  if (limit == 0) return false;
  e->out = ARENA_ARRAY(e->arena, WarpAccess, (size_t)limit);
  if (a->op == OP_CP_ASYNC && e->tile->dtype)
    e->source = arena_array(e->arena, (size_t)limit, sizeof(*e->source));
  if (!(a->lanes ? expand_list(e) : expand_expressions(e))) return false;
  out->warp = e->out;
  out->warps = e->count;
  out->cache = a->cache;
  out->source = (const int64_t(*)[WARP])e->source;
  if (out->warps > 0 || a->times) return true; /* a family's may be for other params than these */
  diag_error(e->diag, a->loc, "access '%s' has no active lane", a->name);
  return false;
}

const AccessSet *access_expand(Arena *a, Diag *d, const Spec *spec, const TileSpec *tile) {
  AccessSet *set = ARENA_NEW(a, AccessSet);
  Access *access = ARENA_ARRAY(a, Access, (size_t)tile->accesses);
  int64_t left = ACCESS_MAX_WARPS;
  bool ok = true;
  for (int i = 0; i < tile->accesses; i++) {
    Expansion *e = ARENA_NEW(a, Expansion);
    *e = (Expansion){
        .arena = a, .diag = d, .spec = spec, .tile = &tile->tile, .access = &tile->access[i]};
    ok = expand_access(e, left, &access[i]) && ok;
    left -= access[i].warps;
  }
  *set = (AccessSet){&tile->tile, spec->banks, tile->accesses, access, 0};
  return ok ? set : NULL;
}
