/* Sums the columns of a matrix in one launch: out[c] = in[0][c] + ... + in[rows - 1][c].
 *
 * A block sums a chunk of a strip of kWidth columns: kChunk rows, less of a small matrix. Each
 * of its threads sums every kBlockY-th row of kVector columns in registers, with kUnroll loads in
 * flight; the kBlockY partial sums of a column then meet in a tile in shared memory. If a strip has
 * several chunks, the block that finishes last sums theirs as if they were one more chunk, always
 * in the same order: the result does not depend on timing.
 *
 * A matrix of some hundred rows would wait longer for that exchange than for its sums. It has a
 * kernel of its own without any: strips are halved until there are blocks enough, and a row of
 * threads takes as many rows of the narrow strip. A third kernel is for low matrices, whose strips
 * are doubled until one wave of blocks has all of them. A fourth kernel is for thin matrices: of
 * rows that are few and long each thread sums all in its columns, without the tile; of columns that
 * fill half a strip or less, chunks of one narrow strip are summed and exchanged. */
#include "layout.h"
#include "number.h"
#include "programmatic.h"
#include "ticket.h"
#include "vector.h"

// kgen:begin
#define KERNEL colsum
#define LAUNCH colsum_launch
using Elem = float;
constexpr KgenLayout kLayout = {2, 0, {8, 128}, {128, 1}, 0, {}};
constexpr int kBlockX = 32;
constexpr int kBlockY = 8;
constexpr int kBlockZ = 1;
constexpr int kVector = 4;     // columns per thread
constexpr int kUnroll = 8;     // rows that a thread has in flight
constexpr int kChunk = 512;    // rows per block, at most
constexpr int kLeast = 128;    // rows of the shortest chunk
constexpr int kChunks = 512;   // chunks of a strip, at most
constexpr int kBlocks = 256;   // blocks that small matrices are divided among
constexpr int kBrief = 2048;   // rows that are one chunk, of narrow strips
constexpr int kHalvings = 3;   // columns per strip, at most
constexpr int kDoublings = 1;  // columns per strip, at most
constexpr int kResident = 528; // blocks that reside on a GPU at the same time
// kgen:end

#define JOIN_(a, b)  a##b
#define JOIN(a, b)   JOIN_(a, b)
#define NARROW(name) JOIN(name, _narrow)
#define THIN(name)   JOIN(name, _thin)
#define WIDE(name)   JOIN(name, _wide)

namespace {

constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kWidth = kBlockX * kVector; /* columns per strip */

static_assert(kLeast > 0 && kLeast <= kChunk && kBrief > 0 && kBlocks > 0, "chunks have rows");

/* Rows that a thread has in flight where strips are narrow: blocks are few, so that registers do
 * not count. With as many, thin matrices would have too few threads on an SM. */
constexpr int kNarrowFlight = 16, kThinFlight = 8;

using Pack = Vector<kVector * sizeof(Elem)>::Type;

using Sum = Number<Elem>::Sum;

/* The rows of a chunk. A matrix of few strips is divided until there are kBlocks blocks. More
 * chunks than that, or more than kChunks in a strip, take longer to add up than they save. */
KGEN_FN long long chunk_rows(long long rows, long long strips) {
  const long long share = rows * strips / kBlocks, most = share < kChunk ? share : kChunk;
  const long long least = rows / kChunks < kLeast ? kLeast : rows / kChunks + 1;
  return most < least ? least : most;
}

/* The strips of a matrix, of kWidth columns doubled `doublings` times. */
KGEN_FN int count_wide_strips(int cols, int doublings) {
  return (cols - 1) / (kWidth << doublings) + 1;
}

/* How many times the strips of few rows are doubled: until all of them reside on a GPU at the same
 * time. */
KGEN_FN int doublings_of(int cols) {
  int doublings = 0;
  for (int d = 0; d < kDoublings; d++) doublings += count_wide_strips(cols, d) > kResident;
  return doublings;
}

/* How many times strips of kWidth columns are halved if they are narrow: until they are kBlocks / 2
 * or more, all of which reside on a GPU at the same time. */
KGEN_FN int halvings_of(int cols) {
  const int strips = (cols - 1) / kWidth + 1;
  const int wanted = strips > kBlocks / 2    ? 0
                     : strips >= kBlocks / 4 ? 1
                     : strips >= kBlocks / 8 ? 2
                                             : 3;
  return wanted < kHalvings ? wanted : kHalvings;
}

/* How many times the strip of a slim matrix is halved: as long as it has all columns. */
KGEN_FN int slim_halvings(int cols) {
  int halvings = 0;
  for (int h = 1; h <= kHalvings; h++) halvings += cols <= kWidth >> h;
  return halvings;
}

/* The rows of a chunk of a slim matrix: kBlocks chunks reside on a GPU at the same time. A chunk is
 * at least as long as a chunk of a single strip, for whose sums the workspace has room. */
KGEN_FN long long slim_rows(long long rows) {
  const long long share = (rows - 1) / kBlocks + 1, least = chunk_rows(rows, 1);
  return share < least ? least : share;
}

/* The words of the workspace before the chunks' sums, whose rows begin at whole vectors. */
KGEN_FN long long ticket_words(long long strips) { return strips + strips % 2; }

__device__ __forceinline__ int tile_at(int row, int col) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset2(&layout, row, col);
}

