# The launchers of matrix products in a user's program: sizes that tiles do not divide, and sums of no products, which are 0.
. tests/shell/check.bash
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
command -v nvcc >/dev/null || { echo "no nvcc"; exit 77; }
# A library with the sanitizers in it needs a program that has them.
! sanitized || { echo "skipped: built with sanitizers"; exit 77; }
cat >main.cu <<'CU'
#include <cstdio>
#include <vector>
#include <cuda_fp16.h>

/* Small integers, of which every product of ours is exact. */
template <class E> struct Matrix {
  int rows, cols, pitch;
  E *at;
  Matrix(int rows, int cols) : rows(rows), cols(cols), pitch((cols + 15) / 8 * 8) {
    cudaMallocManaged(&at, (rows * pitch + 1) * sizeof(E));
    for (int i = 0; i < rows * pitch; i++) at[i] = E(float(i % 7 - 3));
  }
  ~Matrix() { cudaFree(at); }
};

template <class E, class Launch> bool product(const char *name, Launch *launch, int m, int n, int k) {
  Matrix<E> a(m, k), b(k, n), c(m, n);
  if (launch((E *)c.at, (const E *)a.at, (const E *)b.at, m, n, k, c.pitch, a.pitch, b.pitch, 0) != cudaSuccess ||
      cudaDeviceSynchronize() != cudaSuccess) {
    printf("%s fails at %d %d %d\n", name, m, n, k);
    return false;
  }
  int wrong = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < c.pitch; j++) {
      float sum = 0;
      for (int l = 0; l < k; l++) sum += float(a.at[i * a.pitch + l]) * float(b.at[l * b.pitch + j]);
      const int place = i * c.pitch + j;
      wrong += float(c.at[place]) != (j < n ? sum : float(place % 7 - 3));
    }
  if (wrong) printf("%s: %d wrong at %d %d %d\n", name, wrong, m, n, k);
  return wrong == 0;
}

template <class E, class Launch> bool products(const char *name, Launch *launch) {
  bool right = true;
  for (const int k : {0, 8, 136})
    right = product<E>(name, launch, 72, 200, k) && product<E>(name, launch, 1, 8, k) && right;
  return product<E>(name, launch, 8, 0, 8) && right;
}

#define PRODUCT(E, name) \
  extern "C" cudaError_t name##_launch(E *, const E *, const E *, int, int, int, long long, long long, long long, cudaStream_t)
PRODUCT(half, plain);
PRODUCT(half, tma);
PRODUCT(half, wgmma);
PRODUCT(float, cores);
int main() {
  const bool right = products<half>("gemm", plain_launch) & products<half>("gemm_tma", tma_launch) &
                     products<half>("gemm_wgmma", wgmma_launch) & products<float>("gemm_f32", cores_launch);
  puts(right ? "PASS" : "FAIL");
}
CU
small='block_m: 64, block_n: 64'
printf 'version: 1\nkernel: gemm\nname: plain\nparams: {%s, warps_n: 2}\n' "$small" >plain.yaml
printf 'version: 1\nkernel: gemm_tma\nname: tma\nparams: {block_m: 64, block_n: 128, stages: 3, warps_n: 2}\n' >tma.yaml
printf 'version: 1\nkernel: gemm_wgmma\nname: wgmma\nparams: {%s, stages: 3, consumers: 1, cluster: 1}\n' "$small" >wgmma.yaml
printf 'version: 1\nkernel: gemm_f32\nname: cores\nparams: {%s}\n' "$small" >cores.yaml
exits 0 plain.yaml tma.yaml wgmma.yaml cores.yaml -o . -q
nvcc -std=c++17 -arch=sm_90a main.cu plain.cu tma.cu wgmma.cu cores.cu -o main 2>log || cat log
"$KGEN" --exec -q -- ./main >stdout 2>stderr; code=$?
check $code "exit $code: $(cat stdout stderr)"
holds "PASS" grep -q '^PASS$' stdout
verdict exec_products
