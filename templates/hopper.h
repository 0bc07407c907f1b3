/* hopper.h: what moves tiles on sm_90, as functions: barriers that count bytes, boxes that the
 * tensor memory accelerator (TMA) copies, clusters, registers given from one warpgroup to another,
 * launches that overlap the one before. Shared-memory addresses are 32-bit, of the shared window.
 * Older architectures compile the functions and must not run them; setmaxnreg needs sm_90a. */
#ifndef KGEN_HOPPER_H
#define KGEN_HOPPER_H

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define KGEN_SM90(...) __VA_ARGS__
#else
#define KGEN_SM90(...) __trap()
#endif

/* Of a kernel: so many blocks side by side in x are a cluster. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define KGEN_CLUSTER(BLOCKS)
#else
#define KGEN_CLUSTER(BLOCKS) __cluster_dims__(BLOCKS, 1, 1)
#endif

/* A CUtensorMap, which NVRTC does not declare: filled by the host, read by the TMA alone. */
struct alignas(64) TensorMap {
  unsigned long long word[16];
};

namespace {

__device__ __forceinline__ unsigned shared_address(const void *p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/* --- mbarriers, 8 bytes each: a phase ends when `arrivals` have come and all bytes expected --- */

__device__ __forceinline__ void barrier_init(unsigned barrier, int arrivals) {
  KGEN_SM90(asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals)
                         : "memory"));
}

/* After the last barrier_init: the TMA and the cluster's other blocks see the barriers. */
__device__ __forceinline__ void barrier_init_done() {
  KGEN_SM90(asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"));
}

/* Arrives, and lets the phase wait for `bytes` more. */
__device__ __forceinline__ void barrier_expect(unsigned barrier, int bytes) {
  KGEN_SM90(asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                         "r"(bytes)
                         : "memory"));
}

/* Arrives at the barrier that block `rank` of the cluster has at the same place. Of no wider scope
 * than a block's: wgmma and the TMA are all that touch the tiles, and a release to the cluster
 * would be a fence of all memory (a quarter of the speed on an H200). */
__device__ __forceinline__ void barrier_arrive(unsigned barrier, int rank) {
  KGEN_SM90(asm volatile("{.reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
                         "mbarrier.arrive.shared::cluster.b64 _, [there];}" ::"r"(barrier),
                         "r"(rank)
                         : "memory"));
}

/* Waits for the end of the phase of that parity. */
__device__ __forceinline__ void barrier_wait(unsigned barrier, int parity) {
  KGEN_SM90(asm volatile("{.reg .pred done;\n"
                         "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                         "@!done bra.uni again;}" ::"r"(barrier),
                         "r"(parity)
                         : "memory"));
}

/* --- the TMA: boxes of a matrix, between device memory and a swizzled tile --- */

__device__ __forceinline__ void prefetch_map(const TensorMap *map) {
  KGEN_SM90(asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory"));
}

/* Loads the box whose first element is (row, col); its bytes arrive at the barrier. What lies
 * outside of the matrix is zero. */
__device__ __forceinline__ void load_box(unsigned to, const TensorMap *map, unsigned barrier,
                                         int row, int col) {
  KGEN_SM90(asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2, %3}], [%4];" ::"r"(to),
      "l"(map), "r"(col), "r"(row), "r"(barrier)
      : "memory"));
}

/* The same into every block of the cluster in `blocks`, a bit each, at the same places. */
__device__ __forceinline__ void load_box_for(unsigned short blocks, unsigned to,
                                             const TensorMap *map, unsigned barrier, int row,
                                             int col) {
  KGEN_SM90(asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
                         "bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                         "l"(map), "r"(col), "r"(row), "r"(barrier), "h"(blocks)
                         : "memory"));
}

/* Stores the part of the box that lies inside of the matrix. */
__device__ __forceinline__ void store_box(const TensorMap *map, unsigned from, int row, int col) {
  KGEN_SM90(asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
      "r"(col), "r"(row), "r"(from)
      : "memory"));
}

__device__ __forceinline__ void commit_boxes() {
  KGEN_SM90(asm volatile("cp.async.bulk.commit_group;" ::: "memory"));
}

/* Waits until all but this thread's N newest groups of stores have read shared memory. */
template <int N> __device__ __forceinline__ void await_boxes_read() {
  KGEN_SM90(asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory"));
}

/* What this thread wrote to shared memory is seen by the TMA and by wgmma. */
__device__ __forceinline__ void fence_async() {
  KGEN_SM90(asm volatile("fence.proxy.async.shared::cta;" ::: "memory"));
}

/* --- programmatic dependent launch: a kernel starts before the one before it has ended --- */

/* Once all blocks have said so, or have ended, those of the next launch start on what the SMs have
 * left, if that launch asked for it (cudaLaunchAttributeProgrammaticStreamSerialization). */
__device__ __forceinline__ void allow_next_launch() {
  KGEN_SM90(asm volatile("griddepcontrol.launch_dependents;" ::: "memory"));
}

/* Waits until the launches before have ended and what they wrote is seen; returns at once in a
 * kernel that was launched in the ordinary way. Before it nothing of device memory may be read, as
 * they may still write it, nor written, as they may still read it. */
__device__ __forceinline__ void await_launch_before() {
  KGEN_SM90(asm volatile("griddepcontrol.wait;" ::: "memory"));
}

/* --- blocks and warpgroups --- */

/* True in one thread of a warp that is whole here. */
__device__ __forceinline__ bool elect_thread() {
  unsigned elected = 0;
  KGEN_SM90(asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}"
                         : "=r"(elected)));
  return elected;
}

__device__ __forceinline__ int cluster_rank() {
  int rank = 0;
  KGEN_SM90(asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank)));
  return rank;
}

__device__ __forceinline__ void cluster_sync() {
  KGEN_SM90(asm volatile("barrier.cluster.arrive.release.aligned;\n"
                         "barrier.cluster.wait.acquire.aligned;" ::
                             : "memory"));
}

/* Barrier `id`, 1 to 15, of so many threads, whole warps: waits for all of them, or just arrives.
 */
__device__ __forceinline__ void threads_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ __forceinline__ void threads_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

template <int REGISTERS> __device__ __forceinline__ void keep_registers() {
  KGEN_SM90(asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS)));
}

template <int REGISTERS> __device__ __forceinline__ void take_registers() {
  KGEN_SM90(asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS)));
}

} // namespace

#endif
