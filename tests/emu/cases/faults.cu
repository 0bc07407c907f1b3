// One planted fault per kernel. The line that must be reported carries the comment FAULT and the kernel's name.

extern "C" __global__ void race_missing_barrier(const int *in, int *out) {
  __shared__ int tile[128];
  const int i = threadIdx.x;
  tile[i] = in[i];
  out[i] = tile[i ^ 32]; // FAULT race_missing_barrier
}

extern "C" __global__ void race_in_reduction(const int *in, int *out) {
  __shared__ int tile[128];
  const int i = threadIdx.x;
  tile[i] = in[i];
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (i < s) {
      const int other = tile[i + s]; // FAULT race_in_reduction
      tile[i] += other;
    }
  }
  __syncthreads();
  if (i == 0) out[0] = tile[0];
}

extern "C" __global__ void race_within_warp(const int *in, int *out) {
  __shared__ int tile[32];
  const int i = threadIdx.x;
  tile[i] = in[i];
  out[i] = tile[31 - i]; // FAULT race_within_warp
}

extern "C" __global__ void race_two_writers(int *out) {
  __shared__ int cell;
  cell = threadIdx.x; // FAULT race_two_writers
  __syncthreads();
  out[threadIdx.x] = cell;
}

extern "C" __global__ void race_write_after_read(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  for (int k = 0; k < 2; k++) {
    tile[i] = in[i] + k; // FAULT race_write_after_read
    __syncthreads();
    out[i] += tile[63 - i];
  }
}

extern "C" __global__ void race_atomic_and_plain(int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  if (threadIdx.x == 40) out[0] = count; // FAULT race_atomic_and_plain
}

extern "C" __global__ void race_behind_own_atomic(int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  atomicAdd(&count, 1); // FAULT race_behind_own_atomic
  __syncthreads();
  out[threadIdx.x] = count;
}

extern "C" __global__ void race_byte_behind_atomic(int *out) {
  __shared__ int count[64];
  count[threadIdx.x] = 0;
  atomicAdd(&count[threadIdx.x], 1);
  atomicAdd(&count[threadIdx.x ^ 1], 1); // FAULT race_byte_behind_atomic
  __syncthreads();
  out[threadIdx.x] = reinterpret_cast<unsigned char *>(count)[threadIdx.x];
}

extern "C" __global__ void race_read_then_atomics(int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (threadIdx.x == 0) out[64] = count;
  atomicAdd(&count, 1); // FAULT race_read_then_atomics
  __syncthreads();
  out[threadIdx.x] = count;
}

extern "C" __global__ void race_past_shuffle(int *out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = threadIdx.x;
  const int one = __shfl_xor_sync(~0u, 1, 1);
  out[threadIdx.x] = tile[31 - threadIdx.x] + one; // FAULT race_past_shuffle
}

extern "C" __global__ void race_past_vote(int *out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = threadIdx.x;
  const int all = __ballot_sync(~0u, 1);
  out[threadIdx.x] = tile[31 - threadIdx.x] + all; // FAULT race_past_vote
}

extern "C" __global__ void race_copy_in_flight(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = 0;
  __syncthreads();
  const unsigned to = (unsigned)__cvta_generic_to_shared(&tile[i]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + i) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  out[i] = tile[i]; // FAULT race_copy_in_flight
  asm volatile("cp.async.wait_group 0;" ::: "memory");
}

extern "C" __global__ void overrun_global(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + 1]; // FAULT overrun_global
}

extern "C" __global__ void underrun_global(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i - 1]; // FAULT underrun_global
}

extern "C" __global__ void overrun_shared(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i + 1] = in[i]; // FAULT overrun_shared
  __syncthreads();
  out[i] = i ? tile[i] : 0;
}

extern "C" __global__ void overrun_local(const int *in, int *out) {
  int many[8];
  const int i = threadIdx.x;
  for (int k = 0; k < 8; k++) many[k] = in[k];
  many[in[i] & 0xfff] = 1; // FAULT overrun_local
  out[i] = many[i & 7];
}

extern "C" __global__ void null_pointer(const int *in, int *out) {
  const int *where = (const int *)(long long)in[0];
  out[threadIdx.x] = where[threadIdx.x]; // FAULT null_pointer
}

