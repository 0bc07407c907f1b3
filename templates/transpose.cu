/* Out-of-place transpose of a batch of matrices through a tile in shared memory.
 *
 * A block moves one tile. Its threads load vectors of kVector elements along the rows and store
 * them into the tile as they are. After the barrier each thread reads square pieces of kVector x
 * kVector elements, turns them in registers and writes vectors along the rows of the result: so
 * both sides of device memory, and every shared access, move whole vectors. Tiles at the edge, and
 * matrices whose rows are not aligned for vectors, go element by element. */
#include "layout.h"

// kgen:begin
#define KERNEL transpose
#define LAUNCH transpose_launch
using Elem = float;
constexpr KgenLayout kLayout = {2, 0, {64, 64}, {64, 1}, 1, {{0, 28}}};
constexpr int kBlockX = 16;
constexpr int kBlockY = 16;
constexpr int kBlockZ = 1;
constexpr int kVector = 4;      // elements that a thread moves at once
constexpr int kBand = 8;        // tile rows that are walked together, column by column
constexpr int kLoadHint = 1;    // 0: none, 1: streaming
constexpr int kStoreHint = 1;   // 0: none, 1: streaming, 2: write through
constexpr int kBlocksPerSm = 1; // at least so many must fit by registers
// kgen:end

