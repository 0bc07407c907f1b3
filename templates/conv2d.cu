/* Two-dimensional convolution of an image of one channel through a tile with a halo, zero beyond
 * the borders, r being kRadius: out[y][x] = the sum over i, j of filter[i][j] * in[y+i-r][x+j-r].
 * As in neural networks, the filter is not flipped.
 *
 * A block copies the part of the image that its outputs depend on into the tile, in aligned
 * vectors: the halo left and right is rounded up to whole vectors. A thread computes kStrip rows of
 * kVector columns. It goes down its rows once, loads each from the tile into registers, and adds it
 * to all of the 2 * kRadius + 1 rows of outputs that depend on it; the filter stays in registers.
 * Images whose rows are not aligned to vectors differ only in their accesses of device memory. */
#include "layout.h"

// kgen:begin
#define KERNEL conv2d
#define LAUNCH conv2d_launch
using Elem = float;
constexpr KgenLayout kLayout = {2, 0, {66, 136}, {136, 1}, 0, {}};
constexpr int kBlockX = 32;
constexpr int kBlockY = 8;
constexpr int kBlockZ = 1;
constexpr int kRadius = 1;      // the filter has 2 * kRadius + 1 rows and columns
constexpr int kVector = 4;      // columns of outputs per thread
constexpr int kStrip = 8;       // rows of outputs per thread
constexpr int kBlocksPerSm = 0; // blocks that registers must let reside on an SM; 0: any
// kgen:end

namespace {

constexpr int kSize = 2 * kRadius + 1;
constexpr int kRows = kBlockY * kStrip; /* rows and columns of outputs per block */
constexpr int kCols = kBlockX * kVector;
constexpr int kSide = (kRadius + kVector - 1) / kVector; /* vectors of the halo on either side */
constexpr int kAcross = kBlockX + 2 * kSide;             /* vectors in a row of the tile */
constexpr int kVectors = (kRows + 2 * kRadius) * kAcross;
constexpr int kThreads = kBlockX * kBlockY;
constexpr int kLoads = (kVectors + kThreads - 1) / kThreads;
constexpr int kWindow = (1 + 2 * kSide) * kVector; /* columns that a thread loads */
static_assert(kBlockZ == 1, "the block has two dimensions");
static_assert(kLayout.extent[0] == kRows + 2 * kRadius,
              "the tile has the outputs' rows and a halo");
static_assert(kLayout.extent[1] == kAcross * kVector, "the tile has whole vectors and a halo");

/* What one instruction loads or stores. */
struct alignas(kVector * sizeof(Elem)) Pack {
  Elem element[kVector];
};

/* The offset of an element in the tile, in elements. Every layout that the solver admits keeps an
 * aligned vector contiguous. */
__device__ __forceinline__ int tile_at(int row, int col) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset2(&layout, row, col);
}

/* Loads a vector by one instruction, also at the sides, where only a part of it is needed: the
 * compiler would split three elements of four into two loads. (ptxas narrows one or two of four to
 * a load of 4 or 8 bytes; with lanes 16 bytes apart that takes as many wavefronts.) */
template <int WORDS>
__device__ __forceinline__ void load_words(unsigned (&to)[WORDS], unsigned from) {
  if constexpr (WORDS == 1)
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(to[0]) : "r"(from));
  else if constexpr (WORDS == 2)
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "r"(from));
  else
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from));
}

/* The image, of rows x cols elements, and this block's first output. */
struct Image {
  const Elem *in;
  Elem *out;
  int rows, cols;
  int row, col;
};

/* Whether 0 <= i < n, by one comparison. */
__device__ __forceinline__ bool within(int i, int n) {
  return static_cast<unsigned>(i) < static_cast<unsigned>(n);
}

/* The vector that begins at (row, col), zero beyond the image's borders. ALIGNED: its rows are
 * whole aligned vectors. One condition for row and column: a second branch parts the loads of a
 * thread, which then wait for each other. */
template <bool ALIGNED>
__device__ __forceinline__ Pack load_pack(const Image &image, int row, int col) {
  Pack pack = {};
  const bool inside = within(row, image.rows);
  const Elem *from = image.in + row * static_cast<long long>(image.cols) + col;
  if constexpr (ALIGNED) {
    if (inside && within(col, image.cols)) pack = *reinterpret_cast<const Pack *>(from);
  } else {
#pragma unroll
    for (int k = 0; k < kVector; k++)
      if (inside && within(col + k, image.cols)) pack.element[k] = from[k];
  }
  return pack;
}

template <bool ALIGNED>
__device__ __forceinline__ void store_pack(const Image &image, int row, int col, Pack pack) {
  if (row >= image.rows) return;
  Elem *to = image.out + row * static_cast<long long>(image.cols) + col;
  if constexpr (ALIGNED) {
    if (col < image.cols) *reinterpret_cast<Pack *>(to) = pack;
  } else {
#pragma unroll
    for (int k = 0; k < kVector; k++)
      if (col + k < image.cols) to[k] = pack.element[k];
  }
}

