/* C = A * B on the tensor cores of sm_90a by TMA and wgmma: f16, bf16 or e4m3 operands, f32
 * accumulation; any m, n and k whose rows start at multiples of 16 bytes, as the TMA needs; 16-bit
 * A and B each row-major or transposed (NN, NT, TN, TT), e4m3 with k contiguous in both (NT).
 *
 * The kernel is warp-specialized and persistent. A block is one producer and kConsumers consumers,
 * a warpgroup each, around a ring of kStages stages in shared memory, each with a tile of A, a tile
 * of B, and two mbarriers:
 *
 * - The producer, one thread, waits for the stage's `empty` barrier, lets `full` expect the stage's
 *   bytes, and has the TMA load the tiles. Its warpgroup gives registers to the consumers. Each
 *   block of a cluster loads its share of B's tile and multicasts it to all of them.
 * - A consumer waits for `full` and multiplies straight from shared memory by wgmma, 64 rows of the
 *   block's tile at a time. One group of products is always in flight: a stage is released, by
 *   arriving at `empty` in all blocks of the cluster, when the next stage's products have started.
 * - The epilogue converts the sums, stores them into a buffer (stmatrix for 16-bit types), and has
 *   the TMA store it, while the producer loads for the block's next tile of C.
 * - Blocks make tiles in rounds. The columns of C that are left for the last one are divided into
 *   tiles of kLastN columns instead of kBlockN, where as many rounds suffice: then fewer blocks are
 *   idle in it, and it is shorter.
 *
 * All tiles have the TMA's 128-byte swizzle, which the TMA, wgmma and stmatrix access without bank
 * conflicts.
 *
 * Programmatic dependent launch hides the gap between launches: blocks become resident, set up
 * their barriers and find their first tile while the previous kernel of the stream still runs, and
 * wait for its end before they access device memory. Back-to-back f16 products of 1024 on an H200
 * go from 226 to 275 TFLOP/s with a tile of 128 x 64 and from 249 to 309 with 64 x 128, of 2048
 * from 559 to 599. */
#include "layout.h"

// kgen:begin
#define KERNEL gemm_wgmma
#define LAUNCH gemm_wgmma_launch
using ElemA = unsigned short;
using ElemB = unsigned short;
using ElemC = unsigned short;
constexpr KgenLayout kLayoutA = {4, 0, {4, 1, 128, 64}, {8192, 8192, 64, 1}, 1, {{-3, 56}}};
constexpr KgenLayout kLayoutB = {4, 0, {4, 4, 64, 64}, {16384, 4096, 64, 1}, 1, {{-3, 56}}};
constexpr KgenLayout kLayoutC = {3, 0, {4, 64, 64}, {4096, 64, 1}, 1, {{-3, 56}}};
constexpr int kBlockX = 384;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kType = 0;      // the operands' type is 0: f16, 1: bf16, 2: e4m3
constexpr int kOutput = 0;    // C's type is 0: f16, 1: bf16, 3: f32
constexpr int kTransA = 0;    // A is stored 0: m x k, 1: k x m
constexpr int kTransB = 0;    // B is stored 0: k x n, 1: n x k
constexpr int kConsumers = 2; // warpgroups that multiply
constexpr int kLastN = 256;   // columns of a tile in the last round, where such tiles suffice
constexpr int kAtOnce = 1;  // tiles of C in progress per block, each by its share of the consumers
constexpr int kCluster = 2; // blocks per cluster, neighbours along m, which share B's tiles
constexpr int kBand = 8;    // columns of tiles in a band, which are visited row by row
// kgen:end

#include "hopper.h"
#include "programmatic.h"
#include "ring.h"
#include "wgmma.h"

#include "gemm_target.h"

