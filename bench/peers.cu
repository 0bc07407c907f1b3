/* SPDX-License-Identifier: MIT */
// Times what a user would pick instead of kgen's kernels, CUDA's libraries and textbook kernels, in
// turns with kgen's own; every result is checked on the device. Prints one line per method,
// separated by tabs: work, size, peer, median ms, min ms, noise, rate, checked. The rate is GB/s of
// bytes read plus bytes written, or TFLOP/s of a matrix product; noise is half the interquartile
// range over the median. Every group runs in a process of its own, so that a fault of one does not
// end the others. Arguments: the groups, by default all. $ONLY: part of "work, size" of the rows to
// measure; $KERNELS: see kernels_for.
#include "peers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

// --- kgen's kernels ---

static std::string kernel_folder() {
  const char *const folder = getenv("KERNELS");
  return folder ? folder : "";
}

static void *find_launch(const std::string &spec) {
  static void *const library = dlopen((kernel_folder() + "/libkernels.so").c_str(), RTLD_NOW);
  return library ? dlsym(library, (spec + "_launch").c_str()) : nullptr;
}

static std::shared_ptr<Memory> make_workspace() {
  const auto memory = std::make_shared<Memory>(kKernelWorkspaceBytes);
  MUST(cudaMemset(memory->at, 0, memory->bytes));
  return memory;
}

std::vector<Kernel> kernels_for(const Work &w) {
  std::vector<Kernel> found;
  std::ifstream list(kernel_folder() + "/kernels.tsv");
  std::string line, work, size, spec;
  while (std::getline(list, line)) {
    std::istringstream cells(line);
    std::getline(std::getline(std::getline(cells, work, '\t'), size, '\t'), spec, '\t');
    void *const launch = work == w.name && (size == "-" || size == w.size) ? find_launch(spec) : 0;
    if (launch) found.push_back({spec, launch, make_workspace()});
  }
  return found;
}

// --- what all groups share ---

bool is_wanted(const Work &w) {
  const char *const only = getenv("ONLY");
  return !only || (w.name + ", " + w.size).find(only) != std::string::npos;
}

void *workspace() {
  static const Memory memory(kWorkspaceBytes);
  return memory.at;
}

cublasHandle_t blas() {
  static cublasHandle_t handle = nullptr;
  if (handle) return handle;
  MUST(CUBLAS(cublasCreate_v2)(&handle));
  MUST(CUBLAS(cublasSetWorkspace_v2)(handle, workspace(), kWorkspaceBytes));
  return handle;
}

// --- copy ---

struct Words {
  size_t entries, sets;
  Array<uint32_t> in, out;
  explicit Words(size_t mib)
      : entries(mib << 18), sets(rotation_sets(2 * (mib << 20))), in(sets * entries),
        out(in.count()) {
    fill(in);
  }
};

// Sizes start at the smallest matrices below, because the start and end of a launch are part of
// both times.
static void measure_copies() {
  for (size_t mib = 16; mib <= 2048; mib *= 2) {
    Words m(mib);
    const size_t bytes = mib << 20;
    Row row(moves("copy", std::to_string(bytes), 2.0 * (double)bytes), m.out);
    const auto right = [&] {
      return none_wrong(m.entries, NotEqual<uint32_t>{m.in.get(), m.out.get()});
    };
    row.add(
        "cudaMemcpy",
        [&m, bytes, sets = Rotation(m)]() mutable {
          const size_t at = sets.next();
          MUST(cudaMemcpyAsync(m.out.get() + at, m.in.get() + at, bytes, cudaMemcpyDeviceToDevice));
        },
        right);
    row.add_kernels(
        [&m, sets = Rotation(m)](const Kernel &k) mutable {
          const size_t at = sets.next();
          k(m.out.get() + at, m.in.get() + at, (long long)m.entries);
        },
        right);
    row.measure();
  }
}

// --- transpose: the textbook tile with and without its padding, and cuBLAS ---

template <class T, int PAD>
__global__ void tile_transpose(T *out, const T *in, int rows, int cols) {
  __shared__ T tile[32][32 + PAD];
  const int x = (int)blockIdx.x * 32, y = (int)blockIdx.y * 32, tx = (int)threadIdx.x;
  in += (size_t)blockIdx.z * rows * cols;
  out += (size_t)blockIdx.z * rows * cols;
  for (int j = (int)threadIdx.y; j < 32; j += 8)
    if (y + j < rows && x + tx < cols) tile[j][tx] = in[(size_t)(y + j) * cols + x + tx];
  __syncthreads();
  for (int j = (int)threadIdx.y; j < 32; j += 8)
    if (x + j < cols && y + tx < rows) out[(size_t)(x + j) * rows + y + tx] = tile[tx][j];
}

