// Global memory between the threads of a block and between blocks. The first half races: the line that must be reported
// carries the comment FAULT and the kernel's name. The second half is correct, and nothing may be reported.

extern "C" __global__ void add_by_blocks(const int *in, int *out) {
  if (!threadIdx.x) out[0] += in[blockIdx.x]; // FAULT add_by_blocks
}

extern "C" __global__ void exchange_in_block(const int *in, int *out) {
  const int t = threadIdx.x;
  out[t] = in[t];
  out[1024 + t] = out[t ^ 64]; // FAULT exchange_in_block
}

extern "C" __global__ void exchange_in_warp(const int *in, int *out) {
  const int t = threadIdx.x;
  out[t] = in[t];
  out[1024 + t] = out[t ^ 1]; // FAULT exchange_in_warp
}

// Every block reads its neighbour's elements while that one overwrites them.
extern "C" __global__ void shift_in_place(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int next = out[i + 1];
  __syncthreads();
  out[i] = next + in[i]; // FAULT shift_in_place
}

extern "C" __global__ void rows_overlap(const int *in, int *out) {
  const int i = blockIdx.x * (blockDim.x - 8) + threadIdx.x;
  out[i] = in[threadIdx.x] + blockIdx.x; // FAULT rows_overlap
}

extern "C" __global__ void bytes_overlap(const int *in, unsigned char *out) {
  const int i = blockIdx.x * 31 + threadIdx.x;
  out[i] = (unsigned char)(in[threadIdx.x] + 64 * blockIdx.x); // FAULT bytes_overlap
}

extern "C" __global__ void vectors_overlap(const int *in, int *out) {
  const int t = threadIdx.x, b = blockIdx.x;
  if (b == 0) reinterpret_cast<int4 *>(out)[t] = reinterpret_cast<const int4 *>(in)[t]; // FAULT vectors_overlap
  if (b == 1) out[1024 + t] = out[4 * t + 3];
}

// How a block tells that it is done, and the last one sums up. The fence is for all, for the block, or forgotten.
enum { FOR_ALL, FOR_BLOCK, FORGOTTEN };
template <int fence> __device__ bool is_last(int *count) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    if (fence == FOR_ALL) __threadfence();
    if (fence == FOR_BLOCK) __threadfence_block();
    last = atomicAdd(count, 1) == gridDim.x - 1;
    if (fence == FOR_ALL) __threadfence();
    if (fence == FOR_BLOCK) __threadfence_block();
  }
  __syncthreads();
  return last;
}

extern "C" __global__ void ticket_without_fence(const int *in, int *out) {
  if (threadIdx.x == 0) out[2 + blockIdx.x] = in[blockIdx.x]; // FAULT ticket_without_fence
  if (!is_last<FORGOTTEN>(&out[0])) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; b++) sum += out[2 + b];
  if (threadIdx.x == 0) out[1] = sum;
}

extern "C" __global__ void ticket_with_block_fence(const int *in, int *out) {
  if (threadIdx.x == 0) out[2 + blockIdx.x] = in[blockIdx.x]; // FAULT ticket_with_block_fence
  if (!is_last<FOR_BLOCK>(&out[0])) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; b++) sum += out[2 + b];
  if (threadIdx.x == 0) out[1] = sum;
}

// All threads write and one of them signals, without waiting for the others.
extern "C" __global__ void ticket_too_early(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[64 + i] = in[i]; // FAULT ticket_too_early
  if (!is_last<FOR_ALL>(&out[0])) return;
  int sum = 0;
  for (int k = threadIdx.x; k < gridDim.x * blockDim.x; k += blockDim.x) sum += out[64 + k];
  atomicAdd(&out[1], sum);
}

extern "C" __global__ void atomics_of_blocks(const int *in, int *out) {
  asm volatile("red.relaxed.cta.global.add.u32 [%0], %1;" ::"l"(out), "r"(in[0]) : "memory"); // FAULT atomics_of_blocks
}

extern "C" __global__ void zeroed_then_added(const int *in, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) out[0] = in[0];
  atomicAdd(&out[0], 1); // FAULT zeroed_then_added
}

extern "C" __global__ void read_then_added(const int *in, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) out[1] = out[0] + in[0];
  atomicAdd(&out[0], 1); // FAULT read_then_added
}

