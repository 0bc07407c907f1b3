/* wgmma.h: the warpgroup-wide products of sm_90a. Four warps multiply 64 rows of A by a tile of B.
 * The tensor cores read both from swizzled shared memory asynchronously: until await_products the
 * tiles must not be overwritten, and the sums neither read nor written. Needs hopper.h. */
#ifndef KGEN_WGMMA_H
#define KGEN_WGMMA_H

namespace {

enum ElementType { F16, BF16, E4M3, F32 };

/* The matrix descriptor of rows of 128 bytes with the 128-byte swizzle; the tile is aligned to 1024
 * bytes. The stride byte offset, from one group of eight rows to the next, is 1024. `block` is the
 * leading byte offset, which only MN-major operands use: from one block of 64 elements along m or n
 * to the next. */
__device__ __forceinline__ unsigned long long describe_tile(unsigned tile, int block) {
  const unsigned long long group = 8 * 128, mode = 1;
  return (tile & 0x3ffff) >> 4 | static_cast<unsigned long long>(block >> 4) << 16 |
         (group >> 4) << 32 | mode << 62;
}

/* Before the first product of a sequence: orders this thread's writes of the sums' registers before
 * it (wgmma.fence). */
__device__ __forceinline__ void begin_products() {
  KGEN_SM90(asm volatile("wgmma.fence.sync.aligned;" ::: "memory"));
}

/* Makes one wgmma group of the products since the last one. */
__device__ __forceinline__ void commit_products() {
  KGEN_SM90(asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"));
}

/* Waits until all but the N newest wgmma groups have completed. */
template <int N> __device__ __forceinline__ void await_products() {
  KGEN_SM90(asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"));
}

/* The operands of an asm statement for the sums of 8 to 256 columns, half as many per thread. */
#define KGEN_SUMS_8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define KGEN_SUMS_32(d, i)                                                                         \
  KGEN_SUMS_8(d, i), KGEN_SUMS_8(d, i + 4), KGEN_SUMS_8(d, i + 8), KGEN_SUMS_8(d, i + 12)
#define KGEN_SUMS_64(d, i)  KGEN_SUMS_32(d, i), KGEN_SUMS_32(d, i + 16)
#define KGEN_SUMS_104(d, i) KGEN_SUMS_64(d, i), KGEN_SUMS_32(d, i + 32), KGEN_SUMS_8(d, i + 48)
#define KGEN_SUMS_128(d, i) KGEN_SUMS_64(d, i), KGEN_SUMS_64(d, i + 32)
#define KGEN_SUMS_160(d, i) KGEN_SUMS_128(d, i), KGEN_SUMS_32(d, i + 64)
#define KGEN_SUMS_192(d, i) KGEN_SUMS_128(d, i), KGEN_SUMS_64(d, i + 64)
#define KGEN_SUMS_256(d, i) KGEN_SUMS_128(d, i), KGEN_SUMS_128(d, i + 64)

/* The numbers of these operands. */
#define KGEN_NAMES_64                                                                              \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19"       \
  ", %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define KGEN_NAMES_104                                                                             \
  KGEN_NAMES_64                                                                                    \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48"          \
  ", %49, %50, %51"
#define KGEN_NAMES_128                                                                             \
  KGEN_NAMES_104                                                                                   \
  ", %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define KGEN_NAMES_160                                                                             \
  KGEN_NAMES_128                                                                                   \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define KGEN_NAMES_192                                                                             \
  KGEN_NAMES_160                                                                                   \
  ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define KGEN_NAMES_256                                                                             \
  KGEN_NAMES_192                                                                                   \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110"         \
  ", %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124"           \
  ", %125, %126, %127"

/* One instruction: 64 x N, and 32 bytes along k. P0 to P4: the numbers of the operands that follow
 * the sums. */
#define KGEN_WGMMA_16(N, TYPE, P0, P1, P2, P3, P4)                                                 \
  asm volatile("{.reg .pred add; setp.ne.b32 add, " P2 ", 0;\n"                                    \
               "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " {" KGEN_NAMES_##N \
               "}, " P0 ", " P1 ", add, 1, 1, " P3 ", " P4 ";}"                                    \
               : KGEN_SUMS_##N(d, 0)                                                               \
               : "l"(a), "l"(b), "r"(add), "n"(ACROSS_A), "n"(ACROSS_B)                            \
               : "memory")
#define KGEN_WGMMA_8(N, TYPE, P0, P1, P2)                                                          \
  asm volatile("{.reg .pred add; setp.ne.b32 add, " P2 ", 0;\n"                                    \
               "wgmma.mma_async.sync.aligned.m64n" #N "k32.f32." TYPE "." TYPE " {" KGEN_NAMES_##N \
               "}, " P0 ", " P1 ", add, 1, 1;}"                                                    \
               : KGEN_SUMS_##N(d, 0)                                                               \
               : "l"(a), "l"(b), "r"(add)                                                          \
               : "memory")
#define KGEN_WGMMA(N, P0, P1, P2, P3, P4)                                                          \
  if constexpr (TYPE == E4M3)                                                                      \
    KGEN_WGMMA_8(N, "e4m3", P0, P1, P2);                                                           \
  else if constexpr (TYPE == BF16)                                                                 \
    KGEN_WGMMA_16(N, "bf16", P0, P1, P2, P3, P4);                                                  \
  else                                                                                             \
    KGEN_WGMMA_16(N, "f16", P0, P1, P2, P3, P4)

/* d = a * b, plus d if `add`, for 64 rows, 2 N columns and 32 bytes along k. a and b are matrix
 * descriptors; ACROSS: of MN-major operands, which only 16-bit types may be. */
template <ElementType TYPE, bool ACROSS_A, bool ACROSS_B, int N>
__device__ __forceinline__ void multiply_tiles(float (&d)[N], unsigned long long a,
                                               unsigned long long b, int add) {
  static_assert(N == 32 || N == 52 || N == 64 || N == 80 || N == 96 || N == 128,
                "64, 104, 128, 160, 192 or 256 columns");
  static_assert(TYPE != E4M3 || !(ACROSS_A || ACROSS_B), "8-bit operands are K-major");
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  if constexpr (N == 32) {
    KGEN_WGMMA(64, "%32", "%33", "%34", "%35", "%36");
  } else if constexpr (N == 52) {
    KGEN_WGMMA(104, "%52", "%53", "%54", "%55", "%56");
  } else if constexpr (N == 64) {
    KGEN_WGMMA(128, "%64", "%65", "%66", "%67", "%68");
  } else if constexpr (N == 80) {
    KGEN_WGMMA(160, "%80", "%81", "%82", "%83", "%84");
  } else if constexpr (N == 96) {
    KGEN_WGMMA(192, "%96", "%97", "%98", "%99", "%100");
  } else {
    KGEN_WGMMA(256, "%128", "%129", "%130", "%131", "%132");
  }
#else
  __trap();
#endif
}

} // namespace

#endif
