// Kernels whose barriers and mbarriers hang in some order of the warps, and their twins.
typedef unsigned u32;

#define PAIR(name)                                                                                      \
  extern "C" __global__ void name##_broken(int *out) { name<false>(out); }                              \
  extern "C" __global__ void name##_clean(int *out) { name<true>(out); }

__device__ u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void init(unsigned long long *bar, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
}
__device__ void arrive(unsigned long long *bar) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(bar)) : "memory");
}
__device__ void wait(unsigned long long *bar, int parity) {
  asm volatile("{ .reg .pred p; A%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra A%=; }" ::"r"(
                   shared_address(bar)), "r"(parity) : "memory");
}
__device__ void sync(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
__device__ void work() {
  for (int i = 0; i < 400; i++) asm volatile("nanosleep.u32 0;");
}

// Two phases of `full` pass while the consumer is late, unless the producer waits for `empty`.
template <bool clean> __device__ void overrun(int *out) {
  __shared__ unsigned long long full, empty;
  if (threadIdx.x == 0) init(&full, 1), init(&empty, 1);
  __syncthreads();
  if (threadIdx.x == 32) {
    arrive(&full);
    work();
    if (clean) wait(&empty, 0);
    arrive(&full);
  }
  if (threadIdx.x == 0) {
    wait(&full, 0);
    arrive(&empty);
    out[0] = 1;
  }
}
PAIR(overrun)

// Barrier 1 joins warp 0 with warp 1, and then with warp 2; these two may also meet each other.
template <bool clean> __device__ void three_warps(int *out) {
  const int warp = threadIdx.x / 32;
  if (warp == 0) {
    sync(1, 64);
    work();
    sync(clean ? 2 : 1, 64);
  } else if (warp == 1) {
    sync(1, 64);
  } else {
    work();
    work();
    sync(clean ? 2 : 1, 64);
  }
  out[threadIdx.x] = 1;
}
PAIR(three_warps)

// A ring of stages. The producer waits for the consumers of the round before, or trusts that they are fast enough.
template <bool clean> __device__ void ring(int *out) {
  enum { STAGES = 2, ROUNDS = 4 };
  __shared__ unsigned long long full[STAGES], empty[STAGES];
  if (threadIdx.x == 0)
    for (int i = 0; i < STAGES; i++) init(&full[i], 1), init(&empty[i], 2);
  __syncthreads();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < STAGES * ROUNDS; i++) {
    const int stage = i % STAGES, round = i / STAGES;
    if (warp == 0 && lane == 0) {
      if (clean && round > 0) wait(&empty[stage], (round - 1) & 1);
      work();
      arrive(&full[stage]);
    }
    if (warp > 0) {
      wait(&full[stage], round & 1);
      __syncwarp();
      if (lane == 0) arrive(&empty[stage]);
    }
  }
  out[threadIdx.x] = 1;
}
PAIR(ring)

// The number of rounds depends on data, which the search does not support.
extern "C" __global__ void depends_on_data(int *out) {
  for (int i = 0; i <= out[0]; i++) sync(1, 96);
}

// A test that fails leads to other work than waiting.
extern "C" __global__ void polls_twice(int *out) {
  __shared__ unsigned long long bar, other;
  if (threadIdx.x == 0) init(&bar, 32), init(&other, 32);
  __syncthreads();
  if (threadIdx.x < 32) {
    int done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(shared_address(&bar)) : "memory");
    arrive(&other);
    if (!done) wait(&bar, 0);
  } else if (threadIdx.x < 64) {
    work();
    arrive(&bar);
  }
}

// Copies that signal their bytes arrive at any time.
extern "C" __global__ void copies(int *out) {
  __shared__ alignas(16) int tile[2][64];
  __shared__ unsigned long long full[2];
  if (threadIdx.x == 0) {
    init(&full[0], 1), init(&full[1], 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (int i = 0; i < 2; i++) {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(shared_address(&full[i])) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                       shared_address(tile[i])), "l"(out), "r"(shared_address(&full[i])) : "memory");
    }
  }
  __syncthreads();
  wait(&full[0], 0);
  wait(&full[1], 0);
  out[64 + threadIdx.x] = tile[0][threadIdx.x % 64] + tile[1][threadIdx.x % 64];
}
