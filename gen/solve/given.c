/* SPDX-License-Identifier: MIT */
#include "solve/given.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "model/modes.h"
#include "model/swizzle.h"
#include "solve/modes_solve.h"
#include "solve/solution.h"

typedef struct {
  Arena *arena;
  Diag *diag;
  const AccessSet *set;
  const Tile *tile;
  const GivenLayout *given;
  int elements;      /* of the tile */
  KgenLayout layout; /* under a map the plain one */
  GivenMap *map;     /* or NULL: `layout` is all of it */
} Judge;

/* --- the layout that is meant --- */

/* The strides that add `pad` elements to a row; to every bank period of a rank-1 tile. */
static KgenLayout padded_layout(const AccessSet *set, int pad) {
  KgenLayout l = layout_plain(set->tile);
  if (l.rank == 1 && pad) {
    const int elements = set->banks.count * set->banks.bytes / set->tile->dtype->bytes;
    int period = 1;
    while (2 * period <= elements) period *= 2;
    return layout_cut(&l, period, pad);
  }
  for (int d = l.rank - 2, add = pad; d >= 0; d--, add = 0)
    l.stride[d] = l.extent[d + 1] * l.stride[d + 1] + add;
  return l;
}

/* TMA swaps 16-byte pieces by the number of the 128-byte line. */
static CuteSwizzle swizzle_of(const Judge *j) {
  const GivenLayout *g = j->given;
  if (g->kind == GIVEN_CUTE) return (CuteSwizzle){g->b, g->m, g->s};
  if (g->bytes == 0) return (CuteSwizzle){0, 0, 0};
  return (CuteSwizzle){number_log2(g->bytes / 16), 4 - number_log2(j->tile->dtype->bytes), 3};
}

/* Whether the tile has a row with a bit that the term looks at. */
static bool has_rows(const Judge *j, KgenTerm term) {
  for (int row = 1; row < layout_rows(&j->layout); row <<= 1)
    if (((term.shift < 0 ? row << -term.shift : row >> term.shift) & term.mask) != 0) return true;
  return false;
}

/* As a term, where it XORs columns by bits of the row alone. */
static bool take_term(Judge *j, CuteSwizzle w) {
  const int cols = j->tile->extent[j->tile->rank - 1], width = number_log2(cols);
  if (w.b == 0) return true;
  if (j->tile->rank == 1 || !number_is_power(cols)) return false;
  if (w.m + w.b > width || w.m + w.s < width) return false;
  const KgenTerm term = {.shift = w.s - width, .mask = swizzle_target(w)};
  j->layout.terms = has_rows(j, term);
  j->layout.term[0] = term;
  return true;
}

static GivenMap *map_new(Judge *j, const char *text, const int32_t *at) {
  GivenMap *map = ARENA_NEW(j->arena, GivenMap);
  *map = (GivenMap){text, at, 0};
  for (int i = 0; i < j->elements; i++)
    if (at[i] >= map->elements) map->elements = at[i] + 1;
  return map;
}

/* The row-major index of an element as C: (row * 32 + col). */
static const char *spell_index(const Judge *j) {
  Text t = text_new(j->arena);
  for (int d = 0; d < j->tile->rank; d++)
    text_printf(&t, j->layout.stride[d] > 1 ? "%s%s * %d" : "%s%s", d ? " + " : "", j->tile->dim[d],
                j->layout.stride[d]);
  return j->tile->rank > 1 ? arena_printf(j->arena, "(%s)", t.s) : t.s;
}

/* Bits that move up are masked before: what lies above them might not fit into an int. */
static const char *spell_swizzle(const Judge *j, CuteSwizzle w) {
  const char *index = spell_index(j);
  if (w.s < 0)
    return arena_printf(j->arena, "%s ^ ((%s & %d) << %d)", index, index, swizzle_source(w), -w.s);
  return arena_printf(j->arena, "%s ^ ((%s >> %d) & %d)", index, index, w.s, swizzle_target(w));
}

static void take_swizzle(Judge *j, CuteSwizzle w) {
  if (take_term(j, w)) return;
  int32_t *at = ARENA_ARRAY(j->arena, int32_t, (size_t)j->elements);
  for (int i = 0; i < j->elements; i++) at[i] = swizzle_offset(w, i);
  j->map = map_new(j, spell_swizzle(j, w), at);
}

