/*
 * layout.h: the one address formula of kgen, in C and CUDA.
 *
 * The solver evaluates these functions; a kernel executes them with constant arguments, so that the
 * compiler reduces a layout to a shift, an AND and an XOR. Units are elements, except where a name
 * says bytes.
 */
#ifndef KGEN_LAYOUT_H
#define KGEN_LAYOUT_H

#if defined(__CUDACC__)
#define KGEN_FN __host__ __device__ __forceinline__ constexpr
#elif defined(__cplusplus)
#define KGEN_FN inline constexpr
#else
#define KGEN_FN static inline
#endif

enum { KGEN_MAX_RANK = 4, KGEN_MAX_TERMS = 24 };

/* The source of a term: all coordinates but the last, flattened; all of them, flattened; or
 * (KGEN_COORD + d) coordinate d alone. */
enum { KGEN_ROW, KGEN_INDEX, KGEN_COORD };

/* One XOR term: ((source >> shift) & mask) is XORed into the target; a negative shift shifts left.
 * target 0: the last coordinate; 1 + d: coordinate d. */
typedef struct {
  int shift, mask, source, target;
} KgenTerm;

/* A layout of a tile with `rank` dimensions; the last dimension is contiguous. A padded rank-1 tile
 * with a period P > 0 is addressed as rows of P elements: row = i / P has stride[0], col = i % P
 * has stride[1]. linear: the offset is the XOR of all terms, without strides. */
typedef struct {
  int rank, period;
  int extent[KGEN_MAX_RANK]; /* elements */
  int stride[KGEN_MAX_RANK]; /* elements */
  int terms;
  KgenTerm term[KGEN_MAX_TERMS];
  int linear;
} KgenLayout;

/* The value that a term XORs into its target, for this value of its source. */
KGEN_FN int kgen_term(const KgenTerm *t, int source) {
  return (t->shift < 0 ? source << -t->shift : source >> t->shift) & t->mask;
}

/* The offset of an element, in elements. Coordinates beyond the rank are 0. */
KGEN_FN int kgen_place(const KgenLayout *l, int c0, int c1, int c2, int c3) {
  /* Unsigned, because only then a division by a power of two is a single shift. */
  const unsigned period = l->period ? (unsigned)l->period : 1u, i = (unsigned)c0;
  const int last = l->period ? 1 : l->rank - 1;
  int coord[KGEN_MAX_RANK] = {l->period ? (int)(i / period) : c0,
                              l->period ? (int)(i % period) : c1, c2, c3};
  int row = last ? coord[0] : 0;
  if (last > 1) row = row * l->extent[1] + coord[1];
  if (last > 2) row = row * l->extent[2] + coord[2];
  const int index = l->rank == 1 ? c0 : row * l->extent[last] + coord[last];
  int change[KGEN_MAX_RANK] = {0, 0, 0, 0};
  for (int t = 0; t < l->terms; t++) {
    const KgenTerm *term = &l->term[t];
    const int source = term->source == KGEN_ROW     ? row
                       : term->source == KGEN_INDEX ? index
                                                    : coord[term->source - KGEN_COORD];
    change[term->target ? term->target - 1 : last] ^= kgen_term(term, source);
  }
  if (l->linear) return change[last];
  /* One statement per dimension: nvcc emits fewer instructions for them than for loops. */
  int offset = (coord[0] ^ change[0]) * l->stride[0];
  if (last > 0) offset += (coord[1] ^ change[1]) * l->stride[1];
  if (last > 1) offset += (coord[2] ^ change[2]) * l->stride[2];
  if (last > 2) offset += (coord[3] ^ change[3]) * l->stride[3];
  return offset;
}

/* The same for tiles of rank 1 to 4. */
KGEN_FN int kgen_offset1(const KgenLayout *l, int i) { return kgen_place(l, i, 0, 0, 0); }
KGEN_FN int kgen_offset2(const KgenLayout *l, int row, int col) {
  return kgen_place(l, row, col, 0, 0);
}
KGEN_FN int kgen_offset3(const KgenLayout *l, int c0, int c1, int c2) {
  return kgen_place(l, c0, c1, c2, 0);
}
KGEN_FN int kgen_offset4(const KgenLayout *l, int c0, int c1, int c2, int c3) {
  return kgen_place(l, c0, c1, c2, c3);
}

/* The number of elements that the tile occupies, including padding. */
KGEN_FN int kgen_elements(const KgenLayout *l) {
  if (l->rank == 1 && l->period > 0)
    return (l->extent[0] + l->period - 1) / l->period * l->stride[0];
  return l->extent[0] * l->stride[0];
}

#endif
