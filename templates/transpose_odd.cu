/*
 * Out-of-place transpose of a batch of matrices whose rows are not aligned, such as 8191 x 8193:
 * out[b][c][r] = in[b][r][c] for `batch` matrices of rows x cols elements, any size and pitch.
 *
 * A block copies a tile into shared memory by cp.async, so that all of its loads are in flight and
 * none takes a register. Elements of 1 and 2 bytes are copied as the aligned words of 4 bytes that
 * hold them: each row of the tile begins as far from a word's start as it does in device memory,
 * and has a word more than the kCols elements that the tile moves.
 *
 * A row of the output is divided among blocks where one of its own 32-byte sectors begins, not at a
 * multiple of the tile, so that no sector is stored by two blocks. The tile therefore holds the
 * rows of such a sector in addition to the kRows that it moves.
 *
 * After the barrier a warp takes a column at a time, and its lanes go down the rows. Elements of 4
 * bytes and more are loaded from where the output's sector begins. For smaller ones, a column is
 * one of words: a lane loads the words of kVector rows, shifts each to where its elements begin,
 * and converts them into a vector for each column of elements. Elements that such a vector lacks to
 * be aligned in device memory come from the next lane. Without the layout the loads down the rows
 * would conflict: it spreads the rows, in groups of kVector, over the banks.
 */
#include "async_copy.h"
#include "layout.h"
#include "programmatic.h"
#include "vector.h"

// kgen:begin
#define KERNEL transpose_odd
#define LAUNCH transpose_odd_launch
using Elem = float;
constexpr KgenLayout kLayout = {3, 0, {135, 1, 32}, {33, 33, 1}, 0, {}};
constexpr int kBlockX = 256;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kVector = 1;      // elements per store
constexpr int kBand = 0;        // rows of tiles in a band, visited column by column; 0: all rows
constexpr int kBlocksPerSm = 6; // blocks that registers must let reside on an SM
// kgen:end

namespace {

constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kWarps = kThreads / 32;
constexpr int kBytes = sizeof(Elem);
constexpr int kWord = kBytes < 4 ? 4 : kBytes;     /* bytes per copy */
constexpr int kPerWord = kWord / kBytes;           /* elements of a word */
constexpr int kSector = 32 / kBytes;               /* elements of a sector */
constexpr int kHeld = kLayout.extent[0] * kVector; /* rows in the tile */
constexpr int kRows = kHeld - (kSector - 1 + kVector - 1) / kVector * kVector;
constexpr int kHeldCols = kLayout.extent[2];
constexpr int kCols = kHeldCols - (kPerWord > 1 ? kPerWord : 0);
constexpr int kAcross = kHeldCols / kPerWord; /* words in a row of the tile */
constexpr int kStep = kThreads / kAcross;     /* rows that the block copies at once */
static_assert(kLayout.extent[1] == kVector, "the tile's rows lie in groups of kVector");
static_assert(kThreads % kAcross == 0 && kStep % kPerWord == 0, "the block covers whole rows");
static_assert(kPerWord > 1 ? kHeld == 32 * kVector : kVector == 1, "a group of rows is a lane's");

using Bits = Vector<kBytes>::Type; /* one element; nothing here depends on its value */
using Pack = Vector<kVector * kBytes>::Type;

/* The tile's position in the matrix, and the matrix's position in memory. */
struct Job {
  const char *in, *in_end;       /* the tile's first element; the end of the batch */
  Bits *out;                     /* the address of the tile's first element in the output */
  long long in_pitch, out_pitch; /* pitch of the input in bytes, of the output in elements */
  int rows, cols; /* rows and columns of the matrix from the tile's first element on */
  bool first;     /* the tile begins with the matrix's first row */
};

/* The offset of an element in the tile, in elements. */
__device__ __forceinline__ int tile_at(unsigned row, int col) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset3(&layout, static_cast<int>(row / kVector), static_cast<int>(row % kVector),
                      col);
}