static void take(Judge *j) {
  const GivenLayout *g = j->given;
  switch (g->kind) {
  case GIVEN_PAD: j->layout = padded_layout(j->set, g->pad); break;
  case GIVEN_EXPR: j->map = map_new(j, g->text, g->at); break;
  case GIVEN_SWIZZLE:
  case GIVEN_CUTE: take_swizzle(j, swizzle_of(j)); break;
  }
}

/* --- accesses as a map places them --- */

/* The instructions of an access, each lane's coordinate being where the map puts its element. */
static const WarpAccess *placed_warps(const Judge *j, const Access *a) {
  WarpAccess *warp = ARENA_ARRAY(j->arena, WarpAccess, (size_t)a->warps + 1);
  for (int n = 0; n < a->warps; n++) {
    int64_t index[WARP];
    layout_addresses(&j->layout, 1, &a->warp[n], index);
    warp[n].active = a->warp[n].active;
    for (uint32_t m = warp[n].active; m; m &= m - 1) {
      const int lane = __builtin_ctz(m);
      warp[n].coord[0][lane] = j->map->at[index[lane]];
    }
  }
  return warp;
}

/* The accesses of a tile of one dimension, in which elements lie where the map puts them. */
static const AccessSet *placed_set(const Judge *j) {
  const AccessSet *set = j->set;
  Tile *tile = ARENA_NEW(j->arena, Tile);
  *tile = *j->tile;
  tile->rank = 1;
  tile->extent[0] = j->map->elements;
  Access *access = ARENA_ARRAY(j->arena, Access, (size_t)set->accesses);
  for (int i = 0; i < set->accesses; i++) {
    access[i] = set->access[i];
    access[i].warp = placed_warps(j, &set->access[i]);
  }
  AccessSet *out = ARENA_NEW(j->arena, AccessSet);
  *out = *set;
  out->tile = tile;
  out->access = access;
  return out;
}

/* --- rules --- */

/* `count` elements from index on lie side by side, from a multiple of their number on. */
static bool piece_holds(const Judge *j, int64_t index, int count) {
  const int32_t *at = j->map->at;
  bool holds = at[index] % count == 0;
  for (int k = 1; k < count; k++) holds = holds && at[index + k] == at[index] + k;
  return holds;
}

static bool map_serves(const Judge *j) {
  for (int i = 0; i < j->set->accesses; i++) {
    const Access *a = &j->set->access[i];
    for (int n = 0; a->elements > 1 && n < a->warps; n++) {
      int64_t index[WARP];
      layout_addresses(&j->layout, 1, &a->warp[n], index);
      for (uint32_t m = a->warp[n].active; m; m &= m - 1)
        if (!piece_holds(j, index[__builtin_ctz(m)], a->elements)) return false;
    }
  }
  return true;
}

static bool map_aligned(const Judge *j) {
  const int piece = j->tile->want.align / j->tile->dtype->bytes;
  const int cols = j->tile->extent[j->tile->rank - 1];
  for (int i = 0; piece > 1 && i < j->elements; i += piece)
    if (cols % piece || !piece_holds(j, i, piece)) return false;
  return true;
}

static bool refuse(const Judge *j, const char *what) {
  diag_error(j->diag, j->tile->want.loc, "%s", what);
  return false;
}

/* "this layout splits ..." */
static bool refuse_for(const Judge *j, const char *what) {
  const char *pad = arena_printf(j->arena, "a pad of %d", j->given->pad);
  return refuse(
      j, arena_printf(j->arena, "%s %s", j->given->kind == GIVEN_PAD ? pad : "this layout", what));
}

static bool is_admissible(const Judge *j) {
  const Tile *t = j->tile;
  const int row = t->extent[t->rank - 1] * t->dtype->bytes, mode = j->given->bytes;
  const int64_t bytes =
      (int64_t)(j->map ? j->map->elements : kgen_elements(&j->layout)) * t->dtype->bytes;
  if (bytes > t->want.max_bytes)
    return refuse_for(j, arena_printf(j->arena, "takes %" PRId64 " bytes, more than %d", bytes,
                                      t->want.max_bytes));
  if (j->given->kind == GIVEN_SWIZZLE && mode && row > mode) {
    refuse(j, arena_printf(j->arena, "rows of %d bytes are wider than the %d of tma%d", row, mode,
                           mode));
    modes_hint_split(j->diag, t, mode);
    return false;
  }
  if (mode_needed(j->set) && (j->map || mode_of(j->set, &j->layout) < 0)) {
    refuse(j, "TMA and wgmma need one of their modes, and this layout is none that they have for "
              "this tile");
    modes_hint_admitted(j->arena, j->diag, j->set);
    return false;
  }
  if (j->map ? !map_serves(j) : !layout_serves(&j->layout, j->set))
    return refuse_for(j, "splits or misaligns what a lane accesses");
  if (j->map ? !map_aligned(j) : !layout_admissible(&j->layout, j->set))
    return refuse_for(j, "splits or misaligns aligned pieces, or leaves its rows");
  return true;
}

