/* Two-dimensional convolution of an image of one channel through a tile with a halo, zero beyond
 * the borders, r being kRadius: out[y][x] = the sum over i, j of filter[i][j] * in[y+i-r][x+j-r].
 * As in neural networks, the filter is not flipped.
 *
 * A block copies the part of the image that its outputs depend on into the tile, in aligned
 * vectors: the halo left and right is rounded up to whole vectors. A thread computes kStrip rows of
 * kVector columns. It goes down its rows once, loads each from the tile into registers, and adds it
 * to all of the 2 * kRadius + 1 rows of outputs that depend on it; the filter stays in registers.
 * Images whose rows are not aligned to vectors differ only in their accesses of device memory.
 *
 * A 7 x 7 filter takes as much time to multiply as its image takes to load and store, so the
 * multiplications must not wait for a tile. With kRing > 0, blocks of large images have no tile:
 * each warp walks down columns of its own, through a ring of rows that it fills by cp.async while
 * it multiplies, and no warp waits for another. Only warps at the image's borders test what they
 * read. Images of less than kWalkFrom outputs would have too few warps, with long walks: they are
 * divided into tiles by a second kernel, which needs fewer registers. */
#include "async_copy.h"
#include "layout.h"
#include "programmatic.h"

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
constexpr int kStrip = 8;       // rows of outputs per thread; 0: no tiles, warps always walk
constexpr int kRing = 0;        // rows of the image in a walking warp's ring; 0: warps never walk
constexpr int kTurn = 1;        // rows that a walking warp fetches at a time
constexpr int kRounds = 1;      // how often a warp walks through its ring, at most
constexpr int kWalkFrom = 0;    // outputs from which on warps walk, if kStrip allows tiles
constexpr int kBlocks = 1;      // blocks that are resident at a time if warps walk
constexpr int kBlocksPerSm = 0; // blocks that registers must let reside on an SM; 0: any
// kgen:end

/* The name of the kernel that divides the image into tiles. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TILES(name) JOIN(name, _tiles)

namespace {

constexpr bool kWalks = kRing > 0, kStrips = kStrip > 0;
constexpr int kSize = 2 * kRadius + 1;
constexpr int kSide = (kRadius + kVector - 1) / kVector; /* vectors of the halo on either side */
constexpr int kHalo = kSide * kVector;
constexpr int kAcross = kBlockX + 2 * kSide; /* vectors in a row of the tile */
constexpr int kWide = kBlockX * kVector;     /* columns of outputs per row of threads */
constexpr int kRows = kBlockY * kStrip;      /* rows of outputs per block, unless it walks */
constexpr int kThreads = kBlockX * kBlockY;
constexpr int kWindow = (1 + 2 * kSide) * kVector; /* columns that a thread loads */
static_assert(kBlockZ == 1, "the block has two dimensions");
static_assert(kRounds > 0 && kBlocks > 0 && kWalkFrom >= 0, "the host divides the image by them");
static_assert(kWalks || kStrips, "a thread has a strip of outputs, or its warp walks");
static_assert((!kStrips || kLayout.extent[0] >= kRows + 2 * kRadius) &&
                  kLayout.extent[0] >= kBlockY * kRing,
              "the tile has room for the outputs' rows and a halo, and for each warp's ring");
static_assert(kLayout.extent[1] == kAcross * kVector, "the tile has whole vectors and a halo");

/* The type that one instruction loads or stores. */
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

/* The image, of rows x cols elements, and this block's or walking warp's first output. */
struct Image {
  const Elem *in;
  Elem *out;
  int rows, cols;
  int row, col;
};

/* True if 0 <= i < n, by one comparison. */
__device__ __forceinline__ bool within(int i, int n) {
  return static_cast<unsigned>(i) < static_cast<unsigned>(n);
}

__device__ __forceinline__ Elem *output_at(const Image &image, int row, int col) {
  return image.out + row * static_cast<long long>(image.cols) + col;
}

