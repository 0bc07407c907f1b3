/* hopper.h: instructions of sm_90a as functions: mbarriers, copies by the tensor memory accelerator
 * (TMA), clusters, register reallocation between warpgroups.
 * Addresses in shared memory are 32-bit addresses of the shared state space. Other architectures
 * compile the functions, and trap if they are executed. Needs layout.h. */
#ifndef KGEN_HOPPER_H
#define KGEN_HOPPER_H

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define KGEN_SM90(...) __VA_ARGS__
#else
#define KGEN_SM90(...) __trap()
#endif

/* A kernel's attribute: BLOCKS blocks, neighbours in x, form a cluster. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define KGEN_CLUSTER(BLOCKS)
#else
#define KGEN_CLUSTER(BLOCKS) __cluster_dims__(BLOCKS, 1, 1)
#endif

/* Represents CUtensorMap, which NVRTC does not declare: the host encodes it, the TMA reads it. */
struct alignas(64) TensorMap {
  unsigned long long word[16];
};

namespace {

__device__ __forceinline__ unsigned shared_address(const void *p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/* --- mbarriers, 8 bytes each: a phase completes when no arrivals and no bytes are pending --- */

/* Every phase expects `arrivals` arrivals. */
__device__ __forceinline__ void barrier_init(unsigned barrier, int arrivals) {
  KGEN_SM90(asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals)
                         : "memory"));
}

/* After the last barrier_init: makes the barriers visible to the TMA and the cluster's blocks. */
__device__ __forceinline__ void barrier_init_done() {
  KGEN_SM90(asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"));
}

/* Arrives, and adds `bytes` to what the current phase waits for. */
__device__ __forceinline__ void barrier_expect(unsigned barrier, int bytes) {
  KGEN_SM90(asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                         "r"(bytes)
                         : "memory"));
}

/* Arrives at the corresponding barrier of block `rank` of the cluster. The default scope, the
 * block, suffices, since only wgmma and the TMA access the tiles. A release at cluster scope would
 * be a fence of all memory, and costs a quarter of the speed on an H200. */
[[maybe_unused]] __device__ __forceinline__ void barrier_arrive(unsigned barrier, int rank) {
  KGEN_SM90(asm volatile("{.reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
                         "mbarrier.arrive.shared::cluster.b64 _, [there];}" ::"r"(barrier),
                         "r"(rank)
                         : "memory"));
}

/* Arrives at a barrier of this block. */
[[maybe_unused]] __device__ __forceinline__ void barrier_arrive(unsigned barrier) {
  KGEN_SM90(asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory"));
}

/* Waits until the phase of that parity has completed. */
__device__ __forceinline__ void barrier_wait(unsigned barrier, int parity) {
  KGEN_SM90(asm volatile("{.reg .pred done;\n"
                         "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                         "@!done bra.uni again;}" ::"r"(barrier),
                         "r"(parity)
                         : "memory"));
}

/* True if the phase of that parity has completed; waits for nothing. */
[[maybe_unused]] __device__ __forceinline__ bool barrier_test(unsigned barrier, int parity) {
  unsigned done = 0;
  KGEN_SM90(asm volatile("{.reg .pred p;\n"
                         "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                         "selp.u32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(barrier), "r"(parity)
                         : "memory"));
  return done;
}

/* --- the TMA: copies boxes of a matrix between device memory and a swizzled tile --- */

__device__ __forceinline__ void prefetch_map(const TensorMap *map) {
  KGEN_SM90(asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory"));
}

/* Loads the box that begins at (row, col); the barrier counts its bytes. Elements outside of the
 * matrix become zeros. */
__device__ __forceinline__ void load_box(unsigned to, const TensorMap *map, unsigned barrier,
                                         int row, int col) {
  KGEN_SM90(asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2, %3}], [%4];" ::"r"(to),
      "l"(map), "r"(col), "r"(row), "r"(barrier)
      : "memory"));
}

/* The same, multicast: into the blocks of the cluster whose bits are set in `blocks`, at the same
 * offsets, and counted by the corresponding barrier of each. */