namespace {

enum Side { A, B };

constexpr int kWarpgroup = 128;
constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kRowBytes = 128; /* a row of every tile is what the swizzle spans */

/* True if the operand is K-major: its rows, as it is stored, run along k. */
template <Side S> constexpr bool kRowsAlongK = S == A ? !kTransA : kTransB != 0;
template <Side S> constexpr KgenLayout kLayout = S == A ? kLayoutA : kLayoutB;

/* A stage of an operand is kPieces swizzled pieces of kRows x kCols elements: one if it is K-major,
 * else side by side along m or n. */
template <Side S> constexpr int kPieces = kLayout<S>.extent[1];
template <Side S> constexpr int kRows = kLayout<S>.extent[2];
template <Side S> constexpr int kCols = kLayout<S>.extent[3];
template <Side S> constexpr int kPieceBytes = kLayout<S>.extent[2] * kRowBytes;
template <Side S> constexpr int kStageBytes = kLayout<S>.extent[1] * kPieceBytes<S>;
template <Side S>
constexpr int kOuter = kRowsAlongK<S> ? kRows<S> : kLayout<S>.extent[1] * kCols<S>;

constexpr int kStages = kLayoutA.extent[0];
constexpr int kBlockM = kOuter<A>, kBlockN = kOuter<B>;
constexpr int kBlockK = kRowsAlongK<A> ? kCols<A> : kRows<A>;
constexpr int kStepK = 32 / sizeof(ElemA);        /* elements of one wgmma along k */
constexpr int kShare = kConsumers / kAtOnce;      /* consumers per tile of C */
constexpr int kRepeats = kBlockM / (64 * kShare); /* parts of 64 rows per consumer */

constexpr int kColsC = kRowBytes / sizeof(ElemC);
constexpr int kBuffers = kLayoutC.extent[0] / kConsumers;
constexpr int kBufferBytes = 64 * kRowBytes;

static_assert(kThreads == kWarpgroup * (kConsumers + 1), "the block is a producer and consumers");
static_assert(kConsumers % kAtOnce == 0, "all tiles of C have the same number of consumers");
static_assert(kBlockM % (64 * kShare) == 0, "a consumer multiplies 64 rows at a time");
static_assert(kBlockK == (kRowsAlongK<B> ? kCols<B> : kRows<B>), "A and B have the same k");
static_assert(kBuffers >= 1 && kLayoutC.extent[0] == kBuffers * kConsumers,
              "all consumers have the same number of buffers");

/* Registers of a thread. */
constexpr int kProducerRegisters = 40;
constexpr int kConsumerRegisters = acquirable_registers(kThreads, 1, kProducerRegisters, 232);

/* The start of B's stages and of C's buffers, in bytes. Every piece is a multiple of the 1024 bytes
 * after which the swizzle repeats, and so is aligned to them. */
constexpr int kPlaceB = kStages * kStageBytes<A>;
constexpr int kPlaceC = kPlaceB + kStages * kStageBytes<B>;

/* Addresses in shared memory: of the tiles, and of a stage's two mbarriers. */
struct Shared {
  unsigned tiles, barriers;
  __device__ __forceinline__ unsigned a(int stage) const { return tiles + stage * kStageBytes<A>; }
  __device__ __forceinline__ unsigned b(int stage) const {
    return tiles + kPlaceB + stage * kStageBytes<B>;
  }
  __device__ __forceinline__ unsigned c(int buffer) const {
    return tiles + kPlaceC + buffer * kBufferBytes;
  }
  __device__ __forceinline__ unsigned full(int stage) const { return barriers + stage * 16; }
  __device__ __forceinline__ unsigned empty(int stage) const { return full(stage) + 8; }
};

using Slot = RingSlot<kStages>;

struct Problem {
  int m, n, k;
  /* Clusters' tiles along m and along n, and steps of the main loop. */
  KGEN_FN int down() const { return (m - 1) / (kBlockM * kCluster) + 1; }
  KGEN_FN int across() const { return (n - 1) / kBlockN + 1; }
  KGEN_FN int steps() const { return (k - 1) / kBlockK + 1; }
};

/* C's columns of tiles: `wide` ones of kBlockN columns, then `narrow` ones of kLastN. */
struct Columns {
  int wide, narrow;
};

/* Clusters make tiles in rounds, the last of which may leave some of them without one. The columns
 * that do not fit in the rounds before it are narrow ones, where these take no further round: of
 * 4096 x 4096 with 16 clusters' tiles along m, 66 clusters make 28 columns of 128 and 5 of 104 in 8
 * rounds that leave none idle. On an H200 that is 1.0 to 1.7 % faster than 32 columns of 128 if B
 * is K-major, and 1.4 % slower if it is not. */
__device__ __forceinline__ Columns divide_columns(const Problem &p, int clusters) {
  const int down = p.down(), across = p.across();
  const int rounds = (down * across - 1) / clusters + 1;
  const int wide = (rounds - 1) * clusters / down;
  const int narrow = (p.n - wide * kBlockN - 1) / kLastN + 1;
  const bool fit = kLastN < kBlockN && wide > 0 && (wide + narrow) * down <= rounds * clusters;
  return fit ? Columns{wide, narrow} : Columns{across, 0};
}

/* The first element of a block's tile of C. */
struct Corner {
  int row, col;
};

/* The tiles of C, and which of them are this cluster's: one of every `clusters`. */
struct Schedule {
  int down, clusters, rank;
  Columns columns;
  Corner begin; /* row and column of the first tile */
  __device__ __forceinline__ explicit Schedule(const Problem &p)
      : down(p.down()), clusters(gridDim.x / kCluster), rank(cluster_rank()),
        columns(divide_columns(p, clusters)), begin(locate(first())) {
    /* The compiler may not divide later, when the launch before has ended. */
    asm volatile("" : "+r"(begin.row), "+r"(begin.col));
  }
  __device__ __forceinline__ int first() const { return blockIdx.x / kCluster; }
  __device__ __forceinline__ int wide() const { return down * columns.wide; }
  __device__ __forceinline__ int tiles() const { return wide() + down * columns.narrow; }

