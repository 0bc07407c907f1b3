/* residency.h: how many blocks __launch_bounds__ may ask for. */
#ifndef KGEN_RESIDENCY_H
#define KGEN_RESIDENCY_H

/* The maximum number of resident threads per SM. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr int kSmThreads = 1024;
#elif defined(__CUDA_ARCH__) &&                                                                    \
    ((__CUDA_ARCH__ >= 860 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1200)
constexpr int kSmThreads = 1536;
#else
constexpr int kSmThreads = 2048;
#endif

/* `blocks`, or as many blocks of that many threads as fit on an SM. */
__host__ __device__ constexpr int resident_blocks(int blocks, int threads) {
  return blocks * threads <= kSmThreads ? blocks : kSmThreads / threads;
}

#endif
