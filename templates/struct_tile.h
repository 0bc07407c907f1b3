/* struct_tile.h: a tile of whole structs of kFields elements. Each row holds kVector structs; one
 * field of all of them fills a vector of 16 bytes. Needs layout.h and vector.h, and the names
 * kLayout, kFields, Elem, kBlockX, kBlockY and kBlockZ. */
#ifndef KGEN_STRUCT_TILE_H
#define KGEN_STRUCT_TILE_H

namespace {

constexpr int kRows = kLayout.extent[0]; /* a thread transposes one row at a time */
constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kRowsPerThread = kRows / kThreads; /* rows per thread */
constexpr int kVector = 16 / static_cast<int>(sizeof(Elem));
constexpr int kStructs = kRows * kVector; /* structs per tile, hence per block */
static_assert(kLayout.extent[1] == kFields * kVector, "a row of the tile is kVector structs");
static_assert(kRows % kThreads == 0, "every thread has the same number of rows");

using Pack = Vector<16>::Type;           /* kVector elements */
using Bits = Vector<sizeof(Elem)>::Type; /* one element; nothing here depends on its value */

/* The offset of an element in the tile, in elements. Every layout that the solver admits keeps an
 * aligned vector contiguous, so that one instruction moves it. */
__device__ __forceinline__ int tile_at(int row, int col) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset2(&layout, row, col);
}

/* Transposes a matrix of ROWS x COLS elements in registers, which costs no instruction for elements
 * of 4 bytes and more: the compiler only renames registers. */
template <int ROWS, int COLS>
__device__ __forceinline__ void transpose_elements(Pack (&pack)[kFields]) {
  Bits in[ROWS][COLS], out[COLS][ROWS];
  static_assert(sizeof in == sizeof pack, "whole vectors");
  memcpy(in, pack, sizeof in);
#pragma unroll
  for (int r = 0; r < ROWS; r++)
#pragma unroll
    for (int c = 0; c < COLS; c++) out[c][r] = in[r][c];
  memcpy(pack, out, sizeof out);
}

} // namespace

#endif
