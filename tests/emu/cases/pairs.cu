// Pairs of kernels: NAME_broken breaks a rule of synchronisation, and NAME_clean keeps it. The line that must be reported
// of the broken one carries the comment FAULT and the pair's name; of the clean one nothing may be reported.

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
