#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/cstdint>

extern "C" __global__ void count(cuda::std::uint32_t *out) { out[threadIdx.x] = 1; }

// Neighbouring lanes read neighbouring words: no conflict, however long the threads wait.
extern "C" __global__ void waits(const int *in, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int tile[128];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 4; round++) {
    tile[t] = in[128 * round + t];
    barrier.arrive_and_wait();
    for (int k = 0; k < 4; k++) sum += tile[t ^ 32 * k];
    barrier.arrive_and_wait();
  }
  out[t] = sum;
}

extern "C" __global__ void pipes(const int *in, int *out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ alignas(16) int tile[2][128];
  const int t = threadIdx.x;
  auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
  int sum = 0;
  for (int round = -1; round < 4; round++) {
    if (round < 3) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[(round + 1) & 1][t], in + 128 * (round + 1) + t, sizeof(int), pipe);
      pipe.producer_commit();
    }
    if (round < 0) continue;
    pipe.consumer_wait();
    __syncthreads();
    for (int k = 0; k < 4; k++) sum += tile[round & 1][t ^ 32 * k];
    pipe.consumer_release();
  }
  out[t] = sum;
}

// A cooperative grid: every block reads what another one wrote before they met.
extern "C" __global__ void meets(const int *in, int *out) {
  const auto grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  out[i] = in[i];
  grid.sync();
  const int other = out[n - 1 - i];
  grid.sync();
  out[i] = other;
}
