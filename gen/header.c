#include "header.h"

#include <inttypes.h>
#include <string.h>

#include "bank.h"
#include "cute.h"
#include "table.h"

/* More lane groups than these, after equal ones are dropped, would make a header nobody reads. */
enum { MAX_GROUPS = 16, MAX_COLUMN = 98 };

/* The lanes of one group that touch words of their own, moved to the tile's origin as far as no
 * layout can tell the difference. */
typedef struct {
  int lanes;
  int coord[WARP][KGEN_MAX_RANK];
} Group;

typedef struct {
  int count, dropped; /* dropped: distinct groups beyond MAX_GROUPS */
  Group group[MAX_GROUPS];
} Groups;

/* Lanes of one word are one; a bank serves it once. Atomics pay for each. */
static void collect_lanes(const PlanTile *t, const Access *a, const WarpAccess *w, uint32_t lanes,
                          const int64_t address[WARP], Group *g) {
  int64_t word[WARP];
  g->lanes = 0;
  for (; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    bool seen = false;
    word[g->lanes] = address[lane] / t->set->banks.bytes;
    for (int i = 0; i < g->lanes; i++) seen = seen || word[i] == word[g->lanes];
    if (seen && a->spec->op != OP_ATOMIC) continue;
    for (int d = 0; d < KGEN_MAX_RANK; d++) g->coord[g->lanes][d] = w->coord[d][lane];
    g->lanes++;
  }
}

/* Takes off what all lanes of a dimension share: the smallest coordinate where only strides matter,
 * which moves every address alike; the common bits where terms do, which permutes banks alike. */
static void move_to_origin(const KgenLayout *l, Group *g) {
  const bool bits = l->terms > 0 || l->period > 0;
  if (l->period & (l->period - 1)) return;
  for (int d = 0; d < l->rank; d++) {
    int base = g->coord[0][d];
    for (int i = 1; i < g->lanes; i++) {
      const int c = g->coord[i][d];
      base = bits ? base & c : c < base ? c : base;
    }
    for (int i = 0; i < g->lanes; i++) g->coord[i][d] -= base;
  }
}

static bool same_group(const Group *a, const Group *b) {
  return a->lanes == b->lanes &&
         memcmp(a->coord, b->coord, (size_t)a->lanes * sizeof *a->coord) == 0;
}

static void add_group(Groups *set, const Group *g) {
  for (int i = 0; i < set->count; i++)
    if (same_group(&set->group[i], g)) return;
  if (set->count == MAX_GROUPS)
    set->dropped++;
  else
    set->group[set->count++] = *g;
}

static void collect_groups(const PlanTile *t, const Access *a, Groups *out) {
  out->count = out->dropped = 0;
  for (int i = 0; i < a->warps; i++) {
    int64_t address[WARP];
    uint32_t mask[4];
    const WarpAccess *w = &a->warp[i];
    layout_addresses(&t->solution->layout, t->spec->dtype->bytes, w, address);
    const int groups = bank_groups(a->spec->op, a->bytes_per_lane, w->active, address, mask);
    for (int g = 0; g < groups; g++) {
      Group group;
      collect_lanes(t, a, w, mask[g], address, &group);
      move_to_origin(&t->solution->layout, &group);
      if (group.lanes > 1) add_group(out, &group);
    }
  }
}

/* The asserts add up one bit a bank in 64 bits, so a group must fit into one pass of at most 32
 * banks, and its lanes must be words or more, or parts of one. */
static bool assertable(const PlanTile *t, int access) {
  return t->solution->cost[access].worst == 1 && t->set->banks.count <= 32;
}

/* A macro's text, broken before the line gets too long. */
typedef struct {
  Text text;
  size_t line; /* where the current line starts */
} Macro;

static void macro_break(Macro *m) {
  text_puts(&m->text, m->text.len ? " \\\n" : "\\\n");
  m->line = m->text.len;
  text_puts(&m->text, "  ");
}

static void macro_puts(Macro *m, const char *s) {
  if (m->text.len - m->line + strlen(s) > MAX_COLUMN) {
    macro_break(m);
    text_puts(&m->text, "      ");
  }
  text_puts(&m->text, s);
}

