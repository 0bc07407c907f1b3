#include "emit/offset.h"

#include <string.h>

#include "base/number.h"

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

/* The log2 of a power of two, or -1. */
static int log2_of(int n) { return number_is_power(n) ? number_log2(n) : -1; }

/* Coordinates first to last, flattened. */
static const char *flatten(Arena *a, const KgenLayout *l, const char *const *dim, int first,
                           int last) {
  const char *text = dim[first];
  for (int d = first + 1; d <= last; d++)
    text = arena_printf(a, "(%s * %d + %s)", text, l->extent[d], dim[d]);
  return text;
}

/* A term of the coordinates up to `last`, flattened, over only those that its bits come from: inner
 * ones are shifted out where their extents are powers of two, outer ones add multiples of a power
 * of two above its bits. */
static void put_flat_term(Text *t, const KgenLayout *l, const char *const *dim, KgenTerm term,
                          int last) {
  const int low = __builtin_ctz((unsigned)term.mask) + term.shift;
  const int high = 31 - __builtin_clz((unsigned)term.mask) + term.shift;
  int base = 0;
  for (; last > 0 && log2_of(l->extent[last]) >= 0; last--) {
    if (low < base + log2_of(l->extent[last])) break;
    base += log2_of(l->extent[last]);
  }
  int first = last, top = base + __builtin_ctz((unsigned)l->extent[last]);
  for (; first > 0 && top <= high; top += __builtin_ctz((unsigned)l->extent[first])) first--;
  term.shift -= base;
  put_term(t, flatten(t->arena, l, dim, first, last), term);
}

/* The source's bits that a term reads. */
static int64_t source_bits(KgenTerm t) {
  return t.shift < 0 ? t.mask >> -t.shift : (int64_t)t.mask << t.shift;
}

/* Takes the terms that read the same bits as the first and write other bits: together they equal
 * the term with the lowest target, times the returned sum of powers of two. */
static int take_spread(KgenTerm *term, int count, KgenTerm *lowest) {
  const int64_t bits = source_bits(term[0]);
  int written = 0, shifts = 0, factor = 0, shift[KGEN_MAX_TERMS];
  *lowest = term[0];
  for (int i = 0; i < count; i++) {
    if (source_bits(term[i]) != bits || term[i].source != term[0].source) continue;
    if (term[i].mask & written) continue;
    if (term[i].shift > lowest->shift) *lowest = term[i];
    written |= term[i].mask;
    shift[shifts++] = term[i].shift;
    term[i].mask = 0;
  }
  for (int i = 0; i < shifts; i++) factor += 1 << (lowest->shift - shift[i]);
  return factor;
}

static void put_one(Text *t, const KgenLayout *l, const char *const *dim, KgenTerm term) {
  if (term.source >= KGEN_COORD)
    put_term(t, dim[term.source - KGEN_COORD], term);
  else if (l->rank > 1)
    put_flat_term(t, l, dim, term, l->rank - (term.source == KGEN_ROW ? 2 : 1));
  else { /* a row is the index shifted by log2 of the period */
    if (term.source == KGEN_ROW) term.shift += log2_of(l->period);
    put_term(t, dim[0], term);
  }
}

/* "term ^ term"; "(term * 15)" for a bit that several terms copy. */
static void put_terms(Text *t, const KgenLayout *l, const char *const *dim, KgenTerm *term,
                      int terms) {
  KgenTerm one;
  bool first = true;
  for (int i = 0; i < terms; i++) {
    if (term[i].mask == 0) continue;
    const int factor = take_spread(term + i, terms - i, &one);
    text_puts(t, first ? "" : " ^ ");
    text_puts(t, factor > 1 ? "(" : "");
    put_one(t, l, dim, one);
    if (factor > 1) text_printf(t, " * %d)", factor);
    first = false;
  }
}

/* --- coordinates --- */

/* The number of elements that are added to every row of a rank-1 tile. */
static int pad_of(const KgenLayout *l) {
  return l->rank == 1 && l->period ? l->stride[0] - l->period : 0;
}

/* A number, and what the terms XOR into it; nothing but the terms if there is none. */
static void put_changed(Text *t, const KgenLayout *l, const char *const *dim, const char *number,
                        KgenTerm *term, int terms) {
  const bool enclosed = l->rank > 1 || pad_of(l);
  int masks = 0;
  for (int i = 0; i < terms; i++) masks |= term[i].mask;
  if (masks == 0) {
    text_puts(t, number ? number : "0");
    return;
  }
  text_puts(t, enclosed ? "(" : "");
  if (number) text_printf(t, "%s ^ ", number);
  put_terms(t, l, dim, term, terms);
  text_puts(t, enclosed ? ")" : "");
}

/* Each coordinate with its own terms, times its stride. */
static void put_each(Text *t, const KgenLayout *l, const char *const *dim, const KgenTerm *term,
                     int terms) {
  for (int d = 0; d < l->rank; d++) {
    KgenTerm own[KGEN_MAX_TERMS];
    int count = 0;
    for (int i = 0; i < terms; i++)
      if ((term[i].target ? term[i].target - 1 : l->rank - 1) == d) own[count++] = term[i];
    put_changed(t, l, dim, dim[d], own, count);
    if (d < l->rank - 1) text_printf(t, " * %d + ", l->stride[d]);
  }
}

/* Pads of a rank-1 tile are added, since i / P * (P + pad) + i % P = i + i / P * pad. */
static void put_pads(Text *t, const KgenLayout *l, const char *const *dim) {
  const int pad = pad_of(l);
  if (pad) text_printf(t, " + (%s >> %d)", dim[0], log2_of(l->period));
  if (pad > 1) text_printf(t, " * %d", pad);
}

const char *offset_spell(Arena *a, const KgenLayout *l, const char *const *dim) {
  Text t = text_new(a);
  KgenTerm term[KGEN_MAX_TERMS];
  const int terms = layout_join_terms(l, term), last = l->rank - 1;
  const int first = layout_first_changed(l);
  if (!l->linear && !layout_is_together(l, first)) {
    put_each(&t, l, dim, term, terms);
    return t.s;
  }
  for (int d = 0; d < first && !l->linear; d++) text_printf(&t, "%s * %d + ", dim[d], l->stride[d]);
  put_changed(&t, l, dim, l->linear ? NULL : flatten(a, l, dim, first, last), term, terms);
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