/* Stores the part within the image; INNER: everything is. */
template <bool ALIGNED, bool INNER>
__device__ __forceinline__ void store_pack(const Image &image, Elem *to, int row, int col,
                                           Pack pack) {
  if (!INNER && row >= image.rows) return;
  if constexpr (ALIGNED) {
    if (INNER || col < image.cols) *reinterpret_cast<Pack *>(to) = pack;
  } else {
#pragma unroll
    for (int k = 0; k < kVector; k++)
      if (INNER || col + k < image.cols) to[k] = pack.element[k];
  }
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

/* --- a tile per block --- */

/* The vector that begins at (row, col), zero beyond the image's borders. ALIGNED: its rows are
 * whole aligned vectors. Row and column share one condition: a second branch separates a thread's
 * loads, which then wait for each other. */
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

/* A vector's place in the tile, whose vectors a block takes row by row. */
struct Place {
  int row, col; /* col in vectors */
};

/* Advances by COUNT vectors, without a division. */
template <int COUNT> __device__ __forceinline__ void advance(Place &at) {
  at.row += COUNT / kAcross;
  at.col += COUNT % kAcross;
  if (at.col < kAcross) return;
  at.row++;
  at.col -= kAcross;
}

/* Fills the tile. All loads of a thread are issued before its first store, so that their latencies
 * overlap. */
template <bool ALIGNED>
__device__ __forceinline__ void stage_image(const Image &image, Elem *tile, int thread) {
  constexpr int vectors = (kRows + 2 * kRadius) * kAcross;
  constexpr int loads = (vectors + kThreads - 1) / kThreads;
  const Place first = {thread / kAcross, thread % kAcross};
  Pack loaded[loads];
  Place at = first;
#pragma unroll
  for (int j = 0; j < loads; j++, advance<kThreads>(at))
    if (thread + j * kThreads < vectors)
      loaded[j] = load_pack<ALIGNED>(image, image.row - kRadius + at.row,
                                     image.col + (at.col - kSide) * kVector);
  at = first;
#pragma unroll
  for (int j = 0; j < loads; j++, advance<kThreads>(at))
    if (thread + j * kThreads < vectors)
      *reinterpret_cast<Pack *>(tile + tile_at(at.row, at.col * kVector)) = loaded[j];
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
    const int row = image.row + first + done;
    if (done >= 0)
      store_pack<ALIGNED, false>(image, output_at(image, row, col), row, col, sum[done % kSize]);
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

/* --- warps that walk --- */

/* Rows that a warp walks before its first output is complete: whole turns. */
constexpr int kLead = (2 * kRadius + kTurn - 1) / kTurn * kTurn;

constexpr int kRound = kWalks ? kRing : 1; /* rows of a walk through the ring */

/* The columns of outputs per block. */
KGEN_FN int block_cols(bool walked) { return walked ? kBlockY * kWide : kWide; }

/* The rows of outputs of a warp that walks through the ring `rounds` times. */
KGEN_FN int walked_rows(int rounds) { return kRound * rounds - kLead; }

/* The rows of outputs of every walking warp if the image is divided into `strips`: whole rounds. */
KGEN_FN int strip_rows(int rows, int strips) {
  const int least = (rows - 1) / strips + 1 + kLead;
  return walked_rows((least + kRound - 1) / kRound);
}

/* A warp's position: rows of the image and of the ring, and this lane's offsets in them. */
struct Step {
  int row, slot;    /* that are added next */
  const Elem *from; /* in the next row that is fetched */
  Elem *to;         /* in the next row of outputs */
};

/* Copies a row of the image into a row of the ring: the columns of the warp's outputs and the halo
 * on either side. A warp that is not INNER copies no columns beyond the borders, and for a row
 * beyond them the border row: the hardware's counters leave out copies of zeros alone. */
template <bool ALIGNED, bool INNER>
__device__ __forceinline__ void fetch_row(const Image &image, const Elem *tile, Step &at, int row,
                                          int slot) {
  constexpr int piece = ALIGNED ? kVector : 1, width = kAcross * kVector;
  const int lane = threadIdx.x * piece;
#pragma unroll
  for (int first = 0; first < width; first += kBlockX * piece) {
    const int col = first + lane;
    if (first + kBlockX * piece > width && col >= width) break;
    if (!INNER && !within(image.col - kHalo + col, image.cols - piece + 1)) continue;
    copy_async<piece *static_cast<int>(sizeof(Elem)), false>(
        shared_address(tile + tile_at(threadIdx.y * kRing + slot, col)),
        reinterpret_cast<size_t>(at.from + first), false);
  }
  if (INNER || within(row, image.rows - 1)) at.from += image.cols;
}

/* Waits until all but the newest kRing - 2 * kTurn of the rows in flight have arrived. */
[[maybe_unused]] __device__ __forceinline__ void await_rows() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kWalks ? kRing / kTurn - 2 : 0) : "memory");
#endif
  __syncwarp();
}

