/* C = A * B on tensor cores by mma.sync, with tiles that the TMA loads and stores: f16 or bf16
 * operands, f32 accumulation; any m, n and k whose rows start at multiples of 16 bytes, as the TMA
 * needs; A and B each row-major or transposed (NN, NT, TN, TT). Needs sm_90a.
 *
 * The kernel is warp-specialized and persistent. A block is a producer, one thread of a warpgroup,
 * and kWarpsM x kWarpsN warps that multiply, around a ring of kStages stages in shared memory, each
 * with a tile of A, a tile of B, and two mbarriers:
 *
 * - The producer waits for the stage's `empty` barrier, lets `full` expect the stage's bytes, and
 *   has the TMA load the tiles, with zeros outside of the matrices, for the block's next tile of C
 *   while this one's sums are stored. Its warpgroup gives registers to the others.
 * - A warp waits for `full`, loads fragments of 16 x 16 elements by ldmatrix, with .trans unless k
 *   is the operand's contiguous dimension, and multiplies them by mma.sync. Fragments are loaded
 *   while those before are multiplied, also from one stage to the next and from one tile of C to
 *   the next. It arrives at `empty` when it has multiplied a stage's last fragments.
 * - The epilogue rounds the sums, stores them into the warp's own buffers, by stmatrix for 16-bit
 *   types, and has the TMA store these, while the warp multiplies for the next tile.
 *
 * So warps wait for data and neither for the slowest warp nor for stores, and spend no instruction
 * on copies, their addresses or the matrices' edges. The tiles have the TMA's 128-byte swizzle,
 * under which ldmatrix and stmatrix are free of bank conflicts. */
#include "layout.h"

// kgen:begin
#define KERNEL gemm_tma
#define LAUNCH gemm_tma_launch
using ElemA = unsigned short;
using ElemB = unsigned short;
using ElemC = unsigned short;
constexpr KgenLayout kLayoutA = {4, 0, {3, 1, 128, 64}, {8192, 8192, 64, 1}, 1, {{-3, 56}}};
constexpr KgenLayout kLayoutB = {4, 0, {3, 4, 64, 64}, {16384, 4096, 64, 1}, 1, {{-3, 56}}};
constexpr KgenLayout kLayoutC = {3, 0, {8, 64, 64}, {4096, 64, 1}, 1, {{-3, 56}}};
constexpr int kBlockX = 384;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kBf16 = 0;        // the operands' type is 0: f16, 1: bf16
constexpr int kWide = 0;        // C's type is 0: the operands', 1: f32
constexpr int kTransA = 0;      // A is stored 0: m x k, 1: k x m
constexpr int kTransB = 0;      // B is stored 0: k x n, 1: n x k
constexpr int kWarpsM = 2;      // warps along m
constexpr int kWarpsN = 4;      // warps along n
constexpr int kBand = 8;        // rows of tiles in a band, which blocks visit column by column
constexpr int kBlocksPerSm = 1; // blocks that registers must let reside on an SM
// kgen:end

#include "gemm_tile.h"
#include "hopper.h"
#include "mma.h"
#include "programmatic.h"
#include "ring.h"

