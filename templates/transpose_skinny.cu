/* Out-of-place transpose of a batch of matrices with one short side, such as 3 x 33,000,000:
 * out[b][c][r] = in[b][r][c] for `batch` matrices of rows x cols elements, any size and pitch.
 *
 * A tile is kLong positions along the long side, of kShort elements each. On its packed side the
 * elements of a position are neighbours in device memory, and if the rows there have no gaps, the
 * whole tile is one stretch of memory: it is moved by vectors of kVector elements. On its strided
 * side a tile has kShort stretches, one per row: a warp moves 32 words of a row at a time, and a
 * lane gathers the elements of its word from the tile, or scatters them into it. So both sides of
 * device memory are coalesced. What could conflict are the single elements, a word's positions
 * apart from lane to lane: the layout spreads them over the banks.
 *
 * The rows of the strided side need no alignment: a warp's words begin at a line of 128 bytes, and
 * elements outside of the words that a block owns are moved one by one. If the packed side has
 * gaps, is not aligned, or is wider than kShort, its elements are moved one by one. */
#include "layout.h"
#include "programmatic.h"
#include "residency.h"
#include "vector.h"

// kgen:begin
#define KERNEL transpose_skinny
#define LAUNCH transpose_skinny_launch
using Elem = float;
constexpr KgenLayout kLayout = {2, 0, {256, 12}, {12, 1}, 0, {}};
constexpr int kBlockX = 256;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kShort = 3;       // elements of the short side in a tile
constexpr int kTall = 1;        // 1: the input's rows are short; 0: the output's rows are short
constexpr int kVector = 4;      // elements per load or store of the packed side
constexpr int kBlocksPerSm = 8; // blocks that registers must let reside on an SM
// kgen:end

namespace {

constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kWarps = kThreads / 32;
constexpr int kBytes = sizeof(Elem);
constexpr int kGroup = 16 / kBytes;                /* positions in a row of the tile */
constexpr int kLong = kLayout.extent[0] * kGroup;  /* positions in the tile */
constexpr int kAcross = kGroup * kShort / kVector; /* vectors in a row of the tile */
constexpr int kVectors = kLong * kShort / kVector; /* vectors in the tile */
constexpr int kWord = kBytes < 4 ? 4 : kBytes;     /* bytes per lane of the strided side */
constexpr int kPerWord = kWord / kBytes;           /* elements of a word */
constexpr int kLine = 32 * kPerWord;               /* positions that a warp moves at once */
constexpr int kLines = kLong / kLine;              /* these in a row */
constexpr int kAlign = kLine * kBytes;             /* bytes of them */
static_assert(kThreads % 32 == 0, "the block has whole warps");
static_assert(kLayout.extent[1] == kGroup * kShort, "a row of the tile is kGroup positions");
static_assert(kLong % kLine == 0, "the tile has whole lines");

using Bits = Vector<kBytes>::Type; /* one element; nothing here depends on its value */
using Pack = Vector<kVector * kBytes>::Type;
using Word = Vector<kWord>::Type;

/* Part of the matrix: `count` positions of `width` elements, both at least 1. */
struct Job {
  const Bits *in;
  Bits *out;
  long long in_pitch, out_pitch; /* elements */
  int count, width;
};

/* The offset of a position's element in the tile, in elements. */
__device__ __forceinline__ int tile_at(int position, int element) {
  static constexpr KgenLayout layout = kLayout;
  if constexpr (kLayout.terms == 0 && kLayout.stride[0] == kGroup * kShort)
    return position * kShort + element;
  const unsigned at = static_cast<unsigned>(position);
  return kgen_offset2(&layout, static_cast<int>(at / kGroup),
                      static_cast<int>(at % kGroup) * kShort + element);
}

/* The offset of a vector of the packed side. */
__device__ __forceinline__ int tile_vector(unsigned vector) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset2(&layout, static_cast<int>(vector / kAcross),
                      static_cast<int>(vector % kAcross) * kVector);
}

