/* SPDX-License-Identifier: MIT */
// peers.h: common parts of all measurements of reference libraries: checked calls, random arrays,
// checks on the device, and timing.
#ifndef KGEN_BENCH_PEERS_H
#define KGEN_BENCH_PEERS_H

#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cufft.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
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

// Uniform in [-1, 1) with a full mantissa; integers have arbitrary bits.
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

// Integers from -127 to 127 in any type: their sums are exact in f32 in every order.
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

// --- checks: functors that return whether the result at an index is wrong ---

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

// Wrong unless each matrix of `out`, of cols x rows, is the transpose of one of `in`, of rows x
// cols.
template <class T> struct NotTransposed {
  const T *in, *out;
  size_t rows, cols;
  __device__ bool operator()(size_t i) const {
    const size_t first = i / (rows * cols) * (rows * cols), at = i - first;
    return differ(out[first + at % cols * rows + at / cols], in[i]);
  }
};

template <class T> struct NotEqual {
  const T *in, *out;
  __device__ bool operator()(size_t i) const { return differ(out[i], in[i]); }
};

// --- rotation: small arrays come in several sets, so that a launch finds none of them in L2 ---

// The number of sets of `bytes` bytes that are together four times as large as the L2 of an H200.
inline size_t rotation_sets(size_t bytes) { return 1 + ((size_t)240 << 20) / bytes; }

// The first entry of the set that a method uses next: each method goes through all sets.
template <class M> class Rotation {
  const M *m;
  size_t turn = 0;

public:
  explicit Rotation(const M &arrays) : m(&arrays) {}
  size_t next() { return turn++ % m->sets * m->entries; }
};

// --- measurement ---

struct Work {
  std::string name, size;
  double amount, unit; // bytes and 1e9, or operations and 1e12
};

inline Work moves(std::string name, std::string size, double bytes) {
  return {std::move(name), std::move(size), bytes, 1e9};
}

// The workspace of a kernel of kgen's; the largest that is needed here is 17 MiB.
inline constexpr size_t kKernelWorkspaceBytes = (size_t)64 << 20;

// One of kgen's specs that does a work: its emitted host function.
struct Kernel {
  std::string spec;
  void *launch;
  std::shared_ptr<Memory> memory; // zeroed once; each launch leaves it ready for the next
  unsigned long long *workspace() const { return static_cast<unsigned long long *>(memory->at); }
  // The arguments must have exactly the types of the function's parameters.
  template <class... Args> void operator()(Args... args) const {
    MUST(reinterpret_cast<cudaError_t (*)(Args..., cudaStream_t)>(launch)(args..., nullptr));
  }
};

// The kernels for a workload in the directory $KERNELS that `scripts/bench --build` makes:
// libkernels.so, and kernels.tsv with the lines of bench/works.py.
std::vector<Kernel> kernels_for(const Work &w);

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

template <class Launch> static double run(const Events &e, int runs, Launch &&launch) {
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
template <class Launch> static int choose_runs(const Events &e, Launch &&launch) {
  int runs = 1;
  while (runs < kMaxRuns && run(e, runs, launch) < kSampleMs) runs *= 2;
  return runs;
}

// True if $ONLY is not set, or is part of "work, size".
bool is_wanted(const Work &w);

// A row of the table: kgen's kernels and their peers on the same buffers. Their samples alternate,
// so that clocks, power and the previous kernel are the same for all.
class Row {
  struct Method {
    std::string name;
    std::function<void()> launch;
    bool right;
    int runs;
    std::vector<double> ms;
  };
  Work work;
  Memory &out;
  Events events;
  std::vector<Method> methods;

  void print_failure(const std::string &name, const char *what) const {
    printf("%s\t%s\t%s\t-\t-\t-\t-\t%s\n", work.name.c_str(), work.size.c_str(), name.c_str(),
           what);
  }

  void print(Method &m) const {
    std::sort(m.ms.begin(), m.ms.end());
    const double median = m.ms[kSamples / 2];
    const double spread = (m.ms[3 * kSamples / 4] - m.ms[kSamples / 4]) / 2;
    printf("%s\t%s\t%s\t%.6f\t%.6f\t%.5f\t%.2f\t%s\n", work.name.c_str(), work.size.c_str(),
           m.name.c_str(), median, m.ms[0], spread / median,
           work.amount / (median * 1e-3) / work.unit, m.right ? "yes" : "WRONG");
  }

  void warm_up() {
    double spent = 0;
    for (int i = 0; i < kWarmUps && spent < kWarmUpMs; i++)
      for (Method &m : methods) spent += run(events, m.runs, m.launch);
  }

  void take_turns() {
    warm_up();
    for (int i = 0; i < kSamples; i++)
      for (size_t j = 0; j < methods.size(); j++) { // each method is the first in turn
        Method &m = methods[((size_t)i + j) % methods.size()];
        m.ms.push_back(run(events, m.runs, m.launch) / m.runs);
      }
  }

public:
  Row(Work w, Memory &o) : work(std::move(w)), out(o) {}

  // Runs a method on a poisoned output and checks it; for one that fails its line is printed at
  // once.
  template <class Launch, class Right>
  void add(const std::string &name, Launch launch, Right is_right) {
    if (!is_wanted(work)) return;
    try {
      out.poison();
      launch();
      MUST(cudaGetLastError());
      MUST(cudaDeviceSynchronize());
      const bool right = is_right();
      methods.push_back({name, launch, right, choose_runs(events, launch), {}});
    } catch (const std::exception &e) {
      print_failure(name, e.what());
    }
  }

  // Adds each kernel of kgen's that does the work; launch(kernel) launches it.
  template <class Launch, class Right> void add_kernels(Launch launch, Right is_right) {
    if (!is_wanted(work)) return;
    for (const Kernel &kernel : kernels_for(work))
      add(
          "kgen " + kernel.spec, [=]() mutable { launch(kernel); }, is_right);
  }

  // Times all methods and prints their lines.
  void measure() {
    try {
      if (!methods.empty()) take_turns();
      for (Method &m : methods) print(m);
    } catch (const std::exception &e) {
      for (const Method &m : methods) print_failure(m.name, e.what());
    }
    fflush(stdout);
  }
};

// --- the groups of bench/peers_math.cu and bench/peers_products.cu ---

void measure_reductions();
void measure_scans();
void measure_line_sums();
void measure_convolutions();
void measure_ffts();
void measure_products();

// The workspace of cuBLAS and cuBLASLt, allocated by the first call.
inline constexpr size_t kWorkspaceBytes = (size_t)32 << 20;
void *workspace();

// The handle of cuBLAS, created by the first call.
cublasHandle_t blas();

#endif
