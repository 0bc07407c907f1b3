/* gemm_fragments.h: a warp's part of a tile of C on tensor cores: from the tiles of A and B in
 * shared memory to fragments (ldmatrix), products (mma.sync), and sums to C. Needs mma.h,
 * gemm_tile.h and gemm_quad.h, and the names kBf16, kWarpM, kWarpN, kSteps, kStageBytes, kRowBytes,
 * kConstantStep and tile_at: the extents of a warp's part, the steps of 16 along k in a tile, and
 * where an element of a stage lies in shared memory. */
#ifndef KGEN_GEMM_FRAGMENTS_H
#define KGEN_GEMM_FRAGMENTS_H

namespace {

enum { PATCH = 16 }; /* elements of 16 x 16, which one ldmatrix loads */

constexpr int kTilesM = kWarpM / MMA_M;
constexpr int kTilesN = kWarpN / MMA_N;
static_assert(kSteps % 2 == 0, "fragments are double-buffered");

/* The corner of a warp's part of the block's tile of C, and this thread's lane. */
struct Place {
  int row, col, lane;
};

/* --- tile to fragments --- */

struct Fragments {
  unsigned a[kTilesM][4], b[kTilesN][2];
};

/* The order of the four 8 x 8 matrices of a 16 x 16 patch, in which mma.sync takes their fragments:
 * true if the second matrix is below the first one in the tile, false if it is to the right. */
template <Side S> constexpr bool kDownFirst = kRowsAlongK<S> == (S == A);

/* The 16 x 16 patches of a warp's part of the tile, with this lane's addresses for ldmatrix. */
template <Side S> struct Patches {
  static constexpr int kOuter = (S == A ? kWarpM : kWarpN) / PATCH; /* along m or n */
  static constexpr int kAcross = kRowsAlongK<S> ? kSteps : kOuter;
  unsigned tile;        /* stage 0 in shared memory */
  unsigned at[kAcross]; /* the addresses of the patches side by side in it */
  int row, col;         /* of the first one */

  /* `stages`: the address of stage 0. `outer`: where the warp's part begins along m or n. */
  __device__ __forceinline__ Patches(unsigned stages, int outer, int lane) : tile(stages) {
    row = kDownFirst<S> ? lane % 16 : lane / 16 * 8 + lane % 8;
    col = kDownFirst<S> ? lane / 16 * 8 : lane / 8 % 2 * 8;
    (kRowsAlongK<S> ? row : col) += outer;
#pragma unroll
    for (int i = 0; i < kAcross; i++) at[i] = tile + tile_at<S>(0, row, col + i * PATCH);
  }

  /* Loads the i-th patch along m or n, at `step` along k. */
  __device__ __forceinline__ void load(unsigned (&r)[4], int stage, int i, int step) const {
    const int down = kRowsAlongK<S> ? i : step, across = kRowsAlongK<S> ? step : i;
    const unsigned patch = kConstantStep<S, PATCH>
                               ? at[across] + stage * kStageBytes<S> + down * PATCH * kRowBytes<S>
                               : tile + tile_at<S>(stage, row + down * PATCH, col + across * PATCH);
    load_matrices<!kRowsAlongK<S>>(r, patch);
  }
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
