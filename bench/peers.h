// peers.h: what every peer's measurement needs: checked calls, random arrays, checks on the device,
// timing.
#ifndef KGEN_BENCH_PEERS_H
#define KGEN_BENCH_PEERS_H

#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cufft.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

// --- errors: a failed call ends its method, and the method's line says which call it was ---

inline void must(cudaError_t e, const char *call) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(e));
}
inline void must(cublasStatus_t s, const char *call) {
  if (s != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": cuBLAS status " + std::to_string(s));
}
inline void must(cufftResult r, const char *call) {
  if (r != CUFFT_SUCCESS)
    throw std::runtime_error(std::string(call) + ": cuFFT result " + std::to_string(r));
}
#define MUST(call) must((call), #call)

// Libraries are opened at run time, so that the other peers run where one is missing.
inline void *library_symbol(const char *library, const char *name) {
  void *const handle = dlopen(library, RTLD_NOW);
  void *const symbol = handle ? dlsym(handle, name) : nullptr;
  if (!symbol) throw std::runtime_error(dlerror());
  return symbol;
}
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define LIBRARY(stem, major, f)                                                                    \
  ([] {                                                                                            \
    static const auto found = (decltype(&f))library_symbol(stem ".so." TEXT(major), #f);           \
    return found;                                                                                  \
  }())
#define CUBLAS(f)   LIBRARY("libcublas", CUBLAS_VER_MAJOR, f)
#define CUBLASLT(f) LIBRARY("libcublasLt", CUBLAS_VER_MAJOR, f)
#define CUFFT(f)    LIBRARY("libcufft", CUFFT_VER_MAJOR, f)

// --- memory and random contents ---

struct Memory {
  void *at = nullptr;
  size_t bytes;
  explicit Memory(size_t n) : bytes(n) { MUST(cudaMalloc(&at, bytes)); }
  ~Memory() { cudaFree(at); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  void poison() { MUST(cudaMemset(at, 0xff, bytes)); }
};

template <class T> struct Array : Memory {
  explicit Array(size_t count) : Memory(count * sizeof(T)) {}
  size_t count() const { return bytes / sizeof(T); }
  T *get() const { return static_cast<T *>(at); }
};

// splitmix64's finaliser (Steele, Lea, Flood 2014) of a counter.
__host__ __device__ inline uint64_t hashed(uint64_t i) {
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Uniform in [-1, 1) with a full mantissa; integers have any bits.
__device__ inline double uniform(uint64_t h) { return (double)(int64_t)h * 0x1p-63; }
template <class T> __device__ T fine(uint64_t h) { return (T)h; }
template <> __device__ inline double fine(uint64_t h) { return uniform(h); }
template <> __device__ inline float fine(uint64_t h) {
  return (float)((double)(int32_t)(h >> 40) * 0x1p-23 - 1);
}
template <> __device__ inline float2 fine(uint64_t h) {
  return {fine<float>(h), fine<float>(hashed(h))};
}
template <> __device__ inline double2 fine(uint64_t h) { return {uniform(h), uniform(hashed(h))}; }

// Integers of -127 to 127 in any type: their sums are exact in f32 in every order.
template <class T> __device__ T coarse(uint64_t h) { return (T)((int)(h % 255) - 127); }

template <class T, bool COARSE> __global__ void fill_kernel(T *to, size_t count) {
  const size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += step) {
    const uint64_t h = hashed(i);
    if constexpr (COARSE)
      to[i] = coarse<T>(h);
    else
      to[i] = fine<T>(h);
  }
}

template <bool COARSE = false, class T> static void fill(Array<T> &a) {
  fill_kernel<T, COARSE><<<4096, 256>>>(a.get(), a.count());
  MUST(cudaGetLastError());
}

// --- checks: functors that say whether the result at an index is wrong ---

template <class Wrong> __global__ void count_wrong(size_t count, Wrong wrong, unsigned *found) {
  const size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += step)
    if (wrong(i)) atomicAdd(found, 1u);
}

template <class Wrong> static bool none_wrong(size_t count, Wrong wrong) {
  Array<unsigned> found(1);
  unsigned n = 1;
  MUST(cudaMemset(found.at, 0, found.bytes));
  count_wrong<<<4096, 256>>>(count, wrong, found.get());
  MUST(cudaGetLastError());
  MUST(cudaMemcpy(&n, found.at, sizeof n, cudaMemcpyDeviceToHost));
  return n == 0;
}

template <class T> __device__ bool differ(T a, T b) { return !(a == b); }
__device__ inline bool differ(double2 a, double2 b) { return !(a.x == b.x && a.y == b.y); }

// An array of rows x cols came out as cols x rows.
template <class T> struct NotTransposed {
  const T *in, *out;
  size_t rows, cols;
  __device__ bool operator()(size_t i) const {
    return differ(out[i % cols * rows + i / cols], in[i]);
  }
};

template <class T> struct NotEqual {
  const T *in, *out;
  __device__ bool operator()(size_t i) const { return differ(out[i], in[i]); }
};

// --- measurement ---

struct Work {
  std::string name, size;
  double amount, unit; // bytes and 1e9, or operations and 1e12
};

inline Work moves(std::string name, std::string size, double bytes) {
  return {std::move(name), std::move(size), bytes, 1e9};
}

inline constexpr double kSampleMs = 4, kWarmUpMs = 50;
inline constexpr int kSamples = 21, kWarmUps = 16, kMaxRuns = 1 << 14;

struct Events {
  cudaEvent_t from, to;
  Events() {
    MUST(cudaEventCreate(&from));
    MUST(cudaEventCreate(&to));
  }
  ~Events() {
    cudaEventDestroy(from);
    cudaEventDestroy(to);
  }
};

template <class Launch> static double run(const Events &e, int runs, Launch launch) {
  float ms = 0;
  MUST(cudaEventRecord(e.from));
  for (int i = 0; i < runs; i++) launch();
  MUST(cudaEventRecord(e.to));
  MUST(cudaGetLastError());
  MUST(cudaEventSynchronize(e.to));
  MUST(cudaEventElapsedTime(&ms, e.from, e.to));
  return ms;
}

// Doubles the runs of a sample until it is long enough.
template <class Launch> static int choose_runs(const Events &e, Launch launch) {
  int runs = 1;
  while (runs < kMaxRuns && run(e, runs, launch) < kSampleMs) runs *= 2;
  return runs;
}

template <class Launch> static std::vector<double> sample(Launch launch) {
  const Events e;
  const int runs = choose_runs(e, launch);
  double spent = 0;
  for (int i = 0; i < kWarmUps && spent < kWarmUpMs; i++) spent += run(e, runs, launch);
  std::vector<double> ms;
  for (int i = 0; i < kSamples; i++) ms.push_back(run(e, runs, launch) / runs);
  std::sort(ms.begin(), ms.end());
  return ms;
}

inline void print_sample(const Work &w, const char *peer, const std::vector<double> &ms,
                         bool right) {
  const double median = ms[kSamples / 2];
  const double spread = (ms[3 * kSamples / 4] - ms[kSamples / 4]) / 2;
  printf("%s\t%s\t%s\t%.6f\t%.6f\t%.5f\t%.2f\t%s\n", w.name.c_str(), w.size.c_str(), peer, median,
         ms[0], spread / median, w.amount / (median * 1e-3) / w.unit, right ? "yes" : "WRONG");
  fflush(stdout);
}

// Runs one method on a poisoned output, checks it, times it, prints its line.
template <class Launch, class Right>
static void compare(const Work &w, const char *peer, Memory &out, Launch launch, Right is_right) {
  try {
    out.poison();
    launch();
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    const bool right = is_right();
    print_sample(w, peer, sample(launch), right);
  } catch (const std::exception &e) {
    printf("%s\t%s\t%s\t-\t-\t-\t-\t%s\n", w.name.c_str(), w.size.c_str(), peer, e.what());
    fflush(stdout);
  }
}

// --- the groups of bench/peers_math.cu and bench/peers_products.cu ---

void measure_reductions();
void measure_scans();
void measure_line_sums();
void measure_convolutions();
void measure_ffts();
void measure_products();

// What both of cuBLAS's interfaces may use, made on the first call.
inline constexpr size_t kWorkspaceBytes = (size_t)32 << 20;
void *workspace();

// cuBLAS's handle, made on the first call.
cublasHandle_t blas();

#endif
