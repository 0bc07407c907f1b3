/* gemm_fragments.h: a warp's part of a tile of C on tensor cores: from the tiles of A and B in
 * shared memory to fragments (ldmatrix) and products (mma.sync). Needs mma.h and gemm_tile.h, and
 * the names kBf16, kWarpM, kWarpN, kSteps, kStageBytes, kRowBytes, kConstantStep and tile_at: the
 * extents of a warp's part, the number of steps of 16 along k in a tile, and the shared-memory
 * address of an element of a stage. */
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
  int row, col;         /* row and column of the first one */

  /* `stages`: the address of stage 0. `outer`: where the warp's part begins along m or n. */
  __device__ __forceinline__ Patches(unsigned stages, int outer, int lane) : tile(stages) {
    row = kDownFirst<S> ? lane % 16 : lane / 16 * 8 + lane % 8;
    col = kDownFirst<S> ? lane / 16 * 8 : lane / 8 % 2 * 8;
    (kRowsAlongK<S> ? row : col) += outer;
#pragma unroll
    for (int i = 0; i < kAcross; i++) at[i] = tile + tile_at<S>(0, row, col + i * PATCH);
  }

  /* Has the compiler keep the addresses in registers, instead of computing them in the main loop.
   */
  __device__ __forceinline__ void keep_addresses() {
#pragma unroll
    for (int i = 0; i < kAcross; i++) asm volatile("" : "+r"(at[i]));
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

/* Adds the products of rows of fragments, from FROM to TO - 1. Every other row is multiplied from
 * right to left, so that successive mma share a fragment. */
template <int FROM = 0, int TO = kTilesM>
__device__ __forceinline__ void multiply(Sums &sums, const Fragments &f) {
#pragma unroll
  for (int i = FROM; i < TO; i++)
#pragma unroll
    for (int n = 0; n < kTilesN; n++) {
      const int j = i % 2 ? kTilesN - 1 - n : n;
      multiply_add<kBf16>(sums[i][j], f.a[i], f.b[j]);
    }
}

} // namespace

#endif
