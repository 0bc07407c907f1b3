// wmma: products that check themselves, 16 x 16 x 16, of every layout and type that is executed.
#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda;

template <typename Layout> constexpr bool kRows = false;
template <> constexpr bool kRows<wmma::row_major> = true;

template <typename T> __device__ float number(T x) { return static_cast<float>(x); }

// c = 2 (a b) + c for small integers, which are exact in every type; a trap if it is not. kPitch: of
// all matrices, elements. kShared: through shared memory.
template <typename T, typename LayoutA, typename LayoutB, typename Sum, bool kSumRows, int kPitch, bool kShared>
__global__ void product(unsigned char *memory) {
  __shared__ __align__(32) T sa[16 * kPitch], sb[16 * kPitch];
  __shared__ __align__(32) Sum sc[16 * kPitch];
  const int lane = threadIdx.x;
  T *const a = kShared ? sa : reinterpret_cast<T *>(memory);
  T *const b = kShared ? sb : a + 16 * kPitch;
  Sum *const c = kShared ? sc : reinterpret_cast<Sum *>(memory + 4096);
  for (int i = lane; i < 16 * kPitch; i += 32) {
    a[i] = static_cast<T>(static_cast<float>(i * 7 % 5 - 2));
    b[i] = static_cast<T>(static_cast<float>(i * 11 % 7 - 3));
    c[i] = static_cast<Sum>(static_cast<float>(i % 13));
  }
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> fc;
  constexpr wmma::layout_t layout = kSumRows ? wmma::mem_row_major : wmma::mem_col_major;
  wmma::load_matrix_sync(fa, a, kPitch);
  wmma::load_matrix_sync(fb, b, kPitch);
  wmma::load_matrix_sync(fc, c, kPitch, layout);
  for (int i = 0; i < fa.num_elements; i++) fa.x[i] = static_cast<T>(2 * number(fa.x[i]));
  wmma::mma_sync(fc, fa, fb, fc);
  __syncthreads();
  wmma::store_matrix_sync(c, fc, kPitch, layout);
  __syncthreads();
  for (int i = lane; i < 256; i += 32) {
    const int row = i / 16, col = i % 16, at = kSumRows ? row * kPitch + col : col * kPitch + row;
    float sum = static_cast<float>(at % 13);
    for (int k = 0; k < 16; k++)
      sum += 2 * number(a[kRows<LayoutA> ? row * kPitch + k : k * kPitch + row]) *
             number(b[kRows<LayoutB> ? k * kPitch + col : col * kPitch + k]);
    if (number(c[at]) != sum) __trap();
  }
}
