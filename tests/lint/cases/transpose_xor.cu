// transpose.cu with the XOR that lint proposes: col ^ (row & 31).
extern "C" __global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(y + j) * n + x];
  __syncthreads();
  const int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(v + j) * n + u] = tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
}
