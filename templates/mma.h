/* mma.h: the warp-wide instructions around tensor cores as functions: ldmatrix, mma.sync, and the
 * conversion of sums. ldmatrix needs sm_75, the others sm_80: on older architectures they compile
 * to nothing and must not be executed. */
#ifndef KGEN_MMA_H
#define KGEN_MMA_H

namespace {

/* The extents of one mma.sync, and the lanes of a warp. */
enum { MMA_M = 16, MMA_N = 8, MMA_K = 16, WARP = 32 };

/* Loads four 8 x 8 matrices of 16-bit elements from shared memory: lane l passes the address of row
 * l % 8 of matrix l / 8, 16 bytes long and aligned to them. r[i] is this lane's fragment of matrix
 * i, transposed if TRANSPOSE. */
template <bool TRANSPOSE>
__device__ __forceinline__ void load_matrices(unsigned (&r)[4], unsigned row) {
  if constexpr (TRANSPOSE)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row)
                 : "memory");
}

/* c += a * b for a of 16 x 16 and b of 16 x 8 elements, f16 or bf16, and f32 sums. */
template <bool BF16>
__device__ __forceinline__ void multiply_add(float (&c)[4], const unsigned (&a)[4],
                                             const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  if constexpr (BF16)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

/* Rounds two sums to nearest in f16 or bf16 and packs them, x into the lower half. */
template <bool BF16> __device__ __forceinline__ void round_pair(unsigned &pair, float x, float y) {
#if __CUDA_ARCH__ >= 800
  if constexpr (BF16)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(y), "f"(x));
  else
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(y), "f"(x));
#endif
}

} // namespace

#endif
