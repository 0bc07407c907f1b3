// Rules of tcgen05 and tensor memory (sm_100a): per pair a kernel that breaks one, and its twin. The line that must be reported
// carries the comment FAULT and the pair's name. A of 128 x 16 halves and then B of 64 x 16 are in `in`; out is A * B.
typedef unsigned int u32;
typedef unsigned long long u64;

#define SHARED(p)    ((u32)__cvta_generic_to_shared(p))
#define ASM(text)    asm volatile(text ::: "memory")
#define PROXY()      ASM("fence.proxy.async;")
#define BEFORE()     ASM("tcgen05.fence::before_thread_sync;")
#define AFTER()      ASM("tcgen05.fence::after_thread_sync;")
#define WAIT_LD()    ASM("tcgen05.wait::ld.sync.aligned;")
#define WAIT_ST()    ASM("tcgen05.wait::st.sync.aligned;")
#define RELINQUISH() ASM("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;")
#define ALLOC(to, n) \
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(SHARED(to)), "r"(n) : "memory")
#define DEALLOC(t, n) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(t), "r"(n) : "memory")
#define MMA(t, a, b, what, add)                                                                                                \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(t),    \
               "l"(a), "l"(b), "r"(what), "r"(add)                                                                            \
               : "memory")
#define COMMIT(bar)                                                                                                            \
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(SHARED(bar)) : "memory")
#define R16(c, d)                                                                                                              \
  c(d[0]), c(d[1]), c(d[2]), c(d[3]), c(d[4]), c(d[5]), c(d[6]), c(d[7]), c(d[8]), c(d[9]), c(d[10]), c(d[11]), c(d[12]),     \
      c(d[13]), c(d[14]), c(d[15])
#define LOAD(d, t)                                                                                                             \
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "    \
               "%15}, [%16];"                                                                                                  \
               : R16("=r", d) : "r"(t))
#define STORE(t, d)                                                                                                            \
  asm volatile("tcgen05.st.sync.aligned.32x32b.x16.b32 [%16], {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "  \
               "%14, %15};" ::R16("r", d), "r"(t) : "memory")

constexpr u32 kColumns = 64, kProduct = 1u << 4 | 64 / 8 << 17 | 128 / 16 << 24; // f32 = f16 * f16

struct Tiles {
  alignas(128) unsigned short a[128 * 16], b[64 * 16];
  u64 bar, second;
  u32 tmem, other;
};

// Without a swizzle: 8 rows of 16 bytes follow one another; the second 8 of k come after all rows.
__device__ void fill(unsigned short *tile, const unsigned short *from, int rows) {
  for (int i = threadIdx.x; i < rows * 2; i += 128) *(uint4 *)&tile[(i % 2 * rows + i / 2) * 8] = *(const uint4 *)&from[i * 8];
}
__device__ u64 descriptor(const void *tile, int rows) {
  return (u64)(SHARED(tile) & 0x3ffff) >> 4 | (u64)rows << 16 | (u64)(128 >> 4) << 32 | 1ull << 46;
}
#define A(s) descriptor((s).a, 128)
#define B(s) descriptor((s).b, 64)

__device__ void initialise(Tiles &s, const unsigned short *in) {
  fill(s.a, in, 128);
  fill(s.b, in + 128 * 16, 64);
  if (threadIdx.x) return;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(SHARED(&s.bar)) : "memory");
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(SHARED(&s.second)) : "memory");
}
__device__ u32 begin(Tiles &s, const unsigned short *in) {
  initialise(s, in);
  if (threadIdx.x < 32) ALLOC(&s.tmem, kColumns);
  PROXY();
  __syncthreads();
  return s.tmem;
}
__device__ void wait(u64 *bar, u32 parity) {
  asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(SHARED(bar)),
               "r"(parity)
               : "memory");
}
__device__ u32 lanes() { return threadIdx.x / 32 * 32 << 16; }
__device__ void store(float *out, const u32 *d, int from) {
  for (int i = 0; i < 16; i++) out[threadIdx.x * 64 + from + i] = __uint_as_float(d[i]);
}
__device__ void store_all(float *out, u32 t) {
  u32 d[16];
  for (int c = 0; c < 64; c += 16) {
    LOAD(d, t + lanes() + c);
    WAIT_LD();
    store(out, d, c);
  }
}
__device__ void end(u32 t) {
  BEFORE();
  __syncthreads();
  if (threadIdx.x < 32) DEALLOC(t, kColumns);
}
__device__ void finish(Tiles &s, float *out, u32 t) {
  wait(&s.bar, 0);
  AFTER();
  store_all(out, t);
  end(t);
}

