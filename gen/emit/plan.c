/* SPDX-License-Identifier: MIT */
#include "emit/plan.h"

#include <ctype.h>
#include <inttypes.h>

#include "model/modes.h"
#include "solve/solve.h"
#include "spec/access.h"
#include "spec/spec_blame.h"
#include "spec/spec_read.h"

/* True if all tensor maps of a kernel template use a swizzle: they are made for the layout that it
 * declares. */
static bool maps_swizzle(const ProblemSpec *p) {
  int maps = 0;
  for (int i = 0; p && i < p->args; i++) {
    if (!p->arg[i].map) continue;
    if (!p->arg[i].map->swizzle) return false;
    maps++;
  }
  return maps > 0;
}

static void report_plain(Diag *d, const LayoutRequest *want) {
  static const char why[] = "has no swizzle, and TMA swizzles what this kernel copies";
  if (want->given)
    diag_error(d, want->loc, "this layout %s", why);
  else
    diag_error(d, want->loc, "layout '%s' %s", want_name[want->kind], why);
  diag_hint(d, "layout: auto, xor or tma");
}

/* Checks that the kernel's source and launch can express the layout. */
static bool check_kernel(Diag *d, const Spec *spec, const AccessSet *set, const Solution *s) {
  const LayoutRequest *want = &set->tile->want;
  if (!spec->kernel) return true;
  if (s->map) {
    diag_error(d, want->loc,
               "a kernel's layout is made of strides and of XORs within its rows: this one is not");
    return false;
  }
  if (!mode_needed(set) || mode_bytes_of(set, &s->layout) || !maps_swizzle(spec->problem))
    return true;
  report_plain(d, want);
  return false;
}

/* The parts of a spec's budget for planning it. */
typedef struct {
  Budget expand, solve;
} PlanBudget;

static const AccessSet *expand(Arena *a, Diag *d, const Spec *spec, const TileSpec *t,
                               PlanBudget *b, const PlanTile *like) {
  if (!like) return access_expand(a, d, spec, t, &b->expand);
  AccessSet *set = ARENA_NEW(a, AccessSet);
  *set = *like->set;
  set->tile = &t->tile;
  return set;
}

/* This tile gets one part in `share` of the search effort that is left. like: a tile with the same
 * accesses, or NULL. */
static bool plan_tile(Arena *a, Diag *d, const Spec *spec, const TileSpec *t, PlanBudget *b,
                      int share, const PlanTile *like, PlanTile *out) {
  const AccessSet *accesses = expand(a, d, spec, t, b, like);
  if (!accesses) return false;
  AccessSet *set = ARENA_NEW(a, AccessSet);
  *set = *accesses;
  set->effort = budget_rest(&b->solve) / share;
  set->stays = spec->kernel && !(spec->problem && spec->problem->linear);
  const Solution *s = solve_tile(a, d, set);
  if (!s || !check_kernel(d, spec, set, s)) return false;
  budget_spend(&b->solve, s->effort);
  const KgenLayout plain = layout_plain(set->tile);
  const int64_t bytes = layout_bytes(&s->layout, set->tile->dtype->bytes);
  Coverage *coverage = ARENA_NEW(a, Coverage);
  *coverage = like ? *like->coverage : coverage_of(spec, t, set);
  *out = (PlanTile){.spec = t,
                    .set = set,
                    .solution = s,
                    .bytes = bytes,
                    .pad_bytes = bytes - layout_bytes(&plain, set->tile->dtype->bytes),
                    .coverage = coverage};
  return true;
}

/* For sm_90a and sm_120, compilers silently accept too much shared memory, so it is rejected
 * here. */
static bool check_shared_limit(Diag *d, const Plan *p) {
  const Arch *arch = p->spec->arch;
  if (p->shared_bytes <= arch->shared_per_block) return true;
  const PlanTile *last = &p->tile[p->tiles - 1];
  diag_error(d, last->spec->loc,
             "%" PRId64 " bytes of shared memory, more than the %d that %s gives a block",
             p->shared_bytes, arch->shared_per_block, arch->name);
  diag_hint(d, "the tiles do not all fit with their padding: max_bytes of a layout bounds one");
  return false;
}

static void spell_ints(Text *t, const int *v, int count) {
  text_puts(t, "{");
  for (int i = 0; i < count; i++) text_printf(t, i ? ", %d" : "%d", v[i]);
  text_puts(t, "}");
}

const char *plan_spell_layout(Arena *a, const KgenLayout *l) {
  Text t = text_new(a);
  text_printf(&t, "{%d, %d, ", l->rank, l->period);
  spell_ints(&t, l->extent, l->rank);
  text_puts(&t, ", ");
  spell_ints(&t, l->stride, l->period ? 2 : l->rank);
  text_printf(&t, ", %d, {", l->terms);
  for (int i = 0; i < l->terms; i++) {
    const KgenTerm *m = &l->term[i];
    text_printf(&t, i ? ", {%d, %d" : "{%d, %d", m->shift, m->mask);
    if (m->source || m->target) text_printf(&t, ", %d, %d", m->source, m->target);
    text_puts(&t, "}");
  }
  text_puts(&t, l->linear ? "}, 1}" : "}}");
  return t.s;
}

