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
