// Correct kernels: every one must run without a finding and give the right result.

#define FULL 0xffffffffu

extern "C" __global__ void warp_sum_shfl(const int *in, int *out) {
  int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int s = 16; s > 0; s >>= 1) sum += __shfl_down_sync(FULL, sum, s);
  __shared__ int part[32];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    for (int s = 16; s > 0; s >>= 1) sum += __shfl_xor_sync(FULL, sum, s);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

extern "C" __global__ void warp_sum_shared(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x, lane = i % 32, base = i - lane;
  tile[i] = in[blockIdx.x * 64 + i];
  __syncwarp();
  for (int s = 16; s > 0; s >>= 1) {
    const int other = lane < s ? tile[base + lane + s] : 0;
    __syncwarp();
    if (lane < s) tile[base + lane] += other;
    __syncwarp();
  }
  __syncthreads();
  if (i == 0) out[blockIdx.x] = tile[0] + tile[32];
}

__device__ void copy_async(int *to, const int *from) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
}

// Sums 8 chunks of 256 ints; the next chunk is copied while this one is added up.
extern "C" __global__ void double_buffer(const int *in, int *out) {
  __shared__ __align__(16) int tile[2][256];
  const int i = threadIdx.x;
  int sum = 0;
  copy_async(&tile[0][4 * i], in + 4 * i);
  asm volatile("cp.async.commit_group;" ::: "memory");
  for (int k = 0; k < 8; k++) {
    if (k < 7) copy_async(&tile[(k + 1) & 1][4 * i], in + 256 * (k + 1) + 4 * i);
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    for (int j = 0; j < 4; j++) sum += tile[k & 1][64 * j + i];
    __syncthreads();
  }
  out[i] = sum;
}

extern "C" __global__ void histogram(const int *in, int *out) {
  __shared__ int bins[64];
  const int i = threadIdx.x;
  if (i < 64) bins[i] = 0;
  __syncthreads();
  for (int k = i; k < 2048; k += blockDim.x) atomicAdd(&bins[in[k] & 63], 1);
  __syncthreads();
  if (i < 64) atomicAdd(&out[i], bins[i]);
}

extern "C" __global__ void scan(const int *in, int *out) {
  __shared__ int tile[2][256];
  const int i = threadIdx.x;
  int from = 0;
  tile[0][i] = in[i];
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    tile[1 - from][i] = tile[from][i] + (i >= s ? tile[from][i - s] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[i] = tile[from][i];
}

// Each lane leaves the loop at its own time; the ballot shrinks with them.
extern "C" __global__ void vote_loop(const int *in, int *out) {
  int left = in[threadIdx.x] & 15, rounds = 0;
  while (__any_sync(FULL, left > 0)) {
    rounds += __popc(__ballot_sync(FULL, left > 0));
    left--;
  }
  out[threadIdx.x] = rounds;
}

extern "C" __global__ void divergent_loops(const int *in, int *out) {
  int sum = 0;
  for (int k = 0; k < (in[threadIdx.x] & 7); k++) {
    if (k & 1) continue;
    for (int j = 0; j <= k; j++) {
      if (j == 3) break;
      sum += j * k + 1;
    }
    if (sum > 9) break;
  }
  out[threadIdx.x] = sum;
}

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ int (*const table[2])(int) = {twice, square};

extern "C" __global__ void calls(const int *in, int *out) {
  const int x = in[threadIdx.x] & 255;
  out[threadIdx.x] = twice(x) + (x & 1 ? square(x) : 1);
}

extern "C" __global__ void indirect_calls(const int *in, int *out) {
  const int x = in[threadIdx.x] & 255;
  out[threadIdx.x] = table[x & 1](x);
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void recursion(const int *in, int *out) {
  out[threadIdx.x] = fibonacci(in[threadIdx.x] & 7);
}

extern "C" __global__ void local_array(const int *in, int *out) {
  int count[16];
  for (int k = 0; k < 16; k++) count[k] = 0;
  for (int k = 0; k < 32; k++) count[in[k] & 15]++;
  out[threadIdx.x] = count[threadIdx.x & 15];
}

extern "C" __global__ void switches(const int *in, int *out) {
  int x = in[threadIdx.x], y = 0;
  switch (x & 15) {
  case 0: y = x + 3; break;
  case 1: y = x * 7; break;
  case 2: y = x ^ 0x55; break;
  case 3: y = x - 9; break;
  case 4: y = x << 2; break;
  case 5: y = x >> 1; break;
  case 6: y = -x; break;
  case 7: y = ~x; break;
  case 8: y = x / 3; break;
  case 9: y = x % 5; break;
  default: y = 1000 + x; break;
  }
  out[threadIdx.x] = y;
}

// The same code reads shared, global and local memory through generic addresses.
extern "C" __global__ void generic_pointers(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  int own[2] = {i, in[0]};
  tile[i] = 3 * i;
  __syncthreads();
  const int *where = i % 3 == 0 ? &tile[63 - i] : i % 3 == 1 ? &in[i] : &own[in[1] & 1];
  out[i] = *where;
}

extern "C" __global__ void early_return(const int *in, int *out, int n) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  if (i >= n) return;
  tile[i] = in[i];
  __syncthreads();
  out[i] = tile[n - 1 - i];
}

// Threads leave the loop for good when their part is done; the barrier waits for the others only.
extern "C" __global__ void return_from_loop(const int *in, int *out) {
  __shared__ int tile[128];
  const int i = threadIdx.x;
  tile[i] = in[i];
  for (int s = 64; s > 0; s >>= 1) {
    __syncthreads();
    if (i >= s) return;
    tile[i] += tile[i + s];
  }
  out[i] = tile[0];
}

// All threads store the same flag: no race.
extern "C" __global__ void same_flag(const int *in, int *out) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (in[threadIdx.x] & 1) found = 1;
  __syncthreads();
  out[threadIdx.x] = found;
}

