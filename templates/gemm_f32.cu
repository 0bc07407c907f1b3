/* C = A B in f32 on CUDA cores, any sizes; A and B as they are or transposed in memory.
 *
 * A block computes one tile of C in registers, a thread kQuadsM x kQuadsN squares of 4 x 4. Both
 * operands lie in shared memory with k as the row, so that a thread reads 4 neighbours at once: an
 * operand whose rows run along k is transposed on the way in, 4 elements of a row going to 4 rows
 * of the tile. The next tiles travel from device memory to registers while the current ones are
 * multiplied, and are stored into the other of two stages: one barrier a tile.
 *
 * Lanes 0 and 1 read the same 4 elements of A, lanes 0 and 2 the same of B, and so on: the
 * hardware serves twice as many lanes at once when all lanes agree with their neighbour, or all
 * with their second neighbour, so both reads take 2 wavefronts instead of 4. */
#include "layout.h"

// kgen:begin
#define KERNEL gemm_f32
#define LAUNCH gemm_f32_launch
using ElemA = float;
using ElemB = float;
constexpr KgenLayout kLayoutA = {3, 0, {2, 16, 128}, {2048, 128, 1}, 1, {{-1, 24}}};
constexpr KgenLayout kLayoutB = {3, 0, {2, 16, 256}, {4096, 256, 1}, 0, {}};
constexpr int kBlockX = 256;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kTransA = 0;      // A is stored 0: m x k, 1: k x m
constexpr int kTransB = 0;      // B is stored 0: k x n, 1: n x k
constexpr int kWarpsM = 2;      // warps along m
constexpr int kWarpsN = 4;      // warps along n
constexpr int kBand = 8;        // tile rows of C that are walked together, column by column
constexpr int kBlocksPerSm = 1; // at least so many must fit by registers
// kgen:end

#include "gemm_block.h"

