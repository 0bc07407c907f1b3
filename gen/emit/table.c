#include "emit/table.h"

#include <inttypes.h>
#include <string.h>

/* ((row >> 1) & 24): brackets as a compiler's warnings want them, a shift of 0 left out. */
static void put_term(Text *t, const char *row, KgenTerm term) {
  if (term.shift == 0)
    text_printf(t, "(%s & %d)", row, term.mask);
  else if (term.shift > 0)
    text_printf(t, "((%s >> %d) & %d)", row, term.shift, term.mask);
  else
    text_printf(t, "((%s << %d) & %d)", row, -term.shift, term.mask);
}

const char *table_swizzle(Arena *a, const KgenLayout *l, const char *row) {
  Text t = text_new(a);
  if (l->terms == 0) text_puts(&t, "0");
  if (l->terms > 1) text_puts(&t, "(");
  for (int i = 0; i < l->terms; i++) {
    if (i) text_puts(&t, " ^ ");
    put_term(&t, row, l->term[i]);
  }
  if (l->terms > 1) text_puts(&t, ")");
  return t.s;
}

/* The flattened row of coordinates c0, c1, ...: what the terms see. */
static const char *row_text(Arena *a, const KgenLayout *l) {
  switch (l->rank) {
  case 1: return arena_printf(a, "(i / %d)", l->period);
  case 2: return "c0";
  case 3: return arena_printf(a, "(c0 * %d + c1)", l->extent[1]);
  default: return arena_printf(a, "((c0 * %d + c1) * %d + c2)", l->extent[1], l->extent[2]);
  }
}

static const char *swizzled_col(Arena *a, const KgenLayout *l, const char *col) {
  if (l->terms == 0) return col;
  return arena_printf(a, "(%s ^ %s)", col, table_swizzle(a, l, row_text(a, l)));
}

/* Rows of a power of two that stand without gaps are bits of i: the terms shift i itself. */
static const char *linear_formula(Arena *a, const KgenLayout *l) {
  const int period = l->period, log2 = period ? __builtin_ctz((unsigned)period) : 0;
  const bool gapless = period == 0 || l->stride[0] == period;
  if (gapless && l->terms == 0) return "i";
  if (gapless && period == 1 << log2) {
    Text t = text_new(a);
    text_puts(&t, "i");
    for (int i = 0; i < l->terms; i++) {
      text_puts(&t, " ^ ");
      put_term(&t, "i", (KgenTerm){l->term[i].shift + log2, l->term[i].mask});
    }
    return t.s;
  }
  const char *col = arena_printf(a, l->terms ? "(i %% %d)" : "i %% %d", period);
  return arena_printf(a, "i / %d * %d + %s", period, l->stride[0], swizzled_col(a, l, col));
}

const char *table_formula(Arena *a, const KgenLayout *l) {
  Text t = text_new(a);
  if (l->rank == 1) return linear_formula(a, l);
  for (int d = 0; d < l->rank - 1; d++) text_printf(&t, "c%d * %d + ", d, l->stride[d]);
  text_puts(&t, swizzled_col(a, l, arena_printf(a, "c%d", l->rank - 1)));
  return t.s;
}

void table_layout(Text *out, const PlanTile *t) {
  if (t->set->tile->name) text_printf(out, "%s: ", t->set->tile->name);
  text_printf(out, "%s [", t->set->tile->dtype->name);
  for (int d = 0; d < t->set->tile->rank; d++)
    text_printf(out, d ? ", %d" : "%d", t->set->tile->extent[d]);
  text_printf(out, "], offset = %s, %" PRId64 " bytes",
              table_formula(out->arena, &t->solution->layout), t->bytes);
  if (t->pad_bytes) text_printf(out, ", %" PRId64 " of them padding", t->pad_bytes);
}

static int name_width(const PlanTile *t) {
  size_t width = strlen("access");
  for (int i = 0; i < t->set->accesses; i++) {
    const size_t n = strlen(t->set->access[i].name);
    if (n > width) width = n;
  }
  return (int)width;
}

void table_accesses(Text *out, const char *prefix, const PlanTile *t) {
  const int width = name_width(t);
  text_printf(out,
              "%s%-*s  op        bytes/lane  instructions  wavefronts: plain    here   ideal\n",
              prefix, width, "access");
  for (int i = 0; i < t->set->accesses; i++) {
    const Access *a = &t->set->access[i];
    const AccessCost *c = &t->solution->cost[i];
    text_printf(out, "%s%-*s  %-8s  %10d  %12d  %17" PRId64 "  %6" PRId64 "  %6" PRId64 "\n",
                prefix, width, a->name, op_name[a->op], a->bytes_per_lane, a->warps,
                t->solution->unswizzled[i].wavefronts, c->wavefronts, c->ideal);
  }
}
