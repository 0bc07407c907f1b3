/* C = A * B in f32 on CUDA cores (FFMA): any m, n and k, any leading dimensions; A and B each
 * row-major or transposed (NN, NT, TN, TT). Needs sm_80.
 *
 * A block computes one tile of C, kBlockM x kBlockN, in registers, a thread kQuadsM x kQuadsN
 * squares of 4 x 4. Both operands lie in shared memory with k as the row, so that a thread loads 4
 * neighbours along m or n by one instruction. An operand with k as its contiguous dimension is
 * therefore transposed on the way in, element by element: a warp copies 8 elements of 4 rows, whole
 * sectors of device memory. The main loop is a software pipeline: cp.async copies tiles kStages - 1
 * ahead, a few copies with each step of k; the operands of a step are loaded from shared memory
 * while the step before is multiplied, also across the barrier between two tiles.
 *
 * Lanes 0 and 1 load equal elements of A, lanes 0 and 2 equal elements of B, and so on: the
 * hardware serves twice as many lanes of a 16-byte load at once if all lanes agree with their
 * neighbour, or all with their second neighbour, so both loads take 2 wavefronts instead of 4. */
#include "async_copy.h"
#include "layout.h"
#include "programmatic.h"

// kgen:begin
#define KERNEL gemm_f32
#define LAUNCH gemm_f32_launch
using ElemA = float;
using ElemB = float;
constexpr KgenLayout kLayoutA = {3, 0, {3, 16, 128}, {2048, 128, 1}, 1, {{2, 28}}};
constexpr KgenLayout kLayoutB = {3, 0, {3, 16, 256}, {4096, 256, 1}, 0, {}};
constexpr int kBlockX = 256;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kTransA = 0;       // A is stored 0: m x k, 1: k x m
constexpr int kTransB = 0;       // B is stored 0: k x n, 1: n x k
constexpr int kWarpsM = 2;       // warps along m
constexpr int kWarpsN = 4;       // warps along n
constexpr int kBand = 8;         // rows of tiles in a band, which blocks visit column by column
constexpr int kBursts = 0;       // in which 16-byte copies of a tile are issued; 0: one by one
constexpr int kBurstsAlongK = 0; // bursts of 4-byte copies, if rows run along k
constexpr int kBlocksPerSm = 1;  // blocks that registers must let reside on an SM
// kgen:end

#include "gemm_tile.h"

#include "gemm_block.h"

