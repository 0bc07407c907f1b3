#include "emit/header.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "emit/cute.h"
#include "emit/table.h"
#include "model/bank.h"

/* More lane groups than these, after equal ones are dropped, would make a header nobody reads. */
enum { MAX_GROUPS = 16, MAX_COLUMN = 98 };

/* The lanes of one group that touch words of their own. */
typedef struct {
  int lanes;
  int coord[WARP][KGEN_MAX_RANK];
} Group;

typedef struct {
  int count, dropped;                       /* dropped: distinct groups beyond MAX_GROUPS */
  Group group[MAX_GROUPS], key[MAX_GROUPS]; /* keys: the same, moved to the tile's origin */
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
    if (seen && a->op != OP_ATOMIC) continue;
    for (int d = 0; d < KGEN_MAX_RANK; d++) g->coord[g->lanes][d] = w->coord[d][lane];
    g->lanes++;
  }
}

static bool power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

/* Whether addresses are linear over F2, so that XOR by one coordinate permutes words and banks. */
static bool addresses_linear(const PlanTile *t) {
  const KgenLayout *l = &t->solution->layout;
  bool linear = power_of_two(t->set->banks.count) && (!l->period || power_of_two(l->period));
  for (int d = 0; d < (l->period ? 1 : l->rank - 1); d++)
    linear = linear && power_of_two(l->stride[d]);
  for (int d = 1; d < l->rank; d++) linear = linear && power_of_two(l->extent[d]);
  return linear;
}

/* Takes off the bits that all lanes share. */
static void clear_common(int rank, Group *g) {
  for (int d = 0; d < rank; d++) {
    int base = g->coord[0][d];
    for (int i = 1; i < g->lanes; i++) base &= g->coord[i][d];
    for (int i = 0; i < g->lanes; i++) g->coord[i][d] -= base;
  }
}

/* The smallest v / divide % modulus of the lanes' coordinates, rounded down to whole words:
 * whatever the strides, so much less in each leaves the bytes within a word alone. */
static int whole_words(const PlanTile *t, const Group *g, int d, int divide, int modulus) {
  const int elements = t->set->banks.bytes / t->set->tile->dtype->bytes;
  int least = INT_MAX;
  for (int i = 0; i < g->lanes; i++) {
    const int c = g->coord[i][d] / divide % modulus;
    if (c < least) least = c;
  }
  return elements > 1 ? least - least % elements : least;
}

/* A rank-1 tile with a period moves by rows and by columns. */
static void shift_whole_words(const PlanTile *t, Group *g) {
  const KgenLayout *l = &t->solution->layout;
  for (int d = 0; d < l->rank; d++) {
    int base = whole_words(t, g, d, 1, INT_MAX);
    if (l->period)
      base =
          whole_words(t, g, d, l->period, INT_MAX) * l->period + whole_words(t, g, d, 1, l->period);
    for (int i = 0; i < g->lanes; i++) g->coord[i][d] -= base;
  }
}

/* Moves the lanes as far as conflicts cannot change, so that more groups are equal. Pads and terms
 * together leave them where they are: a row's XOR and its start change at once. */
static void move_to_origin(const PlanTile *t, Group *g) {
  if (t->solution->layout.terms == 0)
    shift_whole_words(t, g);
  else if (addresses_linear(t))
    clear_common(t->set->tile->rank, g);
}

static bool same_group(const Group *a, const Group *b) {
  return a->lanes == b->lanes &&
         memcmp(a->coord, b->coord, (size_t)a->lanes * sizeof *a->coord) == 0;
}

/* Asserts a group where it stands, so that they hold for the solved layout whatever the key. */
static void add_group(const PlanTile *t, Groups *set, const Group *g) {
  Group key = *g;
  move_to_origin(t, &key);
  for (int i = 0; i < set->count; i++)
    if (same_group(&set->key[i], &key)) return;
  if (set->count == MAX_GROUPS) {
    set->dropped++;
    return;
  }
  set->key[set->count] = key;
  set->group[set->count++] = *g;
}

static void collect_groups(const PlanTile *t, const Access *a, Groups *out) {
  out->count = out->dropped = 0;
  for (int i = 0; i < a->warps; i++) {
    int64_t address[WARP];
    uint32_t mask[4];
    const WarpAccess *w = &a->warp[i];
    layout_addresses(&t->solution->layout, t->set->tile->dtype->bytes, w, address);
    const int groups = bank_groups(a->op, a->bytes_per_lane, w->active, address, mask);
    for (int g = 0; g < groups; g++) {
      Group group;
      collect_lanes(t, a, w, mask[g], address, &group);
      if (group.lanes > 1) add_group(t, out, &group);
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
  macro_puts(m, arena_printf(arena, "GROUP(\"%s\", %d, ", a->name, a->bytes_per_lane));
  for (int i = 0; i < g->lanes; i++) {
    Text lane = text_new(arena);
    for (int d = 0; d < t->set->tile->rank; d++)
      text_printf(&lane, d ? ", %d" : "(%d", g->coord[i][d]);
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

/* The bytes that strides keep aligned: those of the widest lane, or fewer where it only touches
 * rows that are aligned all the same. */
static int stride_align(const PlanTile *t, int strides) {
  const int element = t->set->tile->dtype->bytes;
  int bytes = element;
  for (int i = 0; i < t->set->accesses; i++)
    if (t->set->access[i].bytes_per_lane > bytes) bytes = t->set->access[i].bytes_per_lane;
  for (int d = 0; d < strides; d++)
    while (t->solution->layout.stride[d] * element % bytes) bytes /= 2;
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
      {"NAME_ELEMENT_BYTES", t->set->tile->dtype->bytes},
      {"NAME_EXTENT0", l->extent[0]},
      {"NAME_EXTENT1", l->extent[1]},
      {"NAME_EXTENT2", l->extent[2]},
      {"NAME_EXTENT3", l->extent[3]},
      {"NAME_PERIOD", l->period},
      {"NAME_STRIDE0", strides > 0 ? l->stride[0] : 0},
      {"NAME_STRIDE1", strides > 1 ? l->stride[1] : 0},
      {"NAME_STRIDE2", strides > 2 ? l->stride[2] : 0},
      {"NAME_BANKS", t->set->banks.count},
      {"NAME_BANK_BYTES", t->set->banks.bytes},
      {"NAME_ALIGN", stride_align(t, strides)},
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
                  prefix, a->name, t->solution->cost[i].worst);
      continue;
    }
    collect_groups(t, a, groups);
    if (groups->dropped)
      text_printf(out, "%sAsserted of access '%s': %d of its lane groups.\n", prefix, a->name,
                  MAX_GROUPS);
  }
}

void header_remarks(Text *out, const char *prefix, const PlanTile *t) {
  const KgenLayout *l = &t->solution->layout;
  CuteSwizzle w;
  if (cute_find(l, &w))
    text_printf(out, "%sThe same in CuTe, on element offsets: Swizzle<%d, %d, %d>.\n", prefix, w.b,
                w.m, w.s);
  const int mode = cute_tma_mode(l, t->set->tile->dtype->bytes);
  if (mode)
    text_printf(out, "%sThe same in TMA: the %d-byte swizzle mode, tile aligned to %d bytes.\n",
                prefix, mode, mode * 8);
  remark_asserts(out, prefix, t);
}
