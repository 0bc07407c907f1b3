#include "emit/cute.h"

enum { MAX_BITS = 16 };

static int swizzled(CuteSwizzle w, int offset) {
  return offset ^ ((offset >> w.s) & (((1 << w.b) - 1) << w.m));
}

/* Where the element of that row-major index is stored. */
static int stored(const KgenLayout *l, int index) {
  int coord[KGEN_MAX_RANK] = {0};
  for (int d = l->rank - 1; d >= 0; d--) {
    coord[d] = index % l->extent[d];
    index /= l->extent[d];
  }
  return layout_offset(l, coord);
}

static int tile_elements(const KgenLayout *l) {
  int n = 1;
  for (int d = 0; d < l->rank; d++) n *= l->extent[d];
  return n;
}

static bool equals(const KgenLayout *l, CuteSwizzle w) {
  const int n = tile_elements(l);
  for (int i = 0; i < n; i++)
    if (stored(l, i) != swizzled(w, i)) return false;
  return true;
}

/* All column bits that some row is XORed with. */
static int changed_bits(const KgenLayout *l) {
  int bits = 0;
  for (int row = 0; row < layout_rows(l); row++) bits |= kgen_swizzle(l, row);
  return bits;
}

bool cute_find(const KgenLayout *l, CuteSwizzle *out) {
  const int bits = changed_bits(l);
  if (bits == 0 || kgen_elements(l) != tile_elements(l)) return false;
  out->m = __builtin_ctz((unsigned)bits);
  out->b = __builtin_popcount((unsigned)bits);
  if (bits != ((1 << out->b) - 1) << out->m) return false;
  for (out->s = out->b; out->s < MAX_BITS; out->s++) /* CuTe asks for S >= B */
    if (equals(l, *out)) return true;
  return false;
}

int cute_tma_mode(const KgenLayout *l, int element_bytes) {
  static const struct {
    int mode;
    CuteSwizzle bytes;
  } table[] = {{32, {1, 4, 3}}, {64, {2, 4, 3}}, {128, {3, 4, 3}}};
  const int log2 = __builtin_ctz((unsigned)element_bytes), n = tile_elements(l);
  if (n * element_bytes % 128 || kgen_elements(l) != n || changed_bits(l) == 0) return 0;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    CuteSwizzle w = table[i].bytes; /* an element is at most 16 bytes, so all of it moves */
    w.m -= log2;
    if (equals(l, w)) return table[i].mode;
  }
  return 0;
}