/* --- the packed side --- */

/* Copies `count` positions from a stretch of memory into the tile. All loads of a thread are issued
 * before its first store, so that their latencies overlap. */
template <bool WHOLE>
__device__ __forceinline__ void load_stretch(const Bits *from, Bits *tile, int thread, int count) {
  constexpr int loads = (kVectors + kThreads - 1) / kThreads;
  const int vectors = WHOLE ? kVectors : count * kShort / kVector;
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
  if (WHOLE) return;
  const int e = vectors * kVector + thread; /* fewer than kVector are left */
  if (e < count * kShort) tile[tile_at(e / kShort, e % kShort)] = from[e];
}

template <bool WHOLE>
__device__ __forceinline__ void store_stretch(Bits *to, const Bits *tile, int thread, int count) {
  constexpr int stores = (kVectors + kThreads - 1) / kThreads;
  const int vectors = WHOLE ? kVectors : count * kShort / kVector;
#pragma unroll
  for (int j = 0; j < stores; j++) {
    const int v = thread + j * kThreads;
    if (v < vectors)
      __stcs(reinterpret_cast<Pack *>(to) + v,
             *reinterpret_cast<const Pack *>(tile + tile_vector(v)));
  }
  if (WHOLE) return;
  const int e = vectors * kVector + thread;
  if (e < count * kShort) to[e] = tile[tile_at(e / kShort, e % kShort)];
}

__device__ __forceinline__ void load_positions(const Job &job, Bits *tile, int thread) {
#pragma unroll 4
  for (unsigned e = thread; e < kLong * kShort; e += kThreads) {
    const int position = e / kShort, element = e % kShort;
    if (position < job.count && element < job.width)
      tile[tile_at(position, element)] = job.in[position * job.in_pitch + element];
  }
}

__device__ __forceinline__ void store_positions(const Job &job, const Bits *tile, int thread) {
#pragma unroll 4
  for (unsigned e = thread; e < kLong * kShort; e += kThreads) {
    const int position = e / kShort, element = e % kShort;
    if (position < job.count && element < job.width)
      job.out[position * job.out_pitch + element] = tile[tile_at(position, element)];
  }
}

/* --- the strided side --- */

/* A warp's line of a row of the strided side. */
struct Line {
  int row;
  int first; /* position of the lane's word, which may be outside of the block's range */
};

/* Line number `turn` of rows whose starts are aligned to a word: kLines per row. */
__device__ __forceinline__ Line aligned_line(int turn, int lane) {
  return {turn / kLines, (turn % kLines * 32 + lane) * kPerWord};
}

/* Line number `turn` of rows that begin anywhere, `pitch` elements apart: one more per row. */
__device__ __forceinline__ Line any_line(int turn, int lane, size_t begin, long long pitch) {
  const int row = turn / (kLines + 1);
  const size_t at = begin + row * pitch * kBytes;
  const int lead = static_cast<int>(at % kAlign) / kBytes;
  return {row, (turn % (kLines + 1) * 32 + lane) * kPerWord - lead};
}

__device__ __forceinline__ Word gather(const Bits *tile, Line line) {
  Bits element[kPerWord];
  Word word;
#pragma unroll
  for (int k = 0; k < kPerWord; k++) element[k] = tile[tile_at(line.first + k, line.row)];
  memcpy(&word, element, sizeof word);
  return word;
}

__device__ __forceinline__ void scatter(Bits *tile, Line line, Word word) {
  Bits element[kPerWord];
  memcpy(element, &word, sizeof word);
#pragma unroll
  for (int k = 0; k < kPerWord; k++) tile[tile_at(line.first + k, line.row)] = element[k];
}

__device__ __forceinline__ bool is_inside(Line line, int count) {
  return line.first >= 0 && line.first + kPerWord <= count;
}

