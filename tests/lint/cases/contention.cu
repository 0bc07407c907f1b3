// Atomics of many lanes on one word, in shared and in device memory, and kernels that spread them.
extern "C" __global__ void histogram(const int *in, int *out) {
  __shared__ int bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] & 63], 1); // HISTOGRAM
  __syncthreads();
  if (threadIdx.x < 64) out[threadIdx.x] = bins[threadIdx.x];
}
extern "C" __global__ void spread(const int *in, int *out) {
  __shared__ int bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x & 63], in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < 64) out[threadIdx.x] = bins[threadIdx.x];
}
extern "C" __global__ void total(const int *in, int *out) {
  atomicAdd(&out[3], in[threadIdx.x]); // TOTAL
  atomicAdd(&out[8 + threadIdx.x], 1);
}
extern "C" __global__ void taken(int *out) {
  __shared__ int lock;
  if (threadIdx.x == 0) lock = 0;
  __syncthreads();
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) { // TAKEN
      out[0]++;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}
