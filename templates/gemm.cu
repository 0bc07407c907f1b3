/*
 * C = A * B on tensor cores by mma.sync: f16 or bf16 operands, f32 accumulation, any m, n and k,
 * any leading dimensions; A and B each row-major or transposed (NN, NT, TN, TT). Needs sm_80.
 *
 * A block computes one tile of C, kBlockM x kBlockN, in registers, each warp a part of it. The main
 * loop goes along k in steps of kBlockK, in a software pipeline of kStages stages:
 *
 * 1. Device to shared memory: cp.async copies tiles of A and B in the order in which they are
 *    stored, 16 bytes at a time, kStages - 1 tiles ahead. Bytes outside of a matrix become zeros.
 * 2. Shared memory to registers: ldmatrix loads fragments of 16 x 16 elements, with .trans unless k
 *    is the operand's contiguous dimension. The fragments of a step of 16 along k are loaded while
 *    the preceding step is multiplied, also across the barrier between two tiles. The 8 rows of a
 *    matrix of ldmatrix would conflict in the same banks: the layouts' XOR spreads them.
 * 3. Products: mma.sync on 16 x 8 x 16.
 *
 * Addresses are kept from tile to tile wherever the layout repeats: evaluating layouts and edges
 * for every tile was half of the main loop's instructions. Operands whose rows are not aligned to
 * 16 bytes, or not multiples of 16 bytes long, are copied element by element.
 */
#include "async_copy.h"
#include "layout.h"
#include "mma.h"
#include "programmatic.h"

// kgen:begin
#define KERNEL gemm
#define LAUNCH gemm_launch
using ElemA = unsigned short;
using ElemB = unsigned short;
constexpr KgenLayout kLayoutA = {3, 0, {4, 128, 32}, {4096, 32, 1}, 1, {{-2, 24}}};
constexpr KgenLayout kLayoutB = {3, 0, {4, 32, 256}, {8192, 256, 1}, 1, {{-3, 56}}};
constexpr int kBlockX = 256;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kBf16 = 0;        // the operands' type is 0: f16, 1: bf16
constexpr int kWide = 0;        // C's type is 0: the operands', 1: f32
constexpr int kTransA = 0;      // A is stored 0: m x k, 1: k x m
constexpr int kTransB = 0;      // B is stored 0: k x n, 1: n x k
constexpr int kWarpsM = 2;      // warps along m
constexpr int kWarpsN = 4;      // warps along n
constexpr int kFill = 0;        // lanes copy 0: along rows, 1: down columns of 8 rows
constexpr int kBypass = 1;      // copies go 0: through L1 (cp.async.ca), 1: past it (cp.async.cg)
constexpr int kBand = 8;        // rows of tiles in a band, which blocks visit column by column
constexpr int kBlocksPerSm = 1; // blocks that registers must let reside on an SM
// kgen:end

#include "gemm_tile.h"

#include "gemm_block.h"