/* Values being collected; the maximum number is known beforehand. */
typedef struct {
  Arena *arena;
  PlanValue *value;
  int count;
} Values;

static void add_text(Values *v, const char *name, const char *text) {
  v->value[v->count++] = (PlanValue){name, text};
}

static void add_int(Values *v, const char *name, int64_t n) {
  add_text(v, name, arena_printf(v->arena, "%" PRId64, n));
}

/* Adds Elem and kLayout, or ElemA and kLayoutA for tile `a`. */
static void add_tile(Values *v, const PlanTile *t) {
  const char *name = t->set->tile->name ? t->set->tile->name : "";
  char *suffix = arena_printf(v->arena, "%s", name);
  suffix[0] = (char)toupper((unsigned char)suffix[0]);
  add_text(v, arena_printf(v->arena, "Elem%s", suffix), t->set->tile->dtype->c_type);
  add_text(v, arena_printf(v->arena, "kLayout%s", suffix),
           plan_spell_layout(v->arena, &t->solution->layout));
}

enum { VALUES_FIXED = 5, VALUES_PER_TILE = 2 };

static void spell_values(Arena *a, Plan *p) {
  static const char *const block_name[3] = {"kBlockX", "kBlockY", "kBlockZ"};
  const Spec *s = p->spec;
  const size_t room = (size_t)(VALUES_FIXED + VALUES_PER_TILE * p->tiles + s->constants);
  Values v = {a, ARENA_ARRAY(a, PlanValue, room), 0};
  add_text(&v, "KERNEL", s->symbol);
  add_text(&v, "LAUNCH", arena_printf(a, "%s_launch", s->name));
  for (int i = 0; i < 3; i++) add_int(&v, block_name[i], s->block[i]);
  for (int i = 0; i < p->tiles; i++) add_tile(&v, &p->tile[i]);
  for (int i = 0; i < s->constants; i++) add_int(&v, s->constant[i].name, s->constant[i].value);
  p->value = v.value;
  p->values = v.count;
}

const Plan *plan_make(Arena *a, Diag *d, const Spec *spec) {
  return plan_make_like(a, d, spec, NULL);
}

const Plan *plan_make_like(Arena *a, Diag *d, const Spec *spec, const Plan *like) {
  Plan *p = ARENA_NEW(a, Plan);
  PlanTile *tile = ARENA_ARRAY(a, PlanTile, (size_t)spec->tiles);
  *p = (Plan){.spec = spec, .tiles = spec->tiles, .tile = tile};
  p->conflict_free = p->minimal = true;
  PlanBudget b = {{0, EXPAND_EFFORT, spec->budget}, {0, SOLVE_EFFORT, spec->budget}};
  bool ok = true;
  Diag *kept = blame_begin(spec->reader, d);
  for (int i = 0; i < spec->tiles; i++) {
    if (!plan_tile(a, d, spec, &spec->tile[i], &b, spec->tiles - i, like ? &like->tile[i] : NULL,
                   &tile[i])) {
      ok = false;
      continue;
    }
    p->shared_bytes += tile_align(tile[i].bytes);
    p->bytes += tile[i].bytes;
    p->conflict_free = p->conflict_free && tile[i].solution->conflict_free;
    p->minimal = p->minimal && tile[i].solution->minimal;
  }
  ok = ok && check_shared_limit(d, p);
  blame_end(spec->reader, d, kept, diag_count(kept) > 0 && spec_family_is_broken(spec->reader));
  if (!ok) return NULL;
  if (spec->kernel) spell_values(a, p);
  return p;
}

PlanWavefronts plan_wavefronts(const PlanTile *t, const int64_t *times) {
  PlanWavefronts sum = {0};
  for (int i = 0; i < t->set->accesses; i++) {
    const int64_t n = t->solution->cost[i].wavefronts * (times ? times[i] : 1);
    switch (t->set->access[i].op) {
    case OP_LOAD:
    case OP_LDMATRIX: sum.load += n; break;
    case OP_STORE:
    case OP_STMATRIX: sum.store += n; break;
    case OP_CP_ASYNC: sum.copy += n; break;
    case OP_WGMMA_A:
    case OP_WGMMA_B: sum.wgmma += n; break;
    case OP_TMA_LOAD:
    case OP_TMA_STORE: break; /* counted by none of the LSU's counters */
    default: sum.atomic += n;
    }
  }
  return sum;
}

void plan_add_wavefronts(PlanWavefronts *sum, const PlanWavefronts *one, int64_t times) {
  sum->load += one->load * times;
  sum->store += one->store * times;
  sum->copy += one->copy * times;
  sum->wgmma += one->wgmma * times;
  sum->atomic += one->atomic * times;
}
