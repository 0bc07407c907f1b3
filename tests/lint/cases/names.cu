// Names that only the compiler can resolve, parameters of every size, a header, a macro.
#include "names.h"
#ifndef SCALE
#error SCALE is not defined
#endif

template <typename T, int N> __global__ void scale(const T *in, T *out) {
  __shared__ T tile[N][N];
  for (int i = 0; i < N; i++) tile[i][threadIdx.x] = in[i * N + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < N; i++) out[i * N + threadIdx.x] = twice(tile[threadIdx.x][i]) * SCALE;
}

namespace inner {
__global__ void mixed(int *out, char c, short s, int i, long long l, float f, double d) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = c + s + i + (int)l + (int)f + (int)d;
  __syncthreads();
  out[threadIdx.x] = dynamic[threadIdx.x ^ 1];
}
} // namespace inner

// 32 lanes, 32 sectors; then one bank for all of one atomic's lanes, which no layout helps.
__global__ void scattered(const float *in, float *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, (int)threadIdx.x);
  out[threadIdx.x] = in[threadIdx.x * 8];
}
