/* Out-of-place transpose of a batch of matrices whose rows are not aligned, such as 8191 x 8193:
 * out[b][c][r] = in[b][r][c] for `batch` matrices of rows x cols elements, any size and pitch.
 *
 * A block copies a tile of kRows x kCols elements into shared memory by cp.async, so that all of
 * its loads are in flight and none takes a register. Elements of 1 and 2 bytes are copied as the
 * aligned words of 4 bytes that hold them: each row of the tile begins as far from a word's start
 * as it does in device memory, and takes one word more.
 *
 * After the barrier lanes go down a column of the tile, gather kVector elements each, and store
 * them as aligned vectors along a row of the output. A row of the output is divided among blocks
 * where one of its own 32-byte sectors begins, not at a multiple of the tile, so that no sector is
 * stored by two blocks. The tiles therefore overlap by the rows of such a sector. What would
 * conflict are the loads down the column: the tile's rows lie in groups of kVector, and the layout
 * spreads the groups over the banks. */
#include "async_copy.h"
#include "layout.h"
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
constexpr int kBand = 1;        // rows of tiles in a band, which blocks visit column by column
constexpr int kBlocksPerSm = 6; // blocks that registers must let reside on an SM
// kgen:end

namespace {

constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kWord = sizeof(Elem) < 4 ? 4 : sizeof(Elem); /* bytes per copy */
constexpr int kPerWord = kWord / sizeof(Elem);
constexpr int kMore = kPerWord > 1 ? kPerWord : 0; /* elements of a row's extra word */
constexpr int kSector = 32 / sizeof(Elem);         /* elements of a sector */
constexpr int kGroups = kLayout.extent[0];
constexpr int kCols = kLayout.extent[2] - kMore;
constexpr int kRows = kGroups * kVector - (kSector - 1 + kVector - 1) / kVector * kVector;
constexpr int kHeld = kGroups * kVector; /* rows in the tile: kRows and a sector's, less one */
constexpr int kAcross = kCols / kPerWord;
constexpr int kDown = kRows / kVector;
static_assert(kLayout.extent[1] == kVector, "the tile's rows lie in groups of kVector");
static_assert(kThreads % kAcross == 0 && kThreads % kDown == 0, "the block covers whole rows");

using Bits = Vector<sizeof(Elem)>::Type; /* one element; nothing here depends on its value */
using Pack = Vector<kVector * sizeof(Elem)>::Type;

/* The tile's place in the matrix and the matrix's place in memory. */
struct Job {
  const char *in, *in_end;       /* the tile's first element; the end of the batch */
  Bits *out;                     /* where the tile's first element goes */
  long long in_pitch, out_pitch; /* of the input in bytes, of the output in elements */
  int rows, cols;                /* that the matrix has from the tile's first element on */
  bool first;                    /* the tile begins with the matrix's first row */
};

/* The offset of an element in the tile, in elements. */
__device__ __forceinline__ int tile_at(int row, int col) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset3(&layout, row / kVector, row % kVector, col);
}

/* The elements between the start of a word and the start of the tile's row, at most 3. */
__device__ __forceinline__ int shift_of(const Job &job, int row) {
  if constexpr (kPerWord == 1) return 0;
  const unsigned begin = static_cast<unsigned>(reinterpret_cast<size_t>(job.in));
  const unsigned at = begin + row * static_cast<unsigned>(job.in_pitch);
  return static_cast<int>(at % kWord / sizeof(Elem));
}

