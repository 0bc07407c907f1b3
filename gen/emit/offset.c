/* SPDX-License-Identifier: MIT */
#include "emit/offset.h"

#include <string.h>

#include "base/number.h"
#include "model/address.h"

/* "((row >> 1) & 24)": with the parentheses that compilers warn about, and no shift by 0. */
static void put_term(Text *t, const char *row, KgenTerm term) {
  if (term.shift == 0)
    text_printf(t, "(%s & %d)", row, term.mask);
  else if (term.shift > 0)
    text_printf(t, "((%s >> %d) & %d)", row, term.shift, term.mask);
  else
    text_printf(t, "((%s << %d) & %d)", row, -term.shift, term.mask);
}

const char *offset_spell_source(Arena *a, const KgenTerm *t) {
  if (t->source == KGEN_ROW) return "row";
  return t->source == KGEN_INDEX ? "index" : arena_printf(a, "c%d", t->source - KGEN_COORD);
}

const char *offset_spell_swizzle(Arena *a, const KgenLayout *l, const char *row) {
  Text t = text_new(a);
  if (l->terms == 0) text_puts(&t, "0");
  if (l->terms > 1) text_puts(&t, "(");
  for (int i = 0; i < l->terms; i++) {
    if (i) text_puts(&t, " ^ ");
    const KgenTerm *m = &l->term[i];
    put_term(&t, m->source == KGEN_ROW ? row : offset_spell_source(a, m), *m);
  }
  if (l->terms > 1) text_puts(&t, ")");
  return t.s;
}

/* --- the offset as C --- */

/* Coordinates first to last, flattened. */
static const char *flatten(Arena *a, const KgenLayout *l, const char *const *dim, int first,
                           int last) {
  const char *text = dim[first];
  for (int d = first + 1; d <= last; d++)
    text = arena_printf(a, "(%s * %d + %s)", text, l->extent[d], dim[d]);
  return text;
}

/* The terms of one target, -1: all terms, as "term ^ term"; "(term * 15)" if bits are copied to
 * several places. */
static void put_terms(Text *t, const KgenLayout *l, const char *const *dim, int target) {
  AddressTerm term[KGEN_MAX_TERMS];
  const int terms = address_terms(l, term);
  bool any = false;
  for (int i = 0; i < terms; i++) {
    const AddressTerm *m = &term[i];
    if (target >= 0 && m->target != target) continue;
    text_puts(t, any ? " ^ " : "");
    text_puts(t, m->factor > 1 ? "(" : "");
    put_term(t, flatten(t->arena, l, dim, m->first, m->last),
             (KgenTerm){.shift = m->shift, .mask = m->mask});
    if (m->factor > 1) text_printf(t, " * %d)", m->factor);
    any = true;
  }
}

/* --- coordinates --- */

static bool has_terms(const KgenLayout *l, int target) {
  AddressTerm term[KGEN_MAX_TERMS];
  const int terms = address_terms(l, term);
  for (int i = 0; i < terms; i++)
    if (target < 0 || term[i].target == target) return true;
  return false;
}

/* A number, and what the terms of a target XOR into it; nothing but the terms if there is none. */
static void put_changed(Text *t, const KgenLayout *l, const char *const *dim, const char *number,
                        int target) {
  const bool enclosed = l->rank > 1 || address_pad(l);
  if (!has_terms(l, target)) {
    text_puts(t, number ? number : "0");
    return;
  }
  text_puts(t, enclosed ? "(" : "");
  if (number) text_printf(t, "%s ^ ", number);
  put_terms(t, l, dim, target);
  text_puts(t, enclosed ? ")" : "");
}

/* Pads of a rank-1 tile are added, since i / P * (P + pad) + i % P = i + i / P * pad. */
static void put_pads(Text *t, const KgenLayout *l, const char *const *dim) {
  const int pad = address_pad(l);
  if (pad) text_printf(t, " + (%s >> %d)", dim[0], number_log2(l->period));
  if (pad > 1) text_printf(t, " * %d", pad);
}

const char *offset_spell(Arena *a, const KgenLayout *l, const char *const *dim) {
  Text t = text_new(a);
  const int last = l->rank - 1, first = layout_first_changed(l);
  if (address_is_separate(l)) {
    for (int d = 0; d < l->rank; d++) {
      put_changed(&t, l, dim, dim[d], d);
      if (d < last) text_printf(&t, " * %d + ", l->stride[d]);
    }
    return t.s;
  }
  for (int d = 0; d < first && !l->linear; d++) text_printf(&t, "%s * %d + ", dim[d], l->stride[d]);
  put_changed(&t, l, dim, l->linear ? NULL : flatten(a, l, dim, first, last), -1);
  put_pads(&t, l, dim);
  return t.s;
}

const char *offset_spell_tile(Arena *a, const PlanTile *t) {
  if (t->solution->map) return t->solution->map->text;
  return offset_spell(a, &t->solution->layout, t->set->tile->dim);
}

/* True if a C text contains this identifier. */
static bool has_name(const char *text, const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  while (*text) {
    const size_t n = strspn(text, letters);
    if (n == strlen(name) && memcmp(text, name, n) == 0) return true;
    text += n ? n : 1;
  }
  return false;
}

const char *offset_spell_function(Arena *a, const PlanTile *t) {
  Text out = text_new(a);
  const char *offset = offset_spell_tile(a, t);
  for (int d = 0; d < t->set->tile->rank; d++)
    if (!has_name(offset, t->set->tile->dim[d]))
      text_printf(&out, "(void)%s, ", t->set->tile->dim[d]);
  text_puts(&out, offset);
  return out.s;
}

const char *offset_spell_coordinates(Arena *a, const Tile *tile) {
  const KgenLayout plain = layout_plain(tile);
  Text t = text_new(a);
  for (int d = 0; d < plain.rank; d++) {
    text_puts(&t, d ? ", i" : "i");
    if (plain.stride[d] > 1) text_printf(&t, " / %d", plain.stride[d]);
    if (d) text_printf(&t, " %% %d", plain.extent[d]);
  }
  return t.s;
}

const char *offset_spell_parameters(Arena *a, int rank, const char *const *dim) {
  Text t = text_new(a);
  for (int d = 0; d < rank; d++) text_printf(&t, d ? ", int %s" : "int %s", dim[d]);
  return t.s;
}

const char *offset_spell_formula(Arena *a, const KgenLayout *l) {
  const char *dim[KGEN_MAX_RANK];
  for (int d = 0; d < l->rank; d++) dim[d] = tile_default_dim(l->rank, d);
  return offset_spell(a, l, dim);
}
