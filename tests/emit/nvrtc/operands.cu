/* operands.cu: 64 x 64 by 64 x 128 halves with wgmma, from tiles that the emitted headers place and
 * describe. In `in` lie A's rows and, after them, B's, as they are. */
#include "bare_k.h"
#include "bare_mn.h"
#include "operand_wgmma_k_f16.h"
#include "operand_wgmma_mn_f16.h"

constexpr int kM = 64, kN = 128, kK = 64;

#define SUMS_8(i)                                                                                  \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]),      \
      "+f"(d[i + 6]), "+f"(d[i + 7])

__device__ void multiply(float (&d)[64], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
               "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "
               "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
               "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
               "%64, %65, 1, 1, 1, 0, 1;"
               : SUMS_8(0), SUMS_8(8), SUMS_8(16), SUMS_8(24), SUMS_8(32), SUMS_8(40), SUMS_8(48),
                 SUMS_8(56)
               : "l"(a), "l"(b)
               : "memory");
}

/* The layout of a tile: the positions of elements of A and B, and the descriptors of a step of
 * k. */
struct Swizzled {
  static constexpr int a_elements = operand_wgmma_k_f16_elements;
  static constexpr int b_elements = operand_wgmma_mn_f16_elements;
  static __device__ int a(int row, int k) { return operand_wgmma_k_f16_offset(row + kM, k); }
  static __device__ int b(int k, int col) {
    return operand_wgmma_mn_f16_offset(col / 64, k, col % 64);
  }
  /* Describes the second half of the tile's rows. */
  static __device__ unsigned long long describe_a(unsigned tile, int k) {
    return operand_wgmma_k_f16_descriptor_k(tile, kM, k);
  }
  static __device__ unsigned long long describe_b(unsigned tile, int k) {
    return operand_wgmma_mn_f16_descriptor_mn(tile, 0, k, 0);
  }
};

struct Bare {
  static constexpr int a_elements = bare_k_elements, b_elements = bare_mn_elements;
  static __device__ int a(int row, int k) { return bare_k_offset(k / 8, row, k % 8); }
  static __device__ int b(int k, int col) { return bare_mn_offset(col / 8, k, col % 8); }
  static __device__ unsigned long long describe_a(unsigned tile, int k) {
    return bare_k_descriptor_k(tile, k / 8, 0, 0);
  }
  static __device__ unsigned long long describe_b(unsigned tile, int k) {
    return bare_mn_descriptor_mn(tile, 0, k, 0);
  }
};

template <class Tiles> __device__ void product(const unsigned short *in, float *out) {
  __shared__ alignas(1024) unsigned short a[Tiles::a_elements];
  __shared__ alignas(1024) unsigned short b[Tiles::b_elements];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kM * kK; i += 128) a[Tiles::a(i / kK, i % kK)] = in[i];
  for (int i = thread; i < kK * kN; i += 128) b[Tiles::b(i / kN, i % kN)] = in[kM * kK + i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  float d[64] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int k = 0; k < kK; k += 16)
    multiply(d, Tiles::describe_a(static_cast<unsigned>(__cvta_generic_to_shared(a)), k),
             Tiles::describe_b(static_cast<unsigned>(__cvta_generic_to_shared(b)), k));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 64; i++) {
    const int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
    out[row * kN + i / 4 * 8 + thread % 4 * 2 + i % 2] = d[i];
  }
}

extern "C" __global__ void __launch_bounds__(128) swizzled(const unsigned short *in, float *out) {
  product<Swizzled>(in, out);
}
extern "C" __global__ void __launch_bounds__(128) bare(const unsigned short *in, float *out) {
  product<Bare>(in, out);
}