// One warp fills, the others add up; named barriers pass the buffer to and fro.
extern "C" __global__ void named_barriers(const int *in, int *out) {
  __shared__ int tile[32];
  const int i = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 4; k++) {
    if (i < 32) {
      if (k) asm volatile("bar.sync 1, 96;" ::: "memory");
      tile[i] = in[32 * k + i];
      asm volatile("bar.arrive 2, 96;" ::: "memory");
    } else {
      asm volatile("bar.sync 2, 96;" ::: "memory");
      for (int j = 0; j < 32; j++) sum += tile[j];
      if (k < 3) asm volatile("bar.arrive 1, 96;" ::: "memory");
    }
  }
  out[i] = sum;
}

// A warp waits for another's flag: fence and atomic order the data.
extern "C" __global__ void flag_and_fence(const int *in, int *out) {
  __shared__ int data[32], ready;
  const int i = threadIdx.x;
  if (i == 0) ready = 0;
  __syncthreads();
  if (i < 32) {
    data[i] = in[i];
    __threadfence_block();
    __syncwarp();
    if (i == 0) atomicExch(&ready, 1);
  } else if (i < 64) {
    while (atomicAdd(&ready, 0) == 0) {
    }
    __threadfence_block();
    out[i - 32] = data[63 - i];
  }
}

// Every block waits for the one before it; the other lanes wait for the first, and stay together.
extern "C" __global__ void block_chain(const int *in, int *out) {
  __shared__ int tile[32];
  const int i = threadIdx.x;
  if (i == 0) {
    int before = 1;
    if (blockIdx.x > 0) {
      while ((before = atomicAdd(&out[blockIdx.x - 1], 0)) == 0) {
      }
      __threadfence();
    }
    int work = in[blockIdx.x];
    for (int k = 0; k < 5000; k++) work = work * 5 + 1;
    tile[1] = work;
    __threadfence();
    atomicExch(&out[blockIdx.x], before + 1);
  }
  __syncwarp();
  tile[i] = i;
}

// A lock that the lanes of one warp take in turn: every lane must make progress on its own.
extern "C" __global__ void lock_within_warp(const int *in, int *out) {
  __shared__ int lock, total;
  if (threadIdx.x == 0) lock = total = 0;
  __syncthreads();
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();
      total += in[threadIdx.x];
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  out[threadIdx.x] = total;
}

__device__ unsigned half_bits(int small) { // exact for 0 to 15
  if (small == 0) return 0;
  const int top = 31 - __clz(small);
  return (unsigned)(top + 15) << 10 | (unsigned)(small << (10 - top) & 0x3ff);
}

