// Barriers that not all threads reach, or reach at different lines, and correct twins.
extern "C" __global__ void combine(const float2* in, float* out) {
  constexpr int np = 2;
  __shared__ float2 meta[8][32];
  __shared__ float scale[8][32];
  meta[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.y % np == 0) {
    float2 a = meta[threadIdx.y][threadIdx.x], b = meta[threadIdx.y + 1][threadIdx.x];
    float m = fmaxf(a.x, b.x);
    __syncthreads();                                     // divergent: only even warps
    meta[threadIdx.y][threadIdx.x] = make_float2(m, a.y + b.y);
    scale[threadIdx.y][threadIdx.x] = m;
  }
  __syncthreads();
  float s = scale[threadIdx.y / np * np][threadIdx.x];
  out[threadIdx.y * 32 + threadIdx.x] = s;
}
extern "C" __global__ void fixed(const float2* in, float* out) {
  constexpr int np = 2;
  __shared__ float2 meta[8][32];
  __shared__ float scale[8][32];
  meta[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  float2 a = meta[threadIdx.y][threadIdx.x], b = meta[threadIdx.y / np * np + 1][threadIdx.x];
  float m = fmaxf(a.x, b.x);
  __syncthreads();
  if (threadIdx.y % np == 0) {
    meta[threadIdx.y][threadIdx.x] = make_float2(m, a.y + b.y);
    scale[threadIdx.y][threadIdx.x] = m;
  }
  __syncthreads();
  float s = scale[threadIdx.y / np * np][threadIdx.x];
  out[threadIdx.y * 32 + threadIdx.x] = s;
}
// the same fault where nothing is read afterwards: only the barriers differ
extern "C" __global__ void quiet(const float* in, float* out) {
  int w = threadIdx.x / 32;
  float v = in[threadIdx.x];
  if (w % 2 == 0) { v += 1; __syncthreads(); v *= 2; }
  __syncthreads();
  out[threadIdx.x] = v;
}
extern "C" __global__ void find(const int* in, int* out, int n) {
  __shared__ int buffer[128];
  int idx = blockIdx.x * 128 + threadIdx.x;
  while (idx - (int)threadIdx.x < n) {
    if (idx < n) {
      buffer[threadIdx.x] = in[idx];
      __syncthreads();
      out[idx] = buffer[threadIdx.x];
    }
    idx += gridDim.x * 128;
  }
}
// the same without a loop
extern "C" __global__ void once(const int* in, int* out, int n) {
  __shared__ int buffer[128];
  int idx = blockIdx.x * 128 + threadIdx.x;
  if (idx < n) {
    buffer[threadIdx.x] = in[idx];
    __syncthreads();
    out[idx] = buffer[threadIdx.x];
  }
}
// the same, and the threads that skip the barrier do something afterwards
extern "C" __global__ void after(const int* in, int* out, int n) {
  __shared__ int buffer[128];
  int idx = blockIdx.x * 128 + threadIdx.x;
  while (idx - (int)threadIdx.x < n) {
    if (idx < n) {
      buffer[threadIdx.x] = in[idx];
      __syncthreads();
      out[idx] = buffer[threadIdx.x];
    }
    idx += gridDim.x * 128;
  }
  out[n + threadIdx.x] = idx;
}
// every thread of the block reaches the barrier
extern "C" __global__ void all(const int* in, int* out, int n) {
  __shared__ int buffer[128];
  int idx = blockIdx.x * 128 + threadIdx.x;
  buffer[threadIdx.x] = idx < n ? in[idx] : 0;
  __syncthreads();
  if (idx < n) out[idx] = buffer[threadIdx.x];
}
// one barrier in a function that is called at two lines, and one in a loop that is unrolled
__device__ void meet() { __syncthreads(); }
extern "C" __global__ void calls(const int* in, int* out) {
  int v = in[threadIdx.x];
  if (threadIdx.x < 64) { v += 1; meet(); }
  else { v *= 2; meet(); }
  out[threadIdx.x] = v;
}
extern "C" __global__ void unrolled(const int* in, int* out, int n) {
  __shared__ int buffer[128];
  int v = in[threadIdx.x];
#pragma unroll
  for (int k = 1; k < 8; k *= 2) {
    buffer[threadIdx.x] = v;
    __syncthreads();
    v += buffer[threadIdx.x ^ k];
    __syncthreads();
  }
  out[threadIdx.x] = v;
}
// roles with a named barrier and a count each: intended
extern "C" __global__ void roles(const int* in, int* out) {
  __shared__ int buffer[64];
  int i = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    buffer[i] = in[i];
    asm volatile("bar.sync 1, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    out[i] = buffer[i];
  }
}