namespace {

enum { QUAD = 4, LANES_M = 8, LANES_N = 4, WARP = 32, STAGES = 2 };

constexpr int kBlockM = kLayoutA.extent[2];
constexpr int kBlockN = kLayoutB.extent[2];
constexpr int kBlockK = kLayoutA.extent[1];
constexpr int kQuadsM = kBlockM / kWarpsM / (QUAD * LANES_M);
constexpr int kQuadsN = kBlockN / kWarpsN / (QUAD * LANES_N);
static_assert(kThreads == WARP * kWarpsM * kWarpsN, "one warp for each part of the tile");
static_assert(kLayoutA.extent[0] == STAGES && kLayoutB.extent[0] == STAGES, "two stages");

template <Side S> constexpr int kOuter = S == A ? kBlockM : kBlockN;
template <Side S>
constexpr int kTurns = (kOuter<S> * kBlockK / QUAD + kThreads - 1) / kThreads; /* of a fill */

template <Side S> __device__ __forceinline__ int tile_at(int stage, int row, int col) {
  static constexpr KgenLayout layout = S == A ? kLayoutA : kLayoutB;
  return kgen_offset3(&layout, stage, row, col);
}

/* --- device memory to registers to tile --- */

/* Which 4 elements of the operand's tile, as it is stored, a thread takes in a turn. */
struct Piece {
  int row, col;
  bool exists;
};

template <Side S> __device__ __forceinline__ Piece find_piece(int turn, int thread) {
  constexpr unsigned across = (kRowsAlongK<S> ? kBlockK : kOuter<S>) / QUAD;
  constexpr unsigned pieces = kOuter<S> * kBlockK / QUAD;
  const unsigned v = thread + turn * kThreads;
  return {static_cast<int>(v / across), static_cast<int>(v % across) * QUAD,
          pieces % kThreads == 0 || v < pieces};
}

/* Loads a thread's part of the tile that begins at k. WHOLE: the tile lies inside of the matrix,
 * and its rows are aligned to 16 bytes. */
template <Side S, bool WHOLE>
__device__ __forceinline__ void load_tile(float (&part)[kTurns<S>][QUAD], const Operand &x, int k,
                                          int thread) {
#pragma unroll
  for (int j = 0; j < kTurns<S>; j++) {
    const Piece piece = find_piece<S>(j, thread);
    const int row = piece.row + (kRowsAlongK<S> ? 0 : k);
    const int col = piece.col + (kRowsAlongK<S> ? k : 0);
    const float *const from = x.at + row * x.pitch + col;
    if constexpr (WHOLE) {
      const float4 quad = piece.exists ? *reinterpret_cast<const float4 *>(from) : float4{};
      part[j][0] = quad.x, part[j][1] = quad.y, part[j][2] = quad.z, part[j][3] = quad.w;
    } else {
#pragma unroll
      for (int i = 0; i < QUAD; i++) {
        const bool inside = piece.exists && row < x.rows && col + i < x.cols;
        part[j][i] = inside ? from[i] : 0;
      }
    }
  }
}

template <Side S>
__device__ __forceinline__ void store_tile(const float (&part)[kTurns<S>][QUAD], float *tile,
                                           int stage, int thread) {
#pragma unroll
  for (int j = 0; j < kTurns<S>; j++) {
    const Piece piece = find_piece<S>(j, thread);
    if (!piece.exists) break;
    if constexpr (kRowsAlongK<S>) {
#pragma unroll
      for (int i = 0; i < QUAD; i++) tile[tile_at<S>(stage, piece.col + i, piece.row)] = part[j][i];
    } else {
      *reinterpret_cast<float4 *>(tile + tile_at<S>(stage, piece.row, piece.col)) =
          make_float4(part[j][0], part[j][1], part[j][2], part[j][3]);
    }
  }
}

/* --- tile to registers --- */

/* Where a thread works within the block's tile: the corner of the first of its squares. */
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

__device__ __forceinline__ void multiply(Sums &sums, const Fragments &f) {
#pragma unroll
  for (int i = 0; i < kQuadsM * QUAD; i++)
#pragma unroll
    for (int j = 0; j < kQuadsN * QUAD; j++) {
      float &sum = sums[i / QUAD][i % QUAD][j / QUAD][j % QUAD];
      sum = fmaf(f.a[i / QUAD][i % QUAD], f.b[j / QUAD][j % QUAD], sum);
    }
}

/* --- the block's tile of C --- */

template <bool WHOLE>
__device__ __forceinline__ void sum_products(Sums &sums, const Job &job, float *tile_a,
                                             float *tile_b, int thread) {
  const int tiles = (job.k + kBlockK - 1) / kBlockK;
  const Place place = find_place(thread);
  float part_a[kTurns<A>][QUAD], part_b[kTurns<B>][QUAD];
  for (int tile = 0; tile <= tiles; tile++) {
    if (tile < tiles) {
      load_tile<A, WHOLE>(part_a, job.a, tile * kBlockK, thread);
      load_tile<B, WHOLE>(part_b, job.b, tile * kBlockK, thread);
    }
    if (tile > 0) {
      const int from = (tile - 1) % STAGES;
      Fragments f[2];
      load_fragments(f[0], tile_a, tile_b, from, 0, place);
#pragma unroll
      for (int k = 0; k < kBlockK; k++) {
        if (k + 1 < kBlockK) load_fragments(f[(k + 1) % 2], tile_a, tile_b, from, k + 1, place);
        multiply(sums, f[k % 2]);
      }
    }
    if (tile < tiles) {
      store_tile<A>(part_a, tile_a, tile % STAGES, thread);
      store_tile<B>(part_b, tile_b, tile % STAGES, thread);
    }
    __syncthreads();
  }
}

/* c: the corner of the block's tile, rows x cols up to the matrix's edge. */
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

template <Side S> __device__ __forceinline__ bool tiles_whole(const Operand &x, int k) {
  const int outer = kRowsAlongK<S> ? x.rows : x.cols;
  return reinterpret_cast<size_t>(x.at) % 16 == 0 && x.pitch % QUAD == 0 && outer >= kOuter<S> &&
         k % kBlockK == 0;
}

} // namespace

/* c: m x n, a: m x k (k x m if transposed), b: k x n (n x k); pitches of rows in elements. The grid
 * is one block a tile of C, all in x. */
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    KERNEL(float *__restrict__ c, const ElemA *__restrict__ a, const ElemB *__restrict__ b, int m,
           int n, int k, long long c_pitch, long long a_pitch, long long b_pitch) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  float *const tile_a = reinterpret_cast<float *>(shared_memory);
  float *const tile_b = reinterpret_cast<float *>(shared_memory + kBytesA);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const int2 tile = find_tile<kBlockM, kBlockN>(m, n);
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
#include "launch.h"

/* C = A B on the stream; shapes and pitches as for the kernel, each pitch at least a row. */
extern "C" cudaError_t LAUNCH(float *c, const ElemA *a, const ElemB *b, int m, int n, int k,
                              long long c_pitch, long long a_pitch, long long b_pitch,
                              cudaStream_t stream) {
  constexpr int bytes = kBytesA + aligned_bytes(kLayoutB);
  const long long down = (m + kBlockM - 1LL) / kBlockM, across = (n + kBlockN - 1LL) / kBlockN;
  return launch_blocks(KERNEL, down * across, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, c, a,
                       b, m, n, k, c_pitch, a_pitch, b_pitch);
}
#endif