// C = A * B for 16x16 f16 matrices of small integers, by ldmatrix and mma; A and B come from shared memory.
extern "C" __global__ void tensor_core(const int *in, float *out) {
  __shared__ __align__(16) unsigned short a[16][24], b[16][24];
  const int lane = threadIdx.x;
  for (int k = lane; k < 256; k += 32) {
    a[k / 16][k % 16] = (unsigned short)half_bits(in[k] & 15);
    b[k / 16][k % 16] = (unsigned short)half_bits(in[256 + k] & 15);
  }
  __syncwarp();
  unsigned fa[4], fb[4];
  unsigned at = (unsigned)__cvta_generic_to_shared(&a[lane % 16][lane / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(at) : "memory");
  at = (unsigned)__cvta_generic_to_shared(&b[lane % 16][lane / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3]) : "r"(at) : "memory");
  for (int half = 0; half < 2; half++) {
    float c[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * half]),
                   "r"(fb[2 * half + 1]));
    const int row = lane / 4, column = 8 * half + lane % 4 * 2;
    out[row * 16 + column] = c[0];
    out[row * 16 + column + 1] = c[1];
    out[(row + 8) * 16 + column] = c[2];
    out[(row + 8) * 16 + column + 1] = c[3];
  }
}

// An mbarrier between a warp that stores and one that loads.
extern "C" __global__ void mbarriers(const int *in, int *out) {
  __shared__ __align__(8) unsigned long long bar;
  __shared__ int tile[32];
  const int i = threadIdx.x;
  const unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
  if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at) : "memory");
  __syncthreads();
  if (i < 32) {
    tile[i] = in[i];
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
  } else {
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n"
                 "@p bra done;\n"
                 "bra again;\n"
                 "done:\n"
                 "}" ::"r"(at) : "memory");
    out[i - 32] = tile[63 - i];
  }
}

// 70 threads: the last warp is not full.
extern "C" __global__ void partial_warp(const int *in, int *out) {
  __shared__ int tile[70];
  const int i = threadIdx.x;
  tile[i] = in[i];
  __syncthreads();
  const unsigned lanes = __activemask();
  const int next = __shfl_sync(lanes, tile[69 - i], 0);
  out[i] = __syncthreads_count(tile[69 - i] > next);
}

// Barriers wait only for running threads: the first half of the block exits, the second continues.
extern "C" __global__ void half_ends_early(const int *in, int *out) {
  __shared__ int a[64], s[64];
  int t = threadIdx.x;
  if (t < 64) {
    a[t] = in[t];
    __syncthreads();
    out[t] = a[63 - t];
    return;
  }
  t -= 64;
  s[t] = in[t];
  __syncthreads();
  const int v = s[63 - t];
  __syncthreads();
  s[t] = v + 1;
  __syncthreads();
  out[64 + t] = s[63 - t];
}

// The first block waits for the last one's flag: all blocks that a GPU holds make progress.
extern "C" __global__ void waits_for_last_block(const int *in, int *out) {
  const int i = threadIdx.x;
  int *flag = out + 200;
  if (blockIdx.x == 0) {
    if (i == 0) {
      while (atomicAdd(flag, 0) == 0) {
      }
    }
    __syncthreads();
    __threadfence();
    out[i] = out[64 + i] + 1;
  } else if (blockIdx.x == gridDim.x - 1) {
    out[64 + i] = in[i];
    __threadfence();
    __syncthreads();
    if (i == 0) atomicExch(flag, 1);
  }
}

// A barrier of all blocks, twice: sums of neighbours' values in global memory.
__device__ void grid_barrier(int *count, int target) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < target) {
    }
  }
  __syncthreads();
  __threadfence();
}

extern "C" __global__ void barrier_of_grid(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = threadIdx.x, b = blockIdx.x, blocks = gridDim.x;
  int *count = out + 2000;
  tile[i] = in[i] + b;
  __syncthreads();
  out[64 + 64 * b + i] = tile[63 - i];
  grid_barrier(count, blocks);
  const int next = out[64 + 64 * ((b + 1) % blocks) + i];
  grid_barrier(count, 2 * blocks);
  tile[i] = next;
  __syncthreads();
  out[64 + 64 * b + i] = tile[i ^ 1];
}
