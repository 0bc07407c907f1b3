/* struct_tile.h: a tile of whole structs, a row of it as many as have one field's elements fill a
 * vector of 16 bytes. Needs layout.h, vector.h, and kLayout, kFields, Elem and the block. */
#ifndef KGEN_STRUCT_TILE_H
#define KGEN_STRUCT_TILE_H

namespace {

constexpr int kRows = kLayout.extent[0]; /* of kVector structs, what a thread turns at once */
constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kTurns = kRows / kThreads;
constexpr int kVector = 16 / static_cast<int>(sizeof(Elem));
constexpr int kStructs = kRows * kVector;
static_assert(kLayout.extent[1] == kFields * kVector && kRows % kThreads == 0, "tile and block");

using Pack = Vector<16>::Type;           /* kVector elements */
using Bits = Vector<sizeof(Elem)>::Type; /* one element; nothing here depends on its value */

/* A vector stays whole in every layout of this tile. */
__device__ __forceinline__ int tile_at(int row, int col) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset2(&layout, row, col);
}

/* A matrix of ROWS x COLS elements in registers is turned: they only change their names. */
template <int ROWS, int COLS> __device__ __forceinline__ void turn_elements(Pack (&pack)[kFields]) {
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
