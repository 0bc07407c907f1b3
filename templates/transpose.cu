/* Out-of-place transpose of a batch of matrices through a tile in shared memory:
 * out[b][c][r] = in[b][r][c] for `batch` matrices of rows x cols elements, any size and pitch.
 *
 * A block moves one tile of kRows x kCols elements. Its threads load vectors of kVector elements
 * along the rows of the input, coalesced, and store them into the tile in the same order. After the
 * barrier each thread loads squares of kVector x kVector elements, transposes them in registers,
 * and stores vectors along the rows of the output, coalesced again. So both sides of device memory,
 * and every access of shared memory, move whole vectors. What would conflict are the loads of the
 * squares: lanes go down a column of the tile. The layout spreads that column over the banks.
 *
 * Tiles at the edge, and matrices whose addresses or pitches are not aligned to a vector, are moved
 * element by element. */
#include "cache_hint.h"
#include "layout.h"
#include "programmatic.h"
#include "residency.h"
#include "vector.h"

// kgen:begin
#define KERNEL transpose
#define LAUNCH transpose_launch
using Elem = float;
constexpr KgenLayout kLayout = {2, 0, {64, 64}, {64, 1}, 1, {{0, 28}}};
constexpr int kBlockX = 16;
constexpr int kBlockY = 16;
constexpr int kBlockZ = 1;
constexpr int kVector = 4;      // elements per load and store
constexpr int kBand = 1;        // rows of tiles in a band, visited column by column; 0: all rows
constexpr int kLoadHint = 1;    // 0: none, 1: streaming
constexpr int kStoreHint = 1;   // 0: none, 1: streaming, 2: write-through
constexpr int kBlocksPerSm = 6; // blocks that registers must let reside on an SM
// kgen:end

namespace {

constexpr int kRows = kLayout.extent[0];
constexpr int kCols = kLayout.extent[1];
constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kResident = resident_blocks(kBlocksPerSm, kThreads);

constexpr int kVectors = kRows * kCols / kVector;
constexpr int kLoads = (kVectors + kThreads - 1) / kThreads;
constexpr int kSquares = (kVectors / kVector + kThreads - 1) / kThreads;

using Pack = Vector<kVector * sizeof(Elem)>::Type; /* kVector elements in one instruction */
using Bits = Vector<sizeof(Elem)>::Type; /* one element; nothing here depends on its value */

/* The offset of an element in the tile, in elements. The layout is static, since an automatic one
 * goes to local memory wherever the compiler does not unroll the loop around it. */
__device__ __forceinline__ int tile_at(int row, int col) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset2(&layout, row, col);
}

/* True if the layout keeps the elements of a vector contiguous and aligned. */
KGEN_FN bool vectors_stay_whole() {
  constexpr KgenLayout layout = kLayout;
  bool whole = layout.stride[0] % kVector == 0;
  for (int i = 0; i < layout.terms; i++) {
    const KgenTerm term = layout.term[i];
    const bool moves = term.target == 0 || term.target == layout.rank;
    const bool reads = term.source == KGEN_INDEX || term.source == KGEN_COORD + layout.rank - 1;
    whole = whole && !(moves && term.mask % kVector) && !(reads && kgen_term(&term, kVector - 1));
  }
  return whole;
}
constexpr bool kWholeVectors = vectors_stay_whole();

__device__ __forceinline__ Pack tile_load(const Bits *tile, int row, int col) {
  if constexpr (kWholeVectors) {
    return *reinterpret_cast<const Pack *>(tile + tile_at(row, col));
  } else {
    Bits element[kVector];
    for (int k = 0; k < kVector; k++) element[k] = tile[tile_at(row, col + k)];
    Pack pack;
    memcpy(&pack, element, sizeof pack);
    return pack;
  }
}

__device__ __forceinline__ void tile_store(Bits *tile, int row, int col, Pack pack) {
  if constexpr (kWholeVectors) {
    *reinterpret_cast<Pack *>(tile + tile_at(row, col)) = pack;
  } else {
    Bits element[kVector];
    memcpy(element, &pack, sizeof pack);
    for (int k = 0; k < kVector; k++) tile[tile_at(row, col + k)] = element[k];
  }
}

/* Transposes a square of N x N elements in registers. Elements of 4 bytes and more cost no
 * instruction: the compiler only renames registers. */
