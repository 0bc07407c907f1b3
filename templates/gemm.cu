/* C = A B on tensor cores: 16-bit operands, f32 accumulation, any sizes; A and B as they are or
 * transposed in memory.
 *
 * A block computes one tile of C in registers. Its threads copy tiles of A and B into shared memory
 * asynchronously, 16 bytes at a time and kStages - 1 tiles ahead, as they stand in device memory:
 * an operand whose rows run along k is read by ldmatrix, the other kind by ldmatrix.trans. The
 * fragments of one step of k are loaded while the step before it is multiplied, also across the
 * barrier between two tiles. What lies outside of a matrix is filled with zeros by the copy itself.
 * Rows that are not aligned to 16 bytes are gathered element by element. Needs sm_80. */
#include "layout.h"

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
constexpr int kBf16 = 0;        // the operands are 0: f16, 1: bf16
constexpr int kWide = 0;        // C is 0: of the operands' type, 1: f32
constexpr int kTransA = 0;      // A is stored 0: m x k, 1: k x m
constexpr int kTransB = 0;      // B is stored 0: k x n, 1: n x k
constexpr int kWarpsM = 2;      // warps along m
constexpr int kWarpsN = 4;      // warps along n
constexpr int kFill = 0;        // lanes copy 0: along rows, 1: down columns of 8 rows
constexpr int kBypass = 1;      // copies go 0: through L1, 1: past it
constexpr int kBand = 8;        // tile rows of C that are walked together, column by column
constexpr int kBlocksPerSm = 1; // at least so many must fit by registers
// kgen:end

namespace {

enum Side { A, B };
enum { MMA_M = 16, MMA_N = 8, MMA_K = 16, PATCH = 16, PIECE = 8, WARP = 32 };

template <bool WIDE> struct Output { using Type = float; };
template <> struct Output<false> { using Type = unsigned short; };

using Half = unsigned short; /* the bits of an f16 or bf16 */
using ElemC = Output<kWide != 0>::Type;

constexpr int kPairWords = 2 * sizeof(ElemC) / sizeof(unsigned); /* of two elements of C */
struct alignas(4 * sizeof(ElemC)) Quad {
  unsigned word[2 * kPairWords]; /* of four */
};

constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kStages = kLayoutA.extent[0];
constexpr int kBlockM = kLayoutA.extent[kTransA ? 2 : 1];
constexpr int kBlockN = kLayoutB.extent[kTransB ? 1 : 2];
constexpr int kBlockK = kLayoutA.extent[kTransA ? 1 : 2];
constexpr int kWarpM = kBlockM / kWarpsM;
constexpr int kWarpN = kBlockN / kWarpsN;
constexpr int kTilesM = kWarpM / MMA_M;
constexpr int kTilesN = kWarpN / MMA_N;
constexpr int kSteps = kBlockK / MMA_K;
static_assert(kThreads == WARP * kWarpsM * kWarpsN, "one warp for each part of the tile");
static_assert(kSteps % 2 == 0, "fragments alternate between two sets");
static_assert(((kBf16 | kWide | kTransA | kTransB | kFill | kBypass) & ~1) == 0,
              "flags are 0 or 1");

KGEN_FN int aligned_bytes(const KgenLayout &layout) {
  return (kgen_elements(&layout) * static_cast<int>(sizeof(Half)) + 127) / 128 * 128;
}
constexpr int kBytesA = aligned_bytes(kLayoutA);

/* True if rows of the operand, as it is stored, run along k. */
template <Side S> constexpr bool kRowsAlongK = S == A ? !kTransA : kTransB != 0;

template <Side S> __device__ __forceinline__ int tile_at(int stage, int row, int col) {
  static constexpr KgenLayout layout = S == A ? kLayoutA : kLayoutB;
  return kgen_offset3(&layout, stage, row, col);
}

/* --- instructions --- */

__device__ __forceinline__ unsigned shared_address(const void *p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/* Copies 16 bytes, of which the first `bytes` are read and the others are 0. `from` is an address
 * in device memory, outside of the matrix where nothing is read. */
__device__ __forceinline__ void copy_async(Half *to, size_t from, int bytes) {
#if __CUDA_ARCH__ >= 800
  if constexpr (kBypass)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
#else
  __trap();
#endif
}

/* Ends a group of copies. */
__device__ __forceinline__ void commit_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until at most N of this thread's newest groups are on their way; then for all threads. */
template <int N> __device__ __forceinline__ void await_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
  __syncthreads();
}

template <bool TRANSPOSE>
__device__ __forceinline__ void load_matrices(unsigned (&r)[4], const Half *row) {
  if constexpr (TRANSPOSE)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}

/* c += a b for 16 x 8 x 16. */
__device__ __forceinline__ void multiply_add(float (&c)[4], const unsigned (&a)[4],
                                             const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  if constexpr (kBf16)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

/* Two neighbours as C holds them. */
__device__ __forceinline__ void round_pair(unsigned (&word)[kPairWords], float x, float y) {
#if __CUDA_ARCH__ >= 800
  if constexpr (kWide)
    word[0] = __float_as_uint(x), word[kPairWords - 1] = __float_as_uint(y);
  else if constexpr (kBf16)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word[0]) : "f"(y), "f"(x));
  else
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word[0]) : "f"(y), "f"(x));
#endif
}