/* Zeroes the part outside the image. */
[[maybe_unused]] __device__ __forceinline__ void
clear_outside(Elem (&window)[kWindow], const Image &image, int row, int col) {
#pragma unroll
  for (int k = 0; k < kWindow; k++)
    if (!within(row, image.rows) || !within(col + k, image.cols)) window[k] = 0;
}

/* Adds a row of the image to the kSize rows of outputs that depend on it, or to those from `first`
 * to `last`, which are the warp's. The first of the kSize is then complete. The sums move up by a
 * row, which costs no instruction: the compiler renames registers. */
template <bool INNER>
__device__ __forceinline__ void add_image_row(const Image &image, const Elem *tile, int row,
                                              int slot, const Elem (&filter)[kSize * kSize],
                                              Pack (&sum)[kSize], int first, int last) {
  Elem window[kWindow];
  read_window(window, tile, threadIdx.y * kRing + slot);
  if constexpr (!INNER)
    clear_outside(window, image, row, image.col + threadIdx.x * kVector - kHalo);
#pragma unroll
  for (int s = 0; s < kSize; s++) {
    sum[s] = s + 1 < kSize ? sum[s + 1] : Pack{};
    if (s >= first && s <= last) add_row(sum[s], window, filter + (kSize - 1 - s) * kSize);
  }
}

/* Walks down `count` rows, kTurn rows per iteration, because the compiler inserts three unused
 * reads before each burst of copies. FETCH: keeps the ring full. STORE: the completed rows are
 * outputs. */
template <bool ALIGNED, bool INNER, bool FETCH, bool STORE>
__device__ __forceinline__ void walk(const Image &image, Elem *tile, Step &at, int count,
                                     const Elem (&filter)[kSize * kSize], Pack (&sum)[kSize]) {
  constexpr int ahead = kRing - kTurn;
  constexpr bool ends =
      FETCH != STORE; /* the walk's first or last rows: some sums are not the warp's */
  constexpr bool partial = ALIGNED && INNER && ends && kLead == kTurn && kRing == 2 * kTurn;
  constexpr int unroll =
      ALIGNED && INNER && (partial || !ends) ? kTurn : 1; /* the rows in the middle of the walk */
  /* The most frequent long iteration is not unrolled: warps would wait for its code. */
  constexpr int rows = partial || kTurn < 3 ? unroll : 1;
#pragma unroll 1
  for (int i = 0; i < count; i += kTurn) {
    await_rows();
    if constexpr (FETCH) {
      const int slot = at.slot == 0 ? ahead : at.slot - kTurn;
#pragma unroll unroll
      for (int k = 0; k < kTurn; k++)
        fetch_row<ALIGNED, INNER>(image, tile, at, at.row + ahead + k, slot + k);
    }
    commit_copies();
#pragma unroll rows
    for (int k = 0; k < kTurn; k++) {
      add_image_row<INNER>(image, tile, at.row + k, at.slot + k, filter, sum,
                           partial && !STORE ? kLead - k : 0,
                           partial && !FETCH ? kTurn - 1 - k : kSize - 1);
      if constexpr (STORE) {
        store_pack<ALIGNED, INNER>(image, at.to, at.row + k - kRadius,
                                   image.col + threadIdx.x * kVector, sum[0]);
        at.to += image.cols;
      }
    }
    at.row += kTurn;
    at.slot = at.slot == ahead ? 0 : at.slot + kTurn;
  }
}

/* Computes a warp's `count` rows of outputs. Rows that are not fetched, or not stored, have loops
 * of their own, since the hardware's counters miss some of the copies that are under
 * a predicate. */
template <bool ALIGNED, bool INNER>
__device__ __forceinline__ void walk_strip(const Image &image, int count, Elem *tile,
                                           const Elem *filter) {
  constexpr int ahead = kRing - kTurn, piece = ALIGNED ? kVector : 1;
  const int top = image.row + kRadius - kLead, col = image.col - kHalo + threadIdx.x * piece;
  Step at = {top, 0,
             image.in + min(max(top, 0), image.rows - 1) * static_cast<long long>(image.cols) + col,
             output_at(image, image.row, image.col + threadIdx.x * kVector)};
#pragma unroll 1
  for (int i = 0; i < ahead; i += kTurn) {
#pragma unroll
    for (int k = 0; k < kTurn; k++) fetch_row<ALIGNED, INNER>(image, tile, at, top + i + k, i + k);
    commit_copies();
  }
  Elem weight[kSize * kSize];
#pragma unroll
  for (int i = 0; i < kSize * kSize; i++) weight[i] = filter[i];
  Pack sum[kSize] = {};
  walk<ALIGNED, INNER, true, false>(image, tile, at, kLead, weight, sum);
  walk<ALIGNED, INNER, true, true>(image, tile, at, count - ahead, weight, sum);
  walk<ALIGNED, INNER, false, true>(image, tile, at, ahead, weight, sum);
}