template <int N> __device__ __forceinline__ void transpose_elements(Pack (&square)[N]) {
  Bits in[N][N], out[N][N];
  memcpy(in, square, sizeof in);
#pragma unroll
  for (int r = 0; r < N; r++)
#pragma unroll
    for (int c = 0; c < N; c++) out[c][r] = in[r][c];
  memcpy(square, out, sizeof out);
}

/* The same for 16-bit elements: each 2 x 2 square takes two byte permutations. */
template <int N> __device__ __forceinline__ void transpose_halves(Pack (&square)[N]) {
  unsigned in[N][N / 2], out[N][N / 2];
  memcpy(in, square, sizeof in);
#pragma unroll
  for (int r = 0; r < N; r += 2)
#pragma unroll
    for (int c = 0; c < N; c += 2) {
      const unsigned top = in[r][c / 2], bottom = in[r + 1][c / 2];
      out[c][r / 2] = __byte_perm(top, bottom, 0x5410);
      out[c + 1][r / 2] = __byte_perm(top, bottom, 0x7632);
    }
  memcpy(square, out, sizeof out);
}

/* The same for bytes: each 4 x 4 square takes eight byte permutations, four that interleave two
 * rows and four that interleave their results. */
template <int N> __device__ __forceinline__ void transpose_bytes(Pack (&square)[N]) {
  unsigned in[N][N / 4], out[N][N / 4];
  memcpy(in, square, sizeof in);
#pragma unroll
  for (int r = 0; r < N; r += 4)
#pragma unroll
    for (int c = 0; c < N; c += 4) {
      const unsigned r0 = in[r][c / 4], r1 = in[r + 1][c / 4];
      const unsigned r2 = in[r + 2][c / 4], r3 = in[r + 3][c / 4];
      const unsigned left01 = __byte_perm(r0, r1, 0x5140), right01 = __byte_perm(r0, r1, 0x7362);
      const unsigned left23 = __byte_perm(r2, r3, 0x5140), right23 = __byte_perm(r2, r3, 0x7362);
      out[c][r / 4] = __byte_perm(left01, left23, 0x5410);
      out[c + 1][r / 4] = __byte_perm(left01, left23, 0x7632);
      out[c + 2][r / 4] = __byte_perm(right01, right23, 0x5410);
      out[c + 3][r / 4] = __byte_perm(right01, right23, 0x7632);
    }
  memcpy(square, out, sizeof out);
}

template <int N> __device__ __forceinline__ void transpose_square(Pack (&square)[N]) {
  if constexpr (sizeof(Elem) == 2 && N >= 2)
    transpose_halves(square);
  else if constexpr (sizeof(Elem) == 1 && N >= 4)
    transpose_bytes(square);
  else
    transpose_elements(square);
}

/* The corner of this block's tile in a matrix in device memory, whose rows are `pitch` elements
 * apart. */
template <class T> struct Corner {
  T *memory;
  unsigned long long row;
  long long pitch;
  unsigned col;
  __device__ __forceinline__ T *at(int r, int c) const {
    return memory + (static_cast<long long>(row) + r) * pitch + (static_cast<long long>(col) + c);
  }
};

struct Job {
  Corner<const Bits> in;
  Corner<Bits> out;
  int rows, cols; /* rows and columns of the input, from the tile's corner to the matrix's edge */
};

struct Place {
  int row, col;
};

__device__ __forceinline__ Place place_of(unsigned number, int width) {
  return {static_cast<int>(number / width), static_cast<int>(number % width)};
}

/* The row and column of this thread if the block's threads fill rows of WIDTH. */
template <int WIDTH> __device__ __forceinline__ Place thread_place() {
  const int x = threadIdx.x;
  const int y = (kBlockY == 1 ? 0 : threadIdx.y) + (kBlockZ == 1 ? 0 : kBlockY * threadIdx.z);
  if constexpr (WIDTH == kBlockX) return {y, x};
  return place_of(x + kBlockX * y, WIDTH);
}

/* The place j * kThreads further: in the same column, if the block fills whole rows. */
template <int WIDTH> __device__ __forceinline__ Place place_after(Place first, int j) {
  if constexpr (kThreads % WIDTH == 0) return {first.row + j * (kThreads / WIDTH), first.col};
  return place_of(first.row * WIDTH + first.col + j * kThreads, WIDTH);
}