/* Copies the first `bytes` of the word of 4 bytes at `from`; zeros take the place of the others. */
template <int WORD> __device__ __forceinline__ void copy_part(unsigned to, size_t from, int bytes) {
  static_assert(WORD == 4, "elements of 4 bytes and more are never copied in part");
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

/* Copies the word that begins kPerWord * `word` elements into a row; if PART, what the batch has of
 * it. Below the matrix its last row is copied again, so that every tile makes the same copies. In
 * the place of a word beyond the batch's end, which nobody reads, the row's first one is copied:
 * the hardware's counters leave out copies of zeros alone. */
template <bool PART>
__device__ __forceinline__ void copy_word(const Job &job, unsigned tile, int row, int word) {
  const size_t begin = reinterpret_cast<size_t>(job.in) + min(row, job.rows - 1) * job.in_pitch;
  const size_t first = begin / kWord * kWord, from = first + word * kWord;
  const unsigned to = tile + tile_at(row, word * kPerWord) * static_cast<int>(sizeof(Elem));
  if constexpr (PART && kPerWord > 1) {
    const size_t end = reinterpret_cast<size_t>(job.in_end), there = from < end ? from : first;
    copy_part<kWord>(to, there, static_cast<int>(min(end - there, size_t{4})));
  } else {
    copy_async<kWord, false>(to, from, false);
  }
}

/* Copies all rows of a tile. WHOLE: the matrix has all of its columns, so that only a row's extra
 * word can extend beyond the matrix. */
template <bool WHOLE>
__device__ __forceinline__ void copy_rows(const Job &job, unsigned tile, int thread) {
  const int word = thread % kAcross;
#pragma unroll 8
  for (int row = thread / kAcross; row < kHeld; row += kThreads / kAcross)
    if (WHOLE || word * kPerWord < job.cols + kMore) copy_word<!WHOLE>(job, tile, row, word);
  if constexpr (kMore > 0)
    for (int row = thread; row < kHeld; row += kThreads)
      if (WHOLE || kCols < job.cols + kMore) copy_word<true>(job, tile, row, kAcross);
}

__device__ __forceinline__ Bits element_at(const Job &job, const Bits *tile, int row, int col) {
  return tile[tile_at(row, col + shift_of(job, row))];
}

/* Stores up to kVector elements of a column, from `row` on, where a vector of the output begins. */
__device__ __forceinline__ void store_vector(const Job &job, const Bits *tile, Bits *to, int row,
                                             int col) {
  Bits element[kVector];
#pragma unroll
  for (int k = 0; k < kVector; k++) element[k] = element_at(job, tile, row + k, col);
  if (row + kVector <= job.rows) {
    Pack pack;
    memcpy(&pack, element, sizeof pack);
    *reinterpret_cast<Pack *>(to + row) = pack;
  } else {
#pragma unroll
    for (int k = 0; k < kVector; k++)
      if (row + k < job.rows) to[row + k] = element[k];
  }
}

/* Stores the part of each row of the output that begins with its first whole sector at or after the
 * tile's first row, and what lies before it if this is the row's first tile. */
__device__ __forceinline__ void store_columns(const Job &job, const Bits *tile, int thread) {
  const int at = thread % kDown * kVector;
#pragma unroll 4
  for (int col = thread / kDown; col < kCols; col += kThreads / kDown) {
    if (col >= job.cols) break;
    Bits *const to = job.out + col * job.out_pitch;
    const size_t place = reinterpret_cast<size_t>(to) / sizeof(Elem);
    const int skew = static_cast<int>((0 - place) % kSector);
    if (skew + at < job.rows) store_vector(job, tile, to, skew + at, col);
    if (job.first)
      for (int row = at; row < min(at + kVector, min(skew, job.rows)); row++)
        to[row] = element_at(job, tile, row, col);
  }
}

} // namespace

/* in: batch x rows x in_pitch, out: batch x cols x out_pitch, both pitches in elements; `in` is
 * aligned to 4 bytes. The grid is that of `transpose`: x is a tile's column times kBand plus its
 * row in the band, y the band, z the matrix. */
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, unsigned rows, unsigned cols,
           long long in_pitch, long long out_pitch) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  const unsigned row = (blockIdx.y * kBand + blockIdx.x % kBand) * kRows;
  const unsigned col = blockIdx.x / kBand * kCols;
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
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  if (job.cols >= kCols)
    copy_rows<true>(job, shared_address(shared_memory), thread);
  else
    copy_rows<false>(job, shared_address(shared_memory), thread);
  commit_copies();
  await_copies<0>();
  store_columns(job, reinterpret_cast<const Bits *>(shared_memory), thread);
}

#ifndef __CUDACC_RTC__
namespace {

constexpr int kBytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));

} // namespace

/* Transposes `batch` matrices of rows x cols elements on the stream. in_pitch >= cols and out_pitch
 * >= rows are in elements; `in` and `out` must not overlap; `in` is aligned to 4 bytes. At most
 * 65,535 matrices of at most 65,535 bands. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, int rows, int cols, long long in_pitch,
                              long long out_pitch, int batch, cudaStream_t stream) {
  if (rows == 0 || cols == 0 || batch == 0) return cudaSuccess;
  const long long x = (cols + kCols - 1LL) / kCols * kBand;
  const long long y = (rows + kRows * kBand - 1LL) / (kRows * kBand);
  if (x > 0x7fffffff || y > 65535 || batch > 65535) return cudaErrorInvalidValue;
  const cudaError_t error =
      cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (error != cudaSuccess) return error;
  const dim3 grid(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(batch));
  KERNEL<<<grid, dim3(kBlockX, kBlockY, kBlockZ), kBytes, stream>>>(
      out, in, static_cast<unsigned>(rows), static_cast<unsigned>(cols), in_pitch, out_pitch);
  return cudaGetLastError();
}
#endif
