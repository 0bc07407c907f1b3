#pragma once
template <int N> __device__ inline void fill(float (*tile)[N], const float *in) {
  tile[threadIdx.x][threadIdx.y] = in[threadIdx.y * 32 + threadIdx.x];
}
