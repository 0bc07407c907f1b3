/* async_copy.h: asynchronous copies from device to shared memory (cp.async), in commit groups. They
 * need sm_80; on older architectures each is a load and a store, and waits. Addresses in shared
 * memory are 32-bit addresses of the shared state space. */
#ifndef KGEN_ASYNC_COPY_H
#define KGEN_ASYNC_COPY_H

namespace {

[[maybe_unused]] __device__ __forceinline__ unsigned shared_address(const void *p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/* Copies BYTES bytes, 4, 8 or 16, from device to shared memory; both addresses are aligned to
 * BYTES. BYPASS: past L1 (cp.async.cg), which only copies of 16 bytes can. `zeros`: writes zeros
 * instead, and does not read `from`, which may then be any address. */
template <int BYTES, bool BYPASS>
__device__ __forceinline__ void copy_async(unsigned to, size_t from, bool zeros) {
  static_assert(BYTES == 16 || (!BYPASS && (BYTES == 4 || BYTES == 8)),
                "cp.async copies 4, 8 or 16 bytes, past L1 only 16");
#if __CUDA_ARCH__ >= 800
  if constexpr (BYPASS)
    asm volatile("{.reg .pred p; setp.ne.b32 p, %2, 0;"
                 "cp.async.cg.shared.global.L2::128B [%0], [%1], 16, p;}" ::"r"(to),
                 "l"(from), "r"(static_cast<int>(zeros))
                 : "memory");
  else
    asm volatile("{.reg .pred p; setp.ne.b32 p, %2, 0;"
                 "cp.async.ca.shared.global.L2::128B [%0], [%1], %3, p;}" ::"r"(to),
                 "l"(from), "r"(static_cast<int>(zeros)), "n"(BYTES)
                 : "memory");
#else
#pragma unroll
  for (int i = 0; i < BYTES; i += 4) {
    unsigned word = 0;
    if (!zeros) asm volatile("ld.global.b32 %0, [%1];" : "=r"(word) : "l"(from + i) : "memory");
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(to + i), "r"(word) : "memory");
  }
#endif
}

/* The block's threads, as a number that the compiler does not know. A thread that has no copy must
 * branch around it, in a loop whose end is not known: of an `if` the compiler makes a predicate,
 * and the hardware's counters are wrong for copies under a predicate (an H100 counted 3072
 * wavefronts of 1536, and others in each run). */
[[maybe_unused]] __device__ __forceinline__ unsigned block_threads() {
  return blockDim.x * blockDim.y * blockDim.z;
}

/* Makes one commit group of this thread's copies since the last one; without any it is empty. */
[[maybe_unused]] __device__ __forceinline__ void commit_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until all but the N newest commit groups of this thread are complete and, by the barrier,
 * of all threads of the block. */
template <int N> __device__ __forceinline__ void await_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
  __syncthreads();
}

} // namespace

#endif
