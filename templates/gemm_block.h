/* gemm_block.h: the parts of A and B that a thread block multiplies, which it copies itself. Needs
 * layout.h and gemm_tile.h, and the names ElemA, kLayoutA, kLayoutB, kBlockX, kBlockY
 * and kBlockZ. */
#ifndef KGEN_GEMM_BLOCK_H
#define KGEN_GEMM_BLOCK_H

namespace {

constexpr int kThreads = kBlockX * kBlockY * kBlockZ;

KGEN_FN int aligned_bytes(const KgenLayout &layout) {
  return (kgen_elements(&layout) * static_cast<int>(sizeof(ElemA)) + 127) / 128 * 128;
}
constexpr int kBytesA = aligned_bytes(kLayoutA); /* B's tile follows A's in shared memory */

/* The part of an operand, as it is stored, that begins at this block's first tile. */
struct Operand {
  const ElemA *at;
  long long pitch; /* the leading dimension, in elements */
  int rows, cols;  /* up to the matrix's edge */
};

/* The operands of this block's tile of C, and the length of its dot products. */
struct Job {
  Operand a, b;
  int k;
};

/* The part of an operand from `outer` on along m or n, where the operand has `extent` elements. */
template <Side S>
__device__ __forceinline__ Operand operand_from(const ElemA *at, long long pitch, int outer,
                                                int extent, int k) {
  Operand x;
  x.at = at + (kRowsAlongK<S> ? outer * pitch : outer);
  x.pitch = pitch;
  x.rows = kRowsAlongK<S> ? extent - outer : k;
  x.cols = kRowsAlongK<S> ? k : extent - outer;
  return x;
}

} // namespace

#endif