/* Copies the first `bytes` of the word of 4 bytes at `from`; zeros take the place of the others. */
__device__ __forceinline__ void copy_part(unsigned to, size_t from, int bytes) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
               "r"(bytes)
               : "memory");
#else
  unsigned word = 0;
  for (int i = 0; i < bytes; i++)
    word |= static_cast<unsigned>(reinterpret_cast<const unsigned char *>(from)[i]) << 8 * i;
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
#endif
}

/* Copies all rows of a tile inside of the matrix. The bytes of kStep rows are a multiple of a word,
 * so all of a thread's words have the same distance from the start of their rows. */
__device__ __forceinline__ void copy_whole(const Job &job, unsigned tile, unsigned thread) {
  const int word = thread % kAcross;
  const unsigned first = thread / kAcross;
  size_t from =
      (reinterpret_cast<size_t>(job.in) + first * job.in_pitch) / kWord * kWord + word * kWord;
#pragma unroll 8
  for (unsigned row = first; row < kHeld; row += kStep) {
    copy_async<kWord, false>(tile + tile_at(row, word * kPerWord) * kBytes, from, false);
    from += kStep * job.in_pitch;
  }
}

/* Copies the rows of a tile at the matrix's edge. Below the matrix its last row is copied again,
 * and of a word only the part within the batch, which may be nothing: so every tile makes the same
 * copies, and none has a predicate, under which the hardware's counters miss some. */
__device__ __forceinline__ void copy_edge(const Job &job, unsigned tile, unsigned thread) {
  const int word = thread % kAcross;
  if (word * kPerWord >= job.cols + kHeldCols - kCols) return;
#pragma unroll 8
  for (int row = thread / kAcross; row < kHeld; row += kStep) {
    const size_t begin = reinterpret_cast<size_t>(job.in) + min(row, job.rows - 1) * job.in_pitch;
    const size_t from = begin / kWord * kWord + word * kWord;
    const unsigned to = tile + tile_at(row, word * kPerWord) * kBytes;
    const long long left = static_cast<long long>(reinterpret_cast<size_t>(job.in_end) - from);
    if constexpr (kPerWord > 1)
      copy_part(to, from, static_cast<int>(max(0LL, min(left, kWord + 0LL))));
    else
      copy_async<kWord, false>(to, from, false);
  }
}

/* Stores the part of a row of the output that begins with its first whole sector at or after the
 * tile's first row and, if this is the row's first tile, the elements before it. */
template <bool WHOLE>
__device__ __forceinline__ void store_elements(const Job &job, const Bits *tile, Bits *to, int col,
                                               int lane) {
  const unsigned place = static_cast<unsigned>(reinterpret_cast<size_t>(to)) / kBytes;
  const int skew = static_cast<int>((0 - place) % kSector);
#pragma unroll
  for (int row = lane; row < kRows; row += 32)
    if (WHOLE || skew + row < job.rows) to[skew + row] = tile[tile_at(skew + row, col)];
  if (!WHOLE && job.first && lane < min(skew, job.rows)) to[lane] = tile[tile_at(lane, col)];
}

/* Exchanges the odd pieces of `a`, of PIECE bytes each, with the even ones of `b`. */
template <int PIECE> __device__ __forceinline__ void exchange(unsigned &a, unsigned &b) {
  const unsigned even = __byte_perm(a, b, PIECE == 1 ? 0x6240 : 0x5410);
  b = __byte_perm(a, b, PIECE == 1 ? 0x7351 : 0x7632);
  a = even;
}

/* The elements that kVector rows have in each column of a word. */
struct Square {
  unsigned column[kPerWord][kVector / kPerWord];
};

/* Transposes rows of words, in squares of kPerWord x kPerWord elements. */
__device__ __forceinline__ Square transpose_rows(unsigned (&row)[kVector]) {
  Square square;
#pragma unroll
  for (int k = 0; k < kVector; k += kPerWord) {
    if constexpr (kPerWord == 4) {
      exchange<1>(row[k], row[k + 1]);
      exchange<1>(row[k + 2], row[k + 3]);
      exchange<2>(row[k], row[k + 2]);
      exchange<2>(row[k + 1], row[k + 3]);
    } else {
      exchange<2>(row[k], row[k + 1]);
    }
#pragma unroll
    for (int i = 0; i < kPerWord; i++) square.column[i][k / kPerWord] = row[k + i];
  }
  return square;
}