__device__ __forceinline__ void add_pack(Sum (&sum)[kVector], Pack pack) {
  Sum element[kVector];
  memcpy(element, &pack, sizeof element);
#pragma unroll
  for (int k = 0; k < kVector; k++) sum[k] += element[k];
}

/* Sums this thread's rows of the chunk that begins at `in`, in the kVector columns from kVector *
 * threadIdx.x on. */
__device__ __forceinline__ void add_vectors(Sum (&sum)[kVector], const Sum *in, long long cols,
                                            int rows) {
  const long long pitch = cols / kVector;
  const Pack *from = reinterpret_cast<const Pack *>(in) + threadIdx.x;
  int row = threadIdx.y;
  for (; row + (kUnroll - 1) * kBlockY < rows; row += kUnroll * kBlockY) {
    Pack loaded[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; u++) loaded[u] = __ldcs(from + (row + u * kBlockY) * pitch);
#pragma unroll
    for (int u = 0; u < kUnroll; u++) add_pack(sum, loaded[u]);
  }
  for (; row < rows; row += kBlockY) add_pack(sum, __ldcs(from + row * pitch));
}

/* The same for rows that are not aligned to vectors, in columns threadIdx.x + k * kBlockX of
 * `width`. */
__device__ __forceinline__ void add_elements(Sum (&sum)[kVector], const Sum *in, long long cols,
                                             int rows, int width) {
#pragma unroll 4
  for (int row = threadIdx.y; row < rows; row += kBlockY)
#pragma unroll
    for (int k = 0; k < kVector; k++) {
      const int col = threadIdx.x + k * kBlockX;
      if (col < width) sum[k] += in[row * cols + col];
    }
}

/* The sum of column `thread` of the tile; 0 if there is none. */
__device__ __forceinline__ Sum add_tile_column(const Sum *tile, int thread) {
  Sum all = 0;
  if (thread >= kWidth) return all;
#pragma unroll
  for (int row = 0; row < kBlockY; row++) all += tile[tile_at(row, thread)];
  return all;
}

/* True if rows of cols elements are aligned to vectors. */
template <class INT> __device__ __forceinline__ bool vectors_fit(const Sum *in, INT cols) {
  return reinterpret_cast<size_t>(in) % sizeof(Pack) == 0 && cols % kVector == 0;
}

/* Sums a chunk. Thread t < kWidth returns the sum of column t, the others return 0. */
__device__ __forceinline__ Sum add_chunk(Sum *tile, const Sum *in, long long cols, int rows,
                                         int width, int thread) {
  const bool vectors = vectors_fit(in, cols);
  Sum sum[kVector] = {};
  if (vectors) {
    if (static_cast<int>(threadIdx.x) * kVector < width) add_vectors(sum, in, cols, rows);
    Pack pack;
    memcpy(&pack, sum, sizeof pack);
    *reinterpret_cast<Pack *>(tile + tile_at(threadIdx.y, threadIdx.x * kVector)) = pack;
  } else {
    add_elements(sum, in, cols, rows, width);
#pragma unroll
    for (int k = 0; k < kVector; k++)
      tile[tile_at(threadIdx.y, threadIdx.x + k * kBlockX)] = sum[k];
  }
  __syncthreads();
  return add_tile_column(tile, thread);
}

/* True in all threads of the block that arrives last of `blocks`, and sees what the others stored
 * before they arrived. */
__device__ __forceinline__ bool is_last_block(unsigned *ticket, unsigned blocks, int thread) {
  __syncthreads();
  return __syncthreads_or(thread == 0 && arrive_last(ticket, blocks));
}

/* --- narrow strips and thin matrices, without the exchange or the width of the others --- */

/* The elements that a thread sums: every `step`-th row from `row` on, of a vector of columns or, if
 * rows are not aligned to vectors, of kVector columns that are `apart`. */
