// A kernel of headers alone, as of a library, and one with a helper of its own.
#include "inlined/agent.h"
__device__ int helper(const int *p) { return __ldg(p + threadIdx.x); }
__global__ void mine(const int *in, int *out) { out[threadIdx.x] = helper(in); }
__global__ void direct(const float *in, float *out) {
  __shared__ float tile[32][32];
  fill<32>(tile, in); // its code is of copy.h
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}
#include "inlined/deep.h"
__global__ void deep(float *out) {
  __shared__ float t[64];
  Deep<40>::put(t, threadIdx.x); // 41 calls, as in cub's reductions
  out[threadIdx.x] = apart(t, threadIdx.x ^ 32);
}
__device__ float sum(const float (*tile)[32], int i) { return tile[threadIdx.x][i] + tile[threadIdx.x][i + 1]; }
__global__ void twice(const float *in, float *out) {
  __shared__ float tile[32][32];
  fill<32>(tile, in);
  __syncthreads();
  float a = sum(tile, threadIdx.y % 8);
  a *= sum(tile, 8 + threadIdx.y % 8);
  out[threadIdx.y * 32 + threadIdx.x] = a;
}
__global__ void meets(float *out) {
  __shared__ float t[2];
  if (threadIdx.x == 0) t[0] = 1;
  if (threadIdx.x == 32) store(t, 1);
  out[threadIdx.x] = t[threadIdx.x & 1];
}
