/* Prefix sums of every row of a matrix, one block per row, by the two textbook algorithms:
 * out[r][c] = in[r][0] + ... + in[r][c], or ... + in[r][c - 1] if kExclusive.
 *
 * A block scans its row in pieces that fit the tile, and carries the sum of the previous pieces.
 * kMethod 0, Hillis and Steele: in round i every element gets the one 2^i before it added, from one
 * half of the tile into the other; O(n log n) additions. kMethod 1, Blelloch: the up-sweep builds a
 * tree of sums in place, the down-sweep hands each node the sum of all before it; twice the rounds,
 * but O(n) additions. The strides of the tree are powers of two: without padding or swizzle its
 * accesses conflict, up to 32-way. */
#include "layout.h"
#include "number.h"

// kgen:begin
#define KERNEL scan_rows
#define LAUNCH scan_rows_launch
using Elem = float;
constexpr KgenLayout kLayout = {1, 0, {512}, {1}, 0, {}};
constexpr int kBlockX = 256;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kMethod = 1;    // 0: Hillis and Steele, 1: Blelloch
constexpr int kExclusive = 0; // 1: an element is not part of its own sum
// kgen:end

namespace {

constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kItems = kMethod + 1; /* elements of a piece per thread, kThreads apart */
constexpr int kPiece = kItems * kThreads;
static_assert((kThreads & (kThreads - 1)) == 0, "strides are powers of two");

using Sum = Number<Elem>::Sum;

__device__ __forceinline__ Sum &place(Sum *tile, int i) {
  static constexpr KgenLayout layout = kLayout;
  return tile[kgen_offset1(&layout, i)];
}

/* Scans a piece, one element per thread, and returns its sum. */
__device__ __forceinline__ Sum scan_by_doubling(Sum *tile, Sum (&element)[kItems], int thread) {
  int from = 0, to = kThreads; /* the halves of the tile */
  place(tile, from + thread) = element[0];
  __syncthreads();
#pragma unroll 1
  for (int stride = 1; stride < kThreads; stride *= 2) {
    Sum sum = place(tile, from + thread);
    if (thread >= stride) sum += place(tile, from + thread - stride);
    place(tile, to + thread) = sum;
    __syncthreads();
    from ^= kThreads;
    to ^= kThreads;
  }
  element[0] = thread >= kExclusive ? place(tile, from + thread - kExclusive) : 0;
  return place(tile, from + kThreads - 1);
}

/* The loops are not unrolled: with constant strides the compiler would join accesses of a thread,
 * and they would not be those that the declaration describes. */
__device__ __forceinline__ void sweep_up(Sum *tile, int thread) {
#pragma unroll 1
  for (int stride = 1; stride < kPiece; stride *= 2) {
    const int left = (2 * thread + 1) * stride - 1, right = left + stride;
    if (right < kPiece) place(tile, right) += place(tile, left);
    __syncthreads();
  }
}

__device__ __forceinline__ void sweep_down(Sum *tile, int thread) {
#pragma unroll 1
  for (int stride = kPiece / 2; stride > 0; stride /= 2) {
    const int left = (2 * thread + 1) * stride - 1, right = left + stride;
    if (right < kPiece) {
      const Sum before = place(tile, right), sum = place(tile, left);
      place(tile, left) = before;
      place(tile, right) = before + sum;
    }
    __syncthreads();
  }
}

/* Scans a piece, two elements per thread, and returns its sum. */
__device__ __forceinline__ Sum scan_by_tree(Sum *tile, Sum (&element)[kItems], int thread) {
#pragma unroll
  for (int k = 0; k < kItems; k++) place(tile, thread + k * kThreads) = element[k];
  __syncthreads();
  sweep_up(tile, thread);
  const Sum all = place(tile, kPiece - 1);
  __syncthreads();
  if (thread == 0) place(tile, kPiece - 1) = 0;
  __syncthreads();
  sweep_down(tile, thread);
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    const Sum before = place(tile, thread + k * kThreads);
    element[k] = kExclusive ? before : before + element[k];
  }
  return all;
}

__device__ __forceinline__ Sum scan_piece(Sum *tile, Sum (&element)[kItems], int thread) {
  if constexpr (kMethod == 0)
    return scan_by_doubling(tile, element, thread);
  else
    return scan_by_tree(tile, element, thread);
}

} // namespace

/* in and out: rows of cols elements without gaps. The grid is one-dimensional, a block per row. */
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, long long cols) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  Sum *tile = reinterpret_cast<Sum *>(shared_memory);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  in += blockIdx.x * cols;
  out += blockIdx.x * cols;
  Sum carry = 0;
  for (long long first = thread; first - thread < cols; first += kPiece) {
    Sum element[kItems];
#pragma unroll
    for (int k = 0; k < kItems; k++)
      element[k] = first + k * kThreads < cols ? in[first + k * kThreads] : 0;
    const Sum all = scan_piece(tile, element, thread);
#pragma unroll
    for (int k = 0; k < kItems; k++)
      if (first + k * kThreads < cols) out[first + k * kThreads] = carry + element[k];
    carry += all;
    __syncthreads();
  }
}

#ifndef __CUDACC_RTC__
#include "launch.h"

/* Scans `rows` rows of cols elements on the stream; the arrays must not overlap. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, int rows, long long cols,
                              cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  if (rows <= 0 || cols <= 0) return cudaSuccess;
  return launch_blocks(KERNEL, rows, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, out, in, cols);
}
#endif