namespace {

constexpr int kWarpgroup = 128;
constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kConsumers = WARP * kWarpsM * kWarpsN; /* threads that multiply */
static_assert(kThreads == kWarpgroup + kConsumers, "the block is a producer and consumers");
static_assert(kConsumers % kWarpgroup == 0, "warpgroups change their number of registers");
static_assert(((kBf16 | kWide | kTransA | kTransB) & ~1) == 0, "flags are 0 or 1");

template <Side S> constexpr KgenLayout kLayout = S == A ? kLayoutA : kLayoutB;

/* A stage of an operand is kPieces swizzled pieces of kRows x kCols elements: one if its rows run
 * along k, else side by side along m or n. */
template <Side S> constexpr int kPieces = kLayout<S>.extent[1];
template <Side S> constexpr int kRows = kLayout<S>.extent[2];
template <Side S> constexpr int kCols = kLayout<S>.extent[3];
template <Side S> constexpr int kRowBytes = kCols<S> *static_cast<int>(sizeof(ElemA));
template <Side S> constexpr int kTileBytes = kPieces<S> *kRows<S> *kRowBytes<S>;
template <Side S> constexpr int kOuter = kRowsAlongK<S> ? kRows<S> : kPieces<S> *kCols<S>;
static_assert(kRowBytes<A> == 128 && kRowBytes<B> == 128, "rows are what the swizzle spans");

constexpr int kStages = kLayoutA.extent[0];
constexpr int kBlockM = kOuter<A>, kBlockN = kOuter<B>;
constexpr int kBlockK = kRowsAlongK<A> ? kCols<A> : kRows<A>;
constexpr int kWarpM = kBlockM / kWarpsM;
constexpr int kWarpN = kBlockN / kWarpsN;
constexpr int kSteps = kBlockK / MMA_K;
static_assert(kSteps >= 4, "a stage is released in the second step of the next one");
static_assert(kBlockK == (kRowsAlongK<B> ? kCols<B> : kRows<B>), "A and B have the same k");

/* C goes through a warp's kBuffers buffers, in boxes of kBoxRows x kBoxCols elements. */
constexpr int kBuffers = kLayoutC.extent[0] / (kWarpsM * kWarpsN);
constexpr int kBoxRows = kLayoutC.extent[1], kBoxCols = kLayoutC.extent[2];
constexpr int kBoxBytes = kBoxRows * kBoxCols * static_cast<int>(sizeof(ElemC));
static_assert(kLayoutC.extent[0] == kBuffers * kWarpsM * kWarpsN,
              "all warps have the same number of buffers");
static_assert(kWarpM % kBoxRows == 0 && kWarpN % kBoxCols == 0, "boxes divide a warp's part");

/* A stage is a tile of A and one of B; C's buffers follow the stages. Every piece is a multiple of
 * the 1024 bytes after which the swizzle repeats, and so is aligned to them. */
template <Side S> constexpr int kStageBytes = kTileBytes<A> + kTileBytes<B>;
constexpr int kPlaceC = kStages * kStageBytes<A>;

/* Registers of a thread. The producer's need few. */
constexpr int kProducerRegisters = 24;
constexpr int kConsumerRegisters =
    acquirable_registers(kThreads, kBlocksPerSm, kProducerRegisters, 240);

/* True if elements of one column that are ROWS rows, or a stage, apart have offsets a constant
 * apart: the swizzle repeats every 8 rows. */
template <Side S, int ROWS> constexpr bool kConstantStep = ROWS % 8 == 0;

/* The offset of an element in the operand's stages, in bytes. */
template <Side S> __device__ __forceinline__ unsigned tile_at(int stage, int row, int col) {
  static constexpr KgenLayout layout = kLayout<S>;
  return kgen_offset4(&layout, stage, col / kCols<S>, row, col % kCols<S>) *
         static_cast<int>(sizeof(ElemA));
}

} // namespace

#include "gemm_fragments.h"

namespace {

/* Addresses in shared memory: of the tiles, and of a stage's two mbarriers. */
struct Shared {
  unsigned tiles, barriers;
  template <Side S> __device__ __forceinline__ unsigned tile(int stage) const {
    return tiles + stage * kStageBytes<S> + (S == A ? 0 : kTileBytes<A>);
  }
  __device__ __forceinline__ unsigned c(int warp) const {
    return tiles + kPlaceC + warp * kBuffers * kBoxBytes;
  }
  __device__ __forceinline__ unsigned full(int stage) const { return barriers + stage * 16; }
  __device__ __forceinline__ unsigned empty(int stage) const { return full(stage) + 8; }
};

using Slot = RingSlot<kStages>;

struct Problem {
  int m, n, k;
  /* Tiles of C, and stages of a tile. */
  KGEN_FN int tiles() const { return ((m - 1) / kBlockM + 1) * ((n - 1) / kBlockN + 1); }
  KGEN_FN int stages() const { return (k - 1) / kBlockK + 1; }
};

/* --- the producer: device memory to ring --- */

/* Has the TMA load an operand's tile, from `outer` on along m or n. */
template <Side S>
__device__ __forceinline__ void load_tile(const Shared &shared, int stage, const TensorMap *map,
                                          int outer, int k) {
#pragma unroll
  for (int piece = 0; piece < kPieces<S>; piece++)
    load_box(shared.tile<S>(stage) + piece * kRows<S> * kRowBytes<S>, map, shared.full(stage),
             kRowsAlongK<S> ? outer : k, kRowsAlongK<S> ? k : outer + piece * kCols<S>);
}

/* The stage that counts as unread at first: consumers release the stage before in every stage, and
 * this one in their first. */
constexpr int kUnread = kStages - 1;

__device__ __forceinline__ void produce(const Shared &shared, const Problem &p,
                                        const TensorMap *map_a, const TensorMap *map_b) {
  Slot slot;
  for (int i = blockIdx.x; i < p.tiles(); i += gridDim.x) {
    const int2 tile = find_tile<kBlockM, kBlockN>(i, p.m, p.n);
    for (int k = 0; k < p.k; k += kBlockK, slot.next()) {
      barrier_wait(shared.empty(slot.stage), slot.parity ^ (slot.stage != kUnread));
      barrier_expect(shared.full(slot.stage), kStageBytes<A>);
      load_tile<A>(shared, slot.stage, map_a, tile.x * kBlockM, k);
      load_tile<B>(shared, slot.stage, map_b, tile.y * kBlockN, k);
    }
  }
}

/* --- the consumers: ring to sums --- */

/* The addresses of the ring that a warp reads, and two sets of fragments: one is multiplied while
 * the other is loaded. */
struct Reader {
  const Shared &shared;
  Patches<A> a;
  Patches<B> b;
  Fragments f[2];
  Slot slot;
  unsigned before; /* the barrier that signals that the preceding stage is empty */
  int lane;

