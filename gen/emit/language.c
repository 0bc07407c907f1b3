/* SPDX-License-Identifier: MIT */
#include "emit/language.h"

#include "base/number.h"
#include "emit/cute.h"
#include "emit/forms.h"
#include "emit/offset.h"

const char *const language_name[LANGUAGES] = {"c",        "cute", "cutedsl", "gluon",
                                              "tilelang", "mojo", "cutile"};
const char *const language_title[LANGUAGES] = {"C",        "CuTe", "CuTe DSL", "Gluon",
                                               "TileLang", "Mojo", "cuTile"};

/* The layout as CuTe has it: a swizzle of the offsets that strides give. */
typedef struct {
  CuteSwizzle swizzle; /* b = 0: none */
  int modes;
  int shape[KGEN_MAX_RANK], stride[KGEN_MAX_RANK];
} Strides;

typedef struct {
  Arena *arena;
  const PlanTile *plan;
  const Tile *tile;
  int elements;
  bool strided; /* the layout has that form */
  Strides strides;
} Speller;

static LanguageText none(const char *why) { return (LanguageText){NULL, why}; }
static LanguageText text(const Text *t) { return (LanguageText){t->s, NULL}; }

static void put_list(Text *out, const char *open, const int *v, int count, const char *close) {
  text_puts(out, open);
  for (int i = 0; i < count; i++) text_printf(out, i ? ", %d" : "%d", v[i]);
  text_puts(out, close);
}

/* Python writes a tuple of one value as (32,). */
static void put_tuple(Text *out, const char *open, const int *v, int count) {
  put_list(out, open, v, count, count == 1 ? ",)" : ")");
}

/* --- C and CuTe --- */

static LanguageText spell_c(const Speller *s) {
  const char *const *dim = s->tile->dim;
  return (LanguageText){arena_printf(s->arena, "int offset(%s) { return %s; }",
                                     offset_spell_parameters(s->arena, s->tile->rank, dim),
                                     offset_spell_tile(s->arena, s->plan)),
                        NULL};
}

static const char no_swizzle[] = "it is no swizzle of the offsets that strides give";

static LanguageText spell_cute(const Speller *s) {
  const Solution *solution = s->plan->solution;
  const char *cute = s->strided && !solution->map
                         ? cute_spell_swizzle(s->arena, &solution->layout, s->strides.swizzle)
                         : forms_cute_text(s->arena, s->plan);
  return cute ? (LanguageText){cute, NULL} : none(no_swizzle);
}

/* A padded rank-1 tile has two modes, in CuTe's order: i % P and i / P. */
static bool find_strides(const Speller *s, const CuteSwizzle *swizzle, Strides *out) {
  const KgenLayout *l = &s->plan->solution->layout;
  const bool map = s->plan->solution->map != NULL;
  if (!swizzle) return false;
  out->swizzle = *swizzle;
  if (!map && l->period && l->stride[0] != l->period) {
    *out = (Strides){out->swizzle, 2, {l->period, l->extent[0] / l->period}, {1, l->stride[0]}};
    return l->extent[0] % l->period == 0;
  }
  out->modes = s->tile->rank;
  for (int d = s->tile->rank - 1, n = 1; d >= 0; n *= s->tile->extent[d--]) {
    out->shape[d] = s->tile->extent[d];
    out->stride[d] = map || s->tile->rank == 1 ? n : l->stride[d];
  }
  return true;
}

/* An allocation's swizzle is of bytes, a composed layout's of elements. */
static LanguageText spell_cutedsl(const Speller *s) {
  const Strides *l = &s->strides;
  Text out = text_new(s->arena);
  if (!s->strided) return none(no_swizzle);
  const CuteSwizzle w = l->swizzle;
  const int bytes = w.m + __builtin_ctz((unsigned)s->tile->dtype->bytes);
  if (w.b)
    text_printf(&out, "cute.make_composed_layout(cute.make_swizzle(%d, %d, %d), 0, ", w.b, w.m,
                w.s);
  put_tuple(&out, "cute.make_layout((", l->shape, l->modes);
  put_tuple(&out, ", stride=(", l->stride, l->modes);
  text_puts(&out, w.b ? "))" : ")");
  if (w.b)
    text_printf(&out, "  # allocate_tensor() swizzles bytes: cute.make_swizzle(%d, %d, %d)", w.b,
                bytes, w.s);
  return text(&out);
}

