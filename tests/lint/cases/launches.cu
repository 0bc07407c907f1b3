// Arguments that are more than one buffer each: pointers into buffers, structures that hold pointers, tables of them, constants.
__constant__ float coefficient[4];
__device__ int offsets[32];
__constant__ struct { const int *in; int n; } job;

__global__ void halves(const int *in, int *low, int *high) {
  low[threadIdx.x] = in[threadIdx.x];
  high[threadIdx.x] = in[threadIdx.x] + 1;
}

__global__ void in_place(float *x, const float *y) { x[threadIdx.x] += y[threadIdx.x]; }

struct Batch {
  const float *const *in;
  float *out;
  int count;
};

__global__ void batched(Batch b) {
  float sum = 0;
  for (int i = 0; i < b.count; i++) sum += b.in[i][threadIdx.x] * coefficient[i];
  b.out[threadIdx.x] = sum;
  if (coefficient[1] != 2.5f) __trap();
}

__global__ void variables(int *out) {
  if (job.n != 32) __trap();
  out[offsets[threadIdx.x] & 31] = job.in[threadIdx.x];
}

__global__ void exact(float *x, int standard) {
  if (standard != __cplusplus) __trap();
  x[threadIdx.x] = sinf(x[threadIdx.x]);
}

// All blocks but the last wait for it.
extern "C" __global__ void waits(int *flag, int *out) {
  if (blockIdx.x < gridDim.x - 1) {
    if (threadIdx.x == 0) while (*(volatile int *)flag == 0) {}
    __syncthreads();
    __threadfence();
    out[blockIdx.x * blockDim.x + threadIdx.x] = flag[1];
  } else if (threadIdx.x == 0) {
    flag[1] = 5;
    __threadfence();
    atomicExch(flag, 1);
  }
}

// One read races with two writes.
extern "C" __global__ void two_writers(int *out) {
  __shared__ int word[2];
  const int t = threadIdx.x;
  if (t == 0) word[0] = 1;
  if (t == 32) word[1] = 2;
  out[t] = word[t & 1];
}