/* --- device memory to tile --- */

/* An operand as it is stored, from the corner where this block's tiles begin. */
struct Operand {
  const Half *at;
  long long pitch; /* elements */
  int rows, cols;  /* up to the matrix's edge */
};

/* Copies the tile that begins at k into a stage. WHOLE: every row is aligned to 16 bytes. */
template <Side S, bool WHOLE>
__device__ __forceinline__ void fill(const Operand &x, Half *tile, int stage, int k, int thread) {
  constexpr int rows = (S == A ? kLayoutA : kLayoutB).extent[1];
  constexpr int across = (S == A ? kLayoutA : kLayoutB).extent[2] / PIECE;
  constexpr int pieces = rows * across, turns = (pieces + kThreads - 1) / kThreads;
  const int first_row = kRowsAlongK<S> ? 0 : k, first_col = kRowsAlongK<S> ? k : 0;
#pragma unroll
  for (int j = 0; j < turns; j++) {
    const unsigned v = thread + j * kThreads;
    if (pieces % kThreads && v >= pieces) break;
    const int row = kFill ? v / (8 * across) * 8 + v % 8 : v / across;
    const int col = (kFill ? v / 8 % across : v % across) * PIECE;
    const int left = first_row + row < x.rows ? x.cols - (first_col + col) : 0;
    const int count = max(0, min(PIECE + 0, left));
    const long long from = (first_row + row) * x.pitch + (first_col + col);
    Half *const to = tile + tile_at<S>(stage, row, col);
    if constexpr (WHOLE) {
      copy_async(to, __cvta_generic_to_global(x.at) + from * sizeof(Half),
                 count * static_cast<int>(sizeof(Half)));
    } else {
      unsigned pair[PIECE / 2] = {};
#pragma unroll
      for (int i = 0; i < PIECE; i++)
        if (i < count) pair[i / 2] |= static_cast<unsigned>(x.at[from + i]) << i % 2 * 16;
      *reinterpret_cast<uint4 *>(to) = make_uint4(pair[0], pair[1], pair[2], pair[3]);
    }
  }
}

/* --- tile to fragments --- */

struct Fragments {
  unsigned a[kTilesM][4], b[kTilesN][2];
};

/* Where a lane points ldmatrix at in a 16 x 16 patch of the tile: by 8 x 8 matrices either down
 * first or across first, in the order in which mma takes them. */
template <Side S> constexpr bool kDownFirst = kRowsAlongK<S> == (S == A);

/* The 16 x 16 patch at `outer` along m or n, and at `step` along k. */
template <Side S>
__device__ __forceinline__ void load_patch(unsigned (&r)[4], const Half *tile, int stage, int outer,
                                           int step, int lane) {
  const int down = kDownFirst<S> ? lane % 16 : lane / 16 * 8 + lane % 8;
  const int across = kDownFirst<S> ? lane / 16 * 8 : lane / 8 % 2 * 8;
  const int row = (kRowsAlongK<S> ? outer : step * MMA_K) + down;
  const int col = (kRowsAlongK<S> ? step * MMA_K : outer) + across;
  load_matrices<!kRowsAlongK<S>>(r, tile + tile_at<S>(stage, row, col));
}

/* Where a warp works within the block's tile. */
struct Place {
  int row, col, lane;
};