#define PAIR(name)                                                                                                             \
  template <bool broken> __device__ void name(const unsigned short *, float *);                                               \
  extern "C" __global__ void __launch_bounds__(128) name##_broken(const unsigned short *in, float *out) {                     \
    name<true>(in, out);                                                                                                       \
  }                                                                                                                            \
  extern "C" __global__ void __launch_bounds__(128) name##_clean(const unsigned short *in, float *out) {                      \
    name<false>(in, out);                                                                                                      \
  }                                                                                                                            \
  template <bool broken> __device__ void name(const unsigned short *in, float *out)

// --- a read before the product is complete ---

PAIR(early_read) {
  __shared__ Tiles s;
  u32 d[16];
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  __syncthreads();
  if (!broken) wait(&s.bar, 0);
  AFTER();
  LOAD(d, t + lanes()); // FAULT early_read
  WAIT_LD();
  store(out, d, 0);
  if (broken) wait(&s.bar, 0);
  AFTER();
  store_all(out, t);
  end(t);
}

PAIR(not_committed) {
  __shared__ Tiles s;
  u32 d[16];
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    if (!broken) COMMIT(&s.bar);
    BEFORE();
  }
  if (!broken) wait(&s.bar, 0);
  __syncthreads();
  AFTER();
  LOAD(d, t + lanes()); // FAULT not_committed
  WAIT_LD();
  store(out, d, 0);
  if (broken && threadIdx.x == 0) COMMIT(&s.bar);
  finish(s, out, t);
}

PAIR(no_fence_after) {
  __shared__ Tiles s;
  u32 d[16];
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  wait(&s.bar, 0);
  if (!broken) AFTER();
  LOAD(d, t + lanes()); // FAULT no_fence_after
  WAIT_LD();
  store(out, d, 0);
  finish(s, out, t);
}

// --- two products, and loads of the first one's D between them ---

PAIR(no_fence_before) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.second);
  }
  wait(&s.second, 0);
  AFTER();
  store_all(out, t);
  if (!broken) BEFORE();
  __syncthreads();
  AFTER();
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0); // FAULT no_fence_before
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

PAIR(load_not_waited) {
  __shared__ Tiles s;
  u32 d[16];
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.second);
  }
  wait(&s.second, 0);
  AFTER();
  LOAD(d, t + lanes());
  if (!broken) WAIT_LD();
  BEFORE();
  __syncthreads();
  AFTER();
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0); // FAULT load_not_waited
    COMMIT(&s.bar);
  }
  WAIT_LD();
  store(out, d, 0);
  finish(s, out, t);
}

PAIR(written_in_flight) {
  __shared__ Tiles s;
  u32 d[16] = {0};
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.second);
  }
  if (!broken) wait(&s.second, 0);
  AFTER();
  STORE(t + lanes(), d); // FAULT written_in_flight
  WAIT_ST();
  BEFORE();
  if (broken) wait(&s.second, 0);
  __syncthreads();
  AFTER();
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

// --- accumulators that threads store ---

__device__ void clear(u32 t) {
  u32 d[16] = {0};
  for (int c = 0; c < 64; c += 16) STORE(t + lanes() + c, d);
}

PAIR(store_not_waited) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  clear(t);
  if (!broken) WAIT_ST();
  BEFORE();
  __syncthreads();
  AFTER();
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 1); // FAULT store_not_waited
    COMMIT(&s.bar);
  }
  WAIT_ST();
  finish(s, out, t);
}

