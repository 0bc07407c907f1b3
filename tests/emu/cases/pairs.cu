// Pairs of kernels: NAME_broken violates a rule of synchronization, NAME_clean obeys it. In the broken kernel, the line
// that must be reported has the comment FAULT and the pair's name; in the clean kernel nothing may be reported.

typedef unsigned u32;

#define PAIR(name)                                                                                     \
  extern "C" __global__ void name##_broken(const int *in, int *out) { name<false>(in, out); }          \
  extern "C" __global__ void name##_clean(const int *in, int *out) { name<true>(in, out); }

__device__ int look(const volatile int *at) { return *at; }

#define PTX(...) asm volatile(__VA_ARGS__ : "memory")

// --- strong and weak accesses ---

// A plain read of a flag is weak; volatile and atomic accesses are strong, and do not race with each other.
template <bool clean> __device__ void volatile_flag(const int *in, int *out) {
  __shared__ int flag;
  const int i = threadIdx.x;
  if (i == 0) flag = 0;
  __syncthreads();
  if (i == 0) *(volatile int *)&flag = in[0];
  if (i == 32) out[0] = clean ? look(&flag) : flag + 0; // FAULT volatile_flag
}
PAIR(volatile_flag)

template <bool clean> __device__ void atomic_count(const int *in, int *out) {
  __shared__ int count;
  const int i = threadIdx.x;
  if (i == 0) count = 0;
  __syncthreads();
  if (i < 32) atomicAdd(&count, in[i]);
  else out[i] = clean ? look(&count) : count + 0; // FAULT atomic_count
}
PAIR(atomic_count)

// --- lanes of a warp ---

__device__ u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }

__device__ void init(unsigned long long *bar, int count) {
  PTX("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count));
}

__device__ void arrive(unsigned long long *bar) {
  PTX("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(bar)));
}

__device__ void wait(unsigned long long *bar, int parity) {
  PTX("{ .reg .pred p; AGAIN%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra AGAIN%=; }" ::"r"(
          shared_address(bar)), "r"(parity));
}

// One lane's arrival releases what that lane has done.
template <bool clean> __device__ void arrival_of_one_lane(const int *in, int *out) {
  __shared__ unsigned long long bar;
  __shared__ int tile[32];
  const int i = threadIdx.x;
  if (i == 0) init(&bar, 1);
  __syncthreads();
  if (i < 32) {
    tile[i] = in[i]; // FAULT arrival_of_one_lane
    if (clean) __syncwarp();
    if (i == 0) arrive(&bar);
  } else {
    wait(&bar, 0);
    out[i] = tile[i - 32];
  }
}
PAIR(arrival_of_one_lane)

// One lane's wait acquires for that lane.
template <bool clean> __device__ void wait_of_one_lane(const int *in, int *out) {
  __shared__ unsigned long long bar;
  __shared__ int tile[32];
  const int i = threadIdx.x;
  if (i == 0) init(&bar, 32);
  __syncthreads();
  if (i < 32) {
    tile[i] = in[i];
    arrive(&bar);
  } else {
    if (i == 32) wait(&bar, 0);
    if (clean) __syncwarp();
    out[i] = tile[i - 32]; // FAULT wait_of_one_lane
  }
}
PAIR(wait_of_one_lane)

// The phases of a ring: an arrival for the next phase releases nothing to this one.
template <bool clean> __device__ void stages_of_a_ring(const int *in, int *out) {
  __shared__ unsigned long long full[2], empty[2];
  __shared__ int tile[2][32];
  const int i = threadIdx.x % 32;
  int sum = 0;
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; s++) {
      init(&full[s], 32);
      init(&empty[s], 32);
    }
  }
  __syncthreads();
  for (int k = 0; k < 8; k++) {
    const int stage = k % 2, parity = k / 2 % 2;
    if (threadIdx.x < 32) {
      wait(&empty[stage], parity ^ 1);
      tile[stage][i] = in[32 * k + i]; // FAULT stages_of_a_ring
      arrive(&full[stage]);
    } else {
      wait(&full[stage], parity);
      if (!clean) arrive(&empty[stage]);
      sum += tile[stage][31 - i];
      if (clean) arrive(&empty[stage]);
    }
  }
  if (threadIdx.x >= 32) out[i] = sum;
}
PAIR(stages_of_a_ring)

