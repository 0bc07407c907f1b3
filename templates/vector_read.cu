/* Sums rows of kCols elements: out[r] = in[r][0] + ... + in[r][kCols - 1], each thread loading its
 * row of a tile in shared memory by scalars or by vectors.
 *
 * A block copies kRows rows into the tile, coalesced. Then each thread loads its own row, kVector
 * elements per instruction. Rows of a multiple of 128 bytes put all lanes into the same banks: a
 * load then takes 32 wavefronts whatever its width, and vectorizing lowers only the number of
 * loads, until the layout spreads the rows over the banks. */
#include "layout.h"

// kgen:begin
#define KERNEL vector_read
#define LAUNCH vector_read_launch
using Elem = float;
constexpr KgenLayout kLayout = {2, 0, {128, 32}, {32, 1}, 1, {{-2, 28}}};
constexpr int kBlockX = 128;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kVector = 4; // elements per load from the tile
// kgen:end

namespace {

constexpr int kRows = kLayout.extent[0];
constexpr int kCols = kLayout.extent[1];
constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kAcross = kCols / kVector;
static_assert(kRows == kThreads && kCols % kVector == 0, "a thread loads a row of whole vectors");

/* The type that one instruction loads or stores. */
struct alignas(kVector * sizeof(Elem)) Pack {
  Elem element[kVector];
};

/* The vector that begins at (row, col). Every layout that the solver admits keeps it contiguous. */
__device__ __forceinline__ Pack *tile_at(Elem *tile, int row, int col) {
  static constexpr KgenLayout layout = kLayout;
  return reinterpret_cast<Pack *>(tile + kgen_offset2(&layout, row, col));
}

/* Fills the first `rows` rows of the tile. ALIGNED: `in` is aligned to a vector. */
template <bool ALIGNED>
__device__ __forceinline__ void stage_rows(const Elem *in, Elem *tile, int thread, int rows) {
#pragma unroll 8
  for (int v = thread; v < rows * kAcross; v += kThreads) {
    Pack pack;
    if constexpr (ALIGNED)
      pack = reinterpret_cast<const Pack *>(in)[v];
    else
      for (int k = 0; k < kVector; k++) pack.element[k] = in[v * kVector + k];
    *tile_at(tile, v / kAcross, v % kAcross * kVector) = pack;
  }
}

/* Sums a row of the tile, in one sum per element of a vector. The loop is not unrolled, since the
 * compiler would join loads of neighbours, and the width of a load is what this kernel shows. */
__device__ __forceinline__ Elem sum_row(Elem *tile, int row) {
  Elem sum[kVector] = {};
#pragma unroll 1
  for (int v = 0; v < kAcross; v++) {
    const Pack pack = *tile_at(tile, row, v * kVector);
#pragma unroll
    for (int k = 0; k < kVector; k++) sum[k] += pack.element[k];
  }
#pragma unroll
  for (int k = 1; k < kVector; k++) sum[0] += sum[k];
  return sum[0];
}

} // namespace

/* in: rows x kCols elements without gaps; out: `rows` elements. The grid is one-dimensional, one
 * block per tile of kRows rows. */
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, long long rows) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  Elem *tile = reinterpret_cast<Elem *>(shared_memory);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const long long first = blockIdx.x * static_cast<long long>(kRows);
  const Elem *from = in + first * kCols;
  const int here = static_cast<int>(min(rows - first, kRows + 0LL));
  if (reinterpret_cast<size_t>(from) % sizeof(Pack) == 0)
    stage_rows<true>(from, tile, thread, here);
  else
    stage_rows<false>(from, tile, thread, here);
  __syncthreads();
  if (thread < here) out[first + thread] = sum_row(tile, thread);
}

#ifndef __CUDACC_RTC__
#include "launch.h"

/* Sums each of `rows` rows of kCols elements on the stream. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, long long rows, cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  const long long blocks = (rows + kRows - 1) / kRows;
  return launch_blocks(KERNEL, blocks, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, out, in,
                       rows);
}
#endif