PAIR(store_then_load) {
  __shared__ Tiles s;
  u32 d[16];
  const u32 t = begin(s, in);
  clear(t);
  if (!broken) WAIT_ST();
  LOAD(d, t + lanes()); // FAULT store_then_load
  WAIT_ST();
  WAIT_LD();
  store(out, d, 0);
  BEFORE();
  __syncthreads();
  AFTER();
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 1);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

PAIR(load_then_store) {
  __shared__ Tiles s;
  u32 d[16], zero[16] = {0};
  const u32 t = begin(s, in);
  clear(t);
  WAIT_ST();
  LOAD(d, t + lanes());
  if (!broken) WAIT_LD();
  STORE(t + lanes(), zero); // FAULT load_then_store
  WAIT_LD();
  WAIT_ST();
  store(out, d, 0);
  BEFORE();
  __syncthreads();
  AFTER();
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 1);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

PAIR(undefined_sums) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (!broken) {
    clear(t);
    WAIT_ST();
  }
  BEFORE();
  __syncthreads();
  AFTER();
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 1);
    COMMIT(&s.bar);
  }
  wait(&s.bar, 0);
  AFTER();
  u32 d[16];
  for (int c = 0; c < 64; c += 16) {
    LOAD(d, t + lanes() + c); // FAULT undefined_sums
    WAIT_LD();
    store(out, d, c);
  }
  end(t);
}

// --- bounds ---

PAIR(beyond_allocation) {
  __shared__ Tiles s;
  u32 d[16];
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  wait(&s.bar, 0);
  AFTER();
  LOAD(d, t + lanes() + (broken ? 56 : 48)); // FAULT beyond_allocation
  WAIT_LD();
  store(out, d, 0);
  finish(s, out, t);
}

PAIR(wrong_warp) {
  __shared__ Tiles s;
  u32 d[16];
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  wait(&s.bar, 0);
  AFTER();
  LOAD(d, t + (broken ? 0 : lanes())); // FAULT wrong_warp
  WAIT_LD();
  store(out, d, 0);
  finish(s, out, t);
}

PAIR(product_beyond) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    if (broken) MMA(t + 32, A(s), B(s), kProduct, 0); // FAULT product_beyond
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

// --- allocation ---

PAIR(not_freed) {
  __shared__ Tiles s;
  initialise(s, in);
  if (threadIdx.x < 32) ALLOC(&s.tmem, kColumns); // FAULT not_freed
  PROXY();
  __syncthreads();
  const u32 t = s.tmem;
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  wait(&s.bar, 0);
  AFTER();
  store_all(out, t);
  if (!broken) end(t);
}

PAIR(freed_twice) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
  if (broken && threadIdx.x < 32) DEALLOC(t, kColumns); // FAULT freed_twice
}

PAIR(freed_in_use) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.second);
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  wait(&s.bar, 0);
  AFTER();
  store_all(out, t);
  BEFORE();
  __syncthreads();
  AFTER();
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) MMA(t, A(s), B(s), kProduct, 0);
    if (!broken) {
      if (threadIdx.x == 0) COMMIT(&s.bar);
      wait(&s.bar, 1);
    }
    __syncwarp();
    DEALLOC(t, kColumns); // FAULT freed_in_use
  }
}

PAIR(after_relinquish) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  if (threadIdx.x < 32) {
    if (broken) RELINQUISH();
    ALLOC(&s.other, 32); // FAULT after_relinquish
    DEALLOC(s.other, 32);
    if (!broken) RELINQUISH();
  }
  finish(s, out, t);
}

PAIR(bad_size) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
  if (threadIdx.x < 32) {
    ALLOC(&s.other, broken ? 48 : 32); // FAULT bad_size
    DEALLOC(s.other, 32);
  }
}

PAIR(two_groups) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
  if (threadIdx.x >= 32) return;
  if (broken)
    ASM("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;"); // FAULT two_groups
  else
    RELINQUISH();
}

// --- commits, and shared memory that a product reads ---

