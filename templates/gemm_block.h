/* gemm_block.h: a thread block's part of a matrix product: which tile of C it computes, and from
 * which parts of A and B. Needs layout.h, and the names ElemA, kLayoutA, kLayoutB, kTransA,
 * kTransB, kBand, kBlockX, kBlockY and kBlockZ. */
#ifndef KGEN_GEMM_BLOCK_H
#define KGEN_GEMM_BLOCK_H

namespace {

enum Side { A, B };

constexpr int kThreads = kBlockX * kBlockY * kBlockZ;

KGEN_FN int aligned_bytes(const KgenLayout &layout) {
  return (kgen_elements(&layout) * static_cast<int>(sizeof(ElemA)) + 127) / 128 * 128;
}
constexpr int kBytesA = aligned_bytes(kLayoutA); /* B's tile follows A's in shared memory */

/* True if k is the contiguous dimension of the operand: its rows, as it is stored, run along k. */
template <Side S> constexpr bool kRowsAlongK = S == A ? !kTransA : kTransB != 0;

/* The part of an operand, as it is stored, that begins at this block's first tile. */
struct Operand {
  const ElemA *at;
  long long pitch; /* the leading dimension, in elements */
  int rows, cols;  /* up to the matrix's edge */
};

/* The operands of this block's tile of C, and the length of its dot products. */
struct Job {
  Operand a, b;
  int k;
};

/* The part of an operand from `outer` on along m or n, where the operand has `extent` elements. */
template <Side S>
__device__ __forceinline__ Operand operand_from(const ElemA *at, long long pitch, int outer,
                                                int extent, int k) {
  Operand x;
  x.at = at + (kRowsAlongK<S> ? outer * pitch : outer);
  x.pitch = pitch;
  x.rows = kRowsAlongK<S> ? extent - outer : k;
  x.cols = kRowsAlongK<S> ? k : extent - outer;
  return x;
}

/* This block's tile of C in units of BLOCK_M x BLOCK_N elements: its row and its column. Blocks
 * visit bands of kBand rows of tiles column by column, so that the blocks in flight share rows of A
 * and columns of B in L2. */
template <int BLOCK_M, int BLOCK_N> __device__ __forceinline__ int2 find_tile(int m, int n) {
  const unsigned down = (m - 1u) / BLOCK_M + 1, across = (n - 1u) / BLOCK_N + 1;
  const unsigned band_rows = min(down, kBand + 0u), band = blockIdx.x / (band_rows * across);
  const unsigned in_band = blockIdx.x % (band_rows * across);
  const unsigned height = min(down - band * band_rows, band_rows);
  return make_int2(static_cast<int>(band * band_rows + in_band % height),
                   static_cast<int>(in_band / height));
}

} // namespace

#endif
