/* gemm_fragments.h: a warp's part of a tile of C on tensor cores: from the tiles of A and B in
 * shared memory to fragments (ldmatrix), products (mma.sync), and sums to C. Needs mma.h,
 * gemm_patches.h and gemm_quad.h, and the name kBf16. */
#ifndef KGEN_GEMM_FRAGMENTS_H
#define KGEN_GEMM_FRAGMENTS_H

namespace {

constexpr int kTilesM = kWarpM / MMA_M;
constexpr int kTilesN = kWarpN / MMA_N;
static_assert(kSteps % 2 == 0, "fragments are double-buffered");

/* --- tile to fragments --- */

struct Fragments {
  unsigned a[kTilesM][4], b[kTilesN][2];
};

__device__ __forceinline__ void load_fragments(Fragments &f, const Patches<A> &a,
                                               const Patches<B> &b, int stage, int step) {
#pragma unroll
  for (int i = 0; i < kTilesM; i++) a.load(f.a[i], stage, i, step);
#pragma unroll
  for (int i = 0; i < kTilesN; i += 2) {
    unsigned r[4];
    b.load(r, stage, i / 2, step);
    f.b[i][0] = r[0], f.b[i][1] = r[1];
    f.b[i + 1][0] = r[2], f.b[i + 1][1] = r[3];
  }
}

using Sums = float[kTilesM][kTilesN][4];

/* Every other row is multiplied from right to left, so that successive mma share a fragment. */
__device__ __forceinline__ void multiply(Sums &sums, const Fragments &f) {
#pragma unroll
  for (int i = 0; i < kTilesM; i++)
#pragma unroll
    for (int n = 0; n < kTilesN; n++) {
      const int j = i % 2 ? kTilesN - 1 - n : n;
      multiply_add<kBf16>(sums[i][j], f.a[i], f.b[j]);
    }
}

/* Stores the sums of a warp. WHOLE: its part is inside of the matrix and aligned, so that nothing
 * is asked of each store: on an H200 2,700 cycles of a tile of gemm_tma, of 112,000. */
template <bool WHOLE>
__device__ __forceinline__ void store_part(const Sums &sums, ElemC *c, long long pitch, int rows,
                                           int cols, bool aligned, const Place &warp) {
  const int odd = warp.lane % 2;
#pragma unroll
  for (int i = 0; i < 2 * kTilesM; i++) {
    const int row = warp.row + i * 8 + warp.lane / 4;
#pragma unroll
    for (int j = 0; j < kTilesN; j += 2) {
      const float *const left = &sums[i / 2][j][i % 2 * 2];
      const float *const right = &sums[i / 2][j + 1][i % 2 * 2];
      const int col = warp.col + (j + odd) * MMA_N + warp.lane % 4 / 2 * 4;
      const Quad quad = swap_halves(left, right, odd);
      if (WHOLE)
        store_quad(c + row * pitch + col, quad, 4, true);
      else if (row < rows)
        store_quad(c + row * pitch + col, quad, cols - col, aligned);
    }
  }
}

/* The epilogue. c: the corner of the block's tile, rows x cols elements up to the matrix's edge. */
__device__ __forceinline__ void store_sums(const Sums &sums, ElemC *c, long long pitch, int rows,
                                           int cols, const Place &warp) {
  const bool aligned = reinterpret_cast<size_t>(c) % sizeof(Quad) == 0 && pitch % 4 == 0;
  if (aligned && warp.row + kWarpM <= rows && warp.col + kWarpN <= cols)
    store_part<true>(sums, c, pitch, rows, cols, aligned, warp);
  else
    store_part<false>(sums, c, pitch, rows, cols, aligned, warp);
}

} // namespace

#endif