extern "C" __global__ void atomic_and_plain(const int *in, int *out) {
  if (blockIdx.x == 1 && threadIdx.x == 0) out[1] = out[0];
  if (blockIdx.x == 0) atomicAdd(&out[0], in[threadIdx.x]); // FAULT atomic_and_plain
}

// A flag between blocks without a fence before it.
extern "C" __global__ void flag_without_fence(const int *in, int *out) {
  volatile int *flag = out;
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    out[1] = in[0]; // FAULT flag_without_fence
    *flag = 1;
  } else {
    while (!*flag) {}
    __threadfence();
    out[2] = out[1];
  }
}

extern "C" __global__ void copies_too_early(const int *in, int *out) {
  __shared__ __align__(16) int tile[256];
  const int t = threadIdx.x;
  out[t] = in[t];
  const unsigned to = (unsigned)__cvta_generic_to_shared(&tile[4 * t]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(out + 4 * (t % 16)) : "memory"); // FAULT copies_too_early
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[1024 + t] = tile[4 * t];
}

// A mark that differs between those who set it, and one whose finder does more with it.
extern "C" __global__ void marks_differently(const int *in, int *out) {
  const int at = in[blockIdx.x * blockDim.x + threadIdx.x] & 7;
  if (!out[at]) out[at] = 1 + blockIdx.x; // FAULT marks_differently
}

extern "C" __global__ void marks_and_counts(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, at = in[i] & 7;
  const int old = out[at];
  if (!old) out[at] = 1; // FAULT marks_and_counts
  out[64 + i] = old;
}

// --- correct ---

extern "C" __global__ void last_block_sums(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[64 + i] = in[i];
  __threadfence();
  __syncthreads();
  if (!is_last<FOR_ALL>(&out[0])) return;
  int sum = 0;
  for (int k = threadIdx.x; k < gridDim.x * blockDim.x; k += blockDim.x) sum += out[64 + k];
  atomicAdd(&out[1], sum);
}

// As in the CUDA Programming Guide: no fence after the ticket.
extern "C" __global__ void last_block_of_the_guide(const int *in, int *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    out[64 + blockIdx.x] = in[blockIdx.x];
    __threadfence();
    last = atomicInc((unsigned *)out, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  if (threadIdx.x < gridDim.x) atomicAdd(&out[1], out[64 + threadIdx.x]);
}

// Whoever waits for the block before it sees what all blocks before that one did.
extern "C" __global__ void chain_of_blocks(const int *in, int *out) {
  volatile int *flag = out;
  const int b = blockIdx.x, t = threadIdx.x;
  if (b > 0 && t == 0) {
    while (!flag[b - 1]) {}
    __threadfence();
  }
  __syncthreads();
  int sum = in[b];
  for (int k = 0; k < b; k++) sum += out[128 + 64 * k + t];
  out[128 + 64 * b + t] = sum;
  __threadfence();
  __syncthreads();
  if (t == 0) flag[b] = 1;
}

extern "C" __global__ void release_and_acquire(const int *in, int *out) {
  const int b = blockIdx.x, t = threadIdx.x;
  if (b > 0) {
    int seen = 0;
    do asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(out + b - 1) : "memory");
    while (!seen);
    out[1024 + 32 * b + t] = out[1024 + 32 * (b - 1) + (t ^ 1)] + in[t];
  } else {
    out[1024 + t] = in[t];
  }
  __syncwarp();
  if (t == 0) asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(out + b) : "memory");
}

__device__ void wait_for(int *turn, int value) {
  int seen;
  do asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(turn) : "memory");
  while (seen != value);
}

__device__ void pass_on(int *turn) {
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  asm volatile("red.relaxed.gpu.global.add.s32 [%0], 1;" ::"l"(turn) : "memory"); // FAULT turn_read_beside_the_wait
}

// Blocks take turns, and the last one resets the turn by a plain store: the others' additions come before what waited for them.
extern "C" __global__ void turn_reset_by_the_last(const int *in, int *out) {
  if (threadIdx.x == 0) wait_for(out, blockIdx.x);
  __syncthreads();
  out[1 + threadIdx.x] += in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 32) {
    if (blockIdx.x == gridDim.x - 1)
      out[0] = 0;
    else
      pass_on(out);
  }
}