/* A full tile with aligned rows. */
__device__ __forceinline__ void store_rows(const Job &job, const Bits *tile, int warp, int lane) {
  constexpr int turns = (kShort * kLines + kWarps - 1) / kWarps;
#pragma unroll
  for (int j = 0; j < turns; j++) {
    const Line line = aligned_line(warp + j * kWarps, lane);
    if (line.row < kShort)
      __stcs(reinterpret_cast<Word *>(job.out + line.row * job.out_pitch + line.first),
             gather(tile, line));
  }
}

__device__ __forceinline__ void load_rows(const Job &job, Bits *tile, int warp, int lane) {
  constexpr int turns = (kShort * kLines + kWarps - 1) / kWarps;
  Word loaded[turns];
#pragma unroll
  for (int j = 0; j < turns; j++) {
    const Line line = aligned_line(warp + j * kWarps, lane);
    if (line.row < kShort)
      loaded[j] =
          __ldcs(reinterpret_cast<const Word *>(job.in + line.row * job.in_pitch + line.first));
  }
#pragma unroll
  for (int j = 0; j < turns; j++) {
    const Line line = aligned_line(warp + j * kWarps, lane);
    if (line.row < kShort) scatter(tile, line, loaded[j]);
  }
}

__device__ __forceinline__ void store_any_rows(const Job &job, const Bits *tile, int warp,
                                               int lane) {
  const size_t begin = reinterpret_cast<size_t>(job.out);
#pragma unroll 2
  for (int turn = warp; turn < job.width * (kLines + 1); turn += kWarps) {
    const Line line = any_line(turn, lane, begin, job.out_pitch);
    Bits *const to = job.out + line.row * job.out_pitch + line.first;
    if (is_inside(line, job.count)) {
      *reinterpret_cast<Word *>(to) = gather(tile, line);
      continue;
    }
#pragma unroll
    for (int k = 0; k < kPerWord; k++)
      if (line.first + k >= 0 && line.first + k < job.count)
        to[k] = tile[tile_at(line.first + k, line.row)];
  }
}

__device__ __forceinline__ void load_any_rows(const Job &job, Bits *tile, int warp, int lane) {
  constexpr int in_flight = 8;
  const size_t begin = reinterpret_cast<size_t>(job.in);
  const int turns = job.width * (kLines + 1);
#pragma unroll 1
  for (int turn = warp; turn < turns; turn += kWarps * in_flight) {
    Word loaded[in_flight];
#pragma unroll
    for (int j = 0; j < in_flight; j++) {
      const Line line = any_line(turn + j * kWarps, lane, begin, job.in_pitch);
      if (turn + j * kWarps < turns && is_inside(line, job.count))
        loaded[j] =
            __ldcs(reinterpret_cast<const Word *>(job.in + line.row * job.in_pitch + line.first));
    }
#pragma unroll
    for (int j = 0; j < in_flight; j++) {
      const Line line = any_line(turn + j * kWarps, lane, begin, job.in_pitch);
      if (turn + j * kWarps >= turns) continue;
      if (is_inside(line, job.count)) {
        scatter(tile, line, loaded[j]);
        continue;
      }
#pragma unroll
      for (int k = 0; k < kPerWord; k++)
        if (line.first + k >= 0 && line.first + k < job.count)
          tile[tile_at(line.first + k, line.row)] =
              job.in[line.row * job.in_pitch + line.first + k];
    }
  }
}

/* --- the tile --- */

template <class T> __device__ __forceinline__ bool is_aligned(const Bits *p, long long pitch) {
  return (reinterpret_cast<size_t>(p) | static_cast<size_t>(pitch) * kBytes) % sizeof(T) == 0;
}

/* True if the rows of the strided side begin at sectors, and the tile is full. */
__device__ __forceinline__ bool rows_fit(const Job &job, const Bits *p, long long pitch) {
  struct Sector {
    char byte[32];
  };
  return job.count == kLong && job.width == kShort && is_aligned<Sector>(p, pitch);
}

/* True if the packed side is a stretch of memory. */
__device__ __forceinline__ bool is_stretch(const Job &job, const Bits *p, long long pitch) {
  return job.width == kShort && pitch == kShort && is_aligned<Pack>(p, 0);
}

