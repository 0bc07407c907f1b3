/* Sums the rows of a matrix: out[r] = in[r][0] + ... + in[r][cols - 1].
 *
 * A block sums kRows rows, each warp kRows / warps of them. A lane sums every 32nd vector of all of
 * its warp's rows in registers, so that several loads are in flight. The lanes' sums go into a tile
 * in shared memory with 32 columns and one row for each row of the matrix; then one thread sums
 * each row of the tile, in vectors of 16 bytes. In those loads lanes go down a column of the tile,
 * which the layout keeps free of bank conflicts.
 *
 * Of short rows a lane has few vectors to load. If there are many of them, a block sums kTogether
 * times as many rows: each warp loads as many more of them at once, and their sums go through the
 * tile in turn. */
#include "layout.h"
#include "number.h"
#include "vector.h"

// kgen:begin
#define KERNEL rowsum
#define LAUNCH rowsum_launch
using Elem = float;
constexpr KgenLayout kLayout = {2, 0, {8, 32}, {32, 1}, 1, {{-2, 28}}};
constexpr int kBlockX = 128;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kVector = 4;   // elements per load
constexpr int kUnroll = 4;   // loads of each row that a lane has in flight
constexpr int kTogether = 4; // tiles of rows that a block sums if rows are short and many
constexpr int kMany = 4096;  // tiles that keep a GPU busy kTogether at a time
// kgen:end

namespace {

constexpr int kRows = kLayout.extent[0];
constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kShare = kRows * 32 / kThreads; /* rows per warp */
constexpr int kPace = 32 * kVector * kUnroll; /* columns that a warp loads at a time */

using Pack = Vector<kVector * sizeof(Elem)>::Type;

using Sum = Number<Elem>::Sum;
constexpr int kWide = 16 / sizeof(Sum); /* sums per load from the tile */

/* Tiles whose rows a block sums. */
KGEN_FN int tiles_of_block(int rows, long long cols) {
  return cols <= kPace / 4 && (rows - 1) / kRows + 1 >= kMany ? kTogether : 1;
}

__device__ __forceinline__ int tile_at(int row, int col) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset2(&layout, row, col);
}

template <int COUNT, class T> __device__ __forceinline__ Sum add_up(T pack) {
  Sum element[COUNT], sum = 0;
  memcpy(element, &pack, sizeof element);
#pragma unroll
  for (int k = 0; k < COUNT; k++) sum += element[k];
  return sum;
}

/* Adds this lane's vectors of the first `rows` of the warp's rows, UNROLL of each at a time, to
 * sum[r]; row r begins at in + r * cols. From column c on; returns how far it came. What is left is
 * less than that, and loaded half as many at a time: under conditions loads would wait for each
 * other. */
template <int UNROLL, int ROWS>
__device__ __forceinline__ long long add_vectors(Sum (&sum)[ROWS], const Sum *in, long long cols,
                                                 long long c, int rows, int lane) {
  constexpr int step = 32 * kVector * UNROLL;
#pragma unroll 1
  for (; c + step <= cols; c += step) {
    Pack loaded[UNROLL][ROWS];
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        if (r < rows)
          loaded[u][r] = __ldcs(reinterpret_cast<const Pack *>(in + r * cols + c) + u * 32 + lane);
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        if (r < rows) sum[r] += add_up<kVector>(loaded[u][r]);
  }
  if constexpr (UNROLL > 1) c = add_vectors<UNROLL / 2>(sum, in, cols, c, rows, lane);
  return c;
}

/* Adds this lane's elements of the warp's rows. */
template <int UNROLL, int ROWS>
__device__ __forceinline__ void add_rows(Sum (&sum)[ROWS], const Sum *in, long long cols, int rows,
                                         int lane) {
  const bool vectors = reinterpret_cast<size_t>(in) % sizeof(Pack) == 0 && cols % kVector == 0;
  long long c = 0;
  if (vectors) c = add_vectors<UNROLL>(sum, in, cols, c, rows, lane);
#pragma unroll 2
  for (c += lane; c < cols; c += 32)
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      if (r < rows) sum[r] += in[r * cols + c];
}

/* Sums a row of the tile. */
__device__ __forceinline__ Sum add_lanes(const Sum *tile, int row) {
  Sum sum = 0;
#pragma unroll
  for (int c = 0; c < 32; c += kWide)
    sum += add_up<kWide>(*reinterpret_cast<const uint4 *>(tile + tile_at(row, c)));
  return sum;
}

/* Sums this block's rows, as many as TILES tiles have. A warp's rows are neighbours. */
template <int TILES, int UNROLL>
__device__ __forceinline__ void sum_tiles(Elem *out, const Sum *in, int rows, long long cols,
                                          Sum *tile, int thread) {
  constexpr int share = TILES * kShare;
  const int warp = thread / 32, lane = thread % 32;
  const long long block_row = blockIdx.x * static_cast<long long>(TILES * kRows);
  const long long first = block_row + warp * share;
  Sum sum[share] = {};
  add_rows<UNROLL>(sum, in + first * cols, cols, static_cast<int>(min(rows - first, share + 0LL)),
                   lane);
#pragma unroll
  for (int t = 0; t < TILES; t++) {
    if (t > 0) __syncthreads();
#pragma unroll
    for (int r = 0; r < kShare; r++) tile[tile_at(warp * kShare + r, lane)] = sum[t * kShare + r];
    __syncthreads();
    const long long row = block_row + thread / kShare * share + t * kShare + thread % kShare;
    if (thread < kRows && row < rows) out[row] = add_lanes(tile, thread);
  }
}

} // namespace

/* in: rows x cols elements without gaps; out: `rows` elements. The grid is one-dimensional, one
 * block per tiles_of_block(rows, cols) * kRows rows. */
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, int rows, long long cols) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  Sum *tile = reinterpret_cast<Sum *>(shared_memory);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const Sum *from = reinterpret_cast<const Sum *>(in);
  if (tiles_of_block(rows, cols) == 1)
    sum_tiles<1, kUnroll>(out, from, rows, cols, tile, thread);
  else
    sum_tiles<kTogether, (kUnroll + kTogether - 1) / kTogether>(out, from, rows, cols, tile,
                                                                thread);
}

#ifndef __CUDACC_RTC__
#include "launch.h"

/* Sums `rows` rows of cols elements on the stream. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, int rows, long long cols,
                              cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  if (rows <= 0) return cudaSuccess;
  const int height = kRows * tiles_of_block(rows, cols);
  return launch_blocks(KERNEL, (rows - 1) / height + 1, dim3(kBlockX, kBlockY, kBlockZ), bytes,
                       stream, out, in, rows, cols);
}
#endif
