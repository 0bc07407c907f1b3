/* SPDX-License-Identifier: MIT */
#include "kgen_tile.h"

#include <string.h>

#include "base/number.h"
#include "model/layout.h"
#include "spec/spec.h"

/* The member being read, as messages name it. */
typedef struct {
  Diag *diag;
  Arena *arena;
  const KgenTile *from;
  Tile *tile;
  int left; /* number of instructions that further accesses may have */
} Taking;

#define WRONG(t, ...) diag_error((t)->diag, (Loc){0}, __VA_ARGS__)

static const char *kept(const Taking *t, const char *s) {
  return arena_strndup(t->arena, s, strlen(s));
}

/* --- words --- */

typedef const char *Words(int i); /* NULL after the last */

/* The names of operations whose lanes have addresses; wgmma and TMA have none. */
static const char *op_word(int i) {
  enum { NAMES = OP_CP_ASYNC + 1, OTHERS = OP_SPELLINGS - OP_COUNT };
  return i < NAMES ? op_name[i] : i < NAMES + OTHERS ? op_name[OP_COUNT + i - NAMES] : NULL;
}
static const char *cache_word(int i) { return i <= COPY_CG ? copy_cache_name[i] : NULL; }

/* The index of the word; -1 with an error. */
static int take_word(const Taking *t, const char *what, const char *word, Words *words) {
  int count = 0;
  while (words(count)) count++;
  const char **names = ARENA_ARRAY(t->arena, const char *, (size_t)count);
  for (int i = 0; i < count; i++) {
    names[i] = words(i);
    if (word && strcmp(word, names[i]) == 0) return i;
  }
  if (!word) {
    WRONG(t, "%s is not given", what);
    return -1;
  }
  WRONG(t, "%s is '%s', which is not known", what, word);
  const char *near = diag_nearest(word, names, count);
  if (near) diag_hint(t->diag, "did you mean '%s'?", near);
  return -1;
}

/* --- the tile --- */

static bool take_extents(Taking *t) {
  enum { MOST = 1 << 20 }; /* exceeds any shared memory */
  Tile *tile = t->tile;
  tile->rank = t->from->rank;
  if (tile->rank < 1 || tile->rank > KGEN_MAX_RANK) {
    WRONG(t, "rank is %d, but must be 1 to %d", tile->rank, KGEN_MAX_RANK);
    return false;
  }
  int64_t n = 1;
  for (int d = 0; d < tile->rank; d++) {
    tile->extent[d] = t->from->extent[d];
    tile->dim[d] = tile_default_dim(tile->rank, d);
    n = tile->extent[d] > 0 && n <= MOST ? n * tile->extent[d] : INT64_MAX;
  }
  if (n > MOST) WRONG(t, "an extent is below 1, or the tile has more than %d elements", MOST);
  return n <= MOST;
}

static void take_limits(Taking *t, const Arch *arch) {
  enum { MAX_ALIGN = 1024 };
  LayoutRequest *want = &t->tile->want;
  const int64_t bytes = (int64_t)tile_elements(t->tile) * t->tile->dtype->bytes;
  want->align = t->from->align ? t->from->align : 1;
  want->max_bytes = t->from->max_bytes ? t->from->max_bytes : arch->shared_per_block;
  if (want->max_bytes > arch->shared_per_block) want->max_bytes = arch->shared_per_block;
  if (!number_is_power(want->align) || want->align > MAX_ALIGN)
    WRONG(t, "align is %d, but must be a power of two up to %d", want->align, MAX_ALIGN);
  if (bytes > want->max_bytes)
    WRONG(t, "the tile takes %lld bytes without padding, more than %d", (long long)bytes,
          want->max_bytes);
}

static bool take_tile(Taking *t) {
  const KgenTile *from = t->from;
  const int dtype = take_word(t, "dtype", from->dtype, dtype_choice);
  const int want = take_word(t, "layout", from->layout ? from->layout : "auto", want_choice);
  const int arch = take_word(t, "arch", from->arch ? from->arch : "sm_90", arch_choice);
  const bool shaped = take_extents(t);
  if (dtype < 0 || want < 0 || arch < 0 || !shaped) return false;
  t->tile->dtype = &dtype_table[dtype];
  t->tile->want.kind = (Want)want;
  take_limits(t, &arch_table[arch]);
  return diag_count(t->diag) == 0;
}

/* --- accesses --- */