  __device__ __forceinline__ Reader(const Shared &shared_memory, const Place &warp)
      : shared(shared_memory), a(shared.tile<A>(0), warp.row, warp.lane),
        b(shared.tile<B>(0), warp.col, warp.lane), before(shared.empty(kUnread)), lane(warp.lane) {
    a.keep_addresses();
    b.keep_addresses();
  }

  /* Waits for the slot's stage, and loads its first fragments. */
  __device__ __forceinline__ void begin() {
    barrier_wait(shared.full(slot.stage), slot.parity);
    load_fragments(f[0], a, b, slot.stage, 0);
  }

  /* Signals to the producer that this warp has read the preceding stage. An arrival does not wait
   * for this warp's ldmatrix; their results are known to have arrived only once the products of the
   * last fragments have been issued. On an H200 a stage released in its own last step was
   * overwritten before it had been read. */
  __device__ __forceinline__ void release() {
    __syncwarp();
    if (lane == 0) barrier_arrive(before);
  }

  /* Adds the products of the slot's stage, whose first fragments are loaded, and loads the first
   * fragments of the next stage unless this is the last. Requests that stage one step before it is
   * needed. */
  __device__ __forceinline__ void multiply_stage(Sums &sums, int stage, bool last) {
    slot.stage = stage;
    slot.next();
#pragma unroll
    for (int step = 0; step < kSteps - 2; step++) {
      if (step == 1) release();
      load_fragments(f[(step + 1) % 2], a, b, stage, step + 1);
      multiply(sums, f[step % 2]);
    }
    load_fragments(f[1], a, b, stage, kSteps - 1);
    const bool ready = barrier_test(shared.full(slot.stage), slot.parity);
    multiply(sums, f[0]);
    before = shared.empty(stage);
    multiply<0, 1>(sums, f[1]);
    if (!last) {
      if (!ready) barrier_wait(shared.full(slot.stage), slot.parity);
      load_fragments(f[0], a, b, slot.stage, 0);
    }
    multiply<1>(sums, f[1]);
  }

  /* Adds the products of a tile's stages; `ends`: it is the block's last tile. Every stage of the
   * ring has code of its own, whose addresses are constants: an instruction that computes one may
   * delay mma.sync by a cycle. */
  __device__ __forceinline__ void multiply_tile(Sums &sums, int stages, bool ends) {
    const int last = ends ? 1 : 0;
#pragma unroll 1
    for (int left = stages; left > 0;)
#pragma unroll
      for (int stage = 0; stage < kStages; stage++)
        if (left > 0 && slot.stage == stage) multiply_stage(sums, stage, left-- == last);
  }
};

} // namespace

#include "gemm_target.h"

#include "gemm_boxes.h"

namespace {

/* --- the consumers: ring to C --- */

__device__ __forceinline__ void consume(const Shared &shared, const Problem &p, const Target &c,
                                        int warp, const Place &place) {
  Reader reader(shared, place);
  const int blocks = static_cast<int>(gridDim.x), tiles = p.tiles();
  reader.begin();
  for (int i = blockIdx.x; i < tiles; i += blocks) {
    const int2 tile = find_tile<kBlockM, kBlockN>(i, p.m, p.n);
    Sums sums = {};
    reader.multiply_tile(sums, p.stages(), i + blocks >= tiles);
    store_sums(sums, shared.c(warp), c,
               make_int2(tile.x * kBlockM + place.row, tile.y * kBlockN + place.col), place.lane);
  }
  if (place.lane == 0) await_boxes_read<0>(); /* shared memory must outlive the TMA's reads */
}

__device__ __forceinline__ void init_barriers(const Shared &shared) {
  for (int i = 0; i < kStages; i++) {
    barrier_init(shared.full(i), 1);
    barrier_init(shared.empty(i), kWarpsM * kWarpsN);
  }
  barrier_init_done();
}

} // namespace

