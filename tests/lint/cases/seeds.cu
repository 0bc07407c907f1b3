// Kernels of the seeds as they print them, completed only where they leave something out. Arrays
// that a seed reads without having written them are filled first, a word a thread.
#define COUNT(array) (sizeof(array) / sizeof(float))

template <typename T> __device__ void fill(T &array, const float *in) {
  float *words = reinterpret_cast<float *>(&array);
  for (int i = threadIdx.x; i < COUNT(array); i += blockDim.x) words[i] = in[i];
  __syncthreads();
}

// avoid_conflicts 1.3: reads of a column of 12-byte structs.
struct Data {
  float a, b, c;
};

extern "C" __global__ void structs_11(const float *in, float *out) {
  __shared__ Data tile[32][11];
  fill(tile, in);
  const Data d = tile[threadIdx.x][4];
  out[threadIdx.x] = d.a + d.b + d.c;
}

// avoid_conflicts 2.1: one member of 16-byte structs, and of a struct of arrays.
struct Vec3 {
  float x, y, z, pad;
};

extern "C" __global__ void aos(const float *in, float *out) {
  __shared__ Vec3 particles[32];
  fill(particles, in);
  out[threadIdx.x] = particles[threadIdx.x].x;
}

struct Vec3SoA {
  float x[32], y[32], z[32];
};

extern "C" __global__ void soa(const float *in, float *out) {
  __shared__ Vec3SoA particles;
  fill(particles, in);
  out[threadIdx.x] = particles.x[threadIdx.x];
}

// avoid_conflicts 2.2: "conflictReduction", working threads are the multiples of 2 * s.
extern "C" __global__ void reduce_multiples(const float *in, float *out) {
  __shared__ float sdata[256];
  const int tid = threadIdx.x;
  sdata[tid] = in[tid];
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) *out = sdata[0];
}

// reduction 2, the loop before the fix, without a barrier as printed. The seed has kThreads = 256.
template <int kThreads> __global__ void unsynchronised(const float *in, float *out) {
  __shared__ float sdata[kThreads];
  const int tid = threadIdx.x, bdim = blockDim.x, bid = blockIdx.x, len = kThreads;
  sdata[tid] = in[tid];
  __syncthreads();
  for (int s = 1; s < bdim; s *= 2) {
    int index = 2 * s * tid;
    if ((index + s < bdim) && (bdim * bid + s < len)) sdata[index] += sdata[index + s];
  }
  if (tid == 0) *out = sdata[0];
}

// avoid_conflicts 2.3: columns summed at a pitch of 32 and of 33.
template <int kPitch> __global__ void colsum(const float *in, float *out) {
  __shared__ float data[32][kPitch];
  fill(data, in);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 32; i++) sum += data[i][threadIdx.x];
  out[threadIdx.x] = sum;
}

// avoid_conflicts 3: a row a thread, by scalars or by float4; volatile keeps nvcc from merging
// scalars.
template <int kPitch, int kColumns> __global__ void read_scalar(const float *in, float *out) {
  __shared__ float data[32][kPitch];
  fill(data, in);
  const volatile float *row = data[threadIdx.x];
  float sum = 0;
  for (int i = 0; i < kColumns; i++) sum += row[i];
  out[threadIdx.x] = sum;
}

template <int kPitch, int kColumns> __global__ void read_float4(const float *in, float *out) {
  __shared__ __align__(16) float data[32][kPitch];
  fill(data, in);
  float sum = 0;
  for (int i = 0; i < kColumns / 4; i++) {
    const float4 v = reinterpret_cast<const float4 *>(&data[threadIdx.x][i * 4])[0];
    sum += v.x + v.y + v.z + v.w;
  }
  out[threadIdx.x] = sum;
}

// avoid_conflicts 4.1: the 3x3 neighbourhoods of 32x32 pixels at a pitch of 34 and of 35.
template <int kPitch> __global__ void conv(const float *in, float *out) {
  __shared__ float tile[34][kPitch];
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 34 * 34; i += 1024) tile[i / 34][i % 34] = in[i];
  __syncthreads();
  float sum = 0;
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
  out[threadIdx.y * 32 + threadIdx.x] = sum;
}