// One warp waits for the turn and another reads it, without a barrier between them.
extern "C" __global__ void turn_read_beside_the_wait(const int *in, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) pass_on(out);
  if (blockIdx.x == 1 && threadIdx.x == 0) wait_for(out, 1);
  if (blockIdx.x == 1 && threadIdx.x == 32) out[1] = out[0];
}

// Sums in words that carry their own flag: nothing else needs to be ordered.
extern "C" __global__ void words_with_flags(const int *in, unsigned long long *out) {
  const int b = blockIdx.x;
  if (threadIdx.x) return;
  unsigned long long before = 0;
  while (b && !(before >> 32)) asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(before) : "l"(out + b - 1) : "memory");
  const unsigned sum = (unsigned)before + in[b];
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(out + b), "l"(1ull << 32 | sum) : "memory");
}

extern "C" __global__ void lock_of_blocks(const int *in, int *out) {
  if (threadIdx.x) return;
  while (atomicCAS(&out[0], 0, 1)) {}
  __threadfence();
  out[1] += in[blockIdx.x];
  out[2] = out[1];
  __threadfence();
  atomicExch(&out[0], 0);
}

// A flag past the first cache, as code before relaxed accesses has it.
extern "C" __global__ void flag_by_cache_hints(const int *in, int *out) {
  const int t = threadIdx.x, b = blockIdx.x;
  if (b) {
    if (t == 0) while (__ldcg(&out[64 * b]) == 0) {}
    __syncthreads();
    __threadfence();
  }
  out[64 * (b + 1) + 1 + t] = b ? out[64 * b + 1 + t] + 1 : in[t];
  __threadfence();
  __syncthreads();
  if (t == 0) __stcg(&out[64 * (b + 1)], 1);
}

// As a search of a graph marks what it has seen: whoever comes writes the same.
extern "C" __global__ void marks_once(const int *in, int *out) {
  __shared__ int seen[8];
  const int t = threadIdx.x, at = in[blockIdx.x * blockDim.x + t] & 7;
  if (t < 8) seen[t] = 0;
  __syncthreads();
  if (!out[at]) out[at] = 1;
  if (seen[at] == 0) seen[at] = 7;
  unsigned char *bytes = reinterpret_cast<unsigned char *>(out + 64);
  if (bytes[at] != 3) bytes[at] = 3;
}

extern "C" __global__ void barrier_of_blocks(const int *in, int *out) {
  const int b = blockIdx.x, t = threadIdx.x, n = gridDim.x;
  for (int round = 0; round < 3; round++) {
    const int from = round * 256, to = from + 256;
    if (round == 0) out[64 + to + 32 * b + t] = in[32 * b + t];
    else out[64 + to + 32 * b + t] = out[64 + from + 32 * ((b + 1) % n) + t];
    __syncthreads();
    if (t == 0) {
      __threadfence();
      atomicAdd(&out[0], 1);
      while (*(volatile int *)&out[0] < n * (round + 1)) {}
      __threadfence();
    }
    __syncthreads();
  }
}

extern "C" __global__ void histogram_of_blocks(const int *in, int *out) {
  atomicAdd(&out[in[blockIdx.x * blockDim.x + threadIdx.x] & 63], 1);
}

extern "C" __global__ void same_value(const int *in, int *out) {
  if (in[blockIdx.x * blockDim.x + threadIdx.x] & 1) out[0] = 1;
  out[1 + (threadIdx.x & 7)] = 5;
}

extern "C" __global__ void bytes_side_by_side(const int *in, unsigned char *out) {
  const int i = threadIdx.x * gridDim.x + blockIdx.x;
  out[i] = (unsigned char)in[i];
}

extern "C" __global__ void halves_side_by_side(const int *in, unsigned short *out) {
  const int i = threadIdx.x * gridDim.x + blockIdx.x;
  out[i] = (unsigned short)in[i];
  out[i] += 1;
}

extern "C" __global__ void exchange_with_barrier(const int *in, int *out) {
  const int t = threadIdx.x;
  out[t] = in[t];
  __syncwarp();
  out[512 + t] = out[t ^ 1];
  __syncthreads();
  out[1024 + t] = out[t ^ 64] + out[512 + (t ^ 96)];
}

extern "C" __global__ void heap_of_threads(const int *in, int *out) {
  int *own = (int *)malloc(16);
  own[0] = in[threadIdx.x];
  out[blockIdx.x * blockDim.x + threadIdx.x] = own[0];
  free(own);
}