static void put_group(Macro *m, const PlanTile *t, const Access *a, const Group *g) {
  Arena *arena = m->text.arena;
  macro_break(m);
  macro_puts(m, arena_printf(arena, "GROUP(\"%s\", %d, ", a->spec->name, a->bytes_per_lane));
  for (int i = 0; i < g->lanes; i++) {
    Text lane = text_new(arena);
    for (int d = 0; d < t->spec->rank; d++) text_printf(&lane, d ? ", %d" : "(%d", g->coord[i][d]);
    text_puts(&lane, i + 1 < g->lanes ? ")" : "))");
    macro_puts(m, lane.s);
  }
}

static const char *spell_groups(Arena *a, const PlanTile *t) {
  Macro m = {text_new(a), 0};
  Groups *groups = ARENA_NEW(a, Groups);
  for (int i = 0; i < t->set->accesses; i++) {
    if (!assertable(t, i)) continue;
    collect_groups(t, &t->set->access[i], groups);
    for (int g = 0; g < groups->count; g++) put_group(&m, t, &t->set->access[i], &groups->group[g]);
  }
  return m.text.s;
}

static int widest_lane(const PlanTile *t) {
  int bytes = t->spec->dtype->bytes;
  for (int i = 0; i < t->set->accesses; i++)
    if (t->set->access[i].bytes_per_lane > bytes) bytes = t->set->access[i].bytes_per_lane;
  return bytes;
}

void header_values(Arena *a, const PlanTile *t, PlanValue out[HEADER_VALUES]) {
  const KgenLayout *l = &t->solution->layout;
  const int strides = l->period ? 1 : l->rank - 1; /* those that a user may edit */
  const struct {
    const char *name;
    int value;
  } number[] = {
      {"NAME_RANK", l->rank},
      {"NAME_ELEMENT_BYTES", t->spec->dtype->bytes},
      {"NAME_EXTENT0", l->extent[0]},
      {"NAME_EXTENT1", l->extent[1]},
      {"NAME_EXTENT2", l->extent[2]},
      {"NAME_PERIOD", l->period},
      {"NAME_STRIDE0", strides > 0 ? l->stride[0] : 0},
      {"NAME_STRIDE1", strides > 1 ? l->stride[1] : 0},
      {"NAME_STRIDE2", strides > 2 ? l->stride[2] : 0},
      {"NAME_BANKS", t->set->banks.count},
      {"NAME_BANK_BYTES", t->set->banks.bytes},
      {"NAME_ALIGN", widest_lane(t)},
  };
  int n = 0;
  for (size_t i = 0; i < sizeof number / sizeof *number; i++)
    out[n++] = (PlanValue){number[i].name, arena_printf(a, "%d", number[i].value)};
  out[n++] = (PlanValue){"NAME_XOR", table_swizzle(a, l, "(row)")};
  out[n++] = (PlanValue){"NAME_GROUPS", spell_groups(a, t)};
  if (n != HEADER_VALUES) die("%d header values", n);
}

static void remark_asserts(Text *out, const char *prefix, const PlanTile *t) {
  Groups *groups = ARENA_NEW(out->arena, Groups);
  for (int i = 0; i < t->set->accesses; i++) {
    const Access *a = &t->set->access[i];
    if (!assertable(t, i)) {
      text_printf(out, "%sNot asserted: access '%s', whose costliest group takes %d wavefronts.\n",
                  prefix, a->spec->name, t->solution->cost[i].worst);
      continue;
    }
    collect_groups(t, a, groups);
    if (groups->dropped)
      text_printf(out, "%sAsserted of access '%s': %d of its lane groups.\n", prefix, a->spec->name,
                  MAX_GROUPS);
  }
}

void header_remarks(Text *out, const char *prefix, const PlanTile *t) {
  const KgenLayout *l = &t->solution->layout;
  CuteSwizzle w;
  if (cute_find(l, &w))
    text_printf(out, "%sThe same in CuTe, on element offsets: Swizzle<%d, %d, %d>.\n", prefix, w.b,
                w.m, w.s);
  const int mode = cute_tma_mode(l, t->spec->dtype->bytes);
  if (mode)
    text_printf(out, "%sThe same in TMA: the %d-byte swizzle mode, tile aligned to %d bytes.\n",
                prefix, mode, mode * 8);
  remark_asserts(out, prefix, t);
}
