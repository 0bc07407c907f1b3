/* layout.h: the one address formula of kgen, C and CUDA at once.
 *
 * The solver evaluates these very functions; a kernel executes them with constant arguments, so
 * that the compiler folds a layout to a shift, an AND and an XOR. Units are elements, except where
 * a name says bytes. */
#ifndef KGEN_LAYOUT_H
#define KGEN_LAYOUT_H

#if defined(__CUDACC__)
#define KGEN_FN __host__ __device__ __forceinline__ constexpr
#elif defined(__cplusplus)
#define KGEN_FN inline constexpr
#else
#define KGEN_FN static inline
#endif

enum { KGEN_MAX_RANK = 4, KGEN_MAX_TERMS = 16 };

/* One XOR term: ((row >> shift) & mask); a negative shift shifts left. */
typedef struct {
  int shift, mask;
} KgenTerm;

/* A layout of a tile of `rank` dimensions, the last one contiguous. A rank-1 tile with a period P >
 * 0 is addressed as rows of P elements: row = i / P at stride[0], col = i % P at stride[1]. */
typedef struct {
  int rank, period;
  int extent[KGEN_MAX_RANK]; /* elements */
  int stride[KGEN_MAX_RANK]; /* elements */
  int terms;
  KgenTerm term[KGEN_MAX_TERMS];
} KgenLayout;

/* X(row): what the column of that row is XORed with. */
KGEN_FN int kgen_swizzle(const KgenLayout *l, int row) {
  int x = 0;
  for (int i = 0; i < l->terms; i++) {
    const int s = l->term[i].shift;
    x ^= (s < 0 ? row << -s : row >> s) & l->term[i].mask;
  }
  return x;
}

/* Where element i of a rank-1 tile is stored. */
KGEN_FN int kgen_offset1(const KgenLayout *l, int i) {
  if (l->period == 0) return i;
  /* Unsigned, since only then is a division by a power of two one shift. */
  const unsigned at = (unsigned)i, period = (unsigned)l->period;
  const int row = (int)(at / period), col = (int)(at % period);
  return row * l->stride[0] + (col ^ kgen_swizzle(l, row)) * l->stride[1];
}

/* Where element (row, col) of a rank-2 tile is stored. */
KGEN_FN int kgen_offset2(const KgenLayout *l, int row, int col) {
  return row * l->stride[0] + (col ^ kgen_swizzle(l, row)) * l->stride[1];
}

/* Where element (c0, c1, c2) of a rank-3 tile is stored; its row is (c0, c1) flattened. */
KGEN_FN int kgen_offset3(const KgenLayout *l, int c0, int c1, int c2) {
  const int row = c0 * l->extent[1] + c1;
  return c0 * l->stride[0] + c1 * l->stride[1] + (c2 ^ kgen_swizzle(l, row)) * l->stride[2];
}

/* Where element (c0, c1, c2, c3) of a rank-4 tile is stored; its row is (c0, c1, c2) flattened. */
KGEN_FN int kgen_offset4(const KgenLayout *l, int c0, int c1, int c2, int c3) {
  const int row = (c0 * l->extent[1] + c1) * l->extent[2] + c2;
  return c0 * l->stride[0] + c1 * l->stride[1] + c2 * l->stride[2] +
         (c3 ^ kgen_swizzle(l, row)) * l->stride[3];
}

/* Elements that the tile occupies, padding included. */
KGEN_FN int kgen_elements(const KgenLayout *l) {
  if (l->rank == 1 && l->period > 0)
    return (l->extent[0] + l->period - 1) / l->period * l->stride[0];
  return l->extent[0] * l->stride[0];
}

#endif