/* Sets one lane's element; false with an error. */
static bool take_lane(const Taking *t, const Access *a, WarpAccess *w, int lane, int64_t index) {
  const Tile *tile = t->tile;
  const int n = tile_elements(tile);
  const int last = tile->rank - 1;
  const int col = (int)(index % tile->extent[last]);
  if (index >= n)
    WRONG(t, "access '%s' leaves the tile: element %lld of %d (lane %d)", a->name, (long long)index,
          n, lane);
  else if (col + a->elements > tile->extent[last])
    WRONG(t, "access '%s' leaves the tile: elements %d to %d of a dimension of %d (lane %d)",
          a->name, col, col + a->elements - 1, tile->extent[last], lane);
  else if (col % a->elements)
    WRONG(t, "access '%s' is misaligned: a lane of %d elements starts at element %d (lane %d)",
          a->name, a->elements, col, lane);
  else {
    tile_place_lane(tile, index, w, lane);
    w->active |= UINT32_C(1) << lane;
    return true;
  }
  return false;
}

/* The default source has rows so far apart that no two share a cache line. */
enum { SOURCE_ROW_BITS = 32 };

static int64_t default_source(const Tile *tile, int64_t index) {
  const int cols = tile->extent[tile->rank - 1];
  return (index / cols << SOURCE_ROW_BITS) + index % cols * tile->dtype->bytes;
}

/* Checks one lane's byte offset in device memory; false with an error. */
static bool take_source(const Taking *t, const Access *a, int lane, int64_t byte, int64_t *out) {
  *out = byte;
  if (byte >= 0 && byte % a->bytes_per_lane == 0) return true;
  WRONG(t, "access '%s' copies %d bytes from byte %lld, which is not aligned (lane %d)", a->name,
        a->bytes_per_lane, (long long)byte, lane);
  return false;
}

/* Reads all instructions; those without an active lane are left out. False at the first error. */
static bool take_instructions(const Taking *t, const KgenAccess *from, Access *a) {
  const size_t n = (size_t)from->instructions;
  WarpAccess *warp = ARENA_ARRAY(t->arena, WarpAccess, n);
  int64_t(*source)[WARP] = arena_array(t->arena, n, sizeof *source);
  for (size_t i = 0; i < n; i++) {
    WarpAccess *w = &warp[a->warps];
    for (int lane = 0; lane < WARP; lane++) {
      const int32_t index = from->index[i * WARP + (size_t)lane];
      if (index < 0) continue;
      const int64_t byte =
          from->source ? from->source[i * WARP + (size_t)lane] : default_source(t->tile, index);
      if (!take_lane(t, a, w, lane, index)) return false;
      if (a->op == OP_CP_ASYNC && !take_source(t, a, lane, byte, &source[a->warps][lane]))
        return false;
    }
    a->warps += w->active != 0;
  }
  a->warp = warp;
  a->source = a->op == OP_CP_ASYNC ? (const int64_t(*)[WARP])source : NULL;
  if (a->warps == 0) WRONG(t, "access '%s' has no active lane", a->name);
  return a->warps > 0;
}

static bool take_width(const Taking *t, const KgenAccess *from, Access *a) {
  const int bytes = t->tile->dtype->bytes, vector = from->vector ? from->vector : 1;
  const int64_t lane = op_moves_matrices(a->op) ? 16 : (int64_t)vector * bytes;
  if (vector < 1 || lane > 16 || !number_is_power((int)lane)) {
    WRONG(t, "access '%s' takes %lld bytes per lane, but must take 1, 2, 4, 8 or 16", a->name,
          (long long)lane);
    return false;
  }
  a->bytes_per_lane = (int)lane;
  a->elements = (int)lane / bytes;
  return true;
}

/* Checks the size of a cp.async: 4, 8 or 16 bytes per lane; only 16 if it bypasses L1. */
static bool take_cache(const Taking *t, const KgenAccess *from, Access *a) {
  if (a->op != OP_CP_ASYNC) return true;
  const int cache = take_word(t, arena_printf(t->arena, "cache of access '%s'", a->name),
                              from->cache ? from->cache : "ca", cache_word);
  a->cache = cache == COPY_CG ? COPY_CG : COPY_CA;
  const int least = a->cache == COPY_CG ? 16 : 4;
  if (cache >= 0 && a->bytes_per_lane < least)
    WRONG(t, "access '%s' copies %d bytes per lane, but cp.async.%s takes %s", a->name,
          a->bytes_per_lane, copy_cache_name[cache], least == 16 ? "16" : "4, 8 or 16");
  return cache >= 0 && a->bytes_per_lane >= least;
}

