// Launches that cannot end, each with its correct twin: bug is 0 in the twin.
__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(unsigned long long *b, int n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(b)), "r"(n) : "memory"); }
__device__ void arrive(unsigned long long *b) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at(b)) : "memory"); }
__device__ void expect(unsigned long long *b, int n) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at(b)), "r"(n) : "memory"); }
__device__ void wait(unsigned long long *b, int phase) {
  asm volatile("{ .reg .pred p; L%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra L%=; }" ::"r"(at(b)), "r"(phase) : "memory");
}

// two warps, each at the barrier that the other one comes to later
template <int bug> __global__ void crossed(int *out) {
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 64;" ::: "memory"); // CROSSED first
    asm volatile("bar.sync 2, 64;" ::: "memory");
  } else if (bug) {
    asm volatile("bar.sync 2, 64;" ::: "memory"); // CROSSED second
    asm volatile("bar.sync 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    asm volatile("bar.sync 2, 64;" ::: "memory");
  }
  out[threadIdx.x] = 1;
}

// a ring of one stage: the consumer does not return the second slot
template <int bug> __global__ void ring(int *out) {
  __shared__ unsigned long long full, empty;
  __shared__ int slot;
  if (threadIdx.x == 0) init(&full, 1), init(&empty, 32);
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int k = 0; k < 4; k++) {
      wait(&empty, (k & 1) ^ 1); // RING producer
      if (threadIdx.x == 0) slot = k;
      __syncwarp();
      if (threadIdx.x == 0) arrive(&full);
    }
  } else {
    for (int k = 0; k < 4; k++) {
      wait(&full, k & 1); // RING consumer
      out[threadIdx.x - 32] = slot;
      if (!bug || k != 1) arrive(&empty);
    }
  }
}

// one of two arrivals is missing: that warp waits at the block's barrier
template <int bug> __global__ void arrivals(int *out) {
  __shared__ unsigned long long b;
  if (threadIdx.x == 0) init(&b, 2); // ARRIVALS init
  __syncthreads();
  if (threadIdx.x == 0 || (!bug && threadIdx.x == 32)) arrive(&b);
  if (threadIdx.x < 32) wait(&b, 0); // ARRIVALS wait
  __syncthreads();                   // ARRIVALS missing
  out[threadIdx.x] = 1;
}

// bytes that no copy brings
template <int bug> __global__ void bytes(const int *in, int *out) {
  __shared__ unsigned long long b;
  __shared__ __align__(128) int tile[64];
  if (threadIdx.x == 0) init(&b, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&b, bug ? 512 : 256); // BYTES expect
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(at(tile)), "l"(in), "r"(at(&b)) : "memory");
  }
  wait(&b, 0); // BYTES wait
  out[threadIdx.x] = tile[threadIdx.x];
}

// a block of the cluster that waits for itself
template <int bug> __global__ void __cluster_dims__(2, 1, 1) clustered(int *out) {
  if (bug && blockIdx.x == 1 && threadIdx.x < 32) asm volatile("bar.sync 3, 96;" ::: "memory"); // CLUSTERED lost
  asm volatile("barrier.cluster.arrive;" ::: "memory");
  asm volatile("barrier.cluster.wait;" ::: "memory"); // CLUSTERED wait
  out[blockIdx.x * 64 + threadIdx.x] = 1;
}

// some threads have exited, and a named barrier counts them
template <int bug> __global__ void exited(int *out) {
  if (bug && threadIdx.x >= 64) return; // EXITED
  out[threadIdx.x] = 1;
  asm volatile("bar.sync 1, 96;" ::: "memory"); // EXITED wait
}

// a flag that no thread sets
template <int bug> __global__ void flag(volatile int *out) {
  if (threadIdx.x == 0) {
    while (!out[64]) {} // FLAG poll
  }
  if (!bug && threadIdx.x == 32) out[64] = 1;
  __syncthreads(); // FLAG others
  out[threadIdx.x] = 1;
}
