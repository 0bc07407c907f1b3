/* Bank conflicts to look at under a profiler: out[i] = in[i * kStride] through shared memory.
 *
 * Every thread stores one element into the tile and, after the barrier, loads it back. kPattern
 * selects where: a warp accesses a row of the tile (one wavefront), a column (32 wavefronts for
 * 4-byte elements without padding or swizzle), or a row whose elements are permuted (one wavefront
 * again: only the banks count, not their order). kStride above 1 uncoalesces the loads from device
 * memory instead. A warp's 32 lanes lie along a row of the block. */
#include "layout.h"

// kgen:begin
#define KERNEL banks
#define LAUNCH banks_launch
using Elem = float;
constexpr KgenLayout kLayout = {2, 0, {32, 32}, {32, 1}, 0, {}};
constexpr int kBlockX = 32;
constexpr int kBlockY = 32;
constexpr int kBlockZ = 1;
constexpr int kPattern = 1; // a warp accesses 0: a row of the tile, 1: a column, 2: a permuted row
constexpr int kStride = 1;  // elements between neighbouring loads from device memory
// kgen:end

namespace {

constexpr int kRows = kLayout.extent[0];
constexpr int kCols = kLayout.extent[1];
constexpr int kThreads = kBlockX * kBlockY * kBlockZ;

__device__ __forceinline__ int tile_at(int row, int col) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset2(&layout, row, col);
}

/* The offset of the element of the thread at (row, col) of the block. */
__device__ __forceinline__ int place(int row, int col) {
  if constexpr (kPattern == 0)
    return tile_at(row, col);
  else if constexpr (kPattern == 1)
    return tile_at(col, row);
  else
    return tile_at(row, col * 5 % kCols);
}

} // namespace

/* in: at least (count - 1) * kStride + 1 elements; out: count elements. The grid is
 * one-dimensional, one block per tile. */
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, long long count) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  Elem *tile = reinterpret_cast<Elem *>(shared_memory);
  const int row = threadIdx.y, col = threadIdx.x, at = place(row, col);
  const long long i = blockIdx.x * static_cast<long long>(kRows * kCols) + row * kCols + col;
  if (i < count) tile[at] = in[i * kStride];
  __syncthreads();
  if (i < count) out[i] = tile[at];
}

#ifndef __CUDACC_RTC__
#include "launch.h"

/* Copies count elements, kStride apart in `in`, on the stream; the arrays do not overlap. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, long long count, cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  const long long blocks = (count + kRows * kCols - 1) / (kRows * kCols);
  return launch_blocks(KERNEL, blocks, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, out, in,
                       count);
}
#endif
