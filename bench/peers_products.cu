/* SPDX-License-Identifier: MIT */
// The peers of matrix products: cuBLAS, which chooses a kernel itself, and the fastest of the
// kernels that cuBLASLt proposes. Matrices are row-major, C = A * B. Both libraries are
// column-major, so they get B before A and compute the transpose of C, which is C row-major.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <memory>
#include <optional>

#include "peers.h"

// --- types: of operands, and of C, which is wider for 8-bit operands ---

template <class T> struct Type;
template <> struct Type<__half> {
  using Output = __half;
  static constexpr const char *kName = "f16";
  static constexpr cudaDataType kCuda = CUDA_R_16F;
  static constexpr int kMantissaBits = 10;
  static constexpr double kTolerance = 1e-2;
};
template <> struct Type<__nv_bfloat16> {
  using Output = __nv_bfloat16;
  static constexpr const char *kName = "bf16";
  static constexpr cudaDataType kCuda = CUDA_R_16BF;
  static constexpr int kMantissaBits = 7;
  static constexpr double kTolerance = 1e-2;
};
template <> struct Type<__nv_fp8_e4m3> {
  using Output = __nv_bfloat16;
  static constexpr const char *kName = "e4m3";
  static constexpr cudaDataType kCuda = CUDA_R_8F_E4M3;
  static constexpr int kMantissaBits = 3;
  static constexpr double kTolerance = 3e-2; // sums of 8-bit products keep 13 bits
};
template <> struct Type<float> {
  using Output = float;
  static constexpr const char *kName = "f32";
  static constexpr cudaDataType kCuda = CUDA_R_32F;
  static constexpr int kMantissaBits = 23;
  static constexpr double kTolerance = 1e-4;
};

// --- operands ---

// Values are distributed like kgen's in runtime/judge/value.c: large products are bound by power,
// which depends on the bits. Random sign and mantissa, exponent of [1/16, 1).
template <class T> __global__ void draw_kernel(T *to, size_t count, uint64_t seed) {
  constexpr int kBits = Type<T>::kMantissaBits;
  const size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += step) {
    const uint64_t h = hashed(seed << 48 | i);
    const float mantissa = (float)((1u << kBits) + (unsigned)(h & ((1u << kBits) - 1)));
    const float magnitude = ldexpf(mantissa, (int)(h >> 60 & 3) - 4 - kBits);
    to[i] = T(h >> 63 ? -magnitude : magnitude);
  }
}

template <class T> static void draw(Array<T> &a, uint64_t seed) {
  draw_kernel<<<4096, 256>>>(a.get(), a.count(), seed);
  MUST(cudaGetLastError());
}

template <class T, class C = typename Type<T>::Output> struct Matrices {
  using Operand = T;
  using Result = C;
  size_t n, entries, sets;
  Array<T> a, b;
  Array<C> c;
  explicit Matrices(int side)
      : n((size_t)side), entries(n * n), sets(rotation_sets(entries * (2 * sizeof(T) + sizeof(C)))),
        a(sets * entries), b(sets * entries), c(sets * entries) {
    draw(a, 1);
    draw(b, 2);
  }
};

// --- one product: whether A and B are transposed in memory ---

struct Form {
  const char *suffix; // suffix of the workload's name
  bool trans_a, trans_b;
  cublasOperation_t op_a() const { return trans_a ? CUBLAS_OP_T : CUBLAS_OP_N; }
  cublasOperation_t op_b() const { return trans_b ? CUBLAS_OP_T : CUBLAS_OP_N; }
};

static constexpr Form kNN{"", false, false}, kNT{" NT", false, true}, kTN{" TN", true, false},
    kTT{" TT", true, true};
static constexpr Form kForms[] = {kNN, kNT, kTN, kTT};

template <class T, class C> static Work work_of(const Matrices<T, C> &m, const Form &form) {
  constexpr bool kWide = std::is_same_v<C, float> && !std::is_same_v<T, float>;
  const double n = (double)m.n;
  return {std::string("gemm ") + Type<T>::kName + form.suffix + (kWide ? " to f32" : ""),
          std::to_string(m.n), 2 * n * n * n, 1e12};
}

