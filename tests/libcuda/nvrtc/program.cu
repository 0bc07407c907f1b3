// A program that uses CUDA's runtime, built in the usual way; it exits with 0 if all results are
// right.
#include <cstdio>
#include <cstring>

__managed__ int managed[32];
__constant__ int scale;
__device__ int far(int x); // in the other unit

__global__ void work(int *out, const float *in) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = far((int)tile[blockDim.x - 1 - threadIdx.x]) * scale;
  managed[threadIdx.x] = out[threadIdx.x];
  if (threadIdx.x == 0) printf("printed by %d\n", blockIdx.x);
}

static int failures;
#define HOLDS(x) ((x) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #x)))
#define CALL(x)  HOLDS((x) == cudaSuccess)

int main() {
  int *out, host[32], three = 3;
  float *in;
  cudaDeviceProp properties;
  cudaFuncAttributes attributes;
  cudaPointerAttributes pointer;
  cudaStream_t stream;
  CALL(cudaGetDeviceProperties(&properties, 0));
  HOLDS(properties.major == 9 && strstr(properties.name, "H200"));
  CALL(cudaStreamCreate(&stream));
  CALL(cudaMallocAsync(&out, sizeof host, stream));
  CALL(cudaMallocHost(&in, sizeof host));
  for (int i = 0; i < 32; i++) in[i] = (float)i;
  CALL(cudaMemcpyToSymbol(scale, &three, sizeof three));
  work<<<1, 32, 128, stream>>>(out, in);
  CALL(cudaGetLastError());
  CALL(cudaMemcpyAsync(host, out, sizeof host, cudaMemcpyDeviceToHost, stream));
  CALL(cudaStreamSynchronize(stream));
  HOLDS(host[0] == (31 + 1000) * 3 && managed[31] == 1000 * 3);
  CALL(cudaFuncGetAttributes(&attributes, work));
  HOLDS(attributes.maxThreadsPerBlock == 1024);
  CALL(cudaPointerGetAttributes(&pointer, in));
  HOLDS(pointer.type == cudaMemoryTypeHost && pointer.devicePointer == in);
  CALL(cudaFreeAsync(out, stream));
  work<<<1, 2048>>>(out, in);
  HOLDS(cudaGetLastError() != cudaSuccess);
  CALL(cudaFreeHost(in));
  CALL(cudaStreamDestroy(stream));
  CALL(cudaDeviceReset());
  return failures;
}
