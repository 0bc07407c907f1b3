/* gemm_quad.h: the epilogue of mma.sync: stores sums to C, four neighbours at a time. Needs mma.h
 * and gemm_fragments.h, and the names kBf16 and kWide. */
#ifndef KGEN_GEMM_QUAD_H
#define KGEN_GEMM_QUAD_H

namespace {

template <bool WIDE> struct Output { using Type = float; };
template <> struct Output<false> { using Type = unsigned short; };

using ElemC = Output<kWide != 0>::Type;

constexpr int kPairWords = 2 * sizeof(ElemC) / sizeof(unsigned); /* words of two elements of C */

/* Four neighbours of a row of C, which one instruction stores. */
struct alignas(4 * sizeof(ElemC)) Quad {
  unsigned word[2 * kPairWords];
};

/* Converts two neighbouring sums to C's type. */
__device__ __forceinline__ void round_sums(unsigned (&word)[kPairWords], float x, float y) {
  if constexpr (kWide)
    word[0] = __float_as_uint(x), word[kPairWords - 1] = __float_as_uint(y);
  else
    round_pair<kBf16>(word[0], x, y);
}

/* Lanes 2i and 2i + 1 hold two neighbours each of one row of two 8 x 8 matrices, `left` and
 * `right`. They exchange halves: the even lane gets 4 neighbours of the left matrix, the odd lane 4
 * of the right one, so that a warp stores whole sectors of 32 bytes. */
__device__ __forceinline__ Quad swap_halves(const float *left, const float *right, bool odd) {
  unsigned l[kPairWords], r[kPairWords];
  round_sums(l, left[0], left[1]);
  round_sums(r, right[0], right[1]);
  Quad quad;
#pragma unroll
  for (int i = 0; i < kPairWords; i++) {
    const unsigned other = __shfl_xor_sync(0xffffffff, odd ? l[i] : r[i], 1);
    quad.word[i] = odd ? other : l[i];
    quad.word[kPairWords + i] = odd ? r[i] : other;
  }
  return quad;
}

/* Stores the first `count` of four neighbours. `aligned`: `to` is aligned to a Quad. */
__device__ __forceinline__ void store_quad(ElemC *to, const Quad &quad, int count, bool aligned) {
  if (aligned && count >= 4) {
    *reinterpret_cast<Quad *>(to) = quad;
    return;
  }
  ElemC element[4];
  memcpy(element, &quad, sizeof element);
#pragma unroll
  for (int i = 0; i < 4; i++)
    if (i < count) to[i] = element[i];
}

/* Stores the accumulators of a warp. WHOLE: its part is inside of the matrix and aligned, so that
 * stores need no checks: this saves 2,700 of 112,000 cycles per tile of gemm_tma on an H200. */
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