/* Loads the elements of the lane's rows and of a column of words. They begin `begin` bits after a
 * word's start, and `pitch` bits further in each row; kVector rows have whole words of bits. */
__device__ __forceinline__ Square load_square(const Bits *tile, int lane, int col, unsigned begin,
                                              unsigned pitch) {
  unsigned row[kVector];
#pragma unroll
  for (int k = 0; k < kVector; k++) {
    const Bits *const left = tile + tile_at(lane * kVector + k, col);
    const Bits *const right = tile + tile_at(lane * kVector + k, col + kPerWord);
    row[k] = __funnelshift_r(*reinterpret_cast<const unsigned *>(left),
                             *reinterpret_cast<const unsigned *>(right), begin + k * pitch);
  }
  return transpose_rows(row);
}

/* Drops the first `bytes` of a lane's vector and appends the same number from the next lane's. */
template <int N>
__device__ __forceinline__ void shift_vector(unsigned (&vector)[N], unsigned bytes) {
  unsigned word[2 * N];
#pragma unroll
  for (int i = 0; i < N; i++) {
    word[i] = vector[i];
    word[N + i] = __shfl_down_sync(~0u, vector[i], 1);
  }
#pragma unroll
  for (int step = N / 2; step > 0; step /= 2)
#pragma unroll
    for (int i = 0; i + step < 2 * N; i++) word[i] = bytes & (4 * step) ? word[i + step] : word[i];
#pragma unroll
  for (int i = 0; i < N; i++) vector[i] = __funnelshift_r(word[i], word[i + 1], 8 * bytes);
}

/* Stores the first `count` elements of a vector. */
template <int N>
__device__ __forceinline__ void store_part(Bits *to, const unsigned (&vector)[N], int count) {
  Bits element[kVector];
  memcpy(element, vector, sizeof element);
#pragma unroll
  for (int k = 0; k < kVector; k++)
    if (k < count) to[k] = element[k];
}

/* The first address of at least `at` that is a multiple of SIZE. */
template <unsigned SIZE> __device__ __forceinline__ size_t align_up(size_t at) {
  return (at + (SIZE - 1)) / SIZE * SIZE;
}

/* As store_elements, for a column of which each lane has a vector. */
template <bool WHOLE, int N>
__device__ __forceinline__ void store_vectors(const Job &job, unsigned (&vector)[N], Bits *column,
                                              int lane) {
  const size_t begin = reinterpret_cast<size_t>(column);
  const size_t to = align_up<sizeof vector>(begin + lane * sizeof vector);
  const int row = static_cast<int>(to - begin) / kBytes;
  if (!WHOLE && job.first && lane == 0) store_part(column, vector, min(row, job.rows));
  shift_vector(vector, 0 - static_cast<unsigned>(begin));
  const int past =
      static_cast<int>(static_cast<unsigned>(to) - static_cast<unsigned>(align_up<32>(begin)));
  if (past >= kRows * kBytes || (past < 0 && (WHOLE || !job.first))) return;
  if (WHOLE || row + kVector <= job.rows) {
    Pack pack;
    memcpy(&pack, vector, sizeof pack);
    *reinterpret_cast<Pack *>(to) = pack;
  } else {
    store_part(column + row, vector, job.rows - row);
  }
}

