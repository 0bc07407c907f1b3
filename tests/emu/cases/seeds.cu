// The four kernels of seed "four_kernels" in f32 and f64, the reductions of seed "reduction", and tile transposes.

template <typename T> __device__ void ideal(const T *in, T *out) {
  __shared__ T tile[32 * 32];
  const int i = threadIdx.x;
  tile[i] = in[i];
  __syncthreads();
  out[i] = tile[i];
}

template <typename T> __device__ void one_bank(const T *in, T *out) {
  __shared__ T tile[32 * 32];
  const int i = threadIdx.x;
  tile[i * 32] = in[i];
  __syncthreads();
  out[i] = tile[i * 32];
}

template <typename T> __device__ void permuted(const T *in, T *out) {
  __shared__ T tile[32 * 32];
  const int i = threadIdx.x;
  tile[i * 33] = in[i];
  __syncthreads();
  out[i] = tile[i * 33];
}

template <typename T> __device__ void uncoalesced(const T *in, T *out) {
  __shared__ T tile[32 * 32];
  const int i = threadIdx.x;
  tile[i * 33] = in[i * 33];
  __syncthreads();
  out[i] = tile[i * 33];
}

#define FOUR(T, suffix)                                                                            \
  extern "C" __global__ void ideal_##suffix(const T *in, T *out) { ideal(in, out); }               \
  extern "C" __global__ void one_bank_##suffix(const T *in, T *out) { one_bank(in, out); }         \
  extern "C" __global__ void permuted_##suffix(const T *in, T *out) { permuted(in, out); }         \
  extern "C" __global__ void uncoalesced_##suffix(const T *in, T *out) { uncoalesced(in, out); }

FOUR(float, f32)
FOUR(double, f64)

extern "C" __global__ void reduce_interleaved(const float *in, float *out) {
  __shared__ float sdata[256];
  const int tid = threadIdx.x;
  sdata[tid] = in[blockIdx.x * 256 + tid];
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    const int index = 2 * s * tid;
    if (index + s < 256) sdata[index] += sdata[index + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

extern "C" __global__ void reduce_sequential(const float *in, float *out) {
  __shared__ float sdata[256];
  const int tid = threadIdx.x;
  sdata[tid] = in[blockIdx.x * 256 + tid];
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

// A tile of 32x32 elements through shared memory at a row pitch of `pitch` elements.
template <typename T, int pitch> __device__ void transpose(const T *in, T *out, int n) {
  __shared__ T tile[32 * pitch];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[(threadIdx.y + j) * pitch + threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  const int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(v + j) * n + u] = tile[threadIdx.x * pitch + threadIdx.y + j];
}

#define TRANSPOSE(T, pitch)                                                                        \
  extern "C" __global__ void transpose_##T##_##pitch(const T *in, T *out, int n) {                 \
    transpose<T, pitch>(in, out, n);                                                               \
  }

TRANSPOSE(float, 32)
TRANSPOSE(float, 33)
TRANSPOSE(double, 32)
TRANSPOSE(double, 33)
TRANSPOSE(short, 32)
TRANSPOSE(short, 34)
TRANSPOSE(char, 129)
TRANSPOSE(char, 132)
