/* SPDX-License-Identifier: MIT */
// The peers of reductions, scans, sums, convolutions and transforms: CUB, cuBLAS, cuFFT, and a
// plain convolution.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#include "peers.h"

static constexpr size_t kGibibyte = (size_t)1 << 30;

// --- reductions and scans: CUB ---

// A CUB function says how much scratch memory it needs when it is called without any.
template <class Call> struct Scratch {
  Call call;
  size_t bytes = 0;
  Memory memory;
  explicit Scratch(Call c) : call(c), memory((MUST(c(nullptr, bytes)), bytes)) {}
  void operator()() { MUST(call(memory.at, bytes)); }
};

template <class T> __global__ void sum_kernel(const T *in, size_t count, double *sum) {
  const size_t step = (size_t)gridDim.x * blockDim.x;
  double mine = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += step)
    mine += (double)(float)in[i];
  atomicAdd(sum, mine);
}

template <class T> static bool is_sum(const Array<T> &in, double got) {
  Array<double> exact(1);
  double want = 0;
  MUST(cudaMemset(exact.at, 0, exact.bytes));
  sum_kernel<<<1024, 256>>>(in.get(), in.count(), exact.get());
  MUST(cudaMemcpy(&want, exact.at, sizeof want, cudaMemcpyDeviceToHost));
  return got == want;
}

template <class T> struct Beyond {
  const T *in;
  T bound;
  bool greatest;
  __device__ bool operator()(size_t i) const { return greatest ? in[i] > bound : in[i] < bound; }
};

template <class T> struct Equal {
  const T *in;
  T bound;
  __device__ bool operator()(size_t i) const { return in[i] == bound; }
};

template <class T> static bool is_extreme(const Array<T> &in, T got, bool greatest) {
  return none_wrong(in.count(), Beyond<T>{in.get(), got, greatest}) &&
         !none_wrong(in.count(), Equal<T>{in.get(), got}); // and some element is it
}

// Measures the reduction of a gibibyte of T to one Result; `right` checks the result.
template <class T, class Result, class Op, class Right>
static void measure_reduction(const char *name, Array<T> &in, Op op, Result start, Right right) {
  Array<Result> out(1);
  const int count = (int)in.count();
  Scratch reduce([&](void *at, size_t &bytes) {
    return cub::DeviceReduce::Reduce(at, bytes, in.get(), out.get(), count, op, start);
  });
  Row row(moves(std::string("reduce ") + name, std::to_string(count), (double)in.bytes), out);
  const auto is_right = [&] {
    Result got;
    MUST(cudaMemcpy(&got, out.at, sizeof got, cudaMemcpyDeviceToHost));
    return right(got);
  };
  row.add(
      "CUB", [&] { reduce(); }, is_right);
  row.add_kernels([&](const Kernel &k) { k(out.at, in.at, (long long)count, k.workspace()); },
                  is_right);
  row.measure();
}

template <class T, class Sum> static void measure_sum(const char *name) {
  Array<T> in(kGibibyte / sizeof(T));
  fill<true>(in);
  measure_reduction(name, in, cuda::std::plus<Sum>{}, Sum{0},
                    [&](Sum got) { return is_sum(in, (double)got); });
}

template <class T> static void measure_extreme(const char *name, bool greatest, T start) {
  Array<T> in(kGibibyte / sizeof(T));
  fill(in);
  const auto right = [&](T got) { return is_extreme(in, got, greatest); };
  if (greatest)
    measure_reduction(name, in, cuda::maximum<T>{}, start, right);
  else
    measure_reduction(name, in, cuda::minimum<T>{}, start, right);
}

void measure_reductions() {
  measure_sum<float, float>("sum f32");
  measure_sum<__half, float>("sum f16");
  measure_sum<int, int>("sum i32");
  measure_sum<double, double>("sum f64");
  measure_extreme<int>("max i32", true, INT32_MIN);
  measure_extreme<double>("min f64", false, 2);
}

