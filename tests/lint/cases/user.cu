// A typical user file: unsupported kernels together with supported ones,
// 128-bit integers, generic lambdas, helpers without __device__, and printf.
#include <mma.h>

int twice(int x) { return 2 * x; }

extern "C" __global__ void everywhere(const half *in, float *out) {
  asm volatile("multimem.red.relaxed.sys.global.add.f32 [%0], %1;" ::"l"(out),
               "f"(1.0f)); // REFUSED
  out[threadIdx.x] = (float)in[threadIdx.x];
}

extern "C" __global__ void texels(cudaTextureObject_t in, float *out) {
  out[threadIdx.x] = tex1Dfetch<float>(in, threadIdx.x);
}

extern "C" __global__ void beside(const int *in, int *out) {
  auto apply = [&](auto f) { return f(in[threadIdx.x]); };
  const unsigned __int128 wide = (unsigned __int128)apply([](int x) { return twice(x); }) << 64;
  out[threadIdx.x] = (int)(wide >> 64);
}

extern "C" __global__ void prints(const int *in, int *out) {
  out[threadIdx.x] = printf("thread %d\nof block %d\n", threadIdx.x, blockIdx.x) + in[0] * 0;
}

extern "C" __global__ void prints_much(int n) {
  for (int i = 0; i < n; i++) printf("%1000d", i);
}

// Ten steps, and no barrier between any two: one cause, three ways to see it.
extern "C" __global__ void unrolled(const int *in, int *out) {
  __shared__ int tile[2048];
  const int i = threadIdx.x;
  tile[i] = tile[i + 1024] = in[i];
  __syncthreads();
#pragma unroll
  for (int s = 1; s < 1024; s *= 2) tile[i] += tile[i + s]; // UNROLLED
  out[i] = tile[i];
}

struct Job {
  const int *in;
  float scale;
  double shift;
  int *out;
  int count;
};

extern "C" __global__ void by_value(Job job, float4 more, int last) {
  const int i = threadIdx.x;
  if (job.scale != 1.5f || job.shift != -2.25 || job.count != 32) __trap();
  if (more.x != 1 || more.y != 2 || more.z != 3 || more.w != 4 || last != 7) __trap();
  job.out[i] = job.in[i];
}