namespace {

enum { QUAD = 4, LANES_M = 8, LANES_N = 4, WARP = 32 };

constexpr int kStages = kLayoutA.extent[0];
constexpr int kBlockM = kLayoutA.extent[2];
constexpr int kBlockN = kLayoutB.extent[2];
constexpr int kBlockK = kLayoutA.extent[1];
constexpr int kQuadsM = kBlockM / kWarpsM / (QUAD * LANES_M);
constexpr int kQuadsN = kBlockN / kWarpsN / (QUAD * LANES_N);
static_assert(kThreads == WARP * kWarpsM * kWarpsN, "one warp for each part of the tile");
static_assert(kStages >= 2 && kLayoutB.extent[0] == kStages, "A and B have the same stages");

template <Side S> constexpr KgenLayout kLayout = S == A ? kLayoutA : kLayoutB;

/* The offset of an element in the operand's tiles, in elements. */
template <Side S> __device__ __forceinline__ int tile_at(int stage, int row, int col) {
  static constexpr KgenLayout layout = kLayout<S>;
  return kgen_offset3(&layout, stage, row, col);
}

/* --- device memory to tile --- */

/* How a tile is divided among the threads: thread t copies pieces t, t + kThreads, ... A piece is 4
 * elements of a row, or one if the tile is transposed on the way in. */
template <Side S> struct Division {
  static constexpr int kOuter = kLayout<S>.extent[2]; /* along m or n */
  static constexpr int kSize = kRowsAlongK<S> ? 1 : QUAD;
  static constexpr int kPieces = kBlockK * kOuter / kSize;
  static constexpr int kPerThread = (kPieces + kThreads - 1) / kThreads;

  static KGEN_FN int row(unsigned v) {
    return kRowsAlongK<S> ? v / (8 * kOuter) * 8 + v % 8 : v / (kOuter / QUAD);
  }
  static KGEN_FN int col(unsigned v) {
    return kRowsAlongK<S> ? v / 8 % kOuter : v % (kOuter / QUAD) * QUAD;
  }
  /* The step of the main loop that issues a thread's j-th copy: all have been issued before the
   * last step. Bursts save what the compiler puts between other accesses to shared memory and a
   * copy. */
  static KGEN_FN int step_of(int j) {
    constexpr int set = kRowsAlongK<S> ? kBurstsAlongK : kBursts;
    constexpr int bursts = set == 0 ? kPerThread : set;
    return j * bursts / kPerThread * (kBlockK - 1) / bursts;
  }
  /* True if the distance from a thread's first piece to its j-th is the same for all threads. */
  static KGEN_FN bool steps_alike() {
    for (int j = 1; j < kPerThread; j++)
      for (int t = 1; t < kThreads; t++)
        if (row(t + j * kThreads) - row(t) != row(j * kThreads) ||
            col(t + j * kThreads) - col(t) != col(j * kThreads))
          return false;
    return true;
  }
};

/* The copies of one thread, tile after tile along k. WHOLE: tiles are inside of the matrix, and its
 * rows are aligned to 16 bytes. */
template <Side S, bool WHOLE> struct Copier {
  using Part = Division<S>;
  static constexpr bool kAlike = Part::steps_alike();
  static constexpr bool kLinear = kAlike && kLayout<S>.terms == 0;
  size_t from;          /* the thread's first piece in device memory */
  size_t pitch;         /* bytes */
  unsigned tile, to;    /* stage 0 in shared memory, and the thread's first piece in it */
  int thread, row, col; /* the thread's first piece within a tile */
  int rows, cols;       /* from that piece to the edge along k, and along m or n */

  __device__ __forceinline__ Copier(const Operand &x, const float *shared, int thread_index)
      : pitch(x.pitch * sizeof(float)), tile(shared_address(shared)), thread(thread_index),
        row(Part::row(thread)), col(Part::col(thread)),
        rows((kRowsAlongK<S> ? x.cols : x.rows) - row),
        cols((kRowsAlongK<S> ? x.rows : x.cols) - col) {
    from = __cvta_generic_to_global(x.at) + distance(row, col);
    to = tile + tile_at<S>(0, row, col) * 4;
  }

  /* A distance in the operand as it is stored, in bytes: `down` along k, `across` along m or n. */
  __device__ __forceinline__ size_t distance(int down, int across) const {
    return (kRowsAlongK<S> ? across : down) * pitch + (kRowsAlongK<S> ? down : across) * 4;
  }

  /* Copies the thread's j-th piece, which is the tile's piece v, into a stage. */
  __device__ __forceinline__ void copy_piece(int j, unsigned v, int stage) const {
    const int down = kAlike ? Part::row(j * kThreads) : Part::row(v) - row;
    const int across = kAlike ? Part::col(j * kThreads) : Part::col(v) - col;
    const size_t piece = from + distance(down, across);
    const unsigned place = kLinear ? to + tile_at<S>(stage, down, across) * 4
                                   : tile + tile_at<S>(stage, row + down, col + across) * 4;
    if constexpr (WHOLE) {
      copy_async<4 * Part::kSize, !kRowsAlongK<S>>(place, piece, false);
    } else {
#pragma unroll
      for (int i = 0; i < Part::kSize; i++)
        copy_async<4, false>(place + 4 * i, piece + 4 * i, rows <= down || cols <= across + i);
    }
  }

  /* Copies the thread's j-th piece of a tile, if there is one. */
  __device__ __forceinline__ void copy(int j, int stage) const {
    const int end = (j + 1) * kThreads;
    unsigned v = thread + j * kThreads;
    if (Part::kPieces % kThreads == 0 || (WHOLE && end <= Part::kPieces))
      copy_piece(j, v, stage);
    else
#pragma unroll 1
      for (; v < min(end, Part::kPieces); v += block_threads()) copy_piece(j, v, stage); /* once */
  }

  /* Advances to the next tile along k. */
  __device__ __forceinline__ void next() {
    from += distance(kBlockK, 0);
    rows -= kBlockK;
  }

  /* Issues the copies that go with one step of the main loop. At an edge the first step issues all,
   * in a loop, which compiles faster. */
  __device__ __forceinline__ void copy_share(int step, int stage) const {
    if constexpr (WHOLE) {
#pragma unroll
      for (int j = 0; j < Part::kPerThread; j++)
        if (Part::step_of(j) == step) copy(j, stage);
    } else if (step == 0) {
#pragma unroll 1
      for (int j = 0; j < Part::kPerThread; j++) copy(j, stage);
    }
  }
};

/* --- tile to registers --- */

/* The corner of a thread's first square in the block's tile of C. */
struct Place {
  int row, col;
};

__device__ __forceinline__ Place find_place(int thread) {
  const int warp = thread / WARP, lane = thread % WARP;
  const int lane_m = lane / 2 % 2 + lane / 8 * 2, lane_n = lane % 2 + lane / 4 % 2 * 2;
  return {warp % kWarpsM * (kBlockM / kWarpsM) + lane_m * QUAD,
          warp / kWarpsM * (kBlockN / kWarpsN) + lane_n * QUAD};
}

struct Fragments {
  float a[kQuadsM][QUAD], b[kQuadsN][QUAD];
};

template <Side S, int QUADS>
__device__ __forceinline__ void load_quads(float (&to)[QUADS][QUAD], const float *tile, int stage,
                                           int k, int first) {
  constexpr int step = QUAD * (S == A ? LANES_M : LANES_N);
#pragma unroll
  for (int i = 0; i < QUADS; i++) {
    const float4 quad =
        *reinterpret_cast<const float4 *>(tile + tile_at<S>(stage, k, first + i * step));
    to[i][0] = quad.x, to[i][1] = quad.y, to[i][2] = quad.z, to[i][3] = quad.w;
  }
}

__device__ __forceinline__ void load_fragments(Fragments &f, const float *tile_a,
                                               const float *tile_b, int stage, int k, Place place) {
  load_quads<A>(f.a, tile_a, stage, k, place.row);
  load_quads<B>(f.b, tile_b, stage, k, place.col);
}

using Sums = float[kQuadsM][QUAD][kQuadsN][QUAD];

/* Goes column by column, every other one upwards: of six orders tried on an H200 this one has the
 * fewest register bank conflicts, and takes f32 products to 51 TFLOP/s; the others reach 47 to
 * 50.5. */
__device__ __forceinline__ void multiply(Sums &sums, const Fragments &f) {
#pragma unroll
  for (int j = 0; j < kQuadsN * QUAD; j++)
#pragma unroll
    for (int n = 0; n < kQuadsM * QUAD; n++) {
      const int i = j % 2 ? kQuadsM * QUAD - 1 - n : n;
      float &sum = sums[i / QUAD][i % QUAD][j / QUAD][j % QUAD];
      sum = fmaf(f.a[i / QUAD][i % QUAD], f.b[j / QUAD][j % QUAD], sum);
    }
}

/* --- the block's tile of C --- */

/* The software pipeline: tiles of A and B in shared memory, and two sets of operands in registers,
 * one that is multiplied and one that is loaded. */
template <bool WHOLE> struct Pipeline {
  const float *tile_a, *tile_b;
  Copier<A, WHOLE> copier_a;
  Copier<B, WHOLE> copier_b;
  Place place;
  Fragments f[2];
  int from, to; /* the stages that operands are loaded from and tiles are copied to */

  __device__ __forceinline__ Pipeline(const Job &job, const float *a, const float *b, int thread)
      : tile_a(a), tile_b(b), copier_a(job.a, a, thread), copier_b(job.b, b, thread),
        place(find_place(thread)), from(0), to(0) {}

  __device__ __forceinline__ void copy_share(int step) {
    copier_a.copy_share(step, to);
    copier_b.copy_share(step, to);
  }

  /* Commits a tile's copies, or an empty group, so that await_copies counts tiles. */
  __device__ __forceinline__ void end_copies() {
    commit_copies();
    copier_a.next();
    copier_b.next();
    to = to + 1 == kStages ? 0 : to + 1;
  }

  /* Loads the operands of a step of the tile in stage `from`. */
  __device__ __forceinline__ void load(int step) {
    load_fragments(f[step % 2], tile_a, tile_b, from, step % kBlockK, place);
  }

  /* Adds a tile's products, and copies another tile if COPY: a branch around the copies instead
   * cost 6 % on an H200. After the last tile its first step is loaded again, to no purpose, for the
   * same reason. */
  template <bool COPY> __device__ __forceinline__ void multiply_tile(Sums &sums, bool last) {
#pragma unroll
    for (int k = 0; k < kBlockK; k++) {
      if (k == kBlockK - 1) {
        end_copies();
        await_copies<kStages - 2>();
        if (!last) from = from + 1 == kStages ? 0 : from + 1;
      }
      load(k + 1);
      if constexpr (COPY) copy_share(k);
      multiply(sums, f[k % 2]);
    }
  }
};

template <bool WHOLE>
__device__ __forceinline__ void sum_products(Sums &sums, const Job &job, float *tile_a,
                                             float *tile_b, int thread) {
  const int tiles = (job.k + kBlockK - 1) / kBlockK;
  if (tiles == 0) return;
  Pipeline<WHOLE> p(job, tile_a, tile_b, thread);
#pragma unroll 1
  for (int tile = 0; tile < kStages - 1; tile++) {
    if (tile < tiles)
#pragma unroll
      for (int step = 0; step < kBlockK; step++) p.copy_share(step);
    p.end_copies();
  }
  await_copies<kStages - 2>();
  p.load(0);
  /* At an edge tiles past the end are copied, too, as zeros. Elsewhere no tile of the loop that
   * copies is the last; asking in each iteration costs 2 % on an H200. */
  const int copying = WHOLE ? tiles - (kStages - 1) : tiles;
  int tile = 0;
#pragma unroll 1
  for (; tile < copying; tile++) p.template multiply_tile<true>(sums, !WHOLE && tile == tiles - 1);
  if constexpr (WHOLE)
#pragma unroll 1
    for (; tile < tiles; tile++) p.template multiply_tile<false>(sums, tile == tiles - 1);
}

/* The epilogue. c: the corner of the block's tile, rows x cols elements up to the matrix's edge. */
__device__ __forceinline__ void store_sums(const Sums &sums, float *c, long long pitch, int rows,
                                           int cols, Place place) {
  const bool aligned = reinterpret_cast<size_t>(c) % 16 == 0 && pitch % QUAD == 0;
#pragma unroll
  for (int i = 0; i < kQuadsM * QUAD; i++) {
    const int row = place.row + i / QUAD * QUAD * LANES_M + i % QUAD;
    if (row >= rows) break;
#pragma unroll
    for (int j = 0; j < kQuadsN; j++) {
      const int col = place.col + j * QUAD * LANES_N;
      const float *const sum = sums[i / QUAD][i % QUAD][j];
      float *const to = c + row * pitch + col;
      if (aligned && col + QUAD <= cols) {
        *reinterpret_cast<float4 *>(to) = make_float4(sum[0], sum[1], sum[2], sum[3]);
      } else {
#pragma unroll
        for (int l = 0; l < QUAD; l++)
          if (col + l < cols) to[l] = sum[l];
      }
    }
  }
}

/* True if the block's tiles are inside of the operand, and its rows are aligned to 16 bytes. */
template <Side S> __device__ __forceinline__ bool tiles_whole(const Operand &x, int k) {
  const int outer = kRowsAlongK<S> ? x.rows : x.cols;
  return reinterpret_cast<size_t>(x.at) % 16 == 0 && x.pitch % QUAD == 0 &&
         outer >= Division<S>::kOuter && k % kBlockK == 0;
}

} // namespace