namespace {

enum { PIECE = 8 }; /* elements of a copy of 16 bytes */

using Half = unsigned short; /* the bits of an f16 or bf16 */

constexpr int kStages = kLayoutA.extent[0];
constexpr int kBlockM = kLayoutA.extent[kTransA ? 2 : 1];
constexpr int kBlockN = kLayoutB.extent[kTransB ? 1 : 2];
constexpr int kBlockK = kLayoutA.extent[kTransA ? 1 : 2];
constexpr int kWarpM = kBlockM / kWarpsM;
constexpr int kWarpN = kBlockN / kWarpsN;
constexpr int kSteps = kBlockK / MMA_K;
static_assert(kThreads == WARP * kWarpsM * kWarpsN, "one warp for each part of the tile");
static_assert(((kBf16 | kWide | kTransA | kTransB | kFill | kBypass) & ~1) == 0,
              "flags are 0 or 1");

template <Side S> constexpr KgenLayout kLayout = S == A ? kLayoutA : kLayoutB;
template <Side S> constexpr int kStageBytes = kLayout<S>.stride[0] * static_cast<int>(sizeof(Half));
template <Side S> constexpr int kRowBytes = kLayout<S>.stride[1] * static_cast<int>(sizeof(Half));

/* The number of rows, a power of two, after which the layout's XOR repeats; more than there are, if
 * it also reads columns. */
KGEN_FN long long repeat_rows(const KgenLayout &layout) {
  long long rows = 1;
  for (int i = 0; i < layout.terms; i++) {
    if (layout.term[i].source != KGEN_ROW) return 1LL << 40;
    const int shift = layout.term[i].shift;
    const long long mask = layout.term[i].mask;
    while (rows <= (shift < 0 ? mask >> -shift : mask << shift)) rows *= 2;
  }
  return rows;
}

/* True if elements of one column that are ROWS rows, or a stage, apart have offsets a constant
 * apart: the main loop then adds constants instead of evaluating the layout. */
template <Side S, int ROWS>
constexpr bool kConstantStep =
    ROWS % repeat_rows(kLayout<S>) == 0 && kLayout<S>.extent[1] % repeat_rows(kLayout<S>) == 0;

/* The offset of an element in the operand's tiles, in bytes. */
template <Side S> __device__ __forceinline__ unsigned tile_at(int stage, int row, int col) {
  static constexpr KgenLayout layout = kLayout<S>;
  return kgen_offset3(&layout, stage, row, col) * static_cast<int>(sizeof(Half));
}

} // namespace

#include "gemm_fragments.h"

#include "gemm_quad.h"