/* c: m x n, row-major, c_pitch its leading dimension in elements; a: m x k (k x m if kTransA) and
 * b: k x n (n x k if kTransB), each by its tensor map, and c also by its address; m, n and k are at
 * least 1. The grid is one-dimensional, with at most one block per tile of C: further blocks would
 * wait for tiles that are never loaded. The kernel may follow one that reads or writes the same
 * memory on the same stream, launched with programmatic stream serialization or without. */
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    KERNEL(const __grid_constant__ TensorMap map_c, const __grid_constant__ TensorMap map_a,
           const __grid_constant__ TensorMap map_b, ElemC *__restrict__ c, long long c_pitch, int m,
           int n, int k) {
  extern __shared__ __align__(1024) unsigned char tiles[];
  __shared__ unsigned long long barriers[2 * kStages];
  const Shared shared = {shared_address(tiles), shared_address(barriers)};
  const Problem p = {m, n, k};
  const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x / WARP), 0);
  if (threadIdx.x == 0) init_barriers(shared);
  __syncthreads();
  allow_next_launch();
  await_launch_before();
  if (warp >= kWarpsM * kWarpsN) {
    release_registers<kProducerRegisters>();
    if (warp == kWarpsM * kWarpsN && elect_thread()) {
      prefetch_map(&map_a);
      prefetch_map(&map_b);
      produce(shared, p, &map_a, &map_b);
    }
  } else {
    acquire_registers<kConsumerRegisters>();
    const Place place = {warp % kWarpsM * kWarpM, warp / kWarpsM * kWarpN,
                         static_cast<int>(threadIdx.x % WARP)};
    consume(shared, p, {&map_c, c, c_pitch, m, n}, warp, place);
  }
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"
#include "map_matrix.h"

namespace {

constexpr CUtensorMapDataType kMapType =
    kBf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;

/* Encodes the tensor map of an operand, stored as outer x k or k x outer. */
template <Side S>
cudaError_t describe_operand(TensorMap *map, const void *at, int outer, int k, long long pitch) {
  return describe_matrix(map, kMapType, sizeof(ElemA), at, kRowsAlongK<S> ? outer : k,
                         kRowsAlongK<S> ? k : outer, pitch, kRows<S>, kCols<S>);
}

} // namespace

/* C = A * B on the stream; shapes as for the kernel. Pitches are leading dimensions in elements,
 * each at least a row; in bytes they and the matrices' addresses must be multiples of 16. */
extern "C" cudaError_t LAUNCH(ElemC *c, const ElemA *a, const ElemB *b, int m, int n, int k,
                              long long c_pitch, long long a_pitch, long long b_pitch,
                              cudaStream_t stream) {
  constexpr int bytes = kPlaceC + kLayoutC.extent[0] * kBoxBytes;
  if (m <= 0 || n <= 0) return cudaSuccess;
  if (k <= 0) /* an operand without elements has no tensor map */
    return cudaMemset2DAsync(c, c_pitch * sizeof(ElemC), 0, n * sizeof(ElemC), m, stream);
  TensorMap map_c, map_a, map_b;
  cudaError_t error = describe_matrix(&map_c, kWide ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : kMapType,
                                      sizeof(ElemC), c, m, n, c_pitch, kBoxRows, kBoxCols);
  if (error == cudaSuccess) error = describe_operand<A>(&map_a, a, m, k, a_pitch);
  if (error == cudaSuccess) error = describe_operand<B>(&map_b, b, n, k, b_pitch);
  int sms = 0;
  if (error == cudaSuccess) error = count_sms(&sms);
  if (error != cudaSuccess) return error;
  const int tiles = Problem{m, n, k}.tiles(), most = sms * kBlocksPerSm;
  return launch_programmatic(KERNEL, tiles < most ? tiles : most, dim3(kBlockX, kBlockY, kBlockZ),
                             bytes, stream, map_c, map_a, map_b, c, c_pitch, m, n, k);
}
#endif