// Wrong where the difference of two neighbouring sums is not the input: without such a place all
// sums are right.
template <class T> struct NotScanned {
  const T *in, *out;
  bool inclusive;
  __device__ bool operator()(size_t i) const {
    const T before = i == 0 ? 0 : out[i - 1];
    const T step = inclusive ? in[i] : i == 0 ? 0 : in[i - 1];
    return !(out[i] - before == step);
  }
};

template <class T> static void measure_scan(const char *name, bool inclusive) {
  Array<T> in(kGibibyte / sizeof(T)), out(in.count());
  fill<true>(in);
  const int count = (int)in.count();
  Scratch scan([&](void *at, size_t &bytes) {
    return inclusive ? cub::DeviceScan::InclusiveSum(at, bytes, in.get(), out.get(), count)
                     : cub::DeviceScan::ExclusiveSum(at, bytes, in.get(), out.get(), count);
  });
  Row row(moves(std::string("scan ") + name, std::to_string(count), 2.0 * (double)in.bytes), out);
  const auto right = [&] {
    return none_wrong(in.count(), NotScanned<T>{in.get(), out.get(), inclusive});
  };
  row.add(
      "CUB", [&] { scan(); }, right);
  row.add_kernels([&](const Kernel &k) { k(out.at, in.at, (long long)count, k.workspace()); },
                  right);
  row.measure();
}

void measure_scans() {
  measure_scan<float>("inclusive f32", true);
  measure_scan<float>("exclusive f32", false);
  measure_scan<int>("inclusive i32", true);
  measure_scan<double>("exclusive f64", false);
}

// --- column and row sums: cuBLAS, a product with a vector of ones ---