struct Shape {
  int rows, cols, batch = 1;
  size_t count() const { return (size_t)rows * cols * batch; }
  std::string text() const {
    const std::string one = std::to_string(rows) + "x" + std::to_string(cols);
    return batch == 1 ? one : std::to_string(batch) + " of " + one;
  }
};

template <class T> struct Matrices {
  Work work;
  Shape shape;
  size_t entries, sets;
  Array<T> in, out;
  Matrices(const char *dtype, Shape s)
      : work(moves(std::string("transpose ") + dtype, s.text(), 2.0 * s.count() * sizeof(T))),
        shape(s), entries(s.count()), sets(rotation_sets(2 * entries * sizeof(T))),
        in(sets * entries), out(in.count()) {
    fill(in);
  }
  // Checks the output of the first set.
  bool transposed() const {
    return none_wrong(
        entries, NotTransposed<T>{in.get(), out.get(), (size_t)shape.rows, (size_t)shape.cols});
  }
};

// Measures what every type has: the two textbook tiles, and kgen's kernels.
template <class T> static void add_tiles(Row &row, Matrices<T> &m) {
  constexpr int kPad = sizeof(T) < 4 ? 4 / sizeof(T) : 1; // one bank
  const int rows = m.shape.rows, cols = m.shape.cols, batch = m.shape.batch;
  const dim3 grid((cols + 31) / 32, (rows + 31) / 32, batch), block(32, 8);
  const auto right = [&] { return m.transposed(); };
  row.add(
      "padded tile",
      [&m, rows, cols, grid, block, sets = Rotation(m)]() mutable {
        const size_t at = sets.next();
        tile_transpose<T, kPad><<<grid, block>>>(m.out.get() + at, m.in.get() + at, rows, cols);
      },
      right);
  row.add(
      "no padding",
      [&m, rows, cols, grid, block, sets = Rotation(m)]() mutable {
        const size_t at = sets.next();
        tile_transpose<T, 0><<<grid, block>>>(m.out.get() + at, m.in.get() + at, rows, cols);
      },
      right);
  row.add_kernels(
      [&m, rows, cols, batch, sets = Rotation(m)](const Kernel &k) mutable {
        const size_t at = sets.next();
        k(m.out.get() + at, m.in.get() + at, rows, cols, (long long)cols, (long long)rows, batch);
      },
      right);
}

template <class T> static void measure_moves(const char *dtype, Shape shape) {
  Matrices<T> m(dtype, shape);
  Row row(m.work, m.out);
  add_tiles(row, m);
  row.measure();
}

template <class T, class Geam>
static void measure_transposes(const char *dtype, Shape shape, T one, T zero, Geam geam) {
  Matrices<T> m(dtype, shape);
  const int rows = shape.rows, cols = shape.cols;
  Row row(m.work, m.out);
  add_tiles(row, m);
  row.add(
      "cuBLAS",
      [&m, rows, cols, one, zero, geam, sets = Rotation(m)]() mutable {
        const size_t at = sets.next();
        T *const out = m.out.get() + at;
        MUST(geam()(blas(), CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one, m.in.get() + at, cols,
                    &zero, out, rows, out, rows));
      },
      [&] { return m.transposed(); });
  row.measure();
}

// The shapes of matrices, the same as in bench/peers.py and bench/specs.
static const Shape kShapes[] = {
    {4096, 4096}, {8192, 8192}, {16384, 16384}, {8192, 12288}, {8191, 8193}};

static void measure_all_transposes() {
  for (const Shape s : kShapes) {
    const bool large = s.rows > 8192; // 16 GiB of complex doubles
    measure_moves<uint8_t>("u8", s);
    measure_moves<uint16_t>("f16", s);
    measure_transposes<float>("f32", s, 1, 0, [] { return CUBLAS(cublasSgeam); });
    measure_transposes<double>("f64", s, 1, 0, [] { return CUBLAS(cublasDgeam); });
    if (!large)
      measure_transposes<double2>("c128", s, {1, 0}, {0, 0}, [] { return CUBLAS(cublasZgeam); });
  }
}