__device__ __forceinline__ void load_fragments(Fragments &f, const Half *tile_a, const Half *tile_b,
                                               int stage, int step, const Place &warp) {
#pragma unroll
  for (int i = 0; i < kTilesM; i++)
    load_patch<A>(f.a[i], tile_a, stage, warp.row + i * PATCH, step, warp.lane);
#pragma unroll
  for (int i = 0; i < kTilesN; i += 2) {
    unsigned r[4];
    load_patch<B>(r, tile_b, stage, warp.col + i * MMA_N, step, warp.lane);
    f.b[i][0] = r[0], f.b[i][1] = r[1];
    f.b[i + 1][0] = r[2], f.b[i + 1][1] = r[3];
  }
}

using Sums = float[kTilesM][kTilesN][4];

/* Neighbouring products share an operand: every other row is walked backwards. */
__device__ __forceinline__ void multiply(Sums &sums, const Fragments &f) {
#pragma unroll
  for (int i = 0; i < kTilesM; i++)
#pragma unroll
    for (int n = 0; n < kTilesN; n++) {
      const int j = i % 2 ? kTilesN - 1 - n : n;
      multiply_add(sums[i][j], f.a[i], f.b[j]);
    }
}

/* --- the block's tile of C --- */

struct Job {
  Operand a, b;
  int k;
};

template <bool WHOLE>
__device__ __forceinline__ void sum_products(Sums &sums, const Job &job, Half *tile_a, Half *tile_b,
                                             const Place &warp, int thread) {
  const int tiles = (job.k + kBlockK - 1) / kBlockK;
  auto fill_stage = [&](int stage, int tile) {
    if (tile < tiles) {
      fill<A, WHOLE>(job.a, tile_a, stage, tile * kBlockK, thread);
      fill<B, WHOLE>(job.b, tile_b, stage, tile * kBlockK, thread);
    }
    commit_copies();
  };
#pragma unroll 1
  for (int i = 0; i < kStages - 1; i++) fill_stage(i, i);
  await_copies<kStages - 2>();
  Fragments f[2];
  if (tiles > 0) load_fragments(f[0], tile_a, tile_b, 0, 0, warp);
  int from = 0, to = kStages - 1; /* the stages that are read and filled */
  for (int tile = 0; tile < tiles; tile++) {
#pragma unroll
    for (int step = 0; step < kSteps; step++) {
      const bool last = step == kSteps - 1;
      if (last) {
        await_copies<kStages - 2>();
        from = from + 1 == kStages ? 0 : from + 1;
      }
      if (!last || tile + 1 < tiles)
        load_fragments(f[(step + 1) % 2], tile_a, tile_b, from, (step + 1) % kSteps, warp);
      if (step == 0) {
        fill_stage(to, tile + kStages - 1); /* all have read it: they passed the last barrier */
        to = to + 1 == kStages ? 0 : to + 1;
      }
      multiply(sums, f[step % 2]);
    }
  }
}

/* Lanes 2i and 2i + 1 hold two neighbours each of the same row of two squares. They swap halves, so
 * that the even one has 4 neighbours of the left square, the odd one 4 of the right: a warp then
 * writes whole sectors of device memory. */
__device__ __forceinline__ Quad swap_halves(const float *left, const float *right, bool odd) {
  unsigned l[kPairWords], r[kPairWords];
  round_pair(l, left[0], left[1]);
  round_pair(r, right[0], right[1]);
  Quad quad;
#pragma unroll
  for (int i = 0; i < kPairWords; i++) {
    const unsigned other = __shfl_xor_sync(0xffffffff, odd ? l[i] : r[i], 1);
    quad.word[i] = odd ? other : l[i];
    quad.word[kPairWords + i] = odd ? r[i] : other;
  }
  return quad;
}

/* Stores 4 neighbours of a row, of which the matrix holds the first `count`. */
__device__ __forceinline__ void store_quad(ElemC *to, const Quad &quad, int count, bool aligned) {
  if (aligned && count >= 4) {
    *reinterpret_cast<Quad *>(to) = quad;
    return;
  }
  ElemC element[4];
  memcpy(element, &quad, sizeof element);
#pragma unroll
  for (int i = 0; i < 4; i++)
    if (i < count) to[i] = element[i];
}