__global__ void ones_kernel(float *to) { to[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

// Lines of n elements, `along` apart; line i starts at i * across.
struct NotLineSum {
  const float *in, *out;
  size_t n, across, along;
  __device__ bool operator()(size_t i) const {
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += in[i * across + j * along];
    return !(out[i] == (float)sum);
  }
};

static void measure_sums_of(const char *name, bool rows) {
  constexpr int n = 16384;
  constexpr float one = 1, zero = 0;
  Array<float> in((size_t)n * n), out(n), ones(n);
  fill<true>(in);
  ones_kernel<<<n / 256, 256>>>(ones.get());
  const cublasOperation_t op = rows ? CUBLAS_OP_T : CUBLAS_OP_N; // cuBLAS is column-major
  Row row(moves(name, "16384x16384", (double)(in.bytes + out.bytes)), out);
  const auto right = [&] {
    const size_t across = rows ? n : 1, along = rows ? 1 : n;
    return none_wrong(n, NotLineSum{in.get(), out.get(), n, across, along});
  };
  row.add(
      "cuBLAS",
      [&] {
        MUST(CUBLAS(cublasSgemv_v2)(blas(), op, n, n, &one, in.get(), n, ones.get(), 1, &zero,
                                    out.get(), 1));
      },
      right);
  row.add_kernels(
      [&](const Kernel &k) {
        if (rows)
          k(out.at, in.at, n, (long long)n, k.workspace());
        else
          k(out.at, in.at, (long long)n, n, k.workspace());
      },
      right);
  row.measure();
}

void measure_line_sums() {
  measure_sums_of("colsum f32", false);
  measure_sums_of("rowsum f32", true);
}

// --- convolution: one thread per pixel, zeros beyond the border ---

template <int K> struct Weights { float w[K][K]; };

template <int K> struct Convolution {
  const float *in;
  int n;
  Weights<K> weights;
  __device__ float operator()(int y, int x) const {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < K; i++)
#pragma unroll
      for (int j = 0; j < K; j++) {
        const int v = y + i - K / 2, u = x + j - K / 2;
        const bool inside = v >= 0 && v < n && u >= 0 && u < n;
        if (inside) sum += weights.w[i][j] * in[(size_t)v * n + u];
      }
    return sum;
  }
};

template <int K> __global__ void convolve(float *out, Convolution<K> at) {
  const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  out[(size_t)y * at.n + x] = at(y, x);
}

// Fills with integers so small that their sums are exact in every order.
template <int K> static Weights<K> small_weights() {
  Weights<K> w;
  for (int i = 0; i < K * K; i++) w.w[i / K][i % K] = (float)((int)(hashed((uint64_t)i) % 15) - 7);
  return w;
}

// True where the output differs from a sum in another order, column by column, in integers.
template <int K> struct NotConvolved {
  Convolution<K> at;
  const float *out;
  __device__ bool operator()(size_t i) const {
    const long n = at.n, y = (long)i / n, x = (long)i % n;
    long sum = 0;
    for (long u = max(x - K / 2, 0L); u <= min(x + K / 2, n - 1); u++)
      for (long v = max(y - K / 2, 0L); v <= min(y + K / 2, n - 1); v++)
        sum += (long)at.weights.w[v - y + K / 2][u - x + K / 2] * (long)at.in[v * n + u];
    return !(out[i] == (float)sum);
  }
};

template <int K> static void measure_convolution() {
  constexpr int n = 16384;
  Array<float> in((size_t)n * n), out(in.count()), filter(K * K);
  fill<true>(in);
  const Convolution<K> at{in.get(), n, small_weights<K>()};
  MUST(cudaMemcpy(filter.at, &at.weights, filter.bytes, cudaMemcpyHostToDevice));
  const std::string side = std::to_string(K);
  Row row(moves("conv2d " + side + "x" + side + " f32", "16384x16384", 2.0 * (double)in.bytes),
          out);
  const auto right = [&] { return none_wrong(in.count(), NotConvolved<K>{at, out.get()}); };
  row.add(
      "plain kernel", [&] { convolve<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(out.get(), at); },
      right);
  row.add_kernels([&](const Kernel &k) { k(out.at, in.at, filter.at, n, n); }, right);
  row.measure();
}

void measure_convolutions() {
  measure_convolution<3>();
  measure_convolution<5>();
  measure_convolution<7>();
}

// --- Fourier transforms: cuFFT ---

// Compares bins drawn at random with their sums in f64.
struct NotFourier {
  const float2 *in, *out;
  size_t batches, n;
  bool inverse;
  __device__ bool operator()(size_t i) const {
    const size_t start = hashed(2 * i) % batches * n, bin = hashed(2 * i + 1) % n;
    double re = 0, im = 0;
    for (size_t j = 0; j < n; j++) {
      double s, c;
      sincospi((inverse ? 2.0 : -2.0) * (double)(j * bin % n) / (double)n, &s, &c);
      re += in[start + j].x * c - in[start + j].y * s;
      im += in[start + j].x * s + in[start + j].y * c;
    }
    return !(hypot(out[start + bin].x - re, out[start + bin].y - im) < 1e-5 * sqrt((double)n));
  }
};

static void measure_fft(int n, bool inverse = false) {
  Array<float2> in((size_t)1 << 26), out(in.count());
  fill(in);
  const size_t batches = in.count() / (size_t)n;
  Row row(moves("fft " + std::to_string(n) + (inverse ? " inverse c64" : " c64"),
                std::to_string(in.count()), 2.0 * (double)in.bytes),
          out);
  const auto right = [&] {
    return none_wrong(4096, NotFourier{in.get(), out.get(), batches, (size_t)n, inverse});
  };
  cufftHandle plan = 0;
  row.add(
      "cuFFT",
      [&] {
        if (!plan) MUST(CUFFT(cufftPlan1d)(&plan, n, CUFFT_C2C, (int)batches));
        MUST(CUFFT(cufftExecC2C)(plan, in.get(), out.get(),
                                 inverse ? CUFFT_INVERSE : CUFFT_FORWARD));
      },
      right);
  row.add_kernels([&](const Kernel &k) { k(out.at, in.at, (long long)batches); }, right);
  row.measure();
  if (plan) CUFFT(cufftDestroy)(plan);
}

void measure_ffts() {
  for (int n = 64; n <= 4096; n *= 2) measure_fft(n);
  measure_fft(64, true);
}