// Compares entries drawn at random with their sums in f64. Sums are of the order of sqrt(n) / 5,
// and an unrelated one differs by as much.
template <class T, class C> struct NotProduct {
  const T *a, *b;
  const C *c;
  size_t n;
  bool trans_a, trans_b;
  __device__ bool operator()(size_t i) const {
    const size_t row = hashed(2 * i) % n, col = hashed(2 * i + 1) % n;
    double sum = 0;
    for (size_t j = 0; j < n; j++)
      sum += (double)(float)a[trans_a ? j * n + row : row * n + j] *
             (double)(float)b[trans_b ? col * n + j : j * n + col];
    return !(fabs((double)(float)c[row * n + col] - sum) < Type<T>::kTolerance * sqrt((double)n));
  }
};

template <class T, class C> static bool is_product(const Matrices<T, C> &m, const Form &form) {
  return none_wrong(
      4096, NotProduct<T, C>{m.a.get(), m.b.get(), m.c.get(), m.n, form.trans_a, form.trans_b});
}

static constexpr float kOne = 1, kZero = 0;

// --- cuBLAS ---

template <class M> static void add_cublas(Row &row, M &m, const Form &form) {
  constexpr cudaDataType type = Type<typename M::Operand>::kCuda;
  constexpr cudaDataType result = Type<typename M::Result>::kCuda;
  const int64_t n = (int64_t)m.n;
  row.add(
      "cuBLAS",
      [&m, &form, n, sets = Rotation(m)]() mutable {
        const size_t at = sets.next();
        MUST(CUBLAS(cublasGemmEx_64)(blas(), form.op_b(), form.op_a(), n, n, n, &kOne,
                                     m.b.get() + at, type, n, m.a.get() + at, type, n, &kZero,
                                     m.c.get() + at, result, n, CUBLAS_COMPUTE_32F,
                                     CUBLAS_GEMM_DEFAULT));
      },
      [&] { return is_product(m, form); });
}

// --- kgen ---

template <class M> static void add_kernels(Row &row, M &m, const Form &form) {
  const int n = (int)m.n;
  const long long pitch = n;
  row.add_kernels(
      [&m, n, pitch, sets = Rotation(m)](const Kernel &k) mutable {
        const size_t at = sets.next();
        k(m.c.get() + at, m.a.get() + at, m.b.get() + at, n, n, n, pitch, pitch, pitch);
      },
      [&] { return is_product(m, form); });
}

// --- cuBLASLt ---

// An object of cuBLASLt, made by one of its Create calls, and destroyed by the matching one.
template <class T> using Made = std::unique_ptr<T, cublasStatus_t (*)(T *)>;
using Layout = Made<cublasLtMatrixLayoutOpaque_t>;
using Description = Made<cublasLtMatmulDescOpaque_t>;
using Preference = Made<cublasLtMatmulPreferenceOpaque_t>;

static cublasLtHandle_t lt() {
  static cublasLtHandle_t handle = nullptr;
  if (!handle) MUST(CUBLASLT(cublasLtCreate)(&handle));
  return handle;
}

static Layout make_layout(cudaDataType type, uint64_t n) {
  cublasLtMatrixLayout_t made;
  MUST(CUBLASLT(cublasLtMatrixLayoutCreate)(&made, type, n, n, (int64_t)n));
  return {made, CUBLASLT(cublasLtMatrixLayoutDestroy)};
}

template <class Value>
static void describe(const Description &d, cublasLtMatmulDescAttributes_t which, Value value) {
  MUST(CUBLASLT(cublasLtMatmulDescSetAttribute)(d.get(), which, &value, sizeof value));
}