/* c: m x n, a: m x k (k x m if kTransA), b: k x n (n x k if kTransB), each row-major as it is
 * stored; pitches are leading dimensions in elements. The grid is one-dimensional, one block per
 * tile of C. */
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    KERNEL(float *__restrict__ c, const ElemA *__restrict__ a, const ElemB *__restrict__ b, int m,
           int n, int k, long long c_pitch, long long a_pitch, long long b_pitch) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  float *const tile_a = reinterpret_cast<float *>(shared_memory);
  float *const tile_b = reinterpret_cast<float *>(shared_memory + kBytesA);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const int2 tile = find_tile<kBlockM, kBlockN>(blockIdx.x, m, n);
  const int row = tile.x * kBlockM, col = tile.y * kBlockN;
  Job job;
  job.a = operand_from<A>(a, a_pitch, row, m, k);
  job.b = operand_from<B>(b, b_pitch, col, n, k);
  job.k = k;
  Sums sums = {};
  if (tiles_whole<A>(job.a, k) && tiles_whole<B>(job.b, k))
    sum_products<true>(sums, job, tile_a, tile_b, thread);
  else
    sum_products<false>(sums, job, tile_a, tile_b, thread);
  store_sums(sums, c + row * c_pitch + col, c_pitch, m - row, n - col, find_place(thread));
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"

/* C = A * B on the stream; shapes and pitches as for the kernel, each pitch at least a row. */
extern "C" cudaError_t LAUNCH(float *c, const ElemA *a, const ElemB *b, int m, int n, int k,
                              long long c_pitch, long long a_pitch, long long b_pitch,
                              cudaStream_t stream) {
  constexpr int bytes = kBytesA + aligned_bytes(kLayoutB);
  const long long down = (m + kBlockM - 1LL) / kBlockM, across = (n + kBlockN - 1LL) / kBlockN;
  return launch_programmatic(KERNEL, down * across, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream,
                             c, a, b, m, n, k, c_pitch, a_pitch, b_pitch);
}
#endif