  /* The i-th tile: clusters visit bands of kBand columns row by row, so that those in flight share
   * rows of A and columns of B in L2. Neighbours load the same rows of A, which no multicast
   * shares: on an H200 up to 1 % faster than bands of rows, whose neighbours load the same columns
   * of B. Narrow tiles come last, in bands of their own. */
  __device__ __forceinline__ Corner locate(int i) const {
    const bool narrow = kLastN < kBlockN && i >= wide();
    const unsigned at = narrow ? i - wide() : i;
    const unsigned across = narrow ? columns.narrow : columns.wide;
    const unsigned band_cols = min(across, kBand + 0u), band = at / (band_cols * down);
    const unsigned in_band = at % (band_cols * down);
    const unsigned width = min(across - band * band_cols, band_cols);
    const int row = static_cast<int>(in_band / width);
    const int col = static_cast<int>(band * band_cols + in_band % width);
    return {(row * kCluster + rank) * kBlockM,
            narrow ? columns.wide * kBlockN + col * kLastN : col * kBlockN};
  }
  __device__ __forceinline__ Corner find(int i) const { return i == first() ? begin : locate(i); }
};

/* --- the producer: device memory to ring --- */

/* Rows of a box. Each block of a cluster loads that share of every piece of B and multicasts it. */
template <Side S> constexpr int kBoxRows = S == A ? kRows<S> : kRows<S> / kCluster;
static_assert(kBoxRows<B> * kCluster == kRows<B> && kBoxRows<B> % 8 == 0,
              "a block's share of B is a multiple of 8 rows, after which the swizzle repeats");

/* Has the TMA load this block's boxes of an operand's stage, from `outer` on along m or n. */
template <Side S>
__device__ __forceinline__ void load_stage(unsigned to, const TensorMap *map, unsigned barrier,
                                           int outer, int k, int rank) {
  const int down = S == A ? 0 : rank * kBoxRows<S>;
  const int row = (kRowsAlongK<S> ? outer : k) + down;
#pragma unroll
  for (int piece = 0; piece < kPieces<S>; piece++) {
    const unsigned place = to + piece * kPieceBytes<S> + down * kRowBytes;
    const int col = kRowsAlongK<S> ? k : outer + piece * kCols<S>;
    if constexpr (kBoxRows<S> == kRows<S>)
      load_box(place, map, barrier, row, col);
    else
      multicast_box((1 << kCluster) - 1, place, map, barrier, row, col);
  }
}

__device__ __forceinline__ void produce(const Shared &shared, const Problem &p,
                                        const Schedule &schedule, const TensorMap *map_a,
                                        const TensorMap *map_b) {
  Slot slot;
  for (int i = schedule.first(); i < schedule.tiles(); i += schedule.clusters) {
    const Corner at = schedule.find(i);
    for (int step = 0; step < p.steps(); step++, slot.next()) {
      const unsigned full = shared.full(slot.stage);
      barrier_wait(shared.empty(slot.stage), slot.parity ^ 1); /* at first, all are empty */
      barrier_expect(full, kStageBytes<A> + kStageBytes<B>);
      load_stage<A>(shared.a(slot.stage), map_a, full, at.row, step * kBlockK, schedule.rank);
      load_stage<B>(shared.b(slot.stage), map_b, full, at.col, step * kBlockK, schedule.rank);
    }
  }
}

/* --- a consumer: ring to sums --- */

template <int N> using Sums = float[kRepeats][N / 2];

/* The distance in a tile from one wgmma along k to the next, in bytes. */
constexpr int kStepRowsBytes = kRowBytes * kStepK;
template <Side S> constexpr int kStepBytes = kRowsAlongK<S> ? 32 : kStepRowsBytes;

/* Issues the products of one stage; `first`: they do not add to the sums but start them. `part`:
 * the first of this consumer's parts of 64 rows. */
template <int N>
__device__ __forceinline__ void multiply_stage(Sums<N> &sums, const Shared &shared, int stage,
                                               int part, bool first) {
#pragma unroll
  for (int step = 0; step < kBlockK / kStepK; step++)
#pragma unroll
    for (int i = 0; i < kRepeats; i++) {
      const unsigned a = shared.a(stage) + (part + i) * 64 * kRowBytes + step * kStepBytes<A>;
      const unsigned b = shared.b(stage) + step * kStepBytes<B>;
      multiply_tiles<static_cast<ElementType>(kType), !kRowsAlongK<A>, !kRowsAlongK<B>>(
          sums[i], describe_tile(a, kPieceBytes<A>), describe_tile(b, kPieceBytes<B>),
          !first || step > 0);
    }
  commit_products();
}

/* Signals to every block that loads into this block's ring that the stage may be overwritten. */
__device__ __forceinline__ void release_stage(const Shared &shared, int stage, int thread) {
  if (thread < kCluster) barrier_arrive(shared.empty(stage), thread);
}

/* The main loop. One group of products is always in flight: a stage is released when the products
 * of the next one have been issued and its own have completed. Returns the last stage, which is
 * still in use. */
template <int N>
__device__ __forceinline__ int sum_products(Sums<N> &sums, const Shared &shared, Slot &slot,
                                            int steps, int part, int thread) {
  int before = 0;
  for (int step = 0; step < steps; step++, slot.next()) {
    barrier_wait(shared.full(slot.stage), slot.parity);
    begin_products();
    multiply_stage<N>(sums, shared, slot.stage, part, step == 0);
    if (step > 0) {
      await_products<1>();
      release_stage(shared, before, thread);
    }
    before = slot.stage;
  }
  return before;
}

/* With two tiles of C in progress, their teams of consumers multiply alternately, ordered by named
 * barriers: while one team stores its sums, the other uses the tensor cores. So a team never waits
 * for a phase of the ring other than the next one. */
constexpr int kTurnBarrier = 1 + kConsumers;

__device__ __forceinline__ void await_turn(int team) {
  if constexpr (kAtOnce > 1) named_barrier_sync(kTurnBarrier + team, 2 * kShare * kWarpgroup);
}

__device__ __forceinline__ void pass_turn(int team) {
  if constexpr (kAtOnce > 1)
    named_barrier_arrive(kTurnBarrier + (team + 1) % kAtOnce, 2 * kShare * kWarpgroup);
}

/* --- a consumer: sums to C --- */

/* Rounds two sums to C's type and packs them, x into the lower half. */
__device__ __forceinline__ unsigned round_pair(float x, float y) {
  unsigned pair = 0;
  if constexpr (kOutput == BF16)
    KGEN_SM90(asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(y), "f"(x)));
  else
    KGEN_SM90(asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(y), "f"(x)));
  return pair;
}

