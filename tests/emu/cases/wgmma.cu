// Products of 64 x 256 by 256 x 64 halves with wgmma, correct ones first, then one planted fault per kernel: the line that must
// be reported carries the comment FAULT and the kernel's name. A's rows and B's columns lie in `in`, 256 halves each, B after A.
typedef unsigned int u32;
typedef unsigned long long u64;

#define FENCE()  asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT(N)  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory")
#define PROXY()  asm volatile("fence.proxy.async;" ::: "memory")
#define R8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define D32                                                                                                                    \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, " \
  "%26, %27, %28, %29, %30, %31}"
#define PRODUCT(d, a, b)                                                                                                       \
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " D32 ", %32, %33, 1, 1, 1, 0, 0;"                         \
               : R8(d, 0), R8(d, 8), R8(d, 16), R8(d, 24) : "l"(a), "l"(b))
#define PRODUCT_OF_REGISTERS(d, a, b)                                                                                          \
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " D32 ", {%32, %33, %34, %35}, %36, 1, 1, 1, 0;"           \
               : R8(d, 0), R8(d, 8), R8(d, 16), R8(d, 24) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define SHARED(p) ((u32)__cvta_generic_to_shared(p))

constexpr int kDepth = 256, kStep = 64, kSteps = kDepth / kStep, kTile = 64 * kStep; // halves

struct Tiles {
  alignas(1024) unsigned short a[kTile], b[kTile];
};

// A swizzle of 128 bytes: 16-byte pieces turned by the row; 8 rows are 1024 bytes.
__device__ int place(int row, int half, int first = 0) { return row * kStep + (half ^ ((row + first) % 8 * 8)); }
__device__ u64 descriptor(const void *tile) {
  return (u64)(SHARED(tile) & 0x3ffff) >> 4 | 1ull << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

// 128 threads copy a step of both operands, 16 bytes at a time; first: how many rows behind the swizzle's first one tiles begin.
template <typename T>
__device__ void load(T &t, const unsigned short *in, int step, int thread, int first = 0) {
  for (int i = thread; i < 64 * 8; i += 128) {
    const int row = i / 8, half = i % 8 * 8, from = row * kDepth + step * kStep + half;
    *(uint4 *)&t.a[place(row, half, first)] = *(const uint4 *)&in[from];
    *(uint4 *)&t.b[place(row, half, first)] = *(const uint4 *)&in[64 * kDepth + from];
  }
}

__device__ void store(float *out, const float *d, int thread) {
  for (int i = 0; i < 32; i++)
    out[(thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8) * 64 + i / 4 * 8 + thread % 4 * 2 + i % 2] = d[i];
}

// The four products of a step.
#define MULTIPLY(d, t)                                                                                                         \
  for (int k = 0; k < kStep / 16; k++) PRODUCT(d, descriptor((t).a) + k * 2, descriptor((t).b) + k * 2)

extern "C" __global__ void __launch_bounds__(128) single_buffer(const unsigned short *in, float *out) {
  __shared__ Tiles t;
  float d[32] = {0};
  for (int step = 0; step < kSteps; step++) {
    load(t, in, step, threadIdx.x);
    PROXY();
    __syncthreads();
    FENCE();
    MULTIPLY(d, t);
    COMMIT();
    WAIT(0);
    __syncthreads();
  }
  store(out, d, threadIdx.x);
}

// Tiles that begin amid the swizzle, which is of the address: what TMA writes there is read without a base offset.
struct Shifted {
  alignas(1024) unsigned short gap[kStep];
  unsigned short a[kTile], b[kTile];
};

// As nvcc writes a first product of accumulators that are 0 and of a scale that is 0, too: both may be one register.
#define FIRST_PRODUCT(d, a, b)                                                                                                 \
  asm volatile("{ .reg .pred p; setp.neu.f32 p, %31, 0f00000000;\n"                                                            \
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " D32 ", %32, %33, p, 1, 1, 0, 0; }"                        \
               : R8(d, 0), R8(d, 8), R8(d, 16), R8(d, 24) : "l"(a), "l"(b))

extern "C" __global__ void __launch_bounds__(128) scale_from_an_accumulator(const unsigned short *in, float *out) {
  __shared__ Tiles t;
  float d[32] = {0};
  for (int step = 0; step < kSteps; step++) {
    load(t, in, step, threadIdx.x);
    PROXY();
    __syncthreads();
    FENCE();
    if (step == 0) FIRST_PRODUCT(d, descriptor(t.a), descriptor(t.b));
    for (int k = step == 0; k < kStep / 16; k++) PRODUCT(d, descriptor(t.a) + k * 2, descriptor(t.b) + k * 2);
    COMMIT();
    WAIT(0);
    __syncthreads();
  }
  store(out, d, threadIdx.x);
}

extern "C" __global__ void __launch_bounds__(128) amid_the_swizzle(const unsigned short *in, float *out) {
  __shared__ Shifted t;
  float d[32] = {0};
  for (int step = 0; step < kSteps; step++) {
    load(t, in, step, threadIdx.x, 1);
    PROXY();
    __syncthreads();
    FENCE();
    MULTIPLY(d, t);
    COMMIT();
    WAIT(0);
    __syncthreads();
  }
  store(out, d, threadIdx.x);
}

extern "C" __global__ void __launch_bounds__(128) double_buffer(const unsigned short *in, float *out) {
  __shared__ Tiles t[2];
  float d[32] = {0};
#pragma unroll 1
  for (int step = 0; step < kSteps; step++) {
    load(t[step % 2], in, step, threadIdx.x); // the one before last was waited for, by all
    PROXY();
    __syncthreads();
    FENCE();
    MULTIPLY(d, t[step % 2]);
    COMMIT();
    WAIT(1);
    __syncthreads();
  }
  WAIT(0);
  store(out, d, threadIdx.x);
}

extern "C" __global__ void __launch_bounds__(128) operand_in_registers(const unsigned short *in, float *out) {
  __shared__ Tiles t;
  float d[32] = {0};
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane % 16;
  for (int step = 0; step < kSteps; step++) {
    load(t, in, step, threadIdx.x);
    PROXY();
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < kStep / 16; k++) {
      u32 a[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(SHARED(&t.a[place(row, k * 16 + lane / 16 * 8)])));
      FENCE();
      PRODUCT_OF_REGISTERS(d, a, descriptor(t.b) + k * 2);
      COMMIT();
      WAIT(0);
    }
    __syncthreads();
  }
  store(out, d, threadIdx.x);
}

