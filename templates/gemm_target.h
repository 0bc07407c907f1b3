/* gemm_target.h: C in device memory, to which the TMA stores boxes. Needs hopper.h and the name
 * ElemC. */
#ifndef KGEN_GEMM_TARGET_H
#define KGEN_GEMM_TARGET_H

namespace {

struct Target {
  const TensorMap *map;
  ElemC *at;
  long long pitch; /* the leading dimension, in elements */
  int rows, cols;
};

/* The TMA stores the last 16 bytes of a row entirely, even if the row ends within them (measured on
 * an H200): a box of COLS columns with such an end is stored element by element. */
template <int COLS> __device__ __forceinline__ bool ends_within(const Target &c, int col) {
  return col + COLS > c.cols && c.cols % (16 / static_cast<int>(sizeof(ElemC))) != 0;
}

} // namespace

#endif
