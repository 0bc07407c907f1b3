// Pairs of kernels that synchronise by CUDA's C++ libraries: NAME_broken races at the line with FAULT NAME, NAME_clean does not.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

#define PAIR(name)                                                                                     \
  extern "C" __global__ void name##_broken(const int *in, int *out) { name<false>(in, out); }          \
  extern "C" __global__ void name##_clean(const int *in, int *out) { name<true>(in, out); }

template <bool clean> __device__ void barrier_without_wait(const int *in, int *out) {
  __shared__ Barrier barrier;
  __shared__ int tile[64];
  const int i = threadIdx.x;
  if (i == 0) init(&barrier, 64);
  __syncthreads();
  tile[i] = in[i];
  auto token = barrier.arrive();
  if (clean) barrier.wait(std::move(token));
  out[i] = tile[i ^ 32]; // FAULT barrier_without_wait
}
PAIR(barrier_without_wait)

// One thread of each warp arrives for all of it.
template <bool clean> __device__ void barrier_of_warps(const int *in, int *out) {
  __shared__ Barrier barrier;
  __shared__ int tile[64];
  const int i = threadIdx.x;
  if (i == 0) init(&barrier, 2);
  __syncthreads();
  tile[i] = in[i]; // FAULT barrier_of_warps
  if (clean) __syncwarp();
  if (i % 32 == 0) barrier.arrive_and_wait();
  __syncwarp();
  out[i] = tile[i ^ 33];
}
PAIR(barrier_of_warps)

// Producers and consumers with a barrier each.
template <bool clean> __device__ void barriers_of_roles(const int *in, int *out) {
  __shared__ Barrier full, empty;
  __shared__ int tile[32];
  const int i = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 4; k++) {
    if (threadIdx.x < 32) {
      if (k) empty.arrive_and_wait();
      tile[i] = in[32 * k + i]; // FAULT barriers_of_roles
      (void)full.arrive();
    } else {
      full.arrive_and_wait();
      if (!clean && k < 3) (void)empty.arrive();
      sum += tile[31 - i];
      if (clean && k < 3) (void)empty.arrive();
    }
  }
  if (threadIdx.x >= 32) out[i] = sum;
}
PAIR(barriers_of_roles)

template <bool clean> __device__ void copy_without_wait(const int *in, int *out) {
  __shared__ Barrier barrier;
  __shared__ alignas(16) int tile[64];
  const int i = threadIdx.x;
  if (i == 0) init(&barrier, 64);
  __syncthreads();
  cuda::memcpy_async(&tile[i], in + i, sizeof(int), barrier);
  if (clean) barrier.arrive_and_wait();
  else (void)barrier.arrive();
  out[i] = tile[63 - i]; // FAULT copy_without_wait
}
PAIR(copy_without_wait)

template <bool clean> __device__ void pipeline_without_barrier(const int *in, int *out) {
  __shared__ alignas(16) int tile[2][64];
  const int i = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  int sum = 0;
  for (int k = 0; k < 4; k++) {
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[k & 1][i], in + 64 * k + i, sizeof(int), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    sum += tile[k & 1][63 - i]; // FAULT pipeline_without_barrier
    pipe.consumer_release();
    if (!clean) { // and it is overwritten at once
      tile[k & 1][i] = 0;
    }
    __syncthreads();
  }
  out[i] = sum;
}
PAIR(pipeline_without_barrier)

template <bool clean> __device__ void pipeline_of_the_block(const int *in, int *out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ alignas(16) int tile[2][64];
  const int i = threadIdx.x;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
  int sum = 0;
  for (int k = 0; k < 6; k++) {
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[k & 1][i], in + 64 * k + i, sizeof(int), pipe);
    pipe.producer_commit();
    if (clean) pipe.consumer_wait();
    sum += tile[k & 1][63 - i]; // FAULT pipeline_of_the_block
    if (!clean) pipe.consumer_wait();
    pipe.consumer_release();
  }
  out[i] = sum;
}
PAIR(pipeline_of_the_block)

template <bool clean> __device__ void tile_of_eight(const int *in, int *out) {
  __shared__ int tile[64];
  auto group = cg::tiled_partition<8>(cg::this_thread_block());
  const int i = threadIdx.x, first = i - group.thread_rank();
  tile[i] = in[i];
  if (clean) group.sync();
  int sum = 0;
  for (int k = 0; k < 8; k++) sum += tile[first + k]; // FAULT tile_of_eight
  out[i] = sum;
}
PAIR(tile_of_eight)

// A group orders its own threads.
template <bool clean> __device__ void beyond_the_tile(const int *in, int *out) {
  __shared__ int tile[64];
  auto group = cg::tiled_partition<8>(cg::this_thread_block());
  const int i = threadIdx.x;
  tile[i] = in[i];
  group.sync();
  out[i] = tile[clean ? i ^ 7 : i ^ 8]; // FAULT beyond_the_tile
}
PAIR(beyond_the_tile)

template <bool clean> __device__ void group_of_the_block(const int *in, int *out) {
  __shared__ int tile[64];
  auto block = cg::this_thread_block();
  tile[block.thread_rank()] = in[threadIdx.x];
  if (clean) block.sync();
  out[threadIdx.x] = tile[63 - threadIdx.x]; // FAULT group_of_the_block
}
PAIR(group_of_the_block)

// A flag by cuda::atomic_ref: relaxed, or of the block alone, where another block waits.
template <cuda::std::memory_order order, cuda::thread_scope scope>
__device__ void pass_on(const int *in, int *out) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    out[100] = in[0]; // FAULT atomic_ref
    cuda::atomic_ref<int, scope>(out[0]).store(1, order);
  } else {
    while (!cuda::atomic_ref<int, cuda::thread_scope_device>(out[0]).load(cuda::std::memory_order_acquire)) {}
    out[200] = out[100];
  }
}

template <bool clean> __device__ void relaxed_ref(const int *in, int *out) {
  pass_on<clean ? cuda::std::memory_order_release : cuda::std::memory_order_relaxed, cuda::thread_scope_device>(in, out);
}
PAIR(relaxed_ref)

template <bool clean> __device__ void ref_of_the_block(const int *in, int *out) {
  pass_on<cuda::std::memory_order_release, clean ? cuda::thread_scope_device : cuda::thread_scope_block>(in, out);
}
PAIR(ref_of_the_block)

template <bool clean> __device__ void fence_of_the_block(const int *in, int *out) {
  if (threadIdx.x) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(out[0]);
  if (blockIdx.x == 0) {
    out[100] = in[0]; // FAULT fence_of_the_block
    cuda::atomic_thread_fence(cuda::std::memory_order_release, clean ? cuda::thread_scope_device : cuda::thread_scope_block);
    flag.store(1, cuda::std::memory_order_relaxed);
  } else {
    while (!flag.load(cuda::std::memory_order_acquire)) {}
    out[200] = out[100];
  }
}
PAIR(fence_of_the_block)

#if __CUDA_ARCH__ >= 900
template <bool clean> __device__ void cluster_group(const int *in, int *out) {
  __shared__ int tile[64];
  auto cluster = cg::this_cluster();
  const int i = threadIdx.x;
  tile[i] = in[i];
  cluster.sync();
  const int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
  out[64 * cluster.block_rank() + i] = other[i]; // FAULT cluster_group
  if (clean) cluster.sync();
  tile[i] = 0;
  cluster.sync();
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_group_broken(const int *in, int *out) { cluster_group<false>(in, out); }
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_group_clean(const int *in, int *out) { cluster_group<true>(in, out); }
#endif
