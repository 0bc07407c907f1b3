// A whole program, as it is built: host headers, main, launches. NVRTC takes none of that; nvcc does.
#include <cstdio>
#include <vector>

template <typename T, int kPitch> __global__ void transpose(const T *in, T *out, int n) {
  __shared__ T tile[32][kPitch];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  const int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(v + j) * n + u] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int n = 64;
  std::vector<float> host(n * n, 1.0f);
  const size_t bytes = host.size() * sizeof host[0];
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(in, host.data(), bytes, cudaMemcpyHostToDevice);
  transpose<float, 32><<<dim3(2, 2), dim3(32, 8)>>>(in, out, n);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