/* The offset of an element in C's buffers, in bytes. */
__device__ __forceinline__ int place_in_c(int buffer, int row, int col) {
  static constexpr KgenLayout layout = kLayoutC;
  return kgen_offset3(&layout, buffer, row, col) * static_cast<int>(sizeof(ElemC));
}

/* Stores a warp's 16 rows of 64 x kColsC sums into a buffer. */
__device__ __forceinline__ void store_piece(const float *sums, unsigned tile, int buffer, int warp,
                                            int lane) {
#pragma unroll
  for (int j = 0; j < kColsC / 8; j += 2) {
    const float *s = sums + j * 4;
    if constexpr (kOutput == F32) {
      const int row = warp * 16 + lane / 4, col = lane % 4 * 2;
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int at = place_in_c(buffer, row + i % 2 * 8, (j + i / 2) * 8 + col);
        asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(tile + at), "f"(s[2 * i]),
                     "f"(s[2 * i + 1])
                     : "memory");
      }
    } else {
      const int at = place_in_c(buffer, warp * 16 + lane % 16, j * 8 + lane / 16 * 8);
      store_matrices(tile + at, round_pair(s[0], s[1]), round_pair(s[2], s[3]),
                     round_pair(s[4], s[5]), round_pair(s[6], s[7]));
    }
  }
}