static LanguageText spell_mojo(const Speller *s) {
  const Strides *l = &s->strides;
  Text out = text_new(s->arena);
  if (!s->strided) return none(no_swizzle);
  const CuteSwizzle w = l->swizzle;
  text_puts(&out, w.b ? "ComposedLayout(Layout(" : "Layout(");
  put_list(&out, "IntTuple(", l->shape, l->modes, "), ");
  put_list(&out, "IntTuple(", l->stride, l->modes, "))");
  if (w.b) text_printf(&out, ", Swizzle(%d, %d, %d))", w.b, w.m, w.s);
  return text(&out);
}

/* --- TileLang --- */

static LanguageText spell_tilelang(const Speller *s) {
  Text out = text_new(s->arena);
  if (s->plan->solution->map) return none("the layout is an expression of C");
  put_list(&out, "T.Layout([", s->tile->extent, s->tile->rank, "], lambda ");
  for (int d = 0; d < s->tile->rank; d++)
    text_printf(&out, d ? ", %s" : "%s",
                s->tile->rank == 1 ? "i" : arena_printf(s->arena, "c%d", d));
  text_printf(&out, ": %s)", offset_spell_formula(s->arena, &s->plan->solution->layout));
  return text(&out);
}

/* --- Gluon --- */

/* A layout as Gluon has it: a linear map of offsets to elements, then `pad` elements after every
 * `interval` ones. */
typedef struct {
  int interval, pad; /* pad 0: none */
  int bits;
  int element[31]; /* per bit of the offset without pads: the element's row-major index */
} Linear;

static int unpadded(const Linear *l, int offset) {
  return l->pad ? offset - offset / (l->interval + l->pad) * l->pad : offset;
}

/* Fills the bases from the elements at the powers of two, and checks them on all elements. */
static bool is_linear(const Speller *s, Linear *l) {
  l->bits = __builtin_ctz((unsigned)s->elements);
  for (int i = 0; i < l->bits; i++) l->element[i] = 0;
  for (int i = 0; i < s->elements; i++) {
    const int at = unpadded(l, forms_offset(s->plan, i));
    if (at >= s->elements) return false;
    if (number_is_power(at)) l->element[__builtin_ctz((unsigned)at)] = i;
  }
  for (int i = 0; i < s->elements; i++) {
    int element = 0;
    for (int rest = unpadded(l, forms_offset(s->plan, i)); rest; rest &= rest - 1)
      element ^= l->element[__builtin_ctz((unsigned)rest)];
    if (element != i) return false;
  }
  return true;
}

/* Pads follow rows, or the periods of a rank-1 tile. */
static bool find_linear(const Speller *s, Linear *l) {
  const KgenLayout *of = &s->plan->solution->layout;
  *l = (Linear){0};
  if (s->plan->solution->map || of->linear || layout_bytes(of, 1) == s->elements)
    return is_linear(s, l);
  const int pitch = of->period          ? of->stride[0]
                    : s->tile->rank > 1 ? of->stride[s->tile->rank - 2]
                                        : 0;
  l->interval = layout_cols(of);
  l->pad = pitch - l->interval;
  return l->pad > 0 && is_linear(s, l);
}

static bool is_identity(const Linear *l) {
  for (int i = 0; i < l->bits; i++)
    if (l->element[i] != 1 << i) return false;
  return true;
}

static void put_order(Text *out, int rank) {
  for (int d = rank - 1; d >= 0; d--) text_printf(out, d == rank - 1 ? "[%d" : ", %d", d);
  text_puts(out, "]");
}

static void put_bases(const Speller *s, const Linear *l, Text *out) {
  for (int i = 0; i < l->bits; i++) {
    int coord[KGEN_MAX_RANK];
    tile_coord(s->tile, l->element[i], coord);
    put_list(out, i ? ", [" : "[[", coord, s->tile->rank, "]");
  }
  text_puts(out, l->bits ? "]" : "[]");
}

/* The column's vector of `vec` elements is XORed with the row divided by per, modulo max. Both are
 * linear over the bits of the index. */