PAIR(commit_by_another) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    BEFORE();
  }
  __syncthreads();
  if (threadIdx.x == (broken ? 32 : 0)) COMMIT(&s.second); // FAULT commit_by_another
  wait(&s.second, 0);
  if (threadIdx.x == 0) COMMIT(&s.bar);
  finish(s, out, t);
}

PAIR(tile_overwritten) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  if (!broken) wait(&s.bar, 0);
  if (threadIdx.x == 0) s.a[5] = 0; // FAULT tile_overwritten
  finish(s, out, t);
}

PAIR(no_proxy_fence) {
  __shared__ Tiles s;
  initialise(s, in);
  if (threadIdx.x < 32) ALLOC(&s.tmem, kColumns);
  if (!broken) PROXY();
  __syncthreads();
  const u32 t = s.tmem;
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0); // FAULT no_proxy_fence
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

// --- descriptors ---

PAIR(no_constant) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s) ^ (broken ? 1ull << 46 : 0), B(s), kProduct, 0); // FAULT no_constant
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

PAIR(bad_mode) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    if (broken) MMA(t, A(s) | 3ull << 61, B(s), kProduct, 0); // FAULT bad_mode
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

PAIR(bad_base_offset) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    if (broken) MMA(t, descriptor(s.a, 0) & ~7ull | 6ull << 61 | 1ull << 49, B(s), kProduct, 0); // FAULT bad_base_offset
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

PAIR(bad_rows) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    if (broken) MMA(t, A(s), B(s), kProduct & ~(31u << 24) | 256 / 16 << 24, 0); // FAULT bad_rows
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

PAIR(bad_type) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    if (broken) MMA(t, A(s), B(s), kProduct | 2u << 7, 0); // FAULT bad_type
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

PAIR(row_beyond) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    if (broken) MMA(t, A(s) + 1 | 6ull << 61, B(s), kProduct, 0); // FAULT row_beyond
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

PAIR(reserved_bits) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s) | (broken ? 1ull << 14 : 0), kProduct, 0); // FAULT reserved_bits
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

PAIR(sparse_bit) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    if (broken) MMA(t, A(s), B(s), kProduct | 1u << 2, 0); // FAULT sparse_bit
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

// --- tcgen05.cp, bulk copies, A in tensor memory, and a second thread ---

#define COPY(t, d) asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(t), "l"(d) : "memory")

PAIR(copy_overwritten) {
  __shared__ Tiles s;
  u32 d[16] = {0};
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    COPY(t, A(s));
    COMMIT(&s.second);
  }
  __syncthreads();
  if (!broken) wait(&s.second, 0);
  AFTER();
  STORE(t + lanes(), d); // FAULT copy_overwritten
  WAIT_ST();
  wait(&s.second, 0);
  BEFORE();
  __syncthreads();
  AFTER();
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

PAIR(copied_tile_overwritten) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    COPY(t, A(s));
    COMMIT(&s.second);
    if (!broken) wait(&s.second, 0);
    *(volatile unsigned short *)&s.a[5] = in[5]; // FAULT copied_tile_overwritten
    wait(&s.second, 0);
    PROXY();
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

#define BULK(to, from, bar)                                                                                                    \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];" ::"r"(SHARED(to)),   \
               "l"(from), "r"(SHARED(bar))                                                                                    \
               : "memory")

PAIR(bulk_overwrites_tile) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
    if (!broken) wait(&s.bar, 0);
    ASM("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 64;" ::"r"(SHARED(&s.second)) : "memory");
    BULK(s.a, in, &s.second); // FAULT bulk_overwrites_tile
    wait(&s.second, 0);
  }
  finish(s, out, t);
}

PAIR(second_thread) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.second);
    BEFORE();
  }
  if (!broken) __syncthreads();
  AFTER();
  if (threadIdx.x == 64) {
    MMA(t, A(s), B(s), kProduct, 0); // FAULT second_thread
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

#define MMA_OF_TENSOR_MEMORY(t, a, b, what)                                                                                    \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p; }" ::"r"(t),   \
               "r"(a), "l"(b), "r"(what)                                                                                      \
               : "memory")

