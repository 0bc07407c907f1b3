// One tile, transposed four ways: plain, with a swizzle on both sides, with one on the read alone, and in other sums.
__device__ int plainly(int, int col) { return col; }
__device__ int swizzled(int row, int col) { return col ^ row; }

template <typename Fill, typename Read> __device__ void through(const float *in, float *out, Fill fill, Read read) {
  __shared__ float tile[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][fill(y, x)] = in[y * 32 + x];
  __syncthreads();
  out[y * 32 + x] = tile[x][read(x, y)];
}

__global__ void plain(const float *in, float *out) { through(in, out, plainly, plainly); }
__global__ void both(const float *in, float *out) { through(in, out, swizzled, swizzled); }
__global__ void one(const float *in, float *out) { through(in, out, plainly, swizzled); }
__global__ void rounded(const float *in, float *out) {
  const int x = threadIdx.x, y = threadIdx.y;
  out[y * 32 + x] = (in[x * 32 + y] * 3.0f) / 3.0f;
}
__device__ int last;
__global__ void counted(const float *in, float *out) {
  out[threadIdx.y * 32 + threadIdx.x] = in[threadIdx.x * 32 + threadIdx.y];
  if (threadIdx.x == 0 && threadIdx.y == 0) last = 7;
}
__global__ void recounted(const float *in, float *out) {
  out[threadIdx.y * 32 + threadIdx.x] = in[threadIdx.x * 32 + threadIdx.y];
  if (threadIdx.x == 0 && threadIdx.y == 0) last = 8;
}
// A second launch, which writes the values that the first one left.
__global__ void again(const float *, float *out) {
  volatile float *mine = out + threadIdx.y * 32 + threadIdx.x;
  *mine = *mine;
}
__global__ void half_again(const float *, float *out) {
  volatile float *mine = out + threadIdx.y * 32 + threadIdx.x;
  if (threadIdx.y < 16) *mine = *mine;
}
__global__ void idle(const float *, float *) {}