__device__ __forceinline__ void store_elements(const float *sums, const Target &c, Corner at,
                                               int warp, int lane) {
#pragma unroll
  for (int i = 0; i < kColsC / 2; i++) {
    const int row = at.row + warp * 16 + i / 2 % 2 * 8 + lane / 4;
    const int col = at.col + i / 4 * 8 + lane % 4 * 2 + i % 2;
    if (row >= c.rows || col >= c.cols) continue;
    if constexpr (kOutput == F32)
      c.at[row * c.pitch + col] = sums[i];
    else
      c.at[row * c.pitch + col] = static_cast<ElemC>(round_pair(sums[i], 0));
  }
}

/* The epilogue of 64 rows of C, in boxes that go through this consumer's kBuffers buffers. `part`:
 * which of the consumer's parts of 64 rows. Unless boxes divide a tile's columns, its last box
 * overlaps the one before, and both store the same. */
template <int N>
__device__ __forceinline__ void store_sums(const float (&sums)[N], const Shared &shared,
                                           const Target &c, Corner at, int consumer, int part,
                                           int thread) {
  constexpr int cols = 2 * N, pieces = (cols - 1) / kColsC + 1;
  static_assert(kRepeats * pieces % kBuffers == 0, "every tile of C starts at the first buffer");
  const int warp = thread / 32, lane = thread % 32, barrier = 1 + consumer;
#pragma unroll
  for (int piece = 0; piece < pieces; piece++) {
    const int buffer = consumer * kBuffers + (part * pieces + piece) % kBuffers;
    const int left = min(piece * kColsC, cols - kColsC);
    const Corner corner = {at.row, at.col + left};
    const float *const from = sums + left / 2;
    if (ends_within<kColsC>(c, corner.col)) {
      store_elements(from, c, corner, warp, lane);
      if (thread == 0) commit_boxes(); /* an empty group: groups and buffers stay in step */
      continue;
    }
    if (thread == 0) await_boxes_read<kBuffers - 1>();
    named_barrier_sync(barrier, kWarpgroup);
    store_piece(from, shared.c(0), buffer, warp, lane);
    fence_async();
    named_barrier_sync(barrier, kWarpgroup);
    if (thread == 0) {
      store_box(c.map, shared.c(buffer), corner.row, corner.col);
      commit_boxes();
    }
  }
}

/* Makes this team's tiles of N columns, from the i-th tile on up to `end`, and returns the next. */
template <int N>
__device__ __forceinline__ int make_tiles(const Shared &shared, const Problem &p,
                                          const Schedule &schedule, int i, int end, const Target &c,
                                          Slot &slot, int consumer, int thread) {
  const int team = consumer / kShare, part = consumer % kShare * kRepeats;
  for (; i < end; i += kAtOnce * schedule.clusters) {
    const Corner at = schedule.find(i);
    Sums<N> sums;
    if (i > schedule.first()) await_turn(team);
    const int last = sum_products<N>(sums, shared, slot, p.steps(), part, thread);
    if (i + schedule.clusters < schedule.tiles()) pass_turn(team);
    await_products<0>();
    release_stage(shared, last, thread);
    slot.skip((kAtOnce - 1) * p.steps());
#pragma unroll
    for (int j = 0; j < kRepeats; j++)
      store_sums(sums[j], shared, c, {at.row + (part + j) * 64, at.col}, consumer, j, thread);
  }
  return i;
}

__device__ __forceinline__ void consume(const Shared &shared, const Problem &p,
                                        const Schedule &schedule, const Target &c, int consumer,
                                        int thread) {
  const int team = consumer / kShare;
  Slot slot;
  slot.skip(team * p.steps());
  int i = schedule.first() + team * schedule.clusters;
  i = make_tiles<kBlockN>(shared, p, schedule, i, schedule.wide(), c, slot, consumer, thread);
  if constexpr (kLastN < kBlockN)
    make_tiles<kLastN>(shared, p, schedule, i, schedule.tiles(), c, slot, consumer, thread);
  if (thread == 0) await_boxes_read<0>(); /* shared memory must outlive the TMA's reads */
}

__device__ __forceinline__ void init_barriers(const Shared &shared) {
  for (int i = 0; i < kStages; i++) {
    barrier_init(shared.full(i), 1);
    barrier_init(shared.empty(i), kShare * kCluster);
  }
  barrier_init_done();
}