__device__ __forceinline__ void move_tall(const Job &job, Bits *tile, int thread) {
  const int lane = thread % 32, warp = __shfl_sync(~0u, thread / 32, 0);
  if (!is_stretch(job, job.in, job.in_pitch))
    load_positions(job, tile, thread);
  else if (job.count == kLong)
    load_stretch<true>(job.in, tile, thread, kLong);
  else
    load_stretch<false>(job.in, tile, thread, job.count);
  __syncthreads();
  if (rows_fit(job, job.out, job.out_pitch))
    store_rows(job, tile, warp, lane);
  else
    store_any_rows(job, tile, warp, lane);
}

__device__ __forceinline__ void move_wide(const Job &job, Bits *tile, int thread) {
  const int lane = thread % 32, warp = __shfl_sync(~0u, thread / 32, 0);
  if (rows_fit(job, job.in, job.in_pitch))
    load_rows(job, tile, warp, lane);
  else
    load_any_rows(job, tile, warp, lane);
  __syncthreads();
  if (!is_stretch(job, job.out, job.out_pitch))
    store_positions(job, tile, thread);
  else if (job.count == kLong)
    store_stretch<true>(job.out, tile, thread, kLong);
  else
    store_stretch<false>(job.out, tile, thread, job.count);
}

} // namespace

/* in: batch x rows x in_pitch, out: batch x cols x out_pitch, pitches in elements. Grid: x = tile
 * along the long side, y = tile along the short one, z = matrix. */
extern "C" __global__ void __launch_bounds__(kThreads, resident_blocks(kBlocksPerSm, kThreads))
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, unsigned rows, unsigned cols,
           long long in_pitch, long long out_pitch) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  Bits *tile = reinterpret_cast<Bits *>(shared_memory);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const unsigned position = blockIdx.x * kLong, element = blockIdx.y * kShort;
  const unsigned row = kTall ? position : element, col = kTall ? element : position;
  const unsigned long long matrix = blockIdx.z;
  const Bits *const from = reinterpret_cast<const Bits *>(in) + (matrix * rows + row) * in_pitch;
  Bits *const to = reinterpret_cast<Bits *>(out) + (matrix * cols + col) * out_pitch;
  const unsigned count = kTall ? rows - row : cols - col, width = kTall ? cols - col : rows - row;
  const Job job = {from + col,
                   to + row,
                   in_pitch,
                   out_pitch,
                   static_cast<int>(min(count, kLong + 0u)),
                   static_cast<int>(min(width, kShort + 0u))};
  if constexpr (kTall)
    move_tall(job, tile, thread);
  else
    move_wide(job, tile, thread);
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"

/* Transposes `batch` matrices of rows x cols elements on the stream. in_pitch >= cols and out_pitch
 * >= rows are in elements; `in` and `out` must not overlap. The short side has at most 65,535 *
 * kShort elements. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, int rows, int cols, long long in_pitch,
                              long long out_pitch, int batch, cudaStream_t stream) {
  constexpr long long matrices = 65535;
  constexpr int bytes = kgen_elements(&kLayout) * kBytes;
  if (rows == 0 || cols == 0 || batch == 0) return cudaSuccess;
  const long long x = ((kTall ? rows : cols) + kLong - 1LL) / kLong;
  const long long y = ((kTall ? cols : rows) + kShort - 1LL) / kShort;
  if (y > 65535) return cudaErrorInvalidValue;
  const bool early = waits_for_launch(KERNEL);
  cudaError_t error = cudaSuccess;
  for (long long m = 0; m < batch && error == cudaSuccess; m += matrices) {
    const long long z = batch - m < matrices ? batch - m : matrices;
    const dim3 grid(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
    error = launch_grid(KERNEL, grid, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, early,
                        out + m * cols * out_pitch, in + m * rows * in_pitch, rows, cols, in_pitch,
                        out_pitch);
  }
  return error;
}
#endif