static bool take_weight(const Taking *t, const KgenAccess *from, Access *a) {
  enum { MOST = 1000000 };
  a->weight = WEIGHT_ONE;
  if (from->weight == 0) return true;
  const double thousandths = from->weight * WEIGHT_ONE;
  if (thousandths >= 1 && from->weight <= MOST) {
    a->weight = (long)(thousandths + 0.5);
    return true;
  }
  WRONG(t, "access '%s' has weight %g, but must have 0.001 to %d", a->name, from->weight, MOST);
  return false;
}

static bool take_access(Taking *t, int i, Access *a) {
  const KgenAccess *from = &t->from->access[i];
  a->name = from->name ? kept(t, from->name) : arena_printf(t->arena, "access%d", i);
  const int op =
      take_word(t, arena_printf(t->arena, "op of access '%s'", a->name), from->op, op_word);
  if (op < 0) return false;
  a->op = (Op)op_find(from->op);
  if (from->instructions < 1 || from->instructions > t->left) {
    WRONG(t, "access '%s' has %d instructions, but must have 1 to %d", a->name, from->instructions,
          t->left);
    return false;
  }
  if (!from->index) {
    WRONG(t, "access '%s' has no indices: its index is NULL", a->name);
    return false;
  }
  t->left -= from->instructions;
  return take_width(t, from, a) && take_cache(t, from, a) && take_weight(t, from, a) &&
         take_instructions(t, from, a);
}

static bool has_accesses(const Taking *t) {
  const int n = t->from->accesses;
  const bool counted = n >= 1 && n <= MAX_ACCESSES;
  if (!counted)
    WRONG(t, "%d accesses are given, but must be 1 to %d", n, MAX_ACCESSES);
  else if (!t->from->access)
    WRONG(t, "the list of accesses is NULL");
  return counted && t->from->access;
}

/* Reads all accesses; NULL, with all errors, if one has an error. */
static const Access *take_accesses(Taking *t) {
  const int n = t->from->accesses;
  Access *access = ARENA_ARRAY(t->arena, Access, (size_t)n);
  bool ok = true;
  for (int i = 0; i < n; i++) ok = take_access(t, i, &access[i]) && ok;
  return ok ? access : NULL;
}

const AccessSet *tile_take(Kgen *k, const KgenTile *from) {
  Arena *arena = k->arena;
  if (!from) {
    handle_refuse(k, KGEN_BAD_ARGUMENT, "the tile is not given");
    return NULL;
  }
  Taking t = {.diag = diag_new(arena),
              .arena = arena,
              .from = from,
              .tile = ARENA_NEW(arena, Tile),
              .left = ACCESS_MAX_WARPS};
  const bool fits = take_tile(&t), listed = has_accesses(&t);
  const Access *access = fits && listed ? take_accesses(&t) : NULL;
  if (!access) {
    handle_take(k, KGEN_BAD_ARGUMENT, t.diag);
    return NULL;
  }
  AccessSet *set = ARENA_NEW(arena, AccessSet);
  *set = (AccessSet){
      .tile = t.tile, .banks = banks_nvidia, .accesses = from->accesses, .access = access};
  return set;
}

/* --- a given placement --- */

enum { MAX_STRIDE = 1 << 20, MAX_MASK = 1 << 20, MAX_SHIFT = 30 };

static bool within_numbers(const Tile *tile, const KgenPlacement *p) {
  const bool cut = p->period != 0;
  bool ok =
      p->xors >= 0 && p->xors <= KGEN_MAX_TERMS && p->period >= 0 && (!cut || tile->rank == 1);
  for (int d = 0; d < (cut ? 2 : tile->rank); d++)
    ok = ok && p->stride[d] >= 1 && p->stride[d] <= MAX_STRIDE;
  for (int i = 0; ok && i < p->xors; i++)
    ok = p->xor_term[i].mask >= 0 && p->xor_term[i].mask < MAX_MASK &&
         p->xor_term[i].shift >= -MAX_SHIFT && p->xor_term[i].shift <= MAX_SHIFT &&
         p->xor_term[i].source >= 0 && p->xor_term[i].source < KGEN_COORD + tile->rank &&
         p->xor_term[i].target >= 0 && p->xor_term[i].target <= tile->rank;
  return ok;
}