/* The warpgroup, read from one lane: the compiler then knows that it is the same for the whole
 * warp, and computes stages and descriptors in uniform registers, which wgmma reads. On an H200
 * that makes the f16 product of 4096 1 % faster. */
__device__ __forceinline__ int find_warpgroup() {
  return __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x / kWarpgroup), 0);
}

} // namespace

/* c: m x n, a: m x k (k x m if kTransA), b: k x n (n x k if kTransB), each by its tensor map, and c
 * also by its address and leading dimension in elements; m, n and k are at least 1. The grid is
 * one-dimensional, any number of clusters. The kernel may follow one that reads or writes the same
 * memory on the same stream, launched with programmatic stream serialization or without. */
extern "C" __global__ void __launch_bounds__(kThreads, 1) KGEN_CLUSTER(kCluster)
    KERNEL(const __grid_constant__ TensorMap map_c, const __grid_constant__ TensorMap map_a,
           const __grid_constant__ TensorMap map_b, ElemC *__restrict__ c, long long c_pitch, int m,
           int n, int k) {
  extern __shared__ __align__(1024) unsigned char tiles[];
  __shared__ unsigned long long barriers[2 * kStages];
  const Shared shared = {shared_address(tiles), shared_address(barriers)};
  const Problem p = {m, n, k};
  const int warpgroup = find_warpgroup(), thread = threadIdx.x % kWarpgroup;
  if (threadIdx.x == 0) init_barriers(shared);
  const Schedule schedule(p);
  cluster_sync();
  allow_next_launch();
  await_launch_before();
  if (warpgroup == 0) {
    release_registers<kProducerRegisters>();
    if (thread < 32 && elect_thread()) {
      prefetch_map(&map_a);
      prefetch_map(&map_b);
      produce(shared, p, schedule, &map_a, &map_b);
    }
  } else {
    acquire_registers<kConsumerRegisters>();
    consume(shared, p, schedule, {&map_c, c, c_pitch, m, n}, warpgroup - 1, thread);
  }
  cluster_sync(); /* other blocks may still arrive at this block's barriers */
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"
#include "map_matrix.h"

namespace {

constexpr CUtensorMapDataType kMapType[] = {
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_FLOAT32};

/* Encodes the tensor map of an operand, stored as outer x k or k x outer. */
template <Side S>
cudaError_t describe_operand(TensorMap *map, const void *at, int outer, int k, long long pitch) {
  return describe_matrix(map, kMapType[kType], sizeof(ElemA), at, kRowsAlongK<S> ? outer : k,
                         kRowsAlongK<S> ? k : outer, pitch, kBoxRows<S>, kCols<S>);
}

} // namespace

/* C = A * B on the stream; shapes as for the kernel. Pitches are leading dimensions in elements,
 * each at least a row; in bytes they and the matrices' addresses must be multiples of 16. */
extern "C" cudaError_t LAUNCH(ElemC *c, const ElemA *a, const ElemB *b, int m, int n, int k,
                              long long c_pitch, long long a_pitch, long long b_pitch,
                              cudaStream_t stream) {
  constexpr int bytes = kPlaceC + kLayoutC.extent[0] * kBufferBytes;
  if (m <= 0 || n <= 0) return cudaSuccess;
  if (k <= 0) /* an operand without elements has no tensor map */
    return cudaMemset2DAsync(c, c_pitch * sizeof(ElemC), 0, n * sizeof(ElemC), m, stream);
  TensorMap map_c, map_a, map_b;
  cudaError_t error =
      describe_matrix(&map_c, kMapType[kOutput], sizeof(ElemC), c, m, n, c_pitch, 64, kColsC);
  if (error == cudaSuccess) error = describe_operand<A>(&map_a, a, m, k, a_pitch);
  if (error == cudaSuccess) error = describe_operand<B>(&map_b, b, n, k, b_pitch);
  int sms = 0;
  if (error == cudaSuccess) error = count_sms(&sms);
  if (error != cudaSuccess) return error;
  const Problem p = {m, n, k};
  const long long tiles = static_cast<long long>(p.down()) * p.across(), most = sms / kCluster;
  return launch_programmatic(KERNEL, (tiles < most ? tiles : most) * kCluster,
                             dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, map_c, map_a, map_b, c,
                             c_pitch, m, n, k);
}
#endif