[[maybe_unused]] __device__ __forceinline__ void multicast_box(unsigned short blocks, unsigned to,
                                                               const TensorMap *map,
                                                               unsigned barrier, int row, int col) {
  KGEN_SM90(asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
                         "bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                         "l"(map), "r"(col), "r"(row), "r"(barrier), "h"(blocks)
                         : "memory"));
}

/* Stores the box that begins at (row, col), as far as it is inside of the matrix. */
[[maybe_unused]] __device__ __forceinline__ void store_box(const TensorMap *map, unsigned from,
                                                           int row, int col) {
  KGEN_SM90(asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
      "r"(col), "r"(row), "r"(from)
      : "memory"));
}

/* Makes one bulk group of this thread's stores since the last one. */
[[maybe_unused]] __device__ __forceinline__ void commit_boxes() {
  KGEN_SM90(asm volatile("cp.async.bulk.commit_group;" ::: "memory"));
}

/* Waits until all but the N newest bulk groups of this thread have read shared memory, which may
 * then be overwritten. */
template <int N> __device__ __forceinline__ void await_boxes_read() {
  KGEN_SM90(asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory"));
}

/* The proxy fence: makes this thread's stores to shared memory visible to the async proxy, that is,
 * to the TMA and to wgmma. */
[[maybe_unused]] __device__ __forceinline__ void fence_async() {
  KGEN_SM90(asm volatile("fence.proxy.async.shared::cta;" ::: "memory"));
}

/* --- tiles in shared memory --- */

/* Stores four 8 x 8 matrices of 16-bit elements to shared memory: lane l passes the address of row
 * l % 8 of matrix l / 8. */
[[maybe_unused]] __device__ __forceinline__ void
store_matrices(unsigned row, unsigned a, unsigned b, unsigned c, unsigned d) {
  KGEN_SM90(
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
                   "r"(a), "r"(b), "r"(c), "r"(d)
                   : "memory"));
}

/* --- blocks and warpgroups --- */

/* True in one thread of the warp. All of its threads must execute this. */
__device__ __forceinline__ bool elect_thread() {
  unsigned elected = 0;
  KGEN_SM90(asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}"
                         : "=r"(elected)));
  return elected;
}

[[maybe_unused]] __device__ __forceinline__ int cluster_rank() {
  int rank = 0;
  KGEN_SM90(asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank)));
  return rank;
}

[[maybe_unused]] __device__ __forceinline__ void cluster_sync() {
  KGEN_SM90(asm volatile("barrier.cluster.arrive.release.aligned;\n"
                         "barrier.cluster.wait.acquire.aligned;" ::
                             : "memory"));
}

/* The named barrier `id`, 1 to 15, of `threads` threads, whole warps: arrives and waits for all. */
[[maybe_unused]] __device__ __forceinline__ void named_barrier_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* Arrives at a named barrier and does not wait. */
[[maybe_unused]] __device__ __forceinline__ void named_barrier_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* The number of registers per thread that a consumer may acquire, at most `most`. A block's pool
 * is the number of registers that its `threads` have at launch if `blocks` reside on an SM,
 * which ptxas rounds down to a multiple of 8 per thread (96 instead of 102 for 640 threads). The
 * producer's warpgroup keeps `kept` per thread. A warpgroup that requested more would wait
 * forever. */
KGEN_FN int acquirable_registers(int threads, int blocks, int kept, int most) {
  const int launched = 65536 / (threads * blocks) / 8 * 8;
  const int share = (launched * threads - kept * 128) / (threads - 128) / 8 * 8;
  return share < most ? share : most;
}

/* Keeps REGISTERS registers per thread and releases the others. A whole warpgroup executes this. */
template <int REGISTERS> __device__ __forceinline__ void release_registers() {
  KGEN_SM90(asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS)));
}

/* Waits until there are REGISTERS registers per thread. A whole warpgroup executes this. */
template <int REGISTERS> __device__ __forceinline__ void acquire_registers() {
  KGEN_SM90(asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS)));
}

} // namespace

#endif
