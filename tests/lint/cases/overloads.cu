template <int N> __global__ void sumKernel1(const float *in, float *out, int n) {
  int i = blockIdx.x * N + threadIdx.x;
  if (i < n) out[i] = in[i];
}
template <int N> __global__ void sumKernel1(const double *in, double *out, int n = 3) {
  int i = blockIdx.x * N + threadIdx.x;
  if (i < n) out[i] = in[i];
}
template <typename T, int N = 4> __global__ void scale(T *a, T by) { a[threadIdx.x] *= by; }
template <typename T, int N = 4> __global__ void scale(const T *a, T *b, T by) { b[threadIdx.x] = by * a[threadIdx.x]; }
__global__ void plain(float *a) { a[threadIdx.x] = 1; }
__global__ void plain(int *a) { a[threadIdx.x] = 1; }