/* An upper bound on all offsets: int64_t, because kgen_place() computes in int. */
static int64_t furthest(const KgenLayout *l) {
  const int last = l->period ? 1 : l->rank - 1;
  int64_t most[KGEN_MAX_RANK], at = 0;
  for (int d = 0; d <= last; d++) most[d] = l->extent[d] - 1;
  if (l->period) most[0] = layout_rows(l) - 1, most[1] = l->period - 1;
  for (int i = 0; i < l->terms; i++)
    most[l->term[i].target ? l->term[i].target - 1 : last] |= l->term[i].mask;
  for (int d = 0; d <= last; d++) at += most[d] * l->stride[d];
  return at;
}

/* True if sources that are shifted left stay within int. */
static bool shifts_fit(const KgenLayout *l) {
  for (int i = 0; i < l->terms; i++) {
    const KgenTerm *t = &l->term[i];
    int64_t source = t->source < KGEN_COORD ? layout_rows(l) : l->extent[t->source - KGEN_COORD];
    if (t->source == KGEN_INDEX) source *= layout_cols(l);
    if (t->shift < 0 && source << -t->shift > INT32_MAX) return false;
  }
  return true;
}

static KgenLayout layout_of(const Tile *tile, const KgenPlacement *p) {
  KgenLayout l = {
      .rank = tile->rank, .period = p->period, .terms = p->xors, .linear = p->linear != 0};
  for (int d = 0; d < tile->rank; d++) l.extent[d] = tile->extent[d];
  for (int d = 0; d < (p->period ? 2 : tile->rank); d++) l.stride[d] = p->stride[d];
  for (int i = 0; i < p->xors; i++)
    l.term[i] = (KgenTerm){p->xor_term[i].shift, p->xor_term[i].mask, p->xor_term[i].source,
                           p->xor_term[i].target};
  return l;
}

bool tile_layout(const Tile *tile, const KgenPlacement *p, KgenLayout *out) {
  if (!within_numbers(tile, p)) return false;
  *out = layout_of(tile, p);
  return shifts_fit(out) && furthest(out) <= INT32_MAX;
}

/* False, with an error, if two elements have one offset or an offset is not below `room`. */
static bool places_differ(Kgen *k, const Tile *tile, const KgenLayout *l, int64_t room) {
  const int n = tile_elements(tile);
  int32_t *owner =
      ARENA_ARRAY(k->arena, int32_t, (size_t)room); /* 1 + the element at that offset; 0: none */
  for (int i = 0; i < n; i++) {
    int coord[KGEN_MAX_RANK];
    tile_coord(tile, i, coord);
    const int at = layout_offset(l, coord);
    if (at >= room)
      return handle_refuse(k, KGEN_BAD_ARGUMENT,
                           "the placement puts element %s at %d, and the tile may take %lld",
                           tile_spell_element(k->arena, tile, i), at, (long long)room);
    if (owner[at])
      return handle_refuse(k, KGEN_BAD_ARGUMENT, "the placement puts elements %s and %s both at %d",
                           tile_spell_element(k->arena, tile, owner[at] - 1),
                           tile_spell_element(k->arena, tile, i), at);
    owner[at] = i + 1;
  }
  return true;
}

static int64_t end_of(const Tile *tile, const KgenLayout *l) {
  int64_t end = kgen_elements(l);
  for (int i = tile_elements(tile); i-- > 0;) {
    int coord[KGEN_MAX_RANK];
    tile_coord(tile, i, coord);
    const int at = layout_offset(l, coord);
    if (at >= end) end = at + 1;
  }
  return end;
}

bool tile_take_placement(Kgen *k, const Tile *tile, const KgenPlacement *p, KgenLayout *out,
                         int64_t *bytes) {
  if (!p) return handle_refuse(k, KGEN_BAD_ARGUMENT, "the placement is not given");
  const int64_t room = tile->want.max_bytes / tile->dtype->bytes;
  if (!within_numbers(tile, p))
    return handle_refuse(k, KGEN_BAD_ARGUMENT,
                         "a stride must be 1 to %d, a mask below %d, a shift %d to %d, and only a "
                         "tile of rank 1 has a period",
                         MAX_STRIDE, MAX_MASK, -MAX_SHIFT, MAX_SHIFT);
  if (!tile_layout(tile, p, out))
    return handle_refuse(k, KGEN_BAD_ARGUMENT, "the placement goes beyond 2^31 elements");
  if (!places_differ(k, tile, out, room)) return false;
  *bytes = end_of(tile, out) * tile->dtype->bytes;
  if (*bytes <= tile->want.max_bytes) return true;
  return handle_refuse(k, KGEN_BAD_ARGUMENT, "the placement takes %lld bytes, more than %d",
                       (long long)*bytes, tile->want.max_bytes);
}
