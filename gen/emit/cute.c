#include "emit/cute.h"

#include "base/number.h"

enum { MAX_BITS = 16 };

/* The offset at which the element with that row-major index is stored. */
static int stored(const KgenLayout *l, int index) {
  int coord[KGEN_MAX_RANK];
  layout_coord(l, index, coord);
  return layout_offset(l, coord);
}

static int elements_of(const KgenLayout *l) {
  int n = 1;
  for (int d = 0; d < l->rank; d++) n *= l->extent[d];
  return n;
}

static KgenLayout strides_of(const KgenLayout *l) {
  KgenLayout strides = *l;
  strides.terms = strides.linear = 0;
  return strides;
}

/* True if the layout is its strides alone, with the swizzle applied to their offsets. */
static bool equals(const KgenLayout *l, CuteSwizzle w) {
  const KgenLayout strides = strides_of(l);
  const int n = elements_of(l);
  for (int i = 0; i < n; i++)
    if (stored(l, i) != swizzle_offset(w, stored(&strides, i))) return false;
  return true;
}

/* The bits in which the offset of any element differs from the offset by strides alone. */
static int changed_bits(const KgenLayout *l) {
  const KgenLayout strides = strides_of(l);
  int bits = 0;
  for (int i = elements_of(l) - 1; l->terms && i >= 0; i--)
    bits |= stored(l, i) ^ stored(&strides, i);
  return bits;
}

bool cute_find(const KgenLayout *l, CuteSwizzle *out) {
  const int bits = changed_bits(l);
  if (bits == 0) return false;
  out->m = __builtin_ctz((unsigned)bits);
  out->b = __builtin_popcount((unsigned)bits);
  if (bits != ((1 << out->b) - 1) << out->m) return false;
  for (out->s = out->b; out->s <= MAX_BITS; out->s++) /* CuTe requires S >= B */
    if (equals(l, *out)) return true;
  return false;
}

bool cute_find_map(const int32_t *at, int n, CuteSwizzle *out) {
  int bits = 0;
  for (int i = 0; i < n; i++) bits |= at[i] ^ i;
  *out = (CuteSwizzle){0, 0, 0};
  if (bits == 0) return true;
  const int lowest = __builtin_ctz((unsigned)bits);
  out->b = __builtin_popcount((unsigned)bits);
  for (out->s = -MAX_BITS; out->s <= MAX_BITS; out->s++) {
    out->m = out->s < 0 ? lowest + out->s : lowest;
    bool equal = (out->s < 0 ? -out->s : out->s) >= out->b && out->m >= 0;
    for (int i = 0; i < n && equal; i++) equal = swizzle_offset(*out, i) == at[i];
    if (equal) return true;
  }
  return false;
}

/* Writes an integer constant as CuTe names it: _N for every power of two up to 512, else Int<N>. */
static void put_int(Text *t, int n) {
  const bool named = n <= 512 && number_is_power(n);
  text_printf(t, named ? "_%d" : "Int<%d>", n);
}

static void put_list(Text *t, const char *name, const int *v, int count) {
  text_printf(t, "%s<", name);
  for (int i = 0; i < count; i++) {
    text_puts(t, i ? ", " : "");
    put_int(t, v[i]);
  }
  text_puts(t, ">");
}

/* Writes a layout. A one-dimensional tile with a period becomes one mode of two extents, i % P and
 * i / P in CuTe's order. */
static void put_layout(Text *t, const KgenLayout *l) {
  const bool split = l->rank == 1 && l->period && l->stride[0] != l->period;
  const int modes[] = {l->period, split ? l->extent[0] / l->period : 1};
  const int strides[] = {1, l->stride[0]}, one[] = {1};
  text_puts(t, split ? "Layout<Shape<" : "Layout<");
  put_list(t, "Shape", split ? modes : l->extent, split ? 2 : l->rank);
  text_puts(t, split ? ">, Stride<" : ", ");
  put_list(t, "Stride", split ? strides : l->rank == 1 ? one : l->stride, split ? 2 : l->rank);
  text_puts(t, split ? ">>{}" : ">{}");
}

const char *cute_spell(Arena *a, const KgenLayout *l) {
  CuteSwizzle w;
  Text t = text_new(a);
  const bool swizzle = changed_bits(l) != 0;
  if (swizzle && !cute_find(l, &w)) return NULL;
  if (l->period && l->extent[0] % l->period) return NULL; /* CuTe needs whole rows */
  if (swizzle) text_printf(&t, "composition(Swizzle<%d, %d, %d>{}, ", w.b, w.m, w.s);
  put_layout(&t, l);
  if (swizzle) text_puts(&t, ")");
  return t.s;
}