// --- a producer and consumers, with a ring of two stages ---

struct Ring {
  Tiles stage[2];
  u64 full[2], empty[2];
};

__device__ void init(u64 *barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SHARED(barrier)), "r"(count) : "memory");
}
__device__ void arrive(u64 *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(SHARED(barrier)) : "memory");
}
__device__ void wait(u64 *barrier, int parity) {
  asm volatile("{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(SHARED(barrier)),
               "r"(parity) : "memory");
}

__device__ void open(Ring &r, int consumers) {
  for (int i = 0; i < 2 && threadIdx.x == 0; i++) {
    init(&r.full[i], 128);
    init(&r.empty[i], consumers);
  }
  __syncthreads();
}

__device__ void produce(Ring &r, const unsigned short *in, int thread) {
  for (int step = 0; step < kSteps; step++) {
    const int s = step % 2, round = step / 2;
    wait(&r.empty[s], (round & 1) ^ 1);
    load(r.stage[s], in, step, thread);
    PROXY();
    arrive(&r.full[s]);
  }
}

// One thread of the warpgroup releases a stage once its warp has waited: the four warps' product is one operation.
__device__ void consume(Ring &r, float *d, int thread) {
  for (int step = 0; step < kSteps; step++) {
    const int s = step % 2;
    wait(&r.full[s], step / 2 & 1);
    FENCE();
    MULTIPLY(d, r.stage[s]);
    COMMIT();
    WAIT(1);
    if (step > 0 && thread == 0) arrive(&r.empty[1 - s]);
  }
  WAIT(0);
}

extern "C" __global__ void __launch_bounds__(256) specialised(const unsigned short *in, float *out) {
  __shared__ Ring r;
  open(r, 1);
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    produce(r, in, threadIdx.x);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); // ptxas gives no more, though 256 would fit
    float d[32] = {0};
    consume(r, d, threadIdx.x - 128);
    store(out, d, threadIdx.x - 128);
  }
}

// Both consumers compute the same product; the second one stores it.
extern "C" __global__ void __launch_bounds__(384) two_consumers(const unsigned short *in, float *out) {
  __shared__ Ring r;
  open(r, 2);
  const int group = threadIdx.x / 128, thread = threadIdx.x % 128;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    produce(r, in, thread);
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[32] = {0};
  consume(r, d, thread);
  if (group == 2) store(out, d, thread);
}

// --- faults ---

#define BEGIN()                                                                                                                \
  __shared__ Tiles t;                                                                                                          \
  float d[32] = {0};                                                                                                           \
  load(t, in, 0, threadIdx.x);                                                                                                 \
  PROXY();                                                                                                                     \
  __syncthreads()

extern "C" __global__ void no_proxy_fence(const unsigned short *in, float *out) {
  __shared__ Tiles t;
  float d[32] = {0};
  load(t, in, 0, threadIdx.x);
  __syncthreads();
  FENCE();
  PRODUCT(d, descriptor(t.a), descriptor(t.b)); // FAULT no_proxy_fence
  COMMIT();
  WAIT(0);
  store(out, d, threadIdx.x);
}

