/* gemm_boxes.h: a warp's sums to C, through its buffers in shared memory, from which the TMA stores
 * them. Needs hopper.h, mma.h and gemm_target.h, and the names ElemC, kBf16, kWide, kLayoutC,
 * kBuffers, kBoxRows, kBoxCols, kBoxBytes, kWarpM, kWarpN and Sums: the buffers' layout, the boxes
 * of C that go through them, and a warp's part of a tile of C. */
#ifndef KGEN_GEMM_BOXES_H
#define KGEN_GEMM_BOXES_H

namespace {

/* The offset of an element in a warp's buffer, in bytes. */
__device__ __forceinline__ int place_in_box(int row, int col) {
  static constexpr KgenLayout layout = kLayoutC;
  return kgen_offset3(&layout, 0, row, col) * static_cast<int>(sizeof(ElemC));
}

/* Rounds two sums to C's type. */
__device__ __forceinline__ unsigned rounded(float x, float y) {
  unsigned pair = 0;
  round_pair<kBf16>(pair, x, y);
  return pair;
}

/* Stores the sums of two neighbouring mma.sync into a box that begins at `box`, at (row, col). */
__device__ __forceinline__ void put_sums(const float (&left)[4], const float (&right)[4],
                                         unsigned box, int row, int col, int lane) {
  if constexpr (kWide) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const float *const s = i / 2 ? right : left;
      const int at = place_in_box(row + i % 2 * 8 + lane / 4, col + i / 2 * 8 + lane % 4 * 2);
      asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(box + at), "f"(s[i % 2 * 2]),
                   "f"(s[i % 2 * 2 + 1])
                   : "memory");
    }
  } else {
    const int at = place_in_box(row + lane % 16, col + lane / 16 * 8);
    store_matrices(box + at, rounded(left[0], left[1]), rounded(left[2], left[3]),
                   rounded(right[0], right[1]), rounded(right[2], right[3]));
  }
}

/* Puts the sums from (row, col) of the warp's part on into a buffer. */
__device__ __forceinline__ void put_box(const Sums &sums, int row, int col, unsigned box,
                                        int lane) {
#pragma unroll
  for (int i = 0; i < kBoxRows; i += MMA_M)
#pragma unroll
    for (int j = 0; j < kBoxCols; j += 2 * MMA_N) {
      const int m = (row + i) / MMA_M, n = (col + j) / MMA_N;
      put_sums(sums[m][n], sums[m][n + 1], box, i, j, lane);
    }
}

/* Stores the sums from (row, col) of the warp's part on, of a box that begins at `at` in C. */
__device__ __forceinline__ void store_elements(const Sums &sums, int row, int col, const Target &c,
                                               int2 at, int lane) {
#pragma unroll
  for (int i = 0; i < kBoxRows; i += 8)
#pragma unroll
    for (int j = 0; j < kBoxCols / 4; j++) {
      const int x = at.x + i + lane / 4, y = at.y + j / 2 * 8 + lane % 4 * 2 + j % 2;
      const float sum = sums[(row + i) / MMA_M][col / MMA_N + j / 2][i / 8 % 2 * 2 + j % 2];
      if (x >= c.rows || y >= c.cols) continue;
      if constexpr (kWide)
        c.at[x * c.pitch + y] = sum;
      else
        c.at[x * c.pitch + y] = static_cast<ElemC>(rounded(sum, 0));
    }
}

/* The epilogue of a warp: its sums go through its own buffers, in boxes that the TMA stores while
 * the warp multiplies for the next tile. `at`: where its part begins in C. */
__device__ __forceinline__ void store_sums(const Sums &sums, unsigned buffers, const Target &c,
                                           int2 at, int lane) {
  constexpr int across = kWarpN / kBoxCols, boxes = kWarpM / kBoxRows * across;
  static_assert(boxes % kBuffers == 0, "every tile of C starts at the first buffer");
#pragma unroll
  for (int i = 0; i < boxes; i++) {
    const int row = i / across * kBoxRows, col = i % across * kBoxCols;
    const int2 corner = make_int2(at.x + row, at.y + col);
    const unsigned box = buffers + i % kBuffers * kBoxBytes;
    if (ends_within<kBoxCols>(c, corner.y)) {
      store_elements(sums, row, col, c, corner, lane);
      if (lane == 0) commit_boxes(); /* an empty group: groups and buffers stay in step */
      continue;
    }
    if (lane == 0) await_boxes_read<kBuffers - 1>();
    __syncwarp();
    put_box(sums, row, col, box, lane);
    fence_async();
    __syncwarp();
    if (lane == 0) {
      store_box(c.map, box, corner.x, corner.y);
      commit_boxes();
    }
  }
}

} // namespace

#endif