struct Share {
  bool vectors;
  int row, step, place, apart;
  __device__ __forceinline__ int column(int k) const {
    return vectors ? place * kVector + k : place + k * apart;
  }
};

/* A thread's elements of a row, 0 where there are none. */
__device__ __forceinline__ Pack load_share(const Sum *row, int width, Share own) {
  Sum element[kVector] = {};
  Pack pack = {};
  if (own.vectors) {
    if (own.column(0) < width) pack = __ldcs(reinterpret_cast<const Pack *>(row) + own.place);
    return pack;
  }
#pragma unroll
  for (int k = 0; k < kVector; k++)
    if (own.column(k) < width) element[k] = row[own.column(k)];
  memcpy(&pack, element, sizeof pack);
  return pack;
}

/* Adds a thread's share of a strip of `width` columns, with FLIGHT loads in flight. */
template <int FLIGHT>
__device__ __forceinline__ void add_share(Sum (&sum)[kVector], const Sum *in, int cols, int rows,
                                          int width, Share own) {
#pragma unroll 1
  for (int first = own.row; first < rows; first += FLIGHT * own.step) {
    Pack loaded[FLIGHT] = {};
#pragma unroll
    for (int u = 0; u < FLIGHT; u++) {
      const int row = first + u * own.step;
      if (row < rows) loaded[u] = load_share(in + row * static_cast<long long>(cols), width, own);
    }
#pragma unroll
    for (int u = 0; u < FLIGHT; u++) add_pack(sum, loaded[u]);
  }
}

/* The same with half as many in flight if a thread has no more rows, since places without a row
 * take time, too. */
template <int FLIGHT>
__device__ __forceinline__ void add_short_share(Sum (&sum)[kVector], const Sum *in, int cols,
                                                int rows, int width, Share own) {
  if (rows <= FLIGHT / 2 * own.step)
    add_share<FLIGHT / 2>(sum, in, cols, rows, width, own);
  else
    add_share<FLIGHT>(sum, in, cols, rows, width, own);
}

/* Sums few rows, kThreads vectors of columns a block. */
__device__ __forceinline__ void sum_few_rows(Sum *out, const Sum *in, int rows, int cols,
                                             int thread) {
  const int first = blockIdx.x * kThreads * kVector, width = min(cols - first, kThreads * kVector);
  const Share own = {vectors_fit(in, cols), 0, 1, thread, kThreads};
  Sum sum[kVector] = {};
  add_share<kThinFlight>(sum, in + first, cols, rows, width, own);
#pragma unroll
  for (int k = 0; k < kVector; k++)
    if (own.column(k) < width) out[first + own.column(k)] = sum[k];
}

/* Sums `rows` rows of a strip of `width` columns that is halved `halvings` times. Adjacent lanes
 * have rows of the same columns. Their sums are added through the tile, like in any column, and
 * then by shuffles. Returns the sum of column `col`, which is -1 in threads that have none. */
template <int FLIGHT>
__device__ __forceinline__ Sum add_halved_strip(const Sum *in, int cols, int rows, int width,
                                                int halvings, Sum *tile, int thread, int &col) {
  const int x = threadIdx.x, y = threadIdx.y, last = (1 << halvings) - 1;
  Share own = {vectors_fit(in, cols), y << halvings | (x & last), kBlockY << halvings,
               x >> halvings, kBlockX >> halvings};
  Sum sum[kVector] = {};
  add_short_share<FLIGHT>(sum, in, cols, rows, width, own);
  Pack pack;
  memcpy(&pack, sum, sizeof pack);
  *reinterpret_cast<Pack *>(tile + tile_at(y, x * kVector)) = pack;
  __syncthreads();
  Sum all = add_tile_column(tile, thread);
  for (int s = kVector << halvings >> 1; s >= kVector; s /= 2) all += __shfl_xor_sync(~0u, all, s);
  own.place = thread / kVector >> halvings;
  col = own.column(thread % kVector);
  if (thread >= kWidth || (thread / kVector & last) != 0 || col >= width) col = -1;
  return all;
}

/* Sums a narrow strip. */
__device__ __forceinline__ void sum_narrow_strip(Sum *out, const Sum *in, int rows, int cols,
                                                 Sum *tile, int thread) {
  const int halvings = halvings_of(cols), most = kWidth >> halvings, first = blockIdx.x * most;
  int col;
  const Sum all = add_halved_strip<kNarrowFlight>(in + first, cols, rows, min(cols - first, most),
                                                  halvings, tile, thread, col);
  if (col >= 0) out[first + col] = all;
}

/* Sums a strip that is doubled doublings_of(cols) times. A row of it takes several rows of threads,
 * whose sums are in separate rows of the tile. */