/* False for the threads that have nothing to do in the last pass over COUNT rows of WIDTH. */
template <int WIDTH, int COUNT> __device__ __forceinline__ bool place_exists(Place p) {
  return COUNT * WIDTH % kThreads == 0 || p.row < COUNT;
}

/* Fills a full tile by vectors. All loads of a thread are issued before its first store, so that
 * their latencies overlap. */
__device__ __forceinline__ void fill_vectors(const Job &job, Bits *tile) {
  constexpr int across = kCols / kVector;
  const Place first = thread_place<across>();
  Pack loaded[kLoads];
#pragma unroll
  for (int j = 0; j < kLoads; j++) {
    const Place p = place_after<across>(first, j);
    if (place_exists<across, kRows>(p))
      loaded[j] =
          global_load<kLoadHint>(reinterpret_cast<const Pack *>(job.in.at(p.row, p.col * kVector)));
  }
#pragma unroll
  for (int j = 0; j < kLoads; j++) {
    const Place p = place_after<across>(first, j);
    if (place_exists<across, kRows>(p)) tile_store(tile, p.row, p.col * kVector, loaded[j]);
  }
}

/* Transposes the square at (row, col) of the tile and stores it to the output. */
__device__ __forceinline__ void drain_square(const Job &job, const Bits *tile, int row, int col) {
  Pack square[kVector];
#pragma unroll
  for (int i = 0; i < kVector; i++) square[i] = tile_load(tile, row + i, col);
  transpose_square(square);
#pragma unroll
  for (int i = 0; i < kVector; i++)
    global_store<kStoreHint>(reinterpret_cast<Pack *>(job.out.at(col + i, row)), square[i]);
}

__device__ __forceinline__ void drain_vectors(const Job &job, const Bits *tile) {
  constexpr int across = kCols / kVector, down = kRows / kVector;
  const Place first = thread_place<down>();
#pragma unroll
  for (int j = 0; j < kSquares; j++) {
    const Place p = place_after<down>(first, j);
    if (place_exists<down, across>(p)) drain_square(job, tile, p.col * kVector, p.row * kVector);
  }
}

/* Fills the part of a tile inside of the matrix. Four loads in flight suffice at edges; more would
 * raise the register count of the whole kernel. */
__device__ __forceinline__ void fill_elements(const Job &job, Bits *tile) {
  constexpr int in_flight = 4;
  const Place first = thread_place<kCols>();
#pragma unroll 1
  for (int j = 0; j * kThreads < kRows * kCols; j += in_flight) {
    Bits loaded[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; k++) {
      const Place p = place_after<kCols>(first, j + k);
      if (p.row < min(job.rows, kRows) && p.col < job.cols) loaded[k] = *job.in.at(p.row, p.col);
    }
#pragma unroll
    for (int k = 0; k < in_flight; k++) {
      const Place p = place_after<kCols>(first, j + k);
      if (p.row < min(job.rows, kRows) && p.col < job.cols) tile[tile_at(p.row, p.col)] = loaded[k];
    }
  }
}

__device__ __forceinline__ void drain_elements(const Job &job, const Bits *tile) {
  const Place first = thread_place<kRows>();
#pragma unroll 4
  for (int j = 0; j * kThreads < kRows * kCols; j++) {
    const Place p = place_after<kRows>(first, j);
    if (p.row < min(job.cols, kCols) && p.col < job.rows)
      *job.out.at(p.row, p.col) = tile[tile_at(p.col, p.row)];
  }
}

/* True for a full tile whose vectors are aligned in device memory: as tiles start at multiples of
 * kVector, the addresses and pitches of the matrices decide. */
__device__ __forceinline__ bool vectors_fit(const Elem *in, const Elem *out, const Job &job) {
  if (job.rows < kRows || job.cols < kCols) return false;
  const size_t addresses = reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out);
  return kVector == 1 ||
         (addresses % sizeof(Pack) == 0 && (job.in.pitch | job.out.pitch) % kVector == 0);
}