extern "C" __global__ void misaligned(const int *in, int *out) {
  const int i = threadIdx.x;
  const int2 pair = *(const int2 *)(in + i); // FAULT misaligned
  out[i] = pair.x + pair.y;
}

extern "C" __global__ void uninitialised(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  if (i != 17) tile[i] = in[i];
  __syncthreads();
  out[i] = tile[i]; // FAULT uninitialised
}

extern "C" __global__ void barrier_in_branch(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = in[i];
  if (i < 48) {
    __syncthreads(); // FAULT barrier_in_branch
  }
  out[i] = tile[i];
}

extern "C" __global__ void barrier_by_warp(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = in[i];
  if (i < 32) {
    __syncthreads(); // FAULT barrier_by_warp
  }
  out[i] = tile[i];
}

extern "C" __global__ void warp_barrier_missed(int *out) {
  if (threadIdx.x != 5) {
    __syncwarp(); // FAULT warp_barrier_missed
    out[threadIdx.x] = 1;
  }
  out[threadIdx.x] += 2;
}

extern "C" __global__ void endless(volatile int *in, int *out) {
  while (in[threadIdx.x] == 0) { // FAULT endless
  }
  out[threadIdx.x] = 1;
}

extern "C" __global__ void traps(const int *in, int *out) {
  if (in[threadIdx.x] == 9) __trap(); // FAULT traps
  out[threadIdx.x] = 1;
}

extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);

extern "C" __global__ void asserts(const int *in, int *out) {
  if (in[threadIdx.x] == 9) {
    __assertfail("in[i] != 9", "faults.cu", 1, "asserts", 1); // FAULT asserts
  }
  out[threadIdx.x] = 1;
}

__device__ __noinline__ int deep(int n) {
  volatile int keep[1024];
  keep[n & 1023] = n;
  return n == 0 ? keep[0] : deep(n - 1) + keep[n & 1023]; // FAULT stack_overflow
}

extern "C" __global__ void stack_overflow(const int *in, int *out) { out[threadIdx.x] = deep(in[3]); }

extern "C" __global__ void race_volatile_sum(const int *in, int *out) {
  __shared__ volatile int tile[64];
  const int i = threadIdx.x;
  tile[i] = in[i];
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 64; k++) sum += tile[k]; // FAULT race_volatile_sum
  out[i] = sum;
}

extern "C" __global__ void shuffle_by_others(const int *in, int *out) {
  int v = in[threadIdx.x];
  for (int d = 8; d > 0; d >>= 1) v += __shfl_down_sync(0xffff, v, d); // FAULT shuffle_by_others
  if (threadIdx.x == 0) out[0] = v;
}

extern "C" __global__ void warp_barrier_by_others(int *out) {
  __syncwarp(0xffff); // FAULT warp_barrier_by_others
  out[threadIdx.x] = 1;
}

extern "C" __global__ void overrun_local_by_one(const int *in, int *out) {
  int few[8];
  const int i = threadIdx.x;
  for (int k = 0; k < 8; k++) few[k] = in[k];
  few[in[i] & 15] = 7; // FAULT overrun_local_by_one
  out[i] = few[in[i] & 7];
}

// The second array follows the first.
extern "C" __global__ void overrun_next_local(const int *in, int *out) {
  int few[8], more[8];
  const int i = threadIdx.x;
  for (int k = 0; k < 8; k++) {
    few[k] = in[k];
    more[in[k] & 7] = in[k + 1];
    more[k] = k;
  }
  few[in[i] & 15] = 7; // FAULT overrun_next_local
  out[i] = few[in[i] & 7] + more[in[i + 1] & 7];
}

// Barriers separate the accesses, and the neighbour is as large: only where the address comes from tells.
extern "C" __global__ void overrun_into_neighbour(const int *in, int *out) {
  __shared__ int first[64];
  __shared__ int second[64];
  const int i = threadIdx.x;
  first[i] = in[i];
  second[i] = in[i];
  __syncthreads();
  first[i + 1] = 1; // FAULT overrun_into_neighbour
  __syncthreads();
  second[i - (i == 0 ? 1 : 0)] = 2;
  __syncthreads();
  out[i] = first[63 - i] + second[63 - i];
}