PAIR(rows_not_waited) {
  __shared__ Tiles s;
  u32 d[16] = {0};
  const u32 t = begin(s, in);
  for (int i = 0; i < 8; i++) d[i] = ((const u32 *)in)[threadIdx.x * 8 + i];
  STORE(t + lanes() + 48, d);
  if (!broken) WAIT_ST();
  BEFORE();
  __syncthreads();
  AFTER();
  if (threadIdx.x == 0) {
    MMA_OF_TENSOR_MEMORY(t, t + 48, B(s), kProduct & ~(63u << 17) | 48 / 8 << 17); // FAULT rows_not_waited
    COMMIT(&s.bar);
  }
  WAIT_ST();
  wait(&s.bar, 0);
  AFTER();
  for (int c = 0; c < 48; c += 16) {
    LOAD(d, t + lanes() + c);
    WAIT_LD();
    store(out, d, c);
  }
  BEFORE();
  __syncthreads();
  AFTER();
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  wait(&s.bar, 1);
  AFTER();
  LOAD(d, t + lanes() + 48);
  WAIT_LD();
  store(out, d, 48);
  end(t);
}

PAIR(bf16_to_halves) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    if (broken) MMA(t, A(s), B(s), (kProduct & ~(3u << 4)) | 1u << 7 | 1u << 10, 0); // FAULT bf16_to_halves
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

PAIR(rows_overwritten) {
  __shared__ Tiles s;
  u32 d[16] = {0};
  const u32 t = begin(s, in);
  for (int i = 0; i < 8; i++) d[i] = ((const u32 *)in)[threadIdx.x * 8 + i];
  STORE(t + lanes() + 48, d);
  WAIT_ST();
  BEFORE();
  __syncthreads();
  AFTER();
  if (threadIdx.x == 0) {
    MMA_OF_TENSOR_MEMORY(t, t + 48, B(s), kProduct & ~(63u << 17) | 48 / 8 << 17);
    COMMIT(&s.second);
  }
  __syncthreads();
  if (!broken) wait(&s.second, 0);
  AFTER();
  STORE(t + lanes() + 48, d); // FAULT rows_overwritten
  WAIT_ST();
  wait(&s.second, 0);
  BEFORE();
  __syncthreads();
  AFTER();
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
}

PAIR(freed_before_load) {
  __shared__ Tiles s;
  u32 d[16];
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  wait(&s.bar, 0);
  AFTER();
  store_all(out, t);
  BEFORE();
  __syncthreads();
  AFTER();
  if (threadIdx.x < 32) {
    LOAD(d, t);
    if (!broken) WAIT_LD();
    DEALLOC(t, kColumns); // FAULT freed_before_load
    WAIT_LD();
    store(out, d, 0);
  }
}

// More notes than the emulator keeps, and a finding after them.
PAIR(freed_after_many_notes) {
  __shared__ Tiles s;
  u32 d[16], sum = 0;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  wait(&s.bar, 0);
  if (!broken) AFTER();
#pragma unroll
  for (int i = 0; i < 300; i++) {
    LOAD(d, t + lanes());
    sum += d[i % 16];
  }
  if (!broken) WAIT_LD();
  if (sum == 12345) out[0] = 1;
  AFTER();
  store_all(out, t);
  BEFORE();
  __syncthreads();
  if (broken && threadIdx.x < 32) LOAD(d, t);
  if (threadIdx.x < 32) DEALLOC(t, kColumns); // FAULT freed_after_many_notes
  if (broken) WAIT_LD();
}

PAIR(too_many_columns) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  wait(&s.bar, 0);
  AFTER();
  store_all(out, t);
  __syncthreads();
  if (threadIdx.x < 32)
    for (int i = 0; i < (broken ? 15 : 14); i++)
      ALLOC(&s.other, 32); // FAULT too_many_columns
  if (threadIdx.x < 32)
    for (int i = 2; i < 16; i++) DEALLOC(t + 32 * i, 32);
  end(t);
}

PAIR(pair_of_one) {
  __shared__ Tiles s;
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct, 0);
    COMMIT(&s.bar);
  }
  finish(s, out, t);
  if (broken && threadIdx.x == 0)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0; tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(t), "l"(A(s)), "l"(B(s)), "r"(kProduct) : "memory"); // FAULT pair_of_one
}