// Matrices with a short side, with rows that are not aligned, and batches of small ones; the same
// as in bench/peers.py and bench/specs.
static void measure_odd_transposes() {
  for (const Shape s : {Shape{3, 33000000}, {33000000, 3}, {10000, 7777}})
    measure_moves<uint8_t>("u8", s);
  for (const Shape s : {Shape{33, 77777},
                        {100000, 64},
                        {50257, 768},
                        {128, 128, 4096},
                        {1000, 1000, 64},
                        {32, 32, 65536}})
    measure_moves<uint16_t>("f16", s);
  for (const Shape s : {Shape{3, 10000000}, {10000000, 3}, {10000, 7777}})
    measure_transposes<float>("f32", s, 1, 0, [] { return CUBLAS(cublasSgeam); });
  measure_moves<float>("f32", {8, 8, 1048576});
}

// --- arrays of structs: one thread per struct ---

template <class T, int F> struct Struct {
  // The largest vector that divides a struct.
  static constexpr size_t kBytes = sizeof(T) * F;
  static constexpr size_t kAlign = kBytes % 16 == 0 ? 16 : kBytes % 8 == 0 ? 8 : sizeof(T);
  struct alignas(kAlign) Type {
    T field[F];
  };
};

template <class T, int F>
__global__ void split(T *out, const typename Struct<T, F>::Type *in, size_t count) {
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i >= count) return;
  const typename Struct<T, F>::Type s = in[i];
#pragma unroll
  for (int f = 0; f < F; f++) out[f * count + i] = s.field[f];
}

template <class T, int F>
__global__ void join(typename Struct<T, F>::Type *out, const T *in, size_t count) {
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i >= count) return;
  typename Struct<T, F>::Type s;
#pragma unroll
  for (int f = 0; f < F; f++) s.field[f] = in[f * count + i];
  out[i] = s;
}

template <class T, int F> static void measure_structs(const char *dtype) {
  using S = typename Struct<T, F>::Type;
  const size_t count = ((size_t)1 << 30) / sizeof(S) / 1024 * 1024;
  const unsigned grid = (unsigned)(count / 256);
  Array<T> in(count * F), out(count * F);
  fill(in);
  const std::string kind = std::string(" ") + dtype + " x" + std::to_string(F);
  const auto measure = [&](const char *name, size_t rows, size_t cols, auto plain) {
    Row row(moves(name + kind, std::to_string(count), 2.0 * (double)in.bytes), out);
    const auto right = [&] {
      return none_wrong(count * F, NotTransposed<T>{in.get(), out.get(), rows, cols});
    };
    row.add("plain kernel", plain, right);
    row.add_kernels([&](const Kernel &k) { k(out.at, in.at, (long long)count, (long long)count); },
                    right);
    row.measure();
  };
  measure("aos_to_soa", count, F,
          [&] { split<T, F><<<grid, 256>>>(out.get(), (const S *)in.at, count); });
  measure("soa_to_aos", F, count, [&] { join<T, F><<<grid, 256>>>((S *)out.at, in.get(), count); });
}

static void measure_all_structs() {
  measure_structs<float, 2>("f32");
  measure_structs<float, 3>("f32");
  measure_structs<float, 4>("f32");
  measure_structs<float, 8>("f32");
  measure_structs<double, 4>("f64");
  measure_structs<double, 8>("f64");
}

// --- the groups ---

struct Group {
  const char *name;
  void (*measure)();
};

static const Group groups[] = {
    {"copy", measure_copies},        {"transpose", measure_all_transposes},
    {"odd", measure_odd_transposes}, {"structs", measure_all_structs},
    {"reduce", measure_reductions},  {"scan", measure_scans},
    {"lines", measure_line_sums},    {"conv2d", measure_convolutions},
    {"fft", measure_ffts},           {"gemm", measure_products},
};

static int run_group(const Group &g) {
  alarm(120); // a library that hangs costs only its group
  try {
    MUST(cudaFree(nullptr));
    g.measure();
    return 0;
  } catch (const std::exception &e) {
    fprintf(stderr, "peers: %s: %s\n", g.name, e.what());
    return 1;
  }
}

static bool is_wanted(const Group &g, int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], g.name)) return true;
  return argc < 2;
}

int main(int argc, char **argv) {
  int failed = 0;
  for (const Group &g : groups) {
    if (!is_wanted(g, argc, argv)) continue;
    const pid_t child = fork();
    if (child == 0) _exit(run_group(g));
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) return 1;
    if (WIFSIGNALED(status))
      fprintf(stderr, "peers: %s: %s\n", g.name, strsignal(WTERMSIG(status)));
    failed |= status != 0;
  }
  return failed;
}