/* --- the verdict --- */

/* A map's operations and mask bits are unknown: its address cannot be compared. */
static Price price_of(const Judge *j, const Solution *s) {
  Price p = solution_price(j->tile, &s->layout, s->total);
  if (j->map) p.operations = p.bits = 0;
  return p;
}

/* "strides 33, 1" or "strides 32, 1 with c1 ^ ((row << 2) & 28)" */
static void put_layout(Text *t, const KgenLayout *l) {
  static const char *const name[] = {"row", "index", "c0", "c1", "c2", "c3"};
  text_puts(t, l->linear ? "a linear layout" : "strides ");
  for (int d = 0; d < (l->period ? 2 : l->rank) && !l->linear; d++)
    text_printf(t, d ? ", %d" : "%d", l->stride[d]);
  if (l->period) text_printf(t, " and period %d", l->period);
  for (int i = 0; i < l->terms; i++) {
    const KgenTerm *m = &l->term[i];
    if (l->linear || (i && m->target == l->term[i - 1].target))
      text_puts(t, i ? " ^ " : ", ");
    else
      text_printf(t, "%s%s ^ ", i ? ", " : " with ", m->target ? name[1 + m->target] : "col");
    text_printf(t, "((%s %s %d) & %d)", name[m->source], m->shift < 0 ? "<<" : ">>",
                m->shift < 0 ? -m->shift : m->shift, m->mask);
  }
}

/* Where it loses what it does. */
static void put_why(Text *t, const Judge *j, const Solution *s) {
  int wavefronts;
  const Place at = collision_worst(s->set, &s->layout, &wavefronts);
  text_printf(t, "; a group of access '%s' takes %d wavefronts, instruction %d, group %d",
              j->set->access[at.access].name, wavefronts, at.warp, at.group);
}

static void put_better(Text *t, const Judge *j, const Solution *s, const Price *own,
                       const Price *best) {
  if (s->wavefronts != s->ideal) put_why(t, j, s);
  text_puts(t, ". Better: ");
  put_layout(t, s->better);
  text_printf(t, ", %lld weighted wavefronts for %lld, %lld bytes for %lld",
              (long long)best->total / WEIGHT_ONE, (long long)own->total / WEIGHT_ONE,
              (long long)best->bytes, (long long)own->bytes);
}

static const char *claim(const Judge *j, const Solution *s, const Solution *best, const Price *own,
                         const Price *best_price) {
  Text t = text_new(j->arena);
  const long long above = (long long)(s->wavefronts - s->ideal);
  text_printf(&t, "This layout was given; it costs %lld wavefronts", (long long)s->wavefronts);
  if (above)
    text_printf(&t, ", %lld above the ideal", above);
  else
    text_puts(&t, ", the ideal");
  if (s->better)
    put_better(&t, j, s, own, best_price);
  else if (best || !j->tile->want.alone)
    text_puts(&t, best ? ", and " : ", and there is no other layout for this tile");
  if (best && !s->better) solution_put_rivals(&t, best, "better");
  text_puts(&t, ".");
  return t.s;
}

static Solution *solution_of(Judge *j) {
  Solution *s = ARENA_NEW(j->arena, Solution);
  s->layout = j->layout;
  s->map = j->map;
  if (j->map) {
    s->set = placed_set(j);
    s->layout = layout_plain(s->set->tile);
  }
  solution_count(j->arena, j->set, s);
  return s;
}

const Solution *given_judge(Arena *a, Diag *d, const AccessSet *set, const Solution *best) {
  Judge j = {a,
             d,
             set,
             set->tile,
             set->tile->want.given,
             tile_elements(set->tile),
             layout_plain(set->tile),
             NULL};
  take(&j);
  if (!is_admissible(&j)) return NULL;
  Solution *s = solution_of(&j);
  const Price own = price_of(&j, s), other = best ? price_of(&j, best) : (Price){0};
  if (best && solution_is_cheaper(&other, &own)) s->better = &best->layout;
  s->minimal = best && !s->better && best->minimal;
  if (best && !s->better) s->certificate = best->certificate;
  s->certificate.claim = claim(&j, s, best, &own, &other);
  modes_append_claim(a, set, s);
  if (best) s->effort += best->effort;
  return s;
}