// --- two blocks with one product: cluster of 2, A of 64 or 128 rows and B of 32 columns in each ---

#define MMA2(t, a, b, what)                                                                                                    \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0; tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(t),     \
               "l"(a), "l"(b), "r"(what)                                                                                      \
               : "memory")
#define CLUSTER() ASM("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;")

__device__ u32 rank() {
  u32 r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}

// M = 128: a block has 64 rows; the second half of the columns is in lanes 64 to 127. The blocks tell the first one by the mask of
// an address that their tiles are there.
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(128) pair_of_64(const unsigned short *in, float *out) {
  __shared__ Tiles s;
  u32 d[16];
  const u32 r = rank(), bar = SHARED(&s.second) & 0xfeffffff;
  fill(s.a, in + r * 64 * 16, 64);
  fill(s.b, in + (128 + r * 32) * 16, 32);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(SHARED(&s.bar)) : "memory");
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(SHARED(&s.second)) : "memory");
  }
  if (threadIdx.x < 32)
    asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(SHARED(&s.tmem)) : "memory");
  PROXY();
  CLUSTER();
  const u32 t = s.tmem;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar) : "memory");
    if (r == 0) {
      wait(&s.second, 0);
      MMA2(t, descriptor(s.a, 64), descriptor(s.b, 32), kProduct);
      asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
                       SHARED(&s.bar)),
                   "h"((unsigned short)3)
                   : "memory");
    }
  }
  wait(&s.bar, 0);
  AFTER();
  for (int c = 0; c < 32; c += 16) {
    LOAD(d, t + lanes() + c);
    WAIT_LD();
    for (int i = 0; i < 16; i++)
      out[(r * 64 + threadIdx.x % 64) * 64 + threadIdx.x / 64 * 32 + c + i] = __uint_as_float(d[i]);
  }
  BEFORE();
  CLUSTER();
  if (threadIdx.x < 32) asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, 32;" ::"r"(t) : "memory");
}

// One block, M = 64: rows are in the lower half of each 32 lanes.
extern "C" __global__ void __launch_bounds__(128) rows_of_64(const unsigned short *in, float *out) {
  __shared__ Tiles s;
  u32 d[16];
  const u32 t = begin(s, in);
  if (threadIdx.x == 0) {
    MMA(t, A(s), B(s), kProduct & ~(31u << 24) | 64 / 16 << 24, 0);
    COMMIT(&s.bar);
  }
  wait(&s.bar, 0);
  AFTER();
  for (int c = 0; c < 64; c += 16) {
    asm volatile("tcgen05.ld.sync.aligned.16x64b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7])
                 : "r"(t + lanes() + c));
    WAIT_LD();
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4 + lane % 2 * 8;
    for (int i = 0; i < 8; i++) out[row * 64 + c + lane / 2 % 2 + 2 * i] = __uint_as_float(d[i]);
  }
  end(t);
}

// --- cluster launch control: blocks take over the tiles of others; out counts how often each tile is done ---

extern "C" __global__ void __launch_bounds__(32) steals(const unsigned short *in, float *out) {
  __shared__ alignas(16) uint4 response;
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(SHARED(&bar)) : "memory");
    ASM("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  u32 tile = blockIdx.x, valid = 1;
  for (u32 turn = 0; valid; turn++) {
    if (threadIdx.x == 0) {
      out[tile] += tile + 1;
      PROXY();
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(SHARED(&bar)) : "memory");
      asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
                       SHARED(&response)),
                   "r"(SHARED(&bar))
                   : "memory");
    }
    wait(&bar, turn % 2);
    asm volatile("{ .reg .pred p; .reg .b128 r; ld.shared.b128 r, [%2]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 "
                 "p, r; selp.u32 %1, 1, 0, p; @p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%0, _, _, _}, r; }"
                 : "+r"(tile), "=r"(valid)
                 : "r"(SHARED(&response))
                 : "memory");
    __syncthreads();
  }
}