/* True if everything that a warp reads and writes is within the image. */
[[maybe_unused]] __device__ __forceinline__ bool is_inner(const Image &image, int count) {
  return image.row >= kLead && image.row + count + kRadius <= image.rows && image.col >= kHalo &&
         image.col + kWide + kHalo <= image.cols;
}

template <bool ALIGNED>
__device__ __forceinline__ void filter_strip(Image image, int count, Elem *tile,
                                             const Elem *filter) {
  image.col += threadIdx.y * kWide;
  if (image.col >= image.cols) return;
  if (is_inner(image, count))
    walk_strip<ALIGNED, true>(image, count, tile, filter);
  else
    walk_strip<ALIGNED, false>(image, count, tile, filter);
}

template <bool WALKED>
__device__ __forceinline__ void filter_image(Elem *out, const Elem *in, const Elem *filter,
                                             int rows, int cols, Elem *tile) {
  constexpr int width = block_cols(WALKED);
  const int across = (cols - 1) / width + 1;
  const int down = static_cast<int>(blockIdx.x) / across;
  const int right = static_cast<int>(blockIdx.x) - down * across;
  const int count = WALKED ? strip_rows(rows, static_cast<int>(gridDim.x) / across) : kRows;
  const Image image = {in, out, rows, cols, down * count, right * width};
  const size_t addresses = reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out);
  const bool aligned = cols % kVector == 0 && addresses % sizeof(Pack) == 0;
  if constexpr (WALKED)
    aligned ? filter_strip<true>(image, count, tile, filter)
            : filter_strip<false>(image, count, tile, filter);
  else
    aligned ? filter_tile<true>(image, tile, filter) : filter_tile<false>(image, tile, filter);
}

} // namespace

/* in and out: rows x cols elements without gaps; filter: kSize x kSize. The grid is a number of
 * strips times one block per block_cols columns, strip by strip, all in x, since only x may exceed
 * 65,535. A strip has kRows rows, or, if warps walk, strip_rows of the number of strips. */
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, const Elem *__restrict__ filter,
           int rows, int cols) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  filter_image<kWalks>(out, in, filter, rows, cols, reinterpret_cast<Elem *>(shared_memory));
}

/* The same by tiles, for small images if the warps of large ones walk. */
extern "C" __global__ void __launch_bounds__(kThreads)
    TILES(KERNEL)(Elem *__restrict__ out, const Elem *__restrict__ in,
                  const Elem *__restrict__ filter, int rows, int cols) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  if constexpr (kWalks && kStrips)
    filter_image<false>(out, in, filter, rows, cols, reinterpret_cast<Elem *>(shared_memory));
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"

namespace {

/* True if the warps of an image walk. */
bool image_is_walked(long long rows, long long cols) {
  return kWalks && (!kStrips || rows * cols >= kWalkFrom);
}

/* The number of strips of an image, if `across` blocks are side by side: walking blocks fill whole
 * waves of kBlocks. A warp walks through its ring at least twice, because kLead rows of each walk
 * complete no output, and at most kRounds times. */
long long count_strips(long long rows, long long across, bool walked) {
  long long strip = kRows;
  if constexpr (kWalks) {
    const long long share = rows * across / kBlocks, waves = share / walked_rows(kRounds) + 1;
    const long long rounds = 2 + (share / waves + kLead - kRound - 1) / kRound;
    if (walked) strip = walked_rows(static_cast<int>(rounds));
  }
  return (rows + strip - 1) / strip;
}

} // namespace

/* Convolves an image of rows x cols elements on the stream; `in` and `out` must not overlap. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, const Elem *filter, int rows, int cols,
                              cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  constexpr int lines = kLayout.stride[0] * static_cast<int>(sizeof(Elem));
  const bool walked = image_is_walked(rows, cols), other = kWalks && !walked;
  const long long width = block_cols(walked), across = (cols + width - 1) / width;
  return launch_programmatic(
      other ? TILES(KERNEL) : KERNEL, count_strips(rows, across, walked) * across,
      dim3(kBlockX, kBlockY, kBlockZ), other ? lines * (kRows + 2 * kRadius) : bytes, stream, out,
      in, filter, rows, cols);
}
#endif