static bool is_swizzled(const Speller *s, int vec, int per, int max) {
  const int cols = s->tile->extent[1];
  for (int i = 1; i < s->elements; i *= 2) {
    const int row = i / cols, col = i % cols;
    if (forms_offset(s->plan, i) != row * cols + (col ^ row / per % max * vec)) return false;
  }
  return true;
}

static bool find_swizzled(const Speller *s, int *vec, int *per, int *max) {
  if (s->tile->rank != 2) return false;
  const int rows = s->tile->extent[0], cols = s->tile->extent[1];
  for (*vec = 1; *vec < cols; *vec *= 2)
    for (*max = 2; *max <= rows && *max * *vec <= cols; *max *= 2)
      for (*per = 1; *per * *max <= rows; *per *= 2)
        if (is_swizzled(s, *vec, *per, *max)) return true;
  return false;
}

static bool is_for_tma(const Speller *s) {
  const AccessSet *set = s->plan->set;
  for (int i = 0; i < set->accesses; i++)
    if (set->access[i].boxes) return true;
  return false;
}

static LanguageText spell_gluon(const Speller *s) {
  Linear l;
  Text out = text_new(s->arena);
  const int rank = s->tile->rank, mode = forms_tma(s->plan);
  for (int d = 0; d < rank; d++)
    if (!number_is_power(s->tile->extent[d])) return none("Gluon's shapes are powers of two");
  if (!find_linear(s, &l))
    return none("it is no linear map of offsets to elements, with or without pads");
  if (l.pad && !number_is_power(l.pad)) return none("Gluon's pads are powers of two");
  int vec = 1, per = 1, max = 1;
  if (l.pad) {
    const bool plain = is_identity(&l);
    text_printf(&out, "ttgl.PaddedSharedLayout%s([[%d, %d]], ", plain ? ".with_identity_for" : "",
                l.interval, l.pad);
    if (!plain) put_bases(s, &l, &out);
    if (!plain) text_puts(&out, ", [], ");
    put_list(&out, "[", s->tile->extent, rank, "]");
    if (plain) text_puts(&out, ", ");
    if (plain) put_order(&out, rank);
    text_puts(&out, ")");
  } else if (mode > 0 && rank == 2 && is_for_tma(s)) {
    text_printf(&out, "ttgl.NVMMASharedLayout(swizzle_byte_width=%d, element_bitwidth=%d, rank=2)",
                mode, 8 * s->tile->dtype->bytes);
  } else if (is_identity(&l) || find_swizzled(s, &vec, &per, &max)) {
    text_printf(&out, "ttgl.SwizzledSharedLayout(vec=%d, per_phase=%d, max_phase=%d, order=", vec,
                per, max);
    put_order(&out, rank);
    text_puts(&out, ")");
  } else {
    text_puts(&out, "ttgl.SharedLinearLayout(");
    put_bases(s, &l, &out);
    text_puts(&out, ")");
  }
  return text(&out);
}

static LanguageText spell_cutile(const Speller *s) {
  (void)s;
  return none("cuTile places tiles itself");
}

/* --- the table --- */

static Speller speller_of(Arena *a, const PlanTile *t, const CuteSwizzle *swizzle) {
  Speller s = {.arena = a, .plan = t, .tile = t->set->tile};
  s.elements = tile_elements(s.tile);
  s.strided = find_strides(&s, swizzle, &s.strides);
  return s;
}

static LanguageText spell(const Speller *s, Language language) {
  static LanguageText (*const speller[LANGUAGES])(const Speller *) = {
      spell_c, spell_cute, spell_cutedsl, spell_gluon, spell_tilelang, spell_mojo, spell_cutile};
  return speller[language](s);
}

LanguageText language_spell(Arena *a, const PlanTile *t, Language language) {
  CuteSwizzle swizzle;
  const Speller s = speller_of(a, t, forms_cute(t, &swizzle) ? &swizzle : NULL);
  return spell(&s, language);
}

void language_json(Json *j, const PlanTile *t, const CuteSwizzle *swizzle) {
  const Speller s = speller_of(j->out->arena, t, swizzle);
  json_object(j, "as");
  for (int i = 0; i < LANGUAGES; i++) {
    const LanguageText is = spell(&s, (Language)i);
    if (is.text) {
      json_string(j, language_name[i], is.text);
      continue;
    }
    json_line(j, language_name[i]);
    json_string(j, "none", is.none);
    json_end(j);
  }
  json_end(j);
}
