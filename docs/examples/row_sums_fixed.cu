// Sums the rows of a matrix of 32 columns: 32 rows a block, fetched together, summed by one warp.
#include <cstdio>
#include <vector>

__global__ void row_sums(const float *in, float *out) {
  __shared__ float tile[32][33];
  const float *rows = in + blockIdx.x * 32 * 32;
  for (int row = threadIdx.y; row < 32; row += 8)
    tile[row][threadIdx.x] = rows[row * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.y > 0) return;
  float sum = 0;
  for (int i = 0; i < 32; i++) sum += tile[threadIdx.x][i];
  out[blockIdx.x * 32 + threadIdx.x] = sum;
}

int main() {
  const int rows = 256;
  std::vector<float> in(rows * 32), out(rows);
  for (size_t i = 0; i < in.size(); i++) in[i] = float(i % 7);
  float *device_in, *device_out;
  cudaMalloc(&device_in, in.size() * sizeof(float));
  cudaMalloc(&device_out, out.size() * sizeof(float));
  cudaMemcpy(device_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  row_sums<<<rows / 32, dim3(32, 8)>>>(device_in, device_out);
  cudaMemcpy(out.data(), device_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  bool right = true;
  for (int row = 0; row < rows; row++) {
    float sum = 0;
    for (int i = 0; i < 32; i++) sum += in[row * 32 + i];
    right = right && out[row] == sum;
  }
  cudaFree(device_in);
  cudaFree(device_out);
  puts(right ? "PASS" : "FAIL");
  return right ? 0 : 3;
}
