/* SPDX-License-Identifier: MIT */
// The kernels that emu_bench runs, each kernel(in, out, n) in blocks of 256 threads, on n elements
// or on n x n.

constexpr int TILE = 16;

extern "C" __global__ void product(const float *in, float *out, int n) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
  const int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
  float sum = 0;
  for (int k = 0; k < n; k += TILE) {
    a[y][x] = in[row * n + k + x];
    b[y][x] = in[(k + y) * n + col];
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  out[row * n + col] = sum;
}

extern "C" __global__ void reduction(const float *in, float *out, int n) {
  __shared__ float part[256];
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void histogram(const unsigned *in, unsigned *out, int n) {
  __shared__ unsigned count[256];
  count[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const unsigned word = in[i];
    for (int shift = 0; shift < 24; shift += 8) atomicAdd(&count[word >> shift & 255], 1);
  }
  __syncthreads();
  atomicAdd(&out[threadIdx.x], count[threadIdx.x]);
}

// A five-point stencil that reads global memory; border points are not written.
extern "C" __global__ void stencil(const float *in, float *out, int n) {
  const int x = blockIdx.x * TILE + threadIdx.x % TILE, y = blockIdx.y * TILE + threadIdx.x / TILE;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const float *at = in + y * n + x;
  out[y * n + x] = 0.5f * at[0] + 0.125f * (at[-1] + at[1] + at[-n] + at[n]);
}