/* A vector's place in the tile, whose vectors a block takes row by row. */
struct Place {
  int row, col; /* col in vectors */
};

/* Goes on by as many vectors as the block has threads, without a division. */
__device__ __forceinline__ void advance(Place &at) {
  at.row += kThreads / kAcross;
  at.col += kThreads % kAcross;
  if (at.col < kAcross) return;
  at.row++;
  at.col -= kAcross;
}

/* Fills the tile. All loads of a thread are issued before its first store, so that their latencies
 * overlap. */
template <bool ALIGNED>
__device__ __forceinline__ void stage_image(const Image &image, Elem *tile, int thread) {
  const Place first = {thread / kAcross, thread % kAcross};
  Pack loaded[kLoads];
  Place at = first;
#pragma unroll
  for (int j = 0; j < kLoads; j++, advance(at))
    if (thread + j * kThreads < kVectors)
      loaded[j] = load_pack<ALIGNED>(image, image.row - kRadius + at.row,
                                     image.col + (at.col - kSide) * kVector);
  at = first;
#pragma unroll
  for (int j = 0; j < kLoads; j++, advance(at))
    if (thread + j * kThreads < kVectors)
      *reinterpret_cast<Pack *>(tile + tile_at(at.row, at.col * kVector)) = loaded[j];
}

/* Loads the elements of a row of the tile that this thread's outputs depend on. */
__device__ __forceinline__ void read_window(Elem (&window)[kWindow], const Elem *tile, int row) {
#pragma unroll
  for (int p = 0; p <= 2 * kSide; p++) {
    const Elem *from = tile + tile_at(row, (static_cast<int>(threadIdx.x) + p) * kVector);
    unsigned words[sizeof(Pack) / 4];
    load_words(words, static_cast<unsigned>(__cvta_generic_to_shared(from)));
    memcpy(window + p * kVector, words, sizeof words);
  }
}

/* Adds the products of one row of the filter and one row of the image to a thread's sums. */
__device__ __forceinline__ void add_row(Pack &sum, const Elem (&window)[kWindow],
                                        const Elem *filter) {
#pragma unroll
  for (int x = 0; x < kSize; x++)
#pragma unroll
    for (int k = 0; k < kVector; k++)
      sum.element[k] += filter[x] * window[kSide * kVector - kRadius + k + x];
}

/* Computes and stores a thread's outputs. Only the kSize rows that the current row of the image
 * adds to have sums in registers; each is stored as soon as it is complete. */
template <bool ALIGNED>
__device__ __forceinline__ void convolve(const Image &image, const Elem *tile,
                                         const Elem (&filter)[kSize * kSize]) {
  const int first = threadIdx.y * kStrip, col = image.col + threadIdx.x * kVector;
  Pack sum[kSize];
#pragma unroll
  for (int i = 0; i < kStrip + 2 * kRadius; i++) {
    Elem window[kWindow];
    read_window(window, tile, first + i);
    if (i < kStrip) sum[i % kSize] = {};
#pragma unroll
    for (int y = 0; y < kSize; y++)
      if (i - y >= 0 && i - y < kStrip)
        add_row(sum[(i - y + kSize) % kSize], window, filter + y * kSize);
    const int done = i - 2 * kRadius;
    if (done >= 0) store_pack<ALIGNED>(image, image.row + first + done, col, sum[done % kSize]);
  }
}

template <bool ALIGNED>
__device__ __forceinline__ void filter_tile(const Image &image, Elem *tile, const Elem *filter) {
  const int thread = threadIdx.x + kBlockX * threadIdx.y;
  stage_image<ALIGNED>(image, tile, thread);
  Elem weight[kSize * kSize];
#pragma unroll
  for (int i = 0; i < kSize * kSize; i++) weight[i] = filter[i];
  __syncthreads();
  convolve<ALIGNED>(image, tile, weight);
}

} // namespace

/* in and out: rows x cols elements without gaps; filter: kSize x kSize. The grid is one block per
 * kRows x kCols outputs, row by row, all in x, since only x may exceed 65,535. */
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, const Elem *__restrict__ filter,
           int rows, int cols) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  Elem *tile = reinterpret_cast<Elem *>(shared_memory);
  const int across = (cols - 1) / kCols + 1;
  const int down = static_cast<int>(blockIdx.x) / across;
  const int right = static_cast<int>(blockIdx.x) - down * across;
  const Image image = {in, out, rows, cols, down * kRows, right * kCols};
  const size_t addresses = reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out);
  if (cols % kVector == 0 && addresses % sizeof(Pack) == 0)
    filter_tile<true>(image, tile, filter);
  else
    filter_tile<false>(image, tile, filter);
}

#ifndef __CUDACC_RTC__
#include "launch.h"

/* Convolves an image of rows x cols elements on the stream; `in` and `out` must not overlap. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, const Elem *filter, int rows, int cols,
                              cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  const long long blocks = ((rows + kRows - 1LL) / kRows) * ((cols + kCols - 1LL) / kCols);
  return launch_blocks(KERNEL, blocks, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, out, in,
                       filter, rows, cols);
}
#endif
