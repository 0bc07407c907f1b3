// Kernels that are right in the usual order of warps and blocks, and not in every order. Each has a clean twin.
typedef unsigned u32;

#define PAIR(name)                                                                                      \
  extern "C" __global__ void name##_broken(int *out) { name<false>(out); }                              \
  extern "C" __global__ void name##_clean(int *out) { name<true>(out); }

__device__ u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void arrive(unsigned long long *bar) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(bar)) : "memory");
}
__device__ void wait(unsigned long long *bar, int parity) {
  asm volatile("{ .reg .pred p; A%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra A%=; }" ::"r"(
                   shared_address(bar)), "r"(parity) : "memory");
}
__device__ void work() {
  for (int i = 0; i < 400; i++) asm volatile("nanosleep.u32 0;");
}

// Two phases of a barrier of one word pass while a waiter is late: it waits for a third one.
template <bool clean> __device__ void overrun(int *out) {
  __shared__ unsigned long long full, empty;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full)) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&empty)) : "memory");
  }
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

// The order of two barriers follows from a ticket.
template <bool clean> __device__ void tickets(int *out) {
  __shared__ int next;
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  int ticket = 0;
  if (threadIdx.x % 32 == 0) ticket = atomicAdd(&next, 1);
  ticket = __shfl_sync(~0u, ticket, 0);
  const bool swap = !clean && ticket == 0 && threadIdx.x < 32;
  asm volatile("bar.sync %0, 64;" ::"r"(swap ? 2 : 1) : "memory");
  asm volatile("bar.sync %0, 64;" ::"r"(swap ? 1 : 2) : "memory");
  out[threadIdx.x] = 1;
}
PAIR(tickets)

// The last warp wins, or each adds its share.
template <bool clean> __device__ void winner(int *out) {
  if (threadIdx.x % 32) return;
  if (clean) atomicAdd(out, threadIdx.x + 1);
  else atomicExch(out, threadIdx.x + 1);
}
PAIR(winner)

// The same for blocks.
template <bool clean> __device__ void blocks(int *out) {
  if (threadIdx.x) return;
  if (clean) atomicMax(out, blockIdx.x + 1);
  else atomicExch(out, blockIdx.x + 1);
}
PAIR(blocks)

// A test and the update that it allows are two steps.
template <bool clean> __device__ void two_steps(int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    if (clean) atomicCAS(&count, 0, 1);
    else if (atomicAdd(&count, 0) == 0) atomicAdd(&count, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}
PAIR(two_steps)