__device__ __forceinline__ void sum_wide_strip(Sum *out, const Sum *in, int rows, int cols,
                                               Sum *tile, int thread) {
  const int doublings = doublings_of(cols), most = kWidth << doublings, first = blockIdx.x * most;
  const int x = threadIdx.x, y = threadIdx.y, across = 1 << doublings;
  const int width = min(cols - first, most);
  Share own = {vectors_fit(in, cols), y >> doublings, kBlockY >> doublings,
               x + (y & (across - 1)) * kBlockX, kBlockX << doublings};
  Sum sum[kVector] = {};
  add_short_share<kThinFlight>(sum, in + first, cols, rows, width, own);
  Pack pack;
  memcpy(&pack, sum, sizeof pack);
  *reinterpret_cast<Pack *>(tile + tile_at(y, x * kVector)) = pack;
  __syncthreads();
  Sum all = 0;
  for (int row = thread / kWidth; row < kBlockY; row += across)
    all += tile[tile_at(row, thread % kWidth)];
  own.place = thread / kVector;
  const int col = own.column(thread % kVector);
  if (thread < most && col < width) out[first + col] = all;
}

/* Sums a chunk of a slim matrix and, in the block that finishes last, all chunks' sums. */
__device__ __forceinline__ void sum_slim_chunk(Sum *out, const Sum *in, long long rows, int cols,
                                               unsigned long long *workspace, Sum *tile,
                                               int thread) {
  const int chunks = gridDim.x, chunk = blockIdx.x, halvings = slim_halvings(cols);
  const long long most = slim_rows(rows), first = chunk * most;
  const int height = static_cast<int>(min(rows - first, most));
  int col;
  Sum all = add_halved_strip<kThinFlight>(in + first * cols, cols, height, cols, halvings, tile,
                                          thread, col);
  if (chunks > 1) {
    Sum *sums = reinterpret_cast<Sum *>(workspace + ticket_words(1));
    if (col >= 0) sums[chunk * static_cast<long long>(cols) + col] = all;
    if (!is_last_block(reinterpret_cast<unsigned *>(workspace), chunks, thread)) return;
    all = add_halved_strip<kThinFlight>(sums, cols, chunks, cols, halvings, tile, thread, col);
  }
  if (col >= 0) out[col] = all;
}

} // namespace

/* in: rows x cols elements without gaps; out: cols elements; workspace: see LAUNCH. The grid is
 * one-dimensional: all strips of the first chunk of rows, then all strips of the next. */
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, long long rows, int cols,
           unsigned long long *workspace) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  Sum *tile = reinterpret_cast<Sum *>(shared_memory);
  const int thread = threadIdx.x + kBlockX * threadIdx.y;
  const unsigned strips = (cols - 1) / kWidth + 1, chunks = gridDim.x / strips;
  const unsigned strip = blockIdx.x % strips, chunk = blockIdx.x / strips;
  const long long most = chunk_rows(rows, strips), first_row = chunk * most;
  const int first = strip * kWidth, width = min(cols - first, kWidth);
  const int height = static_cast<int>(min(rows - first_row, most));
  const Sum *from = reinterpret_cast<const Sum *>(in) + first_row * cols + first;
  Sum sum = add_chunk(tile, from, cols, height, width, thread);
  if (chunks > 1) {
    Sum *sums = reinterpret_cast<Sum *>(workspace + ticket_words(strips)) + first;
    if (thread < width) sums[chunk * static_cast<long long>(cols) + thread] = sum;
    if (!is_last_block(reinterpret_cast<unsigned *>(workspace + strip), chunks, thread)) return;
    sum = add_chunk(tile, sums, cols, chunks, width, thread);
  }
  if (thread < width) out[first + thread] = sum;
}

/* The same in narrow strips, one block each, of kWidth columns halved halvings_of(cols) times. */
extern "C" __global__ void __launch_bounds__(kThreads)
    NARROW(KERNEL)(Elem *__restrict__ out, const Elem *__restrict__ in, long long rows, int cols,
                   unsigned long long *) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  Sum *tile = reinterpret_cast<Sum *>(shared_memory), *to = reinterpret_cast<Sum *>(out);
  sum_narrow_strip(to, reinterpret_cast<const Sum *>(in), static_cast<int>(rows), cols, tile,
                   threadIdx.x + kBlockX * threadIdx.y);
}

