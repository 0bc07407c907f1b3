/* Out-of-place transpose of a batch of small matrices, such as 1,000,000 of 8 x 8:
 * out[b][c][r] = in[b][r][c] for `batch` matrices of rows x cols elements, any size and pitch.
 *
 * A block moves kMatrices matrices of kRows x kCols elements. If they have no gaps, they are one
 * stretch of memory on both sides. The block loads it by vectors of kVector elements into the tile.
 * After the barrier a lane gathers the elements of a word of the output, and a warp stores 32 words
 * that are neighbours. What could conflict are these gathers, a row of a matrix apart from lane to
 * lane: the layout spreads them over the banks.
 *
 * Matrices of another size, with gaps, or at addresses that are not aligned to a vector, are moved
 * element by element without the tile. */
#include "layout.h"
#include "programmatic.h"
#include "residency.h"
#include "vector.h"

// kgen:begin
#define KERNEL transpose_small
#define LAUNCH transpose_small_launch
using Elem = float;
constexpr KgenLayout kLayout = {2, 0, {64, 32}, {32, 1}, 0, {}};
constexpr int kBlockX = 256;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kRows = 8;        // rows of a matrix
constexpr int kCols = 8;        // columns of a matrix
constexpr int kMatrices = 32;   // matrices per block
constexpr int kVector = 4;      // elements per load
constexpr int kBlocksPerSm = 6; // blocks that registers must let reside on an SM
// kgen:end

namespace {

constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kBytes = sizeof(Elem);
constexpr int kMatrix = kRows * kCols;               /* elements of a matrix */
constexpr int kElements = kMatrices * kMatrix;       /* elements of a block's matrices */
constexpr int kVectors = kElements / kVector;        /* and their vectors */
constexpr int kAcross = kLayout.extent[1] / kVector; /* vectors in a row of the tile */
constexpr int kGroup = kLayout.extent[1] / kCols;    /* rows of matrices in a row of the tile */
constexpr int kWord = kBytes < 4 ? 4 : kBytes;       /* bytes per store */
constexpr int kPerWord = kWord / kBytes;             /* elements of a word */
constexpr int kWords = kElements / kPerWord;
static_assert(kLayout.extent[1] % kCols == 0 && kLayout.extent[1] % kVector == 0, "whole rows");
static_assert(kLayout.extent[0] * kGroup >= kMatrices * kRows, "the tile holds the matrices");
static_assert(kElements % kVector == 0 && kElements % kPerWord == 0, "whole vectors and words");

using Bits = Vector<kBytes>::Type; /* one element; nothing here depends on its value */
using Pack = Vector<kVector * kBytes>::Type;
using Word = Vector<kWord>::Type;

/* The offset of an element of the output in the tile, both counted from the block's first. */
__device__ __forceinline__ int tile_at(int element) {
  static constexpr KgenLayout layout = kLayout;
  const unsigned e = static_cast<unsigned>(element), matrix = e / kMatrix, rest = e % kMatrix;
  const unsigned row = matrix * kRows + rest % kRows;
  return kgen_offset2(&layout, static_cast<int>(row / kGroup),
                      static_cast<int>(row % kGroup * kCols + rest / kRows));
}

__device__ __forceinline__ int tile_vector(unsigned vector) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset2(&layout, static_cast<int>(vector / kAcross),
                      static_cast<int>(vector % kAcross) * kVector);
}

/* Moves a stretch of `count` elements, which is all matrices of the block if WHOLE. All loads of a
 * thread are issued before its first store, so that their latencies overlap. */
template <bool WHOLE>
__device__ __forceinline__ void move_stretch(Bits *to, const Bits *from, Bits *tile, int thread,
                                             int count) {
  constexpr int loads = (kVectors + kThreads - 1) / kThreads;
  constexpr int stores = (kWords + kThreads - 1) / kThreads;
  const int vectors = WHOLE ? kVectors : count / kVector;
  const int words = WHOLE ? kWords : count / kPerWord;
  Pack loaded[loads];
#pragma unroll
  for (int j = 0; j < loads; j++) {
    const int v = thread + j * kThreads;
    if (v < vectors) loaded[j] = __ldcs(reinterpret_cast<const Pack *>(from) + v);
  }
#pragma unroll
  for (int j = 0; j < loads; j++) {
    const int v = thread + j * kThreads;
    if (v < vectors) *reinterpret_cast<Pack *>(tile + tile_vector(v)) = loaded[j];
  }
  if (!WHOLE && thread < count - vectors * kVector) {
    const int e = vectors * kVector + thread; /* element of the input */
    const unsigned row = static_cast<unsigned>(e) / kCols;
    static constexpr KgenLayout layout = kLayout;
    tile[kgen_offset2(&layout, static_cast<int>(row / kGroup),
                      static_cast<int>(row % kGroup) * kCols + e % kCols)] = from[e];
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < stores; j++) {
    const int w = thread + j * kThreads;
    if (w >= words) continue;
    Bits element[kPerWord];
    Word word;
#pragma unroll
    for (int k = 0; k < kPerWord; k++) element[k] = tile[tile_at(w * kPerWord + k)];
    memcpy(&word, element, sizeof word);
    __stcs(reinterpret_cast<Word *>(to) + w, word);
  }
  const int last = words * kPerWord + thread;
  if (!WHOLE && last < count) to[last] = tile[tile_at(last)];
}

} // namespace

/* in: batch x rows x in_pitch, out: batch x cols x out_pitch, pitches in elements. The grid is
 * one-dimensional, one block per kMatrices matrices. */
extern "C" __global__ void __launch_bounds__(kThreads, resident_blocks(kBlocksPerSm, kThreads))
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, unsigned rows, unsigned cols,
           long long in_pitch, long long out_pitch, unsigned batch) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const unsigned long long first = blockIdx.x * static_cast<unsigned long long>(kMatrices);
  const int matrices = static_cast<int>(min(batch - first, kMatrices + 0ull));
  const Bits *const from = reinterpret_cast<const Bits *>(in) + first * rows * in_pitch;
  Bits *const to = reinterpret_cast<Bits *>(out) + first * cols * out_pitch;
  Bits *const tile = reinterpret_cast<Bits *>(shared_memory);
  const size_t addresses = reinterpret_cast<size_t>(from) | reinterpret_cast<size_t>(to);
  const bool fits = rows == kRows && cols == kCols && in_pitch == kCols && out_pitch == kRows &&
                    addresses % sizeof(Pack) == 0;
  if (fits && matrices == kMatrices) {
    move_stretch<true>(to, from, tile, thread, kElements);
  } else if (fits) {
    move_stretch<false>(to, from, tile, thread, matrices * kMatrix);
  } else {
    const unsigned long long matrix = static_cast<unsigned long long>(rows) * cols;
    for (unsigned long long e = thread; e < matrix * matrices; e += kThreads) {
      const unsigned long long b = e / matrix, rest = e % matrix, c = rest / rows, r = rest % rows;
      to[(b * cols + c) * out_pitch + r] = from[(b * rows + r) * in_pitch + c];
    }
  }
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"

/* Transposes `batch` matrices of rows x cols elements on the stream. in_pitch >= cols and out_pitch
 * >= rows are in elements; `in` and `out` must not overlap. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, int rows, int cols, long long in_pitch,
                              long long out_pitch, int batch, cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * kBytes;
  if (rows == 0 || cols == 0) return cudaSuccess;
  return launch_programmatic(KERNEL, (batch + kMatrices - 1LL) / kMatrices,
                             dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, out, in, rows, cols,
                             in_pitch, out_pitch, batch);
}
#endif