extern "C" __global__ void no_barrier(const unsigned short *in, float *out) {
  __shared__ Tiles t;
  float d[32] = {0};
  load(t, in, 0, threadIdx.x);
  PROXY();
  FENCE();
  PRODUCT(d, descriptor(t.a), descriptor(t.b)); // FAULT no_barrier
  COMMIT();
  WAIT(0);
  store(out, d, threadIdx.x);
}

extern "C" __global__ void early_read(const unsigned short *in, float *out) {
  BEGIN();
  FENCE();
  PRODUCT(d, descriptor(t.a), descriptor(t.b));
  COMMIT();
  out[threadIdx.x] = d[0]; // FAULT early_read
  WAIT(0);
}

extern "C" __global__ void not_committed(const unsigned short *in, float *out) {
  BEGIN();
  FENCE();
  PRODUCT(d, descriptor(t.a), descriptor(t.b));
  WAIT(0);
  out[threadIdx.x] = d[0]; // FAULT not_committed
}

extern "C" __global__ void overwritten_uncommitted(const unsigned short *in, float *out) {
  BEGIN();
  FENCE();
  PRODUCT(d, descriptor(t.a), descriptor(t.b));
  WAIT(0);
  t.a[place(threadIdx.x / 2, 3)] = 0; // FAULT overwritten_uncommitted
}

extern "C" __global__ void waits_for_too_few(const unsigned short *in, float *out) {
  BEGIN();
  float e[32] = {0};
  FENCE();
  PRODUCT(d, descriptor(t.a), descriptor(t.b));
  COMMIT();
  PRODUCT(e, descriptor(t.a), descriptor(t.b));
  COMMIT();
  WAIT(1);
  out[threadIdx.x] = d[0];
  out[threadIdx.x + 128] = e[0]; // FAULT waits_for_too_few
}

extern "C" __global__ void changed_accumulator(const unsigned short *in, float *out) {
  BEGIN();
  FENCE();
  PRODUCT(d, descriptor(t.a), descriptor(t.b));
  COMMIT();
  asm volatile("mul.f32 %0, %0, 0f3F000000;" : "+f"(d[5])); // FAULT changed_accumulator
  WAIT(0);
  store(out, d, threadIdx.x);
}

extern "C" __global__ void changed_operand(const unsigned short *in, float *out) {
  BEGIN();
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane % 16;
#pragma unroll 1
  for (int k = 0; k < 4; k++) {
    u32 a[4], from = SHARED(&t.a[place(row, k * 16 + lane / 16 * 8)]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(from)); // FAULT changed_operand
    FENCE();
    PRODUCT_OF_REGISTERS(d, a, descriptor(t.b) + k * 2);
    COMMIT();
  }
  WAIT(0);
  store(out, d, threadIdx.x);
}

extern "C" __global__ void no_fence(const unsigned short *in, float *out) {
  BEGIN();
  PRODUCT(d, descriptor(t.a), descriptor(t.b)); // FAULT no_fence
  COMMIT();
  WAIT(0);
  store(out, d, threadIdx.x);
}

extern "C" __global__ void no_second_fence(const unsigned short *in, float *out) {
  BEGIN();
  FENCE();
  PRODUCT(d, descriptor(t.a), descriptor(t.b));
  COMMIT();
  WAIT(0);
  for (int i = 0; i < 32; i++) d[i] *= 0.5f;
  PRODUCT(d, descriptor(t.a), descriptor(t.b)); // FAULT no_second_fence
  COMMIT();
  WAIT(0);
  store(out, d, threadIdx.x);
}

extern "C" __global__ void overwritten(const unsigned short *in, float *out) {
  BEGIN();
  FENCE();
  PRODUCT(d, descriptor(t.a), descriptor(t.b));
  COMMIT();
  t.a[place(threadIdx.x / 2, 3)] = 0; // FAULT overwritten
  WAIT(0);
  store(out, d, threadIdx.x);
}

// A bulk copy overwrites an operand before the product has been waited for, or after that.
template <bool clean> __device__ void copy_over(const unsigned short *in, float *out) {
  __shared__ u64 bar;
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(SHARED(&bar)) : "memory");
  BEGIN();
  FENCE();
  PRODUCT(d, descriptor(t.a), descriptor(t.b));
  COMMIT();
  if (clean) WAIT(0);
  if (clean) __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(SHARED(&bar)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(SHARED(t.a)), "l"(in), "r"(SHARED(&bar)) : "memory"); // FAULT copied_over
  }
  WAIT(0);
  asm volatile("{ .reg .pred p; A%=: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra A%=; }" ::"r"(SHARED(&bar)) : "memory");
  store(out, d, threadIdx.x);
}
extern "C" __global__ void copied_over(const unsigned short *in, float *out) { copy_over<false>(in, out); }
extern "C" __global__ void copied_after(const unsigned short *in, float *out) { copy_over<true>(in, out); }