/* Stores all columns of a tile; WHOLE: the tile is inside of the matrix, below its first tiles. */
template <bool WHOLE>
__device__ __forceinline__ void store_columns(const Job &job, const Bits *tile, unsigned thread) {
  const int lane = thread % 32, warp = __shfl_sync(~0u, thread / 32, 0);
  const unsigned begin = static_cast<unsigned>(reinterpret_cast<size_t>(job.in)) * 8;
  const unsigned pitch = static_cast<unsigned>(job.in_pitch) * 8;
  Bits *to = job.out + warp * kPerWord * job.out_pitch;
#pragma unroll 1
  for (int col = warp * kPerWord; col < kCols && (WHOLE || col < job.cols);
       col += kWarps * kPerWord) {
    if constexpr (kPerWord > 1) {
      Square square = load_square(tile, lane, col, begin, pitch);
#pragma unroll
      for (int i = 0; i < kPerWord; i++)
        if (WHOLE || col + i < job.cols)
          store_vectors<WHOLE>(job, square.column[i], to + i * job.out_pitch, lane);
    } else {
      store_elements<WHOLE>(job, tile, to, col, lane);
    }
    to += kWarps * kPerWord * job.out_pitch;
  }
}

} // namespace

/* in: batch x rows x in_pitch, out: batch x cols x out_pitch, both pitches in elements; `in` is
 * aligned to 4 bytes. The grid is as for `transpose`: x is a tile's column times kBand plus its row
 * in the band, y the band, z the matrix; if kBand is 0, x is a tile's row and y its column. */
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, unsigned rows, unsigned cols,
           long long in_pitch, long long out_pitch) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  constexpr unsigned band = kBand > 0 ? kBand : 1;
  const unsigned row = (kBand > 0 ? blockIdx.y * band + blockIdx.x % band : blockIdx.x) * kRows;
  const unsigned col = (kBand > 0 ? blockIdx.x / band : blockIdx.y) * kCols;
  if (row >= rows) return; /* the last band may have fewer rows of tiles */
  const unsigned long long matrix = blockIdx.z;
  const Elem *const from = in + (matrix * rows + row) * in_pitch + col;
  const Elem *const end = in + ((gridDim.z * 1ull * rows - 1) * in_pitch + cols);
  const Job job = {reinterpret_cast<const char *>(from),
                   reinterpret_cast<const char *>(end),
                   reinterpret_cast<Bits *>(out + (matrix * cols + col) * out_pitch + row),
                   in_pitch * static_cast<long long>(sizeof(Elem)),
                   out_pitch,
                   static_cast<int>(rows - row),
                   static_cast<int>(cols - col),
                   row == 0};
  const unsigned thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const Bits *const tile = reinterpret_cast<const Bits *>(shared_memory);
  const bool whole = !job.first && job.rows >= kHeld && job.cols >= kHeldCols;
  if (whole)
    copy_whole(job, shared_address(shared_memory), thread);
  else
    copy_edge(job, shared_address(shared_memory), thread);
  commit_copies();
  await_copies<0>();
  if (whole)
    store_columns<true>(job, tile, thread);
  else
    store_columns<false>(job, tile, thread);
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"

namespace {

constexpr int kShared = kgen_elements(&kLayout) * kBytes;

} // namespace

/* Transposes `batch` matrices of rows x cols elements on the stream. in_pitch >= cols and out_pitch
 * >= rows are in elements; `in` and `out` must not overlap; `in` is aligned to 4 bytes. At most
 * 65,535 matrices, of at most 65,535 bands, or columns of tiles if kBand is 0. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, int rows, int cols, long long in_pitch,
                              long long out_pitch, int batch, cudaStream_t stream) {
  if (rows == 0 || cols == 0 || batch == 0) return cudaSuccess;
  constexpr long long band = kBand > 0 ? kBand : 1;
  const long long across = (cols + kCols - 1LL) / kCols, down = (rows + kRows - 1LL) / kRows;
  const long long x = kBand > 0 ? across * band : down;
  const long long y = kBand > 0 ? (down + band - 1) / band : across;
  if (x > 0x7fffffff || y > 65535 || batch > 65535) return cudaErrorInvalidValue;
  const dim3 grid(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(batch));
  return launch_grid(KERNEL, grid, dim3(kBlockX, kBlockY, kBlockZ), kShared, stream,
                     waits_for_launch(KERNEL), out, in, rows, cols, in_pitch, out_pitch);
}
#endif