/* c: the corner of the block's tile, rows x cols up to the matrix's edge. */
__device__ __forceinline__ void store_sums(const Sums &sums, ElemC *c, long long pitch, int rows,
                                           int cols, const Place &warp) {
  const bool aligned = reinterpret_cast<size_t>(c) % sizeof(Quad) == 0 && pitch % 4 == 0;
  const int odd = warp.lane % 2;
#pragma unroll
  for (int i = 0; i < 2 * kTilesM; i++) {
    const int row = warp.row + i * 8 + warp.lane / 4;
#pragma unroll
    for (int j = 0; j < kTilesN; j += 2) {
      const float *const left = &sums[i / 2][j][i % 2 * 2];
      const float *const right = &sums[i / 2][j + 1][i % 2 * 2];
      const int col = warp.col + (j + odd) * MMA_N + warp.lane % 4 / 2 * 4;
      const Quad quad = swap_halves(left, right, odd);
      if (row < rows) store_quad(c + row * pitch + col, quad, cols - col, aligned);
    }
  }
}

/* The part of an operand from `outer` along m or n on; `extent`: its size in that direction. */
template <Side S>
__device__ __forceinline__ Operand operand_from(const Half *at, long long pitch, int outer,
                                                int extent, int k) {
  Operand x;
  x.at = at + (kRowsAlongK<S> ? outer * pitch : outer);
  x.pitch = pitch;
  x.rows = kRowsAlongK<S> ? extent - outer : k;
  x.cols = kRowsAlongK<S> ? k : extent - outer;
  return x;
}

__device__ __forceinline__ bool rows_aligned(const Operand &x) {
  return reinterpret_cast<size_t>(x.at) % 16 == 0 && x.pitch % PIECE == 0;
}

/* The tile's row and column. Blocks walk bands of kBand rows of tiles column by column, so that
 * those in flight at one time share rows of A and columns of B in L2. */
__device__ __forceinline__ int2 find_tile(int m, int n) {
  const unsigned down = (m - 1u) / kBlockM + 1, across = (n - 1u) / kBlockN + 1;
  const unsigned band_rows = min(down, kBand + 0u), band = blockIdx.x / (band_rows * across);
  const unsigned in_band = blockIdx.x % (band_rows * across);
  const unsigned height = min(down - band * band_rows, band_rows);
  return make_int2(static_cast<int>(band * band_rows + in_band % height),
                   static_cast<int>(in_band / height));
}

} // namespace

/* c: m x n, a: m x k (k x m if transposed), b: k x n (n x k); pitches of rows in elements. The grid
 * is one block a tile of C, all in x. */
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    KERNEL(ElemC *__restrict__ c, const ElemA *__restrict__ a, const ElemB *__restrict__ b, int m,
           int n, int k, long long c_pitch, long long a_pitch, long long b_pitch) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  Half *const tile_a = reinterpret_cast<Half *>(shared_memory);
  Half *const tile_b = reinterpret_cast<Half *>(shared_memory + kBytesA);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const int2 tile = find_tile(m, n);
  const int row = tile.x * kBlockM, col = tile.y * kBlockN;
  const Place warp = {thread / WARP % kWarpsM * kWarpM, thread / WARP / kWarpsM * kWarpN,
                      thread % WARP};
  Job job;
  job.a = operand_from<A>(a, a_pitch, row, m, k);
  job.b = operand_from<B>(b, b_pitch, col, n, k);
  job.k = k;
  Sums sums = {};
  if (rows_aligned(job.a) && rows_aligned(job.b))
    sum_products<true>(sums, job, tile_a, tile_b, warp, thread);
  else
    sum_products<false>(sums, job, tile_a, tile_b, warp, thread);
  store_sums(sums, c + row * c_pitch + col, c_pitch, m - row, n - col, warp);
}

#ifndef __CUDACC_RTC__
/* C = A B on the stream; shapes and pitches as for the kernel, each pitch at least a row. */
extern "C" cudaError_t LAUNCH(ElemC *c, const ElemA *a, const ElemB *b, int m, int n, int k,
                              long long c_pitch, long long a_pitch, long long b_pitch,
                              cudaStream_t stream) {
  constexpr int bytes = kBytesA + aligned_bytes(kLayoutB);
  const long long down = (m + kBlockM - 1LL) / kBlockM, across = (n + kBlockN - 1LL) / kBlockN;
  if (down * across == 0) return cudaSuccess;
  if (down * across > 0x7fffffff) return cudaErrorInvalidValue;
  const cudaError_t error =
      cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error != cudaSuccess) return error;
  KERNEL<<<static_cast<unsigned>(down * across), dim3(kBlockX, kBlockY, kBlockZ), bytes, stream>>>(
      c, a, b, m, n, k, c_pitch, a_pitch, b_pitch);
  return cudaGetLastError();
}
#endif