// avoid_conflicts 4.1: as printed, the border neither loaded nor skipped.
template <int kPitch> __global__ void conv_borderless(const float *in, float *out) {
  __shared__ float tile[34][kPitch];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[ty * 32 + tx];
  __syncthreads();
  float sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) sum += tile[ty + dy][tx + dx];
  out[ty * 32 + tx] = sum;
}

// avoid_conflicts 4.2: "scanWithoutConflict". The seed has kWords = 256 + 8.
template <int kWords> __global__ void scan(const float *in, float *out) {
  __shared__ float temp[kWords];
  const int tid = threadIdx.x;
  int pout = 0, pin = 1;
  temp[tid] = in[tid];
  __syncthreads();
  for (int offset = 1; offset < blockDim.x; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pin;
    if (tid >= offset)
      temp[pout * blockDim.x + tid] =
          temp[pin * blockDim.x + tid] + temp[pin * blockDim.x + tid - offset];
    __syncthreads();
  }
  out[tid] = temp[pout * blockDim.x + tid];
}

// avoid_conflicts 4.3: "fftButterflyOptimized". The seed has kPoints = 512 + 16.
template <int kPoints> __global__ void fft(const float2 *in, float2 *out) {
  __shared__ float2 shared[kPoints];
  const int tid = threadIdx.x;
  shared[tid] = in[tid];
  shared[tid + 256] = in[tid + 256];
  __syncthreads();
  for (int s = 1; s <= 256; s <<= 1) {
    const int k = tid % s, j = 2 * s * (tid / s) + k;
    const float2 u = shared[j], t = shared[j + s];
    const float angle = -3.14159265f * k / s;
    const float2 w = make_float2(__cosf(angle), __sinf(angle));
    const float2 temp = make_float2(t.x * w.x - t.y * w.y, t.x * w.y + t.y * w.x);
    shared[j] = make_float2(u.x + temp.x, u.y + temp.y);
    shared[j + s] = make_float2(u.x - temp.x, u.y - temp.y);
    __syncthreads();
  }
  out[tid] = shared[tid];
  out[tid + 256] = shared[tid + 256];
}

// avoid_conflicts 5.1 and 8.2: a tile stored by rows and read by columns, rows of kColumns at a
// pitch.
template <typename T, int kColumns, int kPitch> __global__ void transpose(const T *in, T *out) {
  __shared__ T tile[kColumns][kPitch];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * kColumns + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * kColumns + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// padding_swizzle: col ^ row, modulo the row; kWidth 24 is not a power of two.
template <int kWidth> __global__ void swizzle(const float *in, float *out) {
  __shared__ float tile[kWidth][kWidth];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][(x ^ y) % kWidth] = in[y * kWidth + x];
  __syncthreads();
  out[y * kWidth + x] = tile[x][(y ^ x) % kWidth];
}

// tensor_core_tile: 128 rows of 32 halves, filled by 16 bytes per lane, read as m16n8k8 fragments of
// A. kDown: lanes fill down 8 rows instead of along one.
template <int kPitch, bool kDown> __global__ void operand(const uint4 *in, unsigned *out) {
  __shared__ __align__(16) unsigned short tile[128][kPitch];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  for (int j = 0; j < 2; j++) {
    const int row = 64 * j + (kDown ? warp * 8 + lane % 8 : tid / 4),
              chunk = kDown ? lane / 8 : tid % 4;
    *reinterpret_cast<uint4 *>(&tile[row][chunk * 8]) = in[row * 4 + chunk];
  }
  __syncthreads();
  unsigned sum = 0;
  for (int m = 0; m < 4; m++)
    for (int h = 0; h < 2; h++)
      for (int k = 0; k < 4; k++) {
        const int row = warp / 4 * 64 + 16 * m + 8 * h + lane / 4;
        sum += *reinterpret_cast<const unsigned *>(&tile[row][8 * k + lane % 4 * 2]);
      }
  out[tid] = sum;
}