extern "C" __global__ void overwritten_behind_no_barrier(const unsigned short *in, float *out) {
  __shared__ Tiles t;
  float d[32] = {0};
  load(t, in, 0, threadIdx.x % 128);
  PROXY();
  __syncthreads();
  if (threadIdx.x >= 128) {
    __nanosleep(20);
    t.b[place(threadIdx.x % 64, 3)] = 0; // FAULT overwritten_behind_no_barrier
    return;
  }
  FENCE();
  PRODUCT(d, descriptor(t.a), descriptor(t.b));
  COMMIT();
  WAIT(0);
  store(out, d, threadIdx.x);
}

extern "C" __global__ void released_too_early(const unsigned short *in, float *out) {
  __shared__ Ring r;
  open(r, 1);
  if (threadIdx.x < 128) {
    for (int step = 0; step < kSteps; step++) {
      const int s = step % 2;
      wait(&r.empty[s], (step / 2 & 1) ^ 1);
      for (int i = threadIdx.x; i < kTile; i += 128) r.stage[s].a[i] = r.stage[s].b[i] = in[i]; // FAULT released_too_early
      PROXY();
      arrive(&r.full[s]);
    }
    return;
  }
  float d[32] = {0};
  for (int step = 0; step < kSteps; step++) {
    const int s = step % 2;
    wait(&r.full[s], step / 2 & 1);
    FENCE();
    MULTIPLY(d, r.stage[s]);
    COMMIT();
    if (threadIdx.x == 128) arrive(&r.empty[s]);
  }
  WAIT(0);
  store(out, d, threadIdx.x - 128);
}

extern "C" __global__ void wrong_base_offset(const unsigned short *in, float *out) {
  BEGIN();
  FENCE();
  PRODUCT(d, descriptor(t.a + 64) | 2ull << 49, descriptor(t.b)); // FAULT wrong_base_offset
  COMMIT();
  WAIT(0);
  store(out, d, threadIdx.x);
}

extern "C" __global__ void beyond_shared(const unsigned short *in, float *out) {
  BEGIN();
  FENCE();
  PRODUCT(d, descriptor(t.a), descriptor(t.b + 512)); // FAULT beyond_shared
  COMMIT();
  WAIT(0);
  store(out, d, threadIdx.x);
}

extern "C" __global__ void different_descriptors(const unsigned short *in, float *out) {
  BEGIN();
  FENCE();
  PRODUCT(d, descriptor(t.a + threadIdx.x / 32 * 1024), descriptor(t.b)); // FAULT different_descriptors
  COMMIT();
  WAIT(0);
  store(out, d, threadIdx.x);
}

extern "C" __global__ void three_warps(const unsigned short *in, float *out) {
  BEGIN();
  if (threadIdx.x / 32 != 2) {
    FENCE();
    PRODUCT(d, descriptor(t.a), descriptor(t.b)); // FAULT three_warps
    COMMIT();
    WAIT(0);
  }
  store(out, d, threadIdx.x);
}

extern "C" __global__ void half_a_warp(const unsigned short *in, float *out) {
  BEGIN();
  if (threadIdx.x % 32 < 16) {
    FENCE(); // FAULT half_a_warp
    PRODUCT(d, descriptor(t.a), descriptor(t.b));
    COMMIT();
    WAIT(0);
  }
  store(out, d, threadIdx.x);
}

extern "C" __global__ void undefined_tile(const unsigned short *in, float *out) {
  __shared__ Tiles t;
  float d[32] = {0};
  for (int i = threadIdx.x; i < kTile; i += 128) t.b[i] = in[i];
  PROXY();
  __syncthreads();
  FENCE();
  PRODUCT(d, descriptor(t.a), descriptor(t.b)); // FAULT undefined_tile
  COMMIT();
  WAIT(0);
  store(out, d, threadIdx.x);
}

extern "C" __global__ void __launch_bounds__(384) pool_too_short(const unsigned short *in, float *out) {
  if (threadIdx.x < 128)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  else
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;"); // FAULT pool_too_short
  out[threadIdx.x] = in[threadIdx.x];
}

#ifdef REFUSED_BY_PTXAS // so that the others run on a GPU
extern "C" __global__ void __launch_bounds__(384) more_by_dec(const unsigned short *in, float *out) {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 240;"); // FAULT more_by_dec
  out[threadIdx.x] = in[threadIdx.x];
}
#endif