namespace {

/* --- device memory to tile --- */

/* True if every piece of 16 bytes is aligned in device memory, and either inside of the matrix or
 * outside of it. */
__device__ __forceinline__ bool pieces_whole(const Operand &x) {
  return reinterpret_cast<size_t>(x.at) % 16 == 0 && x.pitch % PIECE == 0 && x.cols % PIECE == 0;
}

/* How a tile is divided among the threads: thread t copies pieces t, t + kThreads, ... of 8
 * elements each. */
template <Side S> struct Division {
  static constexpr int kAcross = kLayout<S>.extent[2] / PIECE;
  static constexpr int kPieces = kLayout<S>.extent[1] * kAcross;
  static constexpr int kPerThread = (kPieces + kThreads - 1) / kThreads;
  static constexpr int kStepRows = kThreads / kAcross;
  /* True if a thread's pieces are in one column, kStepRows apart. */
  static constexpr bool kStraight = kThreads % (kFill ? 8 * kAcross : kAcross) == 0;
  static constexpr bool kConstant = kStraight && kConstantStep<S, kStepRows>;

  static __device__ __forceinline__ int row(unsigned v) {
    return kFill ? v / (8 * kAcross) * 8 + v % 8 : v / kAcross;
  }
  static __device__ __forceinline__ int col(unsigned v) {
    return (kFill ? v / 8 % kAcross : v % kAcross) * PIECE;
  }
};

/* The copies of one thread: next(stage) copies its pieces of the next tile along k into that stage.
 * WHOLE: all pieces are whole, see pieces_whole. */
template <Side S, bool WHOLE> struct Copier {
  using Part = Division<S>;
  size_t from;          /* the thread's first piece in device memory */
  size_t pitch;         /* bytes */
  unsigned tile, to;    /* stage 0 in shared memory, and the thread's first piece in it */
  int thread, row, col; /* the thread's first piece within a tile */
  int rows, cols;       /* from that piece to the matrix's edge */

  __device__ __forceinline__ Copier(const Operand &x, const Half *shared, int thread_index)
      : pitch(x.pitch * sizeof(Half)), tile(shared_address(shared)), thread(thread_index),
        row(Part::row(thread)), col(Part::col(thread)), rows(x.rows - row), cols(x.cols - col) {
    from = __cvta_generic_to_global(x.at) + row * pitch + col * sizeof(Half);
    to = tile + tile_at<S>(0, row, col);
  }

  /* Copies the thread's j-th piece, which is the tile's piece v. */
  __device__ __forceinline__ void copy(int j, unsigned v, int stage) const {
    const int down = Part::kStraight ? j * Part::kStepRows : Part::row(v) - row;
    const int across = Part::kStraight ? 0 : Part::col(v) - col;
    const unsigned piece = Part::kConstant ? to + stage * kStageBytes<S> + down * kRowBytes<S>
                                           : tile + tile_at<S>(stage, row + down, col + across);
    copy_async<16, kBypass>(piece, from + down * pitch + across * static_cast<int>(sizeof(Half)),
                            rows <= down || cols <= across);
  }

  __device__ __forceinline__ void next(int stage) {
#pragma unroll
    for (int j = 0; j < Part::kPerThread; j++) {
      unsigned v = thread + j * kThreads;
      if ((j + 1) * kThreads <= Part::kPieces)
        copy(j, v, stage);
      else
#pragma unroll 1
        for (; v < Part::kPieces; v += block_threads()) copy(j, v, stage); /* once */
    }
    from += (kRowsAlongK<S> ? sizeof(Half) : pitch) * kBlockK;
    (kRowsAlongK<S> ? cols : rows) -= kBlockK;
  }
};

/* The same if pieces are not whole: element by element, and synchronously. */
template <Side S> struct Copier<S, false> {
  using Part = Division<S>;
  Operand x;
  unsigned char *shared;
  int thread;

  __device__ __forceinline__ Copier(const Operand &operand, Half *tile, int thread_index)
      : x(operand), shared(reinterpret_cast<unsigned char *>(tile)), thread(thread_index) {}

  __device__ __forceinline__ void next(int stage) {
#pragma unroll 1
    for (int j = 0; j < Part::kPerThread; j++) {
      const unsigned v = thread + j * kThreads;
      if (Part::kPieces % kThreads != 0 && v >= Part::kPieces) break;
      const int row = Part::row(v), col = Part::col(v);
      const int count = row < x.rows ? x.cols - col : 0;
      const Half *const from = x.at + row * x.pitch + col;
      unsigned pair[PIECE / 2] = {};
#pragma unroll
      for (int i = 0; i < PIECE; i++)
        if (i < count) pair[i / 2] |= static_cast<unsigned>(from[i]) << i % 2 * 16;
      *reinterpret_cast<uint4 *>(shared + tile_at<S>(stage, row, col)) =
          make_uint4(pair[0], pair[1], pair[2], pair[3]);
    }
    x.at += (kRowsAlongK<S> ? 1 : x.pitch) * kBlockK;
    (kRowsAlongK<S> ? x.cols : x.rows) -= kBlockK;
  }
};

/* --- the block's tile of C --- */

/* The software pipeline: tiles of A and B in shared memory, and two sets of fragments, one that is
 * multiplied and one that is loaded. */
template <bool WHOLE> struct Pipeline {
  Copier<A, WHOLE> copier_a;
  Copier<B, WHOLE> copier_b;
  Patches<A> patches_a;
  Patches<B> patches_b;
  Fragments f[2];
  int from, to; /* the stages that fragments are loaded from and tiles are copied to */

  __device__ __forceinline__ Pipeline(const Job &job, Half *tile_a, Half *tile_b, const Place &warp,
                                      int thread)
      : copier_a(job.a, tile_a, thread), copier_b(job.b, tile_b, thread),
        patches_a(shared_address(tile_a), warp.row, warp.lane),
        patches_b(shared_address(tile_b), warp.col, warp.lane), from(0), to(0) {}

  __device__ __forceinline__ void copy_tile() {
    copier_a.next(to);
    copier_b.next(to);
  }

  /* Commits a tile's copies, or an empty group, so that await_copies counts tiles. */
  __device__ __forceinline__ void end_copies() {
    commit_copies();
    to = to + 1 == kStages ? 0 : to + 1;
  }

  /* Loads the fragments of a step of the tile in stage `from`. */
  __device__ __forceinline__ void load(int step) {
    load_fragments(f[step % 2], patches_a, patches_b, from, step % kSteps);
  }

  /* Adds a tile's products, and copies another tile if COPY. After the last tile its first step is
   * loaded again, to no purpose: that saves a branch. */
  template <bool COPY> __device__ __forceinline__ void multiply_tile(Sums &sums, bool last) {
#pragma unroll
    for (int step = 0; step < kSteps; step++) {
      if (step == kSteps - 1) {
        await_copies<kStages - 2>();
        if (!last) from = from + 1 == kStages ? 0 : from + 1;
      }
      load(step + 1);
      if (step == 0) {
        if constexpr (COPY)
          copy_tile(); /* all warps are done with that stage: they passed the last barrier */
        end_copies();
      }
      multiply(sums, f[step % 2]);
    }
  }
};

template <bool WHOLE>
__device__ __forceinline__ void sum_products(Sums &sums, const Job &job, Half *tile_a, Half *tile_b,
                                             const Place &warp, int thread) {
  const int tiles = (job.k + kBlockK - 1) / kBlockK;
  if (tiles == 0) return;
  Pipeline<WHOLE> p(job, tile_a, tile_b, warp, thread);
#pragma unroll 1
  for (int tile = 0; tile < kStages - 1; tile++) {
    if (tile < tiles) p.copy_tile();
    p.end_copies();
  }
  await_copies<kStages - 2>();
  p.load(0);
  int tile = 0;
#pragma unroll 1
  for (; tile < tiles - (kStages - 1); tile++) p.template multiply_tile<true>(sums, false);
#pragma unroll 1
  for (; tile < tiles; tile++) p.template multiply_tile<false>(sums, tile == tiles - 1);
}

} // namespace