/* The same for low matrices, in strips of kWidth columns doubled doublings_of(cols) times. */
extern "C" __global__ void __launch_bounds__(kThreads)
    WIDE(KERNEL)(Elem *__restrict__ out, const Elem *__restrict__ in, long long rows, int cols,
                 [[maybe_unused]] unsigned long long *workspace) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  Sum *tile = reinterpret_cast<Sum *>(shared_memory), *to = reinterpret_cast<Sum *>(out);
  sum_wide_strip(to, reinterpret_cast<const Sum *>(in), static_cast<int>(rows), cols, tile,
                 threadIdx.x + kBlockX * threadIdx.y);
}

/* The same for thin matrices: of few columns, one block per slim_rows(rows) rows; of few rows,
 * kThreads vectors of columns a block. */
extern "C" __global__ void __launch_bounds__(kThreads)
    THIN(KERNEL)(Elem *__restrict__ out, const Elem *__restrict__ in, long long rows, int cols,
                 unsigned long long *workspace) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  Sum *tile = reinterpret_cast<Sum *>(shared_memory), *to = reinterpret_cast<Sum *>(out);
  const Sum *from = reinterpret_cast<const Sum *>(in);
  const int thread = threadIdx.x + kBlockX * threadIdx.y;
  if (cols <= kWidth / 2)
    sum_slim_chunk(to, from, rows, cols, workspace, tile, thread);
  else
    sum_few_rows(to, from, static_cast<int>(rows), cols, thread);
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"

namespace {

/* True for matrices whose strips are narrow, since they would have too few blocks otherwise. */
bool strips_are_narrow(long long rows, int cols) {
  return kHalvings > 0 && rows <= kBrief && (cols - 1) / kWidth + 1 < kBlocks;
}

/* True for matrices so slim that half a strip is enough, of more rows than narrow strips have. */
bool columns_are_few(long long rows, int cols) {
  return kHalvings > 0 && rows > kBrief && cols <= kWidth / 2;
}

/* True for rows that are few, but enough for all threads of a wide strip. */
bool strips_are_wide(long long rows, int cols) {
  return kDoublings > 0 && rows > kBlockY && rows < kLeast &&
         count_wide_strips(cols, 0) >= kBlocks && count_wide_strips(cols, kDoublings) <= kResident;
}

/* True for so few and long rows that blocks whose threads share no columns are enough: 16 and two
 * for each row, which a thread loads one after another, or kBlocks if a chunk of as many rows would
 * have all of its loads in flight. */
bool rows_are_few(long long rows, int cols) {
  const int blocks = (cols - 1) / (kThreads * kVector) + 1;
  const long long wanted = rows < kLeast ? 2 * rows : kBlocks;
  return rows < kUnroll * kBlockY && blocks >= 16 && blocks >= wanted &&
         !strips_are_wide(rows, cols);
}

/* True for so few rows, of more strips than narrow ones, that no chunk gives a thread all loads. */
bool rows_are_low(long long rows, int cols) {
  return kHalvings > 0 && rows < kLeast && cols > kWidth / 2 && !strips_are_narrow(rows, cols);
}

long long count_blocks(long long rows, int cols) {
  const long long strips = (cols - 1) / kWidth + 1;
  if (rows_are_few(rows, cols)) return (cols - 1) / (kThreads * kVector) + 1;
  if (strips_are_narrow(rows, cols)) return (cols - 1) / (kWidth >> halvings_of(cols)) + 1;
  if (columns_are_few(rows, cols)) return (rows - 1) / slim_rows(rows) + 1;
  if (rows_are_low(rows, cols)) return count_wide_strips(cols, doublings_of(cols));
  return (rows <= 0 ? 1 : (rows - 1) / chunk_rows(rows, strips) + 1) * strips;
}

auto kernel_of(long long rows, int cols) {
  if (rows_are_few(rows, cols) || columns_are_few(rows, cols)) return THIN(KERNEL);
  if (rows_are_low(rows, cols)) return WIDE(KERNEL);
  return strips_are_narrow(rows, cols) ? NARROW(KERNEL) : KERNEL;
}

} // namespace

/* Sums cols columns of `rows` elements on the stream. The workspace, in 8-byte words, has
 * ticket_words of the strips of kWidth columns, and a row of elements for each chunk of chunk_rows
 * rows. It must be zero before the first launch; each launch leaves it ready for the next one with
 * as many columns. Before a launch with more columns the tickets must be zeroed again, because sums
 * were stored in the memory of the additional ones. Launches that may overlap need separate
 * workspaces. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, long long rows, int cols,
                              unsigned long long *workspace, cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  if (cols <= 0) return cudaSuccess;
  return launch_programmatic(kernel_of(rows, cols), count_blocks(rows, cols),
                             dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, out, in, rows, cols,
                             workspace);
}
#endif