namespace {

constexpr int kRows = kLayout.extent[0];
constexpr int kCols = kLayout.extent[1];
constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kVectors = kRows * kCols / kVector;
constexpr int kLoads = (kVectors + kThreads - 1) / kThreads;
constexpr int kTurns = (kVectors / kVector + kThreads - 1) / kThreads;

/* The type that moves BYTES bytes in one instruction. */
template <int BYTES> struct Vector;
template <> struct Vector<1> { using Type = unsigned char; };
template <> struct Vector<2> { using Type = unsigned short; };
template <> struct Vector<4> { using Type = unsigned; };
template <> struct Vector<8> { using Type = uint2; };
template <> struct Vector<16> { using Type = uint4; };

using Pack = Vector<kVector * sizeof(Elem)>::Type; /* kVector elements in one instruction */
using Bits = Vector<sizeof(Elem)>::Type; /* one element; nothing here depends on its value */

__device__ __forceinline__ int tile_at(int row, int col) {
  constexpr KgenLayout layout = kLayout;
  return kgen_offset2(&layout, row, col);
}

/* True if the layout keeps the elements of a vector side by side and aligned. */
KGEN_FN bool vectors_stay_whole() {
  constexpr KgenLayout layout = kLayout;
  bool whole = layout.stride[0] % kVector == 0;
  for (int i = 0; i < layout.terms; i++) whole = whole && layout.term[i].mask % kVector == 0;
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

template <class T> __device__ __forceinline__ T global_load(const T *from) {
  if constexpr (kLoadHint == 1)
    return __ldcs(from);
  else
    return *from;
}

template <class T> __device__ __forceinline__ void global_store(T *to, T value) {
  if constexpr (kStoreHint == 1)
    __stcs(to, value);
  else if constexpr (kStoreHint == 2)
    __stwt(to, value);
  else
    *to = value;
}

/* A square of N x N elements in registers is turned in place. Elements of 4 bytes and more only
 * change their names; */
template <int N> __device__ __forceinline__ void turn_elements(Pack (&square)[N]) {
  Bits in[N][N], out[N][N];
  memcpy(in, square, sizeof in);
#pragma unroll
  for (int r = 0; r < N; r++)
#pragma unroll
    for (int c = 0; c < N; c++) out[c][r] = in[r][c];
  memcpy(square, out, sizeof out);
}

/* halves are permuted within 32-bit words, in squares of 2 x 2; */
template <int N> __device__ __forceinline__ void turn_halves(Pack (&square)[N]) {
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

/* bytes in squares of 4 x 4: first pairs of rows are zipped, then pairs of pairs. */
template <int N> __device__ __forceinline__ void turn_bytes(Pack (&square)[N]) {
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

template <int N> __device__ __forceinline__ void turn_square(Pack (&square)[N]) {
  if constexpr (sizeof(Elem) == 2 && N >= 2)
    turn_halves(square);
  else if constexpr (sizeof(Elem) == 1 && N >= 4)
    turn_bytes(square);
  else
    turn_elements(square);
}

/* One matrix, and the tile of it that a block moves. Pitches are in elements. */
struct Job {
  const Bits *in;
  Bits *out;
  long long in_pitch, out_pitch;
  int rows, cols; /* of the tile, where the matrix ends at most kRows and kCols */
};

/* Where this block works. Blocks walk bands of kBand tile rows column by column, so that those in
 * flight at one time read and write long runs of both matrices' rows: DRAM serves those faster. */
__device__ __forceinline__ Job find_tile(const Elem *in, Elem *out, int rows, int cols,
                                         long long in_pitch, long long out_pitch) {
  const unsigned down = (rows - 1u) / kRows + 1, across = (cols - 1u) / kCols + 1;
  const unsigned i = blockIdx.x % (down * across), band_rows = min(down, kBand + 0u);
  const unsigned band = i / (band_rows * across), in_band = i % (band_rows * across);
  const unsigned height = min(down - band * band_rows, band_rows);
  const long long matrix = blockIdx.x / (down * across);
  const long long row = (band * band_rows + in_band % height) * static_cast<long long>(kRows);
  const long long col = in_band / height * static_cast<long long>(kCols);
  Job job;
  job.in = reinterpret_cast<const Bits *>(in) + (matrix * rows + row) * in_pitch + col;
  job.out = reinterpret_cast<Bits *>(out) + (matrix * cols + col) * out_pitch + row;
  job.in_pitch = in_pitch;
  job.out_pitch = out_pitch;
  job.rows = static_cast<int>(min(rows - row, kRows + 0LL));
  job.cols = static_cast<int>(min(cols - col, kCols + 0LL));
  return job;
}

__device__ __forceinline__ bool vectors_fit(const Job &job) {
  const size_t addresses = reinterpret_cast<size_t>(job.in) | reinterpret_cast<size_t>(job.out);
  return job.rows == kRows && job.cols == kCols && addresses % sizeof(Pack) == 0 &&
         (job.in_pitch | job.out_pitch) % kVector == 0;
}

/* A full tile. All of a thread's loads are in flight before it stores the first. */
__device__ __forceinline__ void move_vectors(const Job &job, Bits *tile, int thread) {
  constexpr int across = kCols / kVector, down = kRows / kVector;
  Pack loaded[kLoads];
#pragma unroll
  for (int j = 0; j < kLoads; j++) {
    const int v = thread + j * kThreads, row = v / across, col = v % across * kVector;
    if (v < kRows * across)
      loaded[j] = global_load(reinterpret_cast<const Pack *>(job.in + row * job.in_pitch + col));
  }
#pragma unroll
  for (int j = 0; j < kLoads; j++) {
    const int v = thread + j * kThreads, row = v / across, col = v % across * kVector;
    if (v < kRows * across) tile_store(tile, row, col, loaded[j]);
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < kTurns; j++) {
    const int v = thread + j * kThreads, row = v % down * kVector, col = v / down * kVector;
    if (v >= down * across) break;
    Pack square[kVector];
#pragma unroll
    for (int i = 0; i < kVector; i++) square[i] = tile_load(tile, row + i, col);
    turn_square(square);
#pragma unroll
    for (int i = 0; i < kVector; i++)
      global_store(reinterpret_cast<Pack *>(job.out + (col + i) * job.out_pitch + row), square[i]);
  }
}

/* A tile that the matrix cuts off, or rows that vectors do not fit. */
__device__ __forceinline__ void move_elements(const Job &job, Bits *tile, int thread) {
  constexpr int elements = kRows * kCols, in_flight = 8;
  for (int first = thread; first < elements; first += in_flight * kThreads) {
    Bits loaded[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; k++) {
      const int e = first + k * kThreads, row = e / kCols, col = e % kCols;
      if (row < job.rows && col < job.cols) loaded[k] = job.in[row * job.in_pitch + col];
    }
#pragma unroll
    for (int k = 0; k < in_flight; k++) {
      const int e = first + k * kThreads, row = e / kCols, col = e % kCols;
      if (row < job.rows && col < job.cols) tile[tile_at(row, col)] = loaded[k];
    }
  }
  __syncthreads();
#pragma unroll 8
  for (int e = thread; e < elements; e += kThreads) {
    const int row = e % kRows, col = e / kRows;
    if (row < job.rows && col < job.cols)
      job.out[col * job.out_pitch + row] = tile[tile_at(row, col)];
  }
}

} // namespace

/* in: batch x rows x in_pitch, out: batch x cols x out_pitch, both pitches in elements. The grid is
 * one block a tile, all in x, since only x goes beyond 65,535. */
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, int rows, int cols,
           long long in_pitch, long long out_pitch) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  Bits *tile = reinterpret_cast<Bits *>(shared_memory);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const Job job = find_tile(in, out, rows, cols, in_pitch, out_pitch);
  if (vectors_fit(job))
    move_vectors(job, tile, thread);
  else
    move_elements(job, tile, thread);
}

#ifndef __CUDACC_RTC__
/* Transposes `batch` matrices of rows x cols elements on the stream. Pitches are in elements, each
 * at least a row of its side. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, int rows, int cols, long long in_pitch,
                              long long out_pitch, int batch, cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  const long long down = (rows + kRows - 1LL) / kRows, across = (cols + kCols - 1LL) / kCols;
  const long long blocks = down * across * batch;
  if (blocks == 0) return cudaSuccess;
  if (blocks > 0x7fffffff) return cudaErrorInvalidValue;
  const cudaError_t error =
      cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error != cudaSuccess) return error;
  KERNEL<<<static_cast<unsigned>(blocks), dim3(kBlockX, kBlockY, kBlockZ), bytes, stream>>>(
      out, in, rows, cols, in_pitch, out_pitch);
  return cudaGetLastError();
}
#endif
