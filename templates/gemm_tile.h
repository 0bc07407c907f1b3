/* gemm_tile.h: the operands of a matrix product, and the order of the tiles of C. Needs the names
 * kTransA, kTransB and kBand. */
#ifndef KGEN_GEMM_TILE_H
#define KGEN_GEMM_TILE_H

namespace {

enum Side { A, B };

/* True if k is the contiguous dimension of the operand: its rows, as it is stored, run along k. */
template <Side S> constexpr bool kRowsAlongK = S == A ? !kTransA : kTransB != 0;

/* The i-th tile of C in units of BLOCK_M x BLOCK_N elements: its row and its column. Bands of kBand
 * rows of tiles are visited column by column, so that the blocks in flight share rows of A and
 * columns of B in L2. */
template <int BLOCK_M, int BLOCK_N>
__device__ __forceinline__ int2 find_tile(unsigned i, int m, int n) {
  const unsigned down = (m - 1u) / BLOCK_M + 1, across = (n - 1u) / BLOCK_N + 1;
  const unsigned band_rows = min(down, kBand + 0u), band = i / (band_rows * across);
  const unsigned in_band = i % (band_rows * across);
  const unsigned height = min(down - band * band_rows, band_rows);
  return make_int2(static_cast<int>(band * band_rows + in_band % height),
                   static_cast<int>(in_band / height));
}

} // namespace

#endif