/* c: m x n, a: m x k (k x m if kTransA), b: k x n (n x k if kTransB), each row-major as it is
 * stored; pitches are leading dimensions in elements. The grid is one-dimensional, one block per
 * tile of C. */
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    KERNEL(ElemC *__restrict__ c, const ElemA *__restrict__ a, const ElemB *__restrict__ b, int m,
           int n, int k, long long c_pitch, long long a_pitch, long long b_pitch) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  Half *const tile_a = reinterpret_cast<Half *>(shared_memory);
  Half *const tile_b = reinterpret_cast<Half *>(shared_memory + kBytesA);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const int2 tile = find_tile<kBlockM, kBlockN>(blockIdx.x, m, n);
  const int row = tile.x * kBlockM, col = tile.y * kBlockN;
  const Place warp = {thread / WARP % kWarpsM * kWarpM, thread / WARP / kWarpsM * kWarpN,
                      thread % WARP};
  Job job;
  job.a = operand_from<A>(a, a_pitch, row, m, k);
  job.b = operand_from<B>(b, b_pitch, col, n, k);
  job.k = k;
  Sums sums = {};
  if (pieces_whole(job.a) && pieces_whole(job.b))
    sum_products<true>(sums, job, tile_a, tile_b, warp, thread);
  else
    sum_products<false>(sums, job, tile_a, tile_b, warp, thread);
  store_sums(sums, c + row * c_pitch + col, c_pitch, m - row, n - col, warp);
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"

/* C = A * B on the stream; shapes and pitches as for the kernel, each pitch at least a row. */
extern "C" cudaError_t LAUNCH(ElemC *c, const ElemA *a, const ElemB *b, int m, int n, int k,
                              long long c_pitch, long long a_pitch, long long b_pitch,
                              cudaStream_t stream) {
  constexpr int bytes = kBytesA + aligned_bytes(kLayoutB);
  const long long down = (m + kBlockM - 1LL) / kBlockM, across = (n + kBlockN - 1LL) / kBlockN;
  return launch_programmatic(KERNEL, down * across, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream,
                             c, a, b, m, n, k, c_pitch, a_pitch, b_pitch);
}
#endif
