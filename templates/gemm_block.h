/* gemm_block.h: what a block of a matrix product works on, whatever multiplies. Needs layout.h, and
 * ElemA, kLayoutA, kLayoutB, kTransA, kTransB, kBand and the block. */
#ifndef KGEN_GEMM_BLOCK_H
#define KGEN_GEMM_BLOCK_H

namespace {

enum Side { A, B };

constexpr int kThreads = kBlockX * kBlockY * kBlockZ;

KGEN_FN int aligned_bytes(const KgenLayout &layout) {
  return (kgen_elements(&layout) * static_cast<int>(sizeof(ElemA)) + 127) / 128 * 128;
}
constexpr int kBytesA = aligned_bytes(kLayoutA); /* B's tile lies behind A's */

/* True if rows of the operand, as it is stored, run along k. */
template <Side S> constexpr bool kRowsAlongK = S == A ? !kTransA : kTransB != 0;

/* An operand as it is stored, from the corner where this block's tiles begin. */
struct Operand {
  const ElemA *at;
  long long pitch; /* elements */
  int rows, cols;  /* up to the matrix's edge */
};

struct Job {
  Operand a, b;
  int k;
};

/* The part of an operand from `outer` along m or n on; `extent`: its size in that direction. */
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

/* The row and column of this block's tile of C, of BLOCK_M x BLOCK_N elements. Blocks walk bands of
 * kBand rows of tiles column by column, so that those in flight at one time share rows of A and
 * columns of B in L2. */
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
