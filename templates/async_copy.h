/* async_copy.h: asynchronous copies from device to shared memory, in groups. They need sm_80; older
 * architectures wait for each. Shared-memory addresses are 32-bit, of the shared window. */
#ifndef KGEN_ASYNC_COPY_H
#define KGEN_ASYNC_COPY_H

namespace {

__device__ __forceinline__ unsigned shared_address(const void *p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/* Copies BYTES, 4, 8 or 16, from device to shared memory, bypassing L1 if BYPASS, which only copies
 * of 16 bytes can; `zeros`: writes zeros and reads nothing. */
template <int BYTES, bool BYPASS>
__device__ __forceinline__ void copy_async(unsigned to, size_t from, bool zeros) {
  static_assert(BYTES == 16 || (!BYPASS && (BYTES == 4 || BYTES == 8)), "what cp.async copies");
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

/* Ends a group of copies. */
__device__ __forceinline__ void commit_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until at most N of this thread's newest groups are on their way; then for all threads. */
template <int N> __device__ __forceinline__ void await_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
  __syncthreads();
}

} // namespace

#endif