__device__ __forceinline__ void move_tile(const Job &job, Bits *tile, bool vectors) {
  if (vectors) {
    fill_vectors(job, tile);
    __syncthreads();
    drain_vectors(job, tile);
  } else {
    fill_elements(job, tile);
    __syncthreads();
    drain_elements(job, tile);
  }
}

} // namespace

/* in: batch x rows x in_pitch, out: batch x cols x out_pitch, pitches in elements.
 *
 * Grid: x = column of the tile * kBand + row of the tile in its band, y = band, z = matrix; if
 * kBand is 0, x = row and y = column of the tile. Blocks in flight at one time thus load and store
 * long runs of both matrices' rows, which DRAM serves faster, and a block finds its tile without a
 * division by a variable. */
extern "C" __global__ void __launch_bounds__(kThreads, kResident)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, unsigned rows, unsigned cols,
           long long in_pitch, long long out_pitch) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  Bits *tile = reinterpret_cast<Bits *>(shared_memory);
  constexpr unsigned band = kBand > 0 ? kBand : 1;
  const unsigned row = (kBand > 0 ? blockIdx.y * band + blockIdx.x % band : blockIdx.x) * kRows;
  const unsigned col = (kBand > 0 ? blockIdx.x / band : blockIdx.y) * kCols;
  if (row >= rows) return; /* the last band may have fewer rows of tiles */
  const unsigned long long matrix = blockIdx.z;
  const Corner<const Bits> from = {reinterpret_cast<const Bits *>(in), matrix * rows + row,
                                   in_pitch, col};
  const Corner<Bits> to = {reinterpret_cast<Bits *>(out), matrix * cols + col, out_pitch, row};
  const Job job = {from, to, static_cast<int>(rows - row), static_cast<int>(cols - col)};
  move_tile(job, tile, vectors_fit(in, out, job));
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"

namespace {

constexpr int kBytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
constexpr long long kMaxYZ = 65535; /* blocks of a grid in y and in z */
constexpr long long kAny = 0x7fffffff;
constexpr long long kTallest = kBand > 0 ? kMaxYZ *kBand *kRows : kAny; /* that a grid covers */
constexpr long long kWidest = kBand > 0 ? kAny : kMaxYZ *kCols;

/* Launches one grid, for `batch` <= kMaxYZ matrices of at most kTallest x kWidest elements. */
cudaError_t launch_once(Elem *out, const Elem *in, long long rows, long long cols,
                        long long in_pitch, long long out_pitch, long long batch, bool early,
                        cudaStream_t stream) {
  constexpr long long band = kBand > 0 ? kBand : 1;
  const long long across = (cols + kCols - 1) / kCols, down = (rows + kRows - 1) / kRows;
  const long long x = kBand > 0 ? across * band : down;
  const long long y = kBand > 0 ? (down + band - 1) / band : across;
  if (x > 0x7fffffff) return cudaErrorInvalidValue;
  const dim3 grid(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(batch));
  return launch_grid(KERNEL, grid, dim3(kBlockX, kBlockY, kBlockZ), kBytes, stream, early, out, in,
                     rows, cols, in_pitch, out_pitch);
}

} // namespace

/* Transposes `batch` matrices of rows x cols elements on the stream. in_pitch >= cols and out_pitch
 * >= rows are in elements; `in` and `out` must not overlap. Matrices with more rows or columns than
 * a grid covers are launched one by one, in parts. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, int rows, int cols, long long in_pitch,
                              long long out_pitch, int batch, cudaStream_t stream) {
  if (rows == 0 || cols == 0 || batch == 0) return cudaSuccess;
  cudaError_t error = cudaSuccess;
  const bool early = waits_for_launch(KERNEL);
  const long long matrices = rows > kTallest || cols > kWidest ? 1 : kMaxYZ;
  for (long long m = 0; m < batch && error == cudaSuccess; m += matrices)
    for (long long r = 0; r < rows && error == cudaSuccess; r += kTallest)
      for (long long c = 0; c < cols && error == cudaSuccess; c += kWidest)
        error = launch_once(
            out + (m * cols + c) * out_pitch + r, in + (m * rows + r) * in_pitch + c,
            rows - r < kTallest ? rows - r : kTallest, cols - c < kWidest ? cols - c : kWidest,
            in_pitch, out_pitch, batch - m < matrices ? batch - m : matrices, early, stream);
  return error;
}
#endif
