// Kernels that an earlier emulator rejected, reported wrongly or computed wrongly; and their printed output.

// A slow reduction of the argument: libdevice declares registers of an inner scope for it.
extern "C" __global__ void far_sine(const double *in, double *out) {
  out[threadIdx.x] = sin(in[threadIdx.x]);
}

// The quotient and remainder of 128 bits add the carry flag that a subtraction left.
extern "C" __global__ void wide_division(const unsigned long long *in, unsigned long long *out) {
  const int i = 4 * threadIdx.x;
  const auto a = (unsigned __int128)in[i] << 64 | in[i + 1];
  const auto b = (unsigned __int128)in[i + 2] << 64 | in[i + 3];
  const unsigned __int128 quotient = a / b, remainder = a % b;
  out[i] = (unsigned long long)(quotient >> 64);
  out[i + 1] = (unsigned long long)quotient;
  out[i + 2] = (unsigned long long)(remainder >> 64);
  out[i + 3] = (unsigned long long)remainder;
}

extern "C" __global__ void byte_differences(const unsigned *in, unsigned *out) {
  const int i = threadIdx.x;
  out[2 * i] = __vabsdiffu4(in[i], in[i + 32]);
  out[2 * i + 1] = __vsadu4(in[i], in[i + 32]) << 16 | __vsadu2(in[i] & 0xff00ff, in[i + 32] & 0xff);
}

// The mbarrier of cuda::pipeline: it waits for the copies, whose arrival counts only for itself.
extern "C" __global__ void copies_arrive(const int *in, int *out) {
  __shared__ __align__(16) int tile[256];
  __shared__ unsigned long long barrier;
  const int i = threadIdx.x;
  const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
  const unsigned to = (unsigned)__cvta_generic_to_shared(&tile[4 * i]);
  if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + 4 * i) : "memory");
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at) : "memory");
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
  asm volatile("{\n"
               ".reg .pred p;\n"
               "again:\n"
               "mbarrier.test_wait.parity.shared.b64 p, [%0], 0;\n"
               "@!p bra again;\n"
               "}" ::"r"(at)
               : "memory");
  out[i] = tile[255 - i];
}

// The CUDA Programming Guide's loop, on shared memory: its first load is a guess.
__device__ void raise(double *to, double value) {
  unsigned long long *word = (unsigned long long *)to, old = *word, seen;
  do {
    seen = old;
    if (__longlong_as_double(seen) >= value) break;
    old = atomicCAS(word, seen, __double_as_longlong(value));
  } while (old != seen);
}

extern "C" __global__ void greatest(const int *in, int *out) {
  __shared__ double most;
  if (threadIdx.x == 0) most = -1e9;
  __syncthreads();
  raise(&most, in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = (int)most;
}

// A load that no compare-and-swap checks does race with one.
extern "C" __global__ void unchecked_load(const int *in, int *out) {
  __shared__ int most;
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  out[threadIdx.x] = most; // FAULT unchecked_load
  atomicCAS(&most, 0, in[threadIdx.x]);
}

// A flag before cuda::atomic: the loop only waits, and fences order the data around it.
template <bool fenced> __device__ int hand_over(const int *in, volatile int *flag, int *data) {
  const int i = threadIdx.x;
  if (i == 0) *flag = 0;
  __syncthreads();
  if (i >= 32) {
    data[i - 32] = in[i];
    __syncwarp();
    if (fenced) __threadfence_block();
    if (i == 32) *flag = 1;
    return 0;
  }
  while (!*flag) {}
  if (fenced) __threadfence_block();
  __syncwarp();
  return data[31 - i]; // FAULT flag_without_fence
}

extern "C" __global__ void waits_for_flag(const int *in, int *out) {
  __shared__ int flag, data[32];
  out[threadIdx.x] = hand_over<true>(in, &flag, data);
}

extern "C" __global__ void flag_without_fence(const int *in, int *out) {
  __shared__ int flag, data[32];
  out[threadIdx.x] = hand_over<false>(in, &flag, data);
}

// Volatile orders no lanes of a warp: this needs __syncwarp().
extern "C" __global__ void volatile_lanes(const int *in, int *out) {
  __shared__ volatile int tile[128];
  const int i = threadIdx.x;
  tile[i] = in[i];
  out[i] = tile[i] + tile[i ^ 1]; // FAULT volatile_lanes
  __threadfence_block();
}

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};

struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};

struct Strip : Shape {
  int length;
  __device__ explicit Strip(int n) : length(n) {}
  __device__ int area() const override { return 3 * length; }
};

extern "C" __global__ void shapes(const int *in, int *out) {
  const int i = threadIdx.x, x = in[i] & 15;
  Shape *shape = in[i] & 16 ? (Shape *)new Square(x) : new Strip(x);
  out[i] = shape->area();
  delete shape;
}

// Blocks that were freed are handed out again: one at a time fits 8 MiB.
extern "C" __global__ void heap(const int *in, int *out) {
  int used = 0;
  for (int k = 0; k < 40; k++) {
    int *block = (int *)malloc(4 << 20);
    if (block) block[1 << 19] = k;
    used += block != nullptr;
    free(block);
  }
  out[threadIdx.x] = used + (malloc(16 << 20) == nullptr ? 100 : 0) + in[0] * 0;
}

extern "C" __global__ void freed_twice(const int *in, int *out) {
  int *block = (int *)malloc(64);
  block[0] = in[0];
  out[threadIdx.x] = block[0];
  free(block);
  free(block); // FAULT freed_twice
}

// The first block does not reach into the second one.
extern "C" __global__ void behind_block(const int *in, int *out) {
  int *first = (int *)malloc(40), *second = (int *)malloc(40);
  second[9] = in[1];
  first[9 + in[0]] = in[1]; // FAULT behind_block
  out[threadIdx.x] = first[9 + in[0]] + second[0];
  free(first);
  free(second);
}

extern "C" __global__ void after_free(const int *in, int *out) {
  volatile int *block = (volatile int *)malloc(64);
  block[0] = in[0];
  free((void *)block);
  out[threadIdx.x] = block[0]; // FAULT after_free
}

extern "C" __global__ void cache_policy(const int *in, int *out) {
  unsigned long long policy;
  int value;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;"
               : "=r"(value)
               : "l"(in + threadIdx.x), "l"(policy));
  out[threadIdx.x] = value;
}

// --- printing: the format comes from the test ---

extern "C" __global__ void print_int(const char *format, int *out) {
  out[0] = printf(format, 42, -7, 300, 'x');
}

extern "C" __global__ void print_wide(const char *format, int *out) {
  out[0] = printf(format, -5000000000ll, 18000000000000000000ull, (void *)0x1234, 5);
}

extern "C" __global__ void print_real(const char *format, int *out) {
  out[0] = printf(format, 2.5, -1e10f, 0.1);
}

extern "C" __global__ void print_text(const char *format, int *out) {
  char local[4] = {'a', 'b', (char)('b' + (format[0] & 1)), '\0'};
  __shared__ char shared[4];
  shared[0] = '<';
  shared[1] = '\0';
  out[0] = printf(format, "text", local, shared, (const char *)nullptr);
}

extern "C" __global__ void print_lines(const int *in, int *out) {
  printf("block %d\nthread %d\n", blockIdx.x, threadIdx.x);
  out[0] = in[0];
}

// 2,048 calls of 1,001 bytes.
extern "C" __global__ void print_flood(const int *in, int *out) {
  for (int k = 0; k < 32; k++) printf("%1000d\n", in[0] * 0 + k);
  out[0] = 1;
}