template <bool clean> __device__ void flag_of_one_lane(const int *in, int *out) {
  __shared__ int tile[32];
  __shared__ volatile int flag;
  const int i = threadIdx.x;
  if (i == 0) flag = 0;
  __syncthreads();
  if (i < 32) {
    tile[i] = in[i]; // FAULT flag_of_one_lane
    __threadfence_block();
    if (clean) __syncwarp();
    if (i == 0) flag = 1;
  } else {
    while (!flag) {}
    __threadfence_block();
    out[i] = tile[i - 32];
  }
}
PAIR(flag_of_one_lane)

// The same in global memory, between blocks.
template <bool clean> __device__ void flag_of_one_lane_global(const int *in, int *out) {
  const int i = threadIdx.x;
  if (blockIdx.x == 0) {
    out[64 + i] = in[i]; // FAULT flag_of_one_lane_global
    if (clean) __syncwarp();
    if (i == 0) PTX("st.release.gpu.global.u32 [%0], 1;" ::"l"(out));
  } else {
    u32 seen;
    do PTX("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(out)); while (!seen);
    out[128 + i] = out[64 + i];
  }
}
PAIR(flag_of_one_lane_global)

template <bool clean> __device__ void acquire_of_one_lane_global(const int *in, int *out) {
  const int i = threadIdx.x;
  if (blockIdx.x == 0) {
    out[64 + i] = in[i]; // FAULT acquire_of_one_lane_global
    __syncwarp();
    if (i == 0) PTX("st.release.gpu.global.u32 [%0], 1;" ::"l"(out));
  } else {
    u32 seen = 0;
    while (i == 0 && !seen) PTX("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(out));
    if (clean) __syncwarp();
    out[128 + i] = out[64 + i];
  }
}
PAIR(acquire_of_one_lane_global)

// A mask orders the lanes that it names.
template <bool clean> __device__ void half_of_the_lanes(const int *in, int *out) {
  __shared__ int tile[32];
  const int i = threadIdx.x;
  tile[i] = in[i];
  if (clean) __syncwarp();
  else if (i < 16) __syncwarp(0xffff);
  else __syncwarp(0xffff0000);
  out[i] = tile[i ^ 16]; // FAULT half_of_the_lanes
}
PAIR(half_of_the_lanes)

template <bool clean> __device__ void quarters_of_the_lanes(const int *in, int *out) {
  __shared__ int tile[32];
  const int i = threadIdx.x;
  const unsigned mask = 0xffu << i / 8 * 8;
  int sum = 0;
  for (int k = 0; k < 4; k++) {
    tile[i] = in[32 * k + i];
    __syncwarp(mask);
    sum += tile[clean ? i ^ 7 : i ^ 15]; // FAULT quarters_of_the_lanes
    __syncwarp(mask);
  }
  out[i] = sum;
}
PAIR(quarters_of_the_lanes)

// Collective loads and stores, products and shuffles wait for lanes, and order no memory.
template <bool clean> __device__ void stmatrix_then_load(const int *in, int *out) {
  __shared__ __align__(16) int tile[32];
  const int i = threadIdx.x;
  PTX("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(shared_address(tile + 4 * (i % 8))), "r"(in[i]));
  if (clean) __syncwarp();
  out[i] = tile[31 - i]; // FAULT stmatrix_then_load
}
PAIR(stmatrix_then_load)

template <bool clean> __device__ void store_then_ldmatrix(const int *in, int *out) {
  __shared__ __align__(16) int tile[32];
  const int i = threadIdx.x;
  int a;
  tile[31 - i] = in[i];
  if (clean) __syncwarp();
  PTX("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(shared_address(tile + 4 * (i % 8)))); // FAULT store_then_ldmatrix
  out[i] = a;
}
PAIR(store_then_ldmatrix)

template <bool clean> __device__ void product_between(const int *in, int *out) {
  __shared__ int tile[32];
  const int i = threadIdx.x;
  float c[4] = {0, 0, 0, 0};
  tile[i] = in[i];
  PTX("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(0));
  if (clean) __syncwarp();
  out[i] = tile[31 - i] + (int)c[0]; // FAULT product_between
}
PAIR(product_between)

template <bool clean> __device__ void shuffle_between(const int *in, int *out) {
  __shared__ int tile[32];
  const int i = threadIdx.x;
  tile[i] = in[i];
  const int other = __shfl_xor_sync(0xffffffff, in[i], 1) + __popc(__ballot_sync(0xffffffff, in[i] > 7));
  if (clean) __syncwarp();
  out[i] = tile[31 - i] + other; // FAULT shuffle_between
}
PAIR(shuffle_between)

// A sum of the warp through shared memory, in a loop of a function.
template <bool clean> __device__ __noinline__ int sum_of_lanes(volatile int *tile, int lane) {
  for (int s = 16; s > 0; s /= 2) {
    if (lane < s) tile[lane] = tile[lane] + tile[lane + s]; // FAULT sum_in_a_function
    if (clean) __syncwarp();
  }
  return tile[0];
}

template <bool clean> __device__ void sum_in_a_function(const int *in, int *out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  const int sum = sum_of_lanes<clean>(tile + threadIdx.x / 32 * 32, threadIdx.x % 32);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = sum;
}
PAIR(sum_in_a_function)

// --- barriers with numbers ---

// bar.arrive releases what comes before it.
template <bool clean> __device__ void store_after_arriving(const int *in, int *out) {
  __shared__ int tile[32];
  const int i = threadIdx.x;
  if (i < 32) {
    if (clean) tile[i] = in[i];
    PTX("bar.arrive 1, 64;" ::);
    if (!clean) tile[i] = in[i]; // FAULT store_after_arriving
  } else {
    PTX("bar.sync 1, 64;" ::);
    out[i] = tile[i - 32];
  }
  PTX("bar.sync 2, 64;" ::);
}
PAIR(store_after_arriving)

template <bool clean> __device__ void store_again_after_arriving(const int *in, int *out) {
  __shared__ int tile[32];
  const int i = threadIdx.x;
  if (i < 32) {
    tile[i] = in[i];
    PTX("bar.arrive 1, 64;" ::);
    if (clean) PTX("bar.sync 2, 64;" ::);
    tile[i] = in[i] + 1; // FAULT store_again_after_arriving
  } else {
    PTX("bar.sync 1, 64;" ::);
    out[i] = tile[i - 32];
    if (clean) PTX("bar.arrive 2, 64;" ::);
  }
}
PAIR(store_again_after_arriving)

template <bool clean> __device__ void ring_of_barriers(const int *in, int *out) {
  __shared__ int tile[2][32];
  const int i = threadIdx.x % 32;
  int sum = 0;
  for (int k = 0; k < 6; k++) {
    const int full = 1 + k % 2, empty = 3 + k % 2;
    if (threadIdx.x < 32) {
      if (k >= 2) PTX("bar.sync %0, 64;" ::"r"(empty));
      tile[k % 2][i] = in[32 * k + i]; // FAULT ring_of_barriers
      PTX("bar.arrive %0, 64;" ::"r"(full));
    } else {
      PTX("bar.sync %0, 64;" ::"r"(full));
      if (k < 4 && !clean) PTX("bar.arrive %0, 64;" ::"r"(empty));
      sum += tile[k % 2][31 - i];
      if (k < 4 && clean) PTX("bar.arrive %0, 64;" ::"r"(empty));
    }
  }
  if (threadIdx.x >= 32) out[i] = sum;
}
PAIR(ring_of_barriers)

// A barrier of half the block orders that half.
template <bool clean> __device__ void barrier_of_the_half(const int *in, int *out) {
  __shared__ int tile[128];
  const int i = threadIdx.x;
  tile[i] = in[i];
  if (clean) __syncthreads();
  else PTX("bar.sync %0, 64;" ::"r"(1 + i / 64));
  out[i] = tile[i ^ 64]; // FAULT barrier_of_the_half
}
PAIR(barrier_of_the_half)

// --- relaxed accesses and fences ---

template <bool clean> __device__ void relaxed_load(const int *in, int *out) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    out[100] = in[0]; // FAULT relaxed_load
    __threadfence();
    PTX("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(out));
  } else {
    u32 seen;
    do PTX("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(out)); while (!seen);
    if (clean) __threadfence();
    out[200] = out[100];
  }
}
PAIR(relaxed_load)

template <bool clean> __device__ void relaxed_store(const int *in, int *out) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    out[100] = in[0]; // FAULT relaxed_store
    if (clean) __threadfence();
    PTX("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(out));
  } else {
    u32 seen;
    do PTX("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(out)); while (!seen);
    out[200] = out[100];
  }
}
PAIR(relaxed_store)

template <bool clean> __device__ void relaxed_flag_in_shared(const int *in, int *out) {
  __shared__ u32 flag, data;
  const int i = threadIdx.x;
  if (i == 0) flag = 0;
  __syncthreads();
  if (i == 0) {
    data = in[0];
    if (clean) PTX("st.release.cta.shared.u32 [%0], 1;" ::"r"(shared_address(&flag)));
    else PTX("st.relaxed.cta.shared.u32 [%0], 1;" ::"r"(shared_address(&flag)));
  } else if (i == 32) {
    u32 seen;
    do PTX("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(seen) : "r"(shared_address(&flag))); while (!seen);
    out[0] = data; // FAULT relaxed_flag_in_shared
  }
}
PAIR(relaxed_flag_in_shared)

template <bool clean> __device__ void relaxed_ticket(const int *in, int *out) {
  if (threadIdx.x) return;
  out[100 + blockIdx.x] = in[blockIdx.x]; // FAULT relaxed_ticket
  u32 ticket;
  if (clean) PTX("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(out));
  else PTX("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(out));
  if (ticket != gridDim.x - 1) return;
  __threadfence();
  int sum = 0;
  for (int b = 0; b < gridDim.x; b++) sum += out[100 + b];
  out[1] = sum;
}
PAIR(relaxed_ticket)

template <bool clean> __device__ void relaxed_arrival(const int *in, int *out) {
  __shared__ unsigned long long bar;
  __shared__ int tile[32];
  const int i = threadIdx.x;
  if (i == 0) init(&bar, 32);
  __syncthreads();
  if (i < 32) {
    tile[i] = in[i]; // FAULT relaxed_arrival
    if (clean) PTX("mbarrier.arrive.release.cta.shared.b64 _, [%0];" ::"r"(shared_address(&bar)));
    else PTX("mbarrier.arrive.relaxed.cta.shared.b64 _, [%0];" ::"r"(shared_address(&bar)));
  } else {
    wait(&bar, 0);
    out[i] = tile[i - 32];
  }
}
PAIR(relaxed_arrival)

template <bool clean> __device__ void relaxed_wait(const int *in, int *out) {
  __shared__ unsigned long long bar;
  __shared__ int tile[32];
  const int i = threadIdx.x;
  if (i == 0) init(&bar, 32);
  __syncthreads();
  if (i < 32) {
    tile[i] = in[i];
    arrive(&bar);
  } else {
    PTX("{ .reg .pred p; AGAIN%=: mbarrier.try_wait.parity.relaxed.cta.shared.b64 p, [%0], 0; @!p bra AGAIN%=; }" ::"r"(
            shared_address(&bar)));
    if (clean) __threadfence_block();
    out[i] = tile[i - 32]; // FAULT relaxed_wait
  }
}
PAIR(relaxed_wait)

// --- scopes ---

template <bool clean> __device__ void release_for_the_block(const int *in, int *out) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    out[100] = in[0]; // FAULT release_for_the_block
    if (clean) PTX("st.release.gpu.global.u32 [%0], 1;" ::"l"(out));
    else {
      PTX("fence.acq_rel.cta;" ::);
      PTX("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(out));
    }
  } else {
    u32 seen;
    do PTX("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(out)); while (!seen);
    out[200] = out[100];
  }
}
PAIR(release_for_the_block)

template <bool clean> __device__ void acquire_for_the_block(const int *in, int *out) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    out[100] = in[0]; // FAULT acquire_for_the_block
    PTX("st.release.gpu.global.u32 [%0], 1;" ::"l"(out));
  } else {
    u32 seen;
    do PTX("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(out)); while (!seen);
    if (clean) PTX("fence.acq_rel.gpu;" ::);
    else PTX("fence.acq_rel.cta;" ::);
    out[200] = out[100];
  }
}
PAIR(acquire_for_the_block)

template <bool clean> __device__ void release_for_the_cluster(const int *in, int *out) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    out[100] = in[0]; // FAULT release_for_the_cluster
    if (clean) PTX("fence.acq_rel.gpu;" ::);
    else PTX("fence.acq_rel.cluster;" ::);
    PTX("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(out));
  } else {
    u32 seen;
    do PTX("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(out)); while (!seen);
    out[200] = out[100];
  }
}
PAIR(release_for_the_cluster)

template <bool clean> __device__ void atomics_for_the_block(const int *in, int *out) {
  if (clean) atomicAdd(&out[0], in[threadIdx.x]);
  else atomicAdd_block(&out[0], in[threadIdx.x]); // FAULT atomics_for_the_block
}
PAIR(atomics_for_the_block)

// --- clusters ---

#define CLUSTER_PAIR(name)                                                                             \
  extern "C" __global__ void __cluster_dims__(2, 1, 1) name##_broken(const int *in, int *out) { name<false>(in, out); } \
  extern "C" __global__ void __cluster_dims__(2, 1, 1) name##_clean(const int *in, int *out) { name<true>(in, out); }

__device__ u32 rank() {
  u32 r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}

__device__ u32 there(const void *p, u32 block) {
  u32 a;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(shared_address(p)), "r"(block));
  return a;
}

__device__ void sync_cluster() { PTX("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::); }

template <bool clean> __device__ void store_to_the_other(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  sync_cluster();
  if (rank() == 1) PTX("st.shared::cluster.s32 [%0], %1;" ::"r"(there(tile + i, 0)), "r"(in[i])); // FAULT store_to_the_other
  if (clean) sync_cluster();
  if (rank() == 0) out[i] = tile[i];
  sync_cluster();
}
CLUSTER_PAIR(store_to_the_other)

template <bool clean> __device__ void load_from_the_other(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = 0;
  sync_cluster();
  int v = 0;
  if (rank() == 0) tile[i] = in[i];
  if (clean) sync_cluster();
  if (rank() == 1) PTX("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(there(tile + i, 0))); // FAULT load_from_the_other
  if (rank() == 1) out[i] = v;
  sync_cluster();
}
CLUSTER_PAIR(load_from_the_other)

template <bool clean> __device__ void both_store(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  sync_cluster();
  PTX("st.shared::cluster.s32 [%0], %1;" ::"r"(there(tile + i, clean ? rank() : 0)), "r"(in[64 * rank() + i])); // FAULT both_store
  sync_cluster();
  out[64 * rank() + i] = tile[i];
}
CLUSTER_PAIR(both_store)

// The owner may end before the store reaches it.
template <bool clean> __device__ void store_to_one_that_ends(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  sync_cluster();
  if (rank() == 1) PTX("st.shared::cluster.s32 [%0], %1;" ::"r"(there(tile + i, 0)), "r"(in[i])); // FAULT store_to_one_that_ends
  if (clean) sync_cluster();
}
CLUSTER_PAIR(store_to_one_that_ends)

template <bool clean> __device__ void load_from_one_that_ends(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  int v;
  tile[i] = in[i];
  sync_cluster();
  PTX("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(there(tile + i, rank() ^ 1))); // FAULT load_from_one_that_ends
  out[64 * rank() + i] = v;
  if (clean) sync_cluster();
}
CLUSTER_PAIR(load_from_one_that_ends)

template <bool clean> __device__ void relaxed_cluster_arrival(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  int v;
  tile[i] = in[i];
  if (clean) PTX("barrier.cluster.arrive.release.aligned;" ::);
  else PTX("barrier.cluster.arrive.relaxed.aligned;" ::);
  PTX("barrier.cluster.wait.acquire.aligned;" ::);
  PTX("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(there(tile + i, rank() ^ 1))); // FAULT relaxed_cluster_arrival
  out[64 * rank() + i] = v;
  sync_cluster();
}
CLUSTER_PAIR(relaxed_cluster_arrival)

// An arrival at the other block's mbarrier must have the cluster's scope.
template <bool clean> __device__ void arrival_for_the_block(const int *in, int *out) {
  __shared__ unsigned long long bar;
  __shared__ int tile[64];
  const int i = threadIdx.x;
  if (i == 0) init(&bar, 64);
  sync_cluster();
  if (rank() == 1) {
    PTX("st.shared::cluster.s32 [%0], %1;" ::"r"(there(tile + i, 0)), "r"(in[i])); // FAULT arrival_for_the_block
    if (clean) PTX("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there(&bar, 0)));
    else PTX("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" ::"r"(there(&bar, 0)));
  } else {
    PTX("{ .reg .pred p; AGAIN%=: mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%0], 0; @!p bra AGAIN%=; }" ::"r"(
            shared_address(&bar)));
    out[i] = tile[i];
  }
  sync_cluster();
}
CLUSTER_PAIR(arrival_for_the_block)

template <bool clean> __device__ void wait_for_the_block(const int *in, int *out) {
  __shared__ unsigned long long bar;
  __shared__ int tile[64];
  const int i = threadIdx.x;
  if (i == 0) init(&bar, 64);
  sync_cluster();
  if (rank() == 1) {
    PTX("st.shared::cluster.s32 [%0], %1;" ::"r"(there(tile + i, 0)), "r"(in[i])); // FAULT wait_for_the_block
    PTX("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there(&bar, 0)));
  } else {
    if (clean)
      PTX("{ .reg .pred p; AGAIN%=: mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%0], 0; @!p bra AGAIN%=; }" ::"r"(
              shared_address(&bar)));
    else
      PTX("{ .reg .pred p; AGAIN%=: mbarrier.try_wait.parity.acquire.cta.shared.b64 p, [%0], 0; @!p bra AGAIN%=; }" ::"r"(
              shared_address(&bar)));
    out[i] = tile[i];
  }
  sync_cluster();
}
CLUSTER_PAIR(wait_for_the_block)

// A flag in the other block's shared memory.
template <bool clean> __device__ void flag_for_the_block(const int *in, int *out) {
  __shared__ u32 flag;
  __shared__ int data;
  const int i = threadIdx.x;
  if (i == 0) flag = 0;
  sync_cluster();
  if (rank() == 1 && i == 0) {
    PTX("st.shared::cluster.s32 [%0], %1;" ::"r"(there(&data, 0)), "r"(in[0])); // FAULT flag_for_the_block
    if (clean) PTX("fence.acq_rel.cluster;" ::);
    else PTX("fence.acq_rel.cta;" ::);
    PTX("st.relaxed.cluster.shared::cluster.u32 [%0], 1;" ::"r"(there(&flag, 0)));
  }
  if (rank() == 0 && i == 0) {
    u32 seen;
    do PTX("ld.acquire.cluster.shared.u32 %0, [%1];" : "=r"(seen) : "r"(shared_address(&flag))); while (!seen);
    out[0] = data;
  }
  sync_cluster();
}
CLUSTER_PAIR(flag_for_the_block)

// --- the async proxy ---

__device__ void expect(unsigned long long *bar, int bytes) {
  PTX("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes));
}

// A macro, so that findings are at its uses.
#define bulk_load(to, from, bytes, bar)                                                                \
  PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"( \
          shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(bar)))

__device__ void proxy_fence() { PTX("fence.proxy.async.shared::cta;" ::); }

template <bool clean> __device__ void store_then_bulk_store(const int *in, int *out) {
  __shared__ __align__(16) int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (clean) proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    PTX("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(shared_address(tile))); // FAULT store_then_bulk_store
    PTX("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::);
  }
}
PAIR(store_then_bulk_store)

// A fence by the thread that copies, after the barrier, is enough.
template <bool clean> __device__ void fence_of_the_copying_thread(const int *in, int *out) {
  __shared__ __align__(16) int tile[64];
  for (int k = 0; k < 3; k++) {
    tile[threadIdx.x] = in[64 * k + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      if (clean || k < 2) proxy_fence();
      PTX("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out + 64 * k), "r"(shared_address(tile))); // FAULT fence_of_the_copying_thread
      PTX("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::);
    }
    __syncthreads();
  }
}
PAIR(fence_of_the_copying_thread)

// The lanes that do not fence have stored, too.
template <bool clean> __device__ void fence_of_some_lanes(const int *in, int *out) {
  __shared__ __align__(16) int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (clean || threadIdx.x % 32 < 8) proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    PTX("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(shared_address(tile))); // FAULT fence_of_some_lanes
    PTX("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::);
  }
}
PAIR(fence_of_some_lanes)

__device__ void init_fenced(unsigned long long *bar, int count) {
  init(bar, count);
  PTX("fence.mbarrier_init.release.cluster;" ::);
}

// A copy writes memory that generic-proxy accesses read or wrote.
template <bool clean> __device__ void load_then_bulk_load(const int *in, int *out) {
  __shared__ __align__(16) int tile[64];
  __shared__ unsigned long long bar;
  int sum = 0;
  if (threadIdx.x == 0) init_fenced(&bar, 1);
  __syncthreads();
  for (int k = 0; k < 3; k++) {
    if (threadIdx.x == 0) {
      expect(&bar, 256);
      bulk_load(tile, in + 64 * k, 256, &bar); // FAULT load_then_bulk_load
    }
    wait(&bar, k & 1);
    sum += tile[63 - threadIdx.x];
    if (clean) proxy_fence();
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
PAIR(load_then_bulk_load)

template <bool clean> __device__ void store_then_bulk_load(const int *in, int *out) {
  __shared__ __align__(16) int tile[64];
  __shared__ unsigned long long bar;
  if (threadIdx.x == 0) init_fenced(&bar, 1);
  tile[threadIdx.x] = 0;
  if (clean) proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&bar, 256);
    bulk_load(tile, in, 256, &bar); // FAULT store_then_bulk_load
  }
  wait(&bar, 0);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
PAIR(store_then_bulk_load)

template <bool clean> __device__ void init_seen_by_copies(const int *in, int *out) {
  __shared__ __align__(16) int tile[64];
  __shared__ unsigned long long bar;
  if (threadIdx.x == 0) {
    if (clean) init_fenced(&bar, 1);
    else init(&bar, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&bar, 256);
    bulk_load(tile, in, 256, &bar); // FAULT init_seen_by_copies
  }
  wait(&bar, 0);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
PAIR(init_seen_by_copies)

// Reductions by copies do not race with each other.
template <bool clean> __device__ void reductions_of_blocks(const int *in, int *out) {
  __shared__ __align__(16) int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (clean) PTX("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 256;" ::"l"(out), "r"(shared_address(tile)));
    else out[blockIdx.x / 2] += tile[blockIdx.x]; // FAULT reductions_of_blocks
    PTX("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::);
  }
}
PAIR(reductions_of_blocks)

// Blocks after one another, which have accessed the same shared memory: what earlier ones did needs no fence.
template <bool clean> __device__ void copies_of_lane_one(const int *in, int *out) {
  __shared__ __align__(16) int tile[64];
  __shared__ unsigned long long bar;
  if (threadIdx.x == 1) {
    if (clean) init_fenced(&bar, 1);
    else init(&bar, 1);
    expect(&bar, 256);
    bulk_load(tile, in, 256, &bar); // FAULT copies_of_lane_one
  }
  __syncthreads();
  wait(&bar, 0);
  out[64 * blockIdx.x + threadIdx.x] = tile[63 - threadIdx.x];
}
PAIR(copies_of_lane_one)

// --- tensor maps ---

// A map of 16 rows of 32 floats, made in shared memory.
__device__ void make_map(void *map, const int *data) {
  const u32 m = shared_address(map);
  PTX("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(m), "l"(data));
  PTX("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" ::"r"(m));
  PTX("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, 32; tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, 16;" ::"r"(m));
  PTX("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, 32; tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, 16;" ::"r"(m));
  PTX("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, 128;" ::"r"(m));
  PTX("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 0, 1; tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, 1;" ::"r"(m));
  PTX("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 7;" ::"r"(m));
  PTX("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0; tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(m));
  PTX("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(m));
}

__device__ void publish_map(int *to, const int *from) {
  for (int i = 0; i < 32; i++) to[i] = from[i];
  PTX("fence.proxy.tensormap::generic.release.gpu;" ::);
}

__device__ void acquire_map(const int *map) { PTX("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map)); }

__device__ void load_box(void *to, const int *map, unsigned long long *bar) {
  expect(bar, 2048);
  PTX("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3}], [%2];" ::"r"(shared_address(to)), // FAULT map_without_fence
      "l"(map), "r"(shared_address(bar)), "r"(0));
}

template <bool clean> __device__ void map_without_fence(const int *in, int *out) {
  __shared__ __align__(128) int tile[512], map[32];
  __shared__ unsigned long long bar;
  if (threadIdx.x) return;
  for (int i = 0; i < 32; i++) map[i] = 0;
  init_fenced(&bar, 1);
  make_map(map, in);
  publish_map(out, map);
  if (clean) acquire_map(out);
  load_box(tile, out, &bar);
  wait(&bar, 0);
  out[64] = tile[5];
}
PAIR(map_without_fence)

// All lanes of a warp write the map.
template <bool clean> __device__ void map_of_a_warp(const int *in, int *out) {
  __shared__ __align__(128) int tile[512], map[32];
  __shared__ unsigned long long bar;
  map[threadIdx.x] = 0;
  __syncwarp();
  if (threadIdx.x == 0) {
    init_fenced(&bar, 1);
    make_map(map, in);
  }
  __syncwarp();
  out[threadIdx.x] = map[threadIdx.x]; // FAULT map_of_a_warp
  PTX("fence.proxy.tensormap::generic.release.gpu;" ::);
  if (clean) __syncwarp();
  acquire_map(out);
  if (threadIdx.x == 0) {
    load_box(tile, out, &bar);
    wait(&bar, 0);
    out[64] = tile[5];
  }
}
PAIR(map_of_a_warp)

template <bool clean> __device__ void map_written_in_flight(const int *in, int *out) {
  __shared__ __align__(128) int tile[2][512], map[32];
  __shared__ unsigned long long bar[2];
  if (threadIdx.x) return;
  for (int i = 0; i < 32; i++) map[i] = 0;
  init_fenced(&bar[0], 1);
  init_fenced(&bar[1], 1);
  make_map(map, in);
  publish_map(out, map);
  acquire_map(out);
  load_box(tile[0], out, &bar[0]);
  if (clean) wait(&bar[0], 0);
  PTX("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(shared_address(map)), "l"(in + 512));
  for (int i = 0; i < 32; i++) out[i] = map[i]; // FAULT map_written_in_flight
  PTX("fence.proxy.tensormap::generic.release.gpu;" ::);
  acquire_map(out);
  load_box(tile[1], out, &bar[1]);
  wait(&bar[0], 0);
  wait(&bar[1], 0);
  out[64] = tile[0][5] + tile[1][5];
}
PAIR(map_written_in_flight)

// --- clusters: a copy for the other block ---

// A block may write into another one's shared memory once that one has begun.
template <bool clean> __device__ void multicast_overwrites(const int *in, int *out) {
  __shared__ __align__(16) int tile[64];
  __shared__ unsigned long long bar;
  if (threadIdx.x == 0) init_fenced(&bar, 1);
  tile[threadIdx.x] = in[threadIdx.x];
  sync_cluster();
  const int before = tile[63 - threadIdx.x];
  proxy_fence();
  if (clean) sync_cluster();
  if (threadIdx.x == 0) expect(&bar, 256);
  if (threadIdx.x == 0 && rank() == 0)
    PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;" ::"r"(shared_address(tile)), // FAULT multicast_overwrites
        "l"(in), "r"(shared_address(&bar)), "h"((short)3));
  wait(&bar, 0);
  out[64 * rank() + threadIdx.x] = before + tile[threadIdx.x];
  sync_cluster();
}
CLUSTER_PAIR(multicast_overwrites)

// --- pipelines of the shape of CUTLASS's PipelineTmaAsync ---

struct PipelineState {
  int index = 0, phase;
  __device__ explicit PipelineState(int first) : phase(first) {}
  __device__ void operator++(int) {
    if (++index == 2) index = 0, phase ^= 1;
  }
};

template <int Bytes> struct Pipeline {
  unsigned long long full[2], empty[2];
  __device__ void start(int consumers) {
    for (int i = 0; i < 2; i++) init(&full[i], 1), init(&empty[i], consumers);
    PTX("fence.mbarrier_init.release.cluster;" ::);
  }
  __device__ void producer_acquire(PipelineState s) {
    wait(&empty[s.index], s.phase);
    PTX("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&full[s.index])), "n"(Bytes));
  }
  __device__ void copy(PipelineState s, int *to, const int *from) {
    PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(to)), "l"(from), "n"(Bytes), "r"(shared_address(&full[s.index])));
  }
  __device__ void consumer_wait(PipelineState s) { wait(&full[s.index], s.phase); }
  __device__ void consumer_release(PipelineState s) { arrive(&empty[s.index]); }
};

// The error of a kernel: the consumer releases a stage before its last read, does not wait for it, or one lane releases it for its
// warp.
enum Fault { NONE, RELEASES_EARLY, NO_WAIT, ONE_LANE };

template <Fault fault> __device__ void tma_pipeline(const int *in, int *out) {
  __shared__ alignas(128) int stage[2][32];
  __shared__ Pipeline<128> pipeline;
  const bool of_lane = fault == ONE_LANE;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) pipeline.start(of_lane ? 1 : 32);
  __syncthreads();
  if (threadIdx.x == 0) {
    PipelineState s(1);
    for (int k = 0; k < 4; k++, s++) {
      pipeline.producer_acquire(s);
      pipeline.copy(s, stage[s.index], in + 32 * k);
    }
  } else if (threadIdx.x >= 32) {
    PipelineState s(0);
    int sum = 0;
    for (int k = 0; k < 4; k++, s++) {
      if (fault != NO_WAIT) pipeline.consumer_wait(s);
      if (fault == RELEASES_EARLY) pipeline.consumer_release(s);
      const int *from = &stage[s.index][lane ^ 1];
      if (fault == NONE) sum += *from;
      if (fault == RELEASES_EARLY) sum += *from; // FAULT stage_released_early
      if (fault == NO_WAIT) sum += *from;        // FAULT stage_not_awaited
      if (fault == ONE_LANE) sum += *from;       // FAULT stage_released_by_one_lane
      PTX("fence.proxy.async;" ::);
      if (fault == NONE) pipeline.consumer_release(s);
      if (of_lane && lane == 0) pipeline.consumer_release(s);
    }
    out[lane] = sum;
  }
}

#define PIPELINE(name, fault)                                                                                          \
  extern "C" __global__ void name##_broken(const int *in, int *out) { tma_pipeline<fault>(in, out); }                 \
  extern "C" __global__ void name##_clean(const int *in, int *out) { tma_pipeline<NONE>(in, out); }
PIPELINE(stage_released_early, RELEASES_EARLY)
PIPELINE(stage_not_awaited, NO_WAIT)
PIPELINE(stage_released_by_one_lane, ONE_LANE)