static Description make_description(const Form &form, cudaDataType type) {
  cublasLtMatmulDesc_t made;
  MUST(CUBLASLT(cublasLtMatmulDescCreate)(&made, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  Description d{made, CUBLASLT(cublasLtMatmulDescDestroy)};
  describe(d, CUBLASLT_MATMUL_DESC_TRANSA, form.op_b());
  describe(d, CUBLASLT_MATMUL_DESC_TRANSB, form.op_a());
  // Fast accumulation: sums of 8-bit products stay in the tensor cores, as kgen's do.
  if (type == CUDA_R_8F_E4M3) describe(d, CUBLASLT_MATMUL_DESC_FAST_ACCUM, (int8_t)1);
  return d;
}

static Preference make_preference() {
  cublasLtMatmulPreference_t made;
  MUST(CUBLASLT(cublasLtMatmulPreferenceCreate)(&made));
  Preference p{made, CUBLASLT(cublasLtMatmulPreferenceDestroy)};
  MUST(CUBLASLT(cublasLtMatmulPreferenceSetAttribute)(
      made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspaceBytes, sizeof kWorkspaceBytes));
  return p;
}

template <class M> class LtProduct {
  M &m;
  Description product;
  Layout operand, result; // both operands are square and have the same layout
  std::vector<cublasLtMatmulAlgo_t> proposed;
  size_t best = 0;
  Rotation<M> sets{m};

  void propose() {
    constexpr int kProposals = 8;
    cublasLtMatmulHeuristicResult_t found[kProposals];
    int count = 0;
    MUST(CUBLASLT(cublasLtMatmulAlgoGetHeuristic)(
        lt(), product.get(), operand.get(), operand.get(), result.get(), result.get(),
        make_preference().get(), kProposals, found, &count));
    for (int i = 0; i < count; i++)
      if (found[i].state == CUBLAS_STATUS_SUCCESS) proposed.push_back(found[i].algo);
    if (proposed.empty()) throw std::runtime_error("cuBLASLt proposes no kernel");
  }

  void launch(size_t algo) {
    const size_t at = sets.next();
    MUST(CUBLASLT(cublasLtMatmul)(lt(), product.get(), &kOne, m.b.get() + at, operand.get(),
                                  m.a.get() + at, operand.get(), &kZero, m.c.get() + at,
                                  result.get(), m.c.get() + at, result.get(), &proposed[algo],
                                  workspace(), kWorkspaceBytes, nullptr));
  }

  // The proposals are timed alternately, after a first launch of each that loads it.
  void choose() {
    constexpr int kRounds = 3;
    const Events e;
    std::vector<double> least(proposed.size(), 1e9);
    for (size_t i = 0; i < proposed.size(); i++) launch(i);
    const int runs = choose_runs(e, [&] { launch(0); });
    for (int round = 0; round < kRounds; round++)
      for (size_t i = 0; i < proposed.size(); i++)
        least[i] = std::min(least[i], run(e, runs, [&] { launch(i); }));
    best = (size_t)(std::min_element(least.begin(), least.end()) - least.begin());
  }

public:
  LtProduct(M &matrices, const Form &form)
      : m(matrices), product(make_description(form, Type<typename M::Operand>::kCuda)),
        operand(make_layout(Type<typename M::Operand>::kCuda, m.n)),
        result(make_layout(Type<typename M::Result>::kCuda, m.n)) {
    propose();
    choose();
    sets = Rotation<M>(m);
  }
  void launch() { launch(best); }
};

// Chooses a kernel within the first launch, whose result is checked.
template <class M>
static void add_lt(Row &row, M &m, const Form &form, std::optional<LtProduct<M>> &product) {
  row.add(
      "cuBLASLt",
      [&] {
        if (!product) {
          product.emplace(m, form);
          m.c.poison(); // the result that choosing left would pass the check
        }
        product->launch();
      },
      [&] { return is_product(m, form); });
}

// --- all ---

enum Libraries { kBoth, kCublas, kLt };

template <class M> static void measure_form(M &m, const Form &form, Libraries libraries = kBoth) {
  std::optional<LtProduct<M>> product;
  Row row(work_of(m, form), m.c);
  if (libraries != kLt) add_cublas(row, m, form);
  if (libraries != kCublas) add_lt(row, m, form, product);
  add_kernels(row, m, form);
  row.measure();
}

template <class T> static void measure_forms(int n) {
  Matrices<T> m(n);
  for (const Form &form : kForms) measure_form(m, form);
}

void measure_products() {
  for (int n = 1024; n <= 8192; n *= 2) measure_forms<__half>(n);
  for (int n = 1024; n <= 8192; n *= 2) measure_forms<__nv_bfloat16>(n);
  for (int n = 1024; n <= 8192; n *= 2) {
    Matrices<__nv_fp8_e4m3> m(n);
    measure_form(m, kNT, kLt); // the only form that cuBLASLt has for 8-bit operands
  }
  Matrices<__half, float> wide(4096);
  measure_form(wide, kTN);
  Matrices<float> single(4096);
  for (const Form &form : kForms) measure_form(single, form, kCublas);
}
