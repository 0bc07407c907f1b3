/* SPDX-License-Identifier: MIT */
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
  for (int i = 0; i < n; i++) {
    int coord[KGEN_MAX_RANK];
    layout_coord(l, i, coord);
    if (layout_offset(l, coord) != swizzle_offset(w, layout_offset(&strides, coord))) return false;
  }
  return true;
}

/* The bits in which the offset of any element differs from the offset by strides alone. */
static int changed_bits(const KgenLayout *l) {
  const KgenLayout strides = strides_of(l);
  int bits = 0;
  for (int i = elements_of(l) - 1; l->terms && i >= 0; i--) {
    int coord[KGEN_MAX_RANK];
    layout_coord(l, i, coord);
    bits |= layout_offset(l, coord) ^ layout_offset(&strides, coord);
  }
  return bits;
}

/* bits: what changed_bits() returns, not 0. */
static bool find_swizzle(const KgenLayout *l, int bits, CuteSwizzle *out) {
  out->m = __builtin_ctz((unsigned)bits);
  out->b = __builtin_popcount((unsigned)bits);
  if (bits != ((1 << out->b) - 1) << out->m) return false;
  for (out->s = out->b; out->s <= MAX_BITS; out->s++) /* CuTe requires S >= B */
    if (equals(l, *out)) return true;
  return false;
}

bool cute_find(const KgenLayout *l, CuteSwizzle *out) {
  const int bits = changed_bits(l);
  return bits && find_swizzle(l, bits, out);
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

/* --- layouts of bits --- */

enum { MAX_INDEX_BITS = 20, MAX_SWIZZLES = 32 };

/* An unpadded tile of powers of two: each bit of the index has a place in the offset, and swizzles
 * XOR places into others, none of which is read. */
typedef struct {
  int bits;
  int place[MAX_INDEX_BITS];
  int swizzles;
  CuteSwizzle swizzle[MAX_SWIZZLES];
} BitLayout;

/* Fills in the offset of each index bit. False if the layout is not linear over them. */
static bool read_columns(const KgenLayout *l, int *bits, int *column) {
  const int n = elements_of(l);
  if (!number_is_power(n) || kgen_elements(l) != n || n > 1 << MAX_INDEX_BITS) return false;
  *bits = number_log2(n);
  for (int b = 0; b < *bits; b++) column[b] = stored(l, 1 << b);
  for (int i = 0; i < n; i++) {
    int at = 0;
    for (int left = i; left; left &= left - 1) at ^= column[__builtin_ctz((unsigned)left)];
    if (at != stored(l, i)) return false;
  }
  return true;
}

/* Bits with one place take it; the others one that is left, their own if they can. */
static bool choose_places(BitLayout *out, const int *column) {
  int taken = 0;
  for (int b = 0; b < out->bits; b++)
    if (number_is_power(column[b])) taken |= column[b];
  for (int b = 0; b < out->bits; b++) {
    int free = column[b] & ~taken;
    if (number_is_power(column[b])) free = column[b];
    if (free == 0) return false;
    out->place[b] = free >> b & 1 ? b : 31 - __builtin_clz((unsigned)free);
    taken |= 1 << out->place[b];
  }
  return true;
}

/* The runs of a diagonal's mask as swizzles. A negative shift reads lower places: M is then the
 * place that is read. */
static bool put_diagonal(BitLayout *out, int mask, int shift) {
  const int most = shift < 0 ? -shift : shift;
  while (mask) {
    const int low = __builtin_ctz((unsigned)mask);
    int run = 1;
    while (run < most && mask >> (low + run) & 1) run++;
    if (out->swizzles == MAX_SWIZZLES) return false;
    out->swizzle[out->swizzles++] = (CuteSwizzle){run, shift < 0 ? low + shift : low, shift};
    mask &= ~(((1 << run) - 1) << low);
  }
  return true;
}

static bool find_bits(const KgenLayout *l, BitLayout *out) {
  int column[MAX_INDEX_BITS], sources = 0, targets = 0;
  *out = (BitLayout){.bits = 0};
  if (!read_columns(l, &out->bits, column) || !choose_places(out, column)) return false;
  for (int b = 0; b < out->bits; b++) {
    const int others = column[b] ^ 1 << out->place[b];
    targets |= others;
    if (others) sources |= 1 << out->place[b];
  }
  if (sources & targets) return false;
  for (int shift = 1 - out->bits; shift < out->bits; shift++) {
    int mask = 0;
    for (int b = 0; b < out->bits; b++) {
      const int to = out->place[b] - shift;
      if (shift && to >= 0 && to < out->bits) mask |= column[b] & 1 << to;
    }
    if (!put_diagonal(out, mask, shift)) return false;
  }
  return true;
}

/* Writes the extents or strides of one coordinate's bits: consecutive places are one mode. */
static void put_modes(Text *t, const char *name, const int *place, int bits, bool strides) {
  int v[MAX_INDEX_BITS] = {strides ? 0 : 1}, modes = bits == 0;
  for (int b = 0, first = 0; b < bits; b++) {
    if (b + 1 < bits && place[b + 1] == place[b] + 1) continue;
    v[modes++] = strides ? 1 << place[first] : 1 << (b + 1 - first);
    first = b + 1;
  }
  if (modes == 1)
    put_int(t, v[0]);
  else
    put_list(t, name, v, modes);
}

static void put_bits(Text *t, const KgenLayout *l, const BitLayout *bits) {
  for (int i = 0; i < bits->swizzles; i++) {
    const CuteSwizzle w = bits->swizzle[i];
    text_printf(t, "make_composed_layout(Swizzle<%d, %d, %d>{}, Int<0>{}, ", w.b, w.m, w.s);
  }
  text_puts(t, "Layout<");
  for (int strides = 0; strides < 2; strides++) {
    text_puts(t, strides ? ">, Stride<" : "Shape<");
    for (int d = 0, low = bits->bits; d < l->rank; d++) {
      const int own = number_log2(l->extent[d]);
      low -= own;
      text_puts(t, d ? ", " : "");
      put_modes(t, strides ? "Stride" : "Shape", bits->place + low, own, strides);
    }
  }
  text_puts(t, ">>{}");
  for (int i = 0; i < bits->swizzles; i++) text_puts(t, ")");
}

const char *cute_spell_swizzle(Arena *a, const KgenLayout *l, CuteSwizzle w) {
  Text t = text_new(a);
  if (l->period && l->extent[0] % l->period) return NULL; /* CuTe needs whole rows */
  if (w.b) text_printf(&t, "composition(Swizzle<%d, %d, %d>{}, ", w.b, w.m, w.s);
  put_layout(&t, l);
  if (w.b) text_puts(&t, ")");
  return t.s;
}

const char *cute_spell(Arena *a, const KgenLayout *l) {
  CuteSwizzle w;
  Text t = text_new(a);
  const int changed = changed_bits(l);
  if (!changed) return cute_spell_swizzle(a, l, (CuteSwizzle){0, 0, 0});
  if (find_swizzle(l, changed, &w)) return cute_spell_swizzle(a, l, w);
  BitLayout bits;
  if (!find_bits(l, &bits)) return NULL;
  put_bits(&t, l, &bits);
  return t.s;
}
