/* gemm_patches.h: where the operands of mma.sync lie in the tiles of A and B in shared memory, and
 * their loads by ldmatrix. Needs mma.h and gemm_tile.h, and the names kWarpM, kWarpN, kSteps,
 * kStageBytes, kRowBytes, kConstantStep and tile_at: the extents of a warp's part of a tile of C,
 * the steps of 16 along k in a tile, and where an element of a stage lies in shared memory. */
#ifndef KGEN_GEMM_PATCHES_H
#define KGEN_GEMM_PATCHES_H

namespace {

enum { PATCH = 16 }; /* elements of 16 x 16, which one ldmatrix loads */

/* The corner of a warp's part of the block's tile of C, and this thread's lane. */
struct Place {
  int row, col, lane;
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

} // namespace

#endif
