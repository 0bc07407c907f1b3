/* Reduces an array to its sum, minimum or maximum in one launch.
 *
 * Every thread reduces elements in registers, kUnroll vectors of kVector elements at a time. Then
 * the block reduces its threads' results. kMethod 3 does so by warp shuffles, and one word of
 * shared memory per warp. Methods 0 to 2 are the trees of Harris, "Optimizing Parallel Reduction in
 * CUDA", with a barrier for each power of two: 0 diverges (modulo), 1 has strided accesses with
 * bank conflicts (interleaved), 2 has neither (sequential). The block that finishes last reduces
 * the blocks' results, always in the same order: the result does not depend on timing. */
#include "layout.h"
#include "number.h"
#include "programmatic.h"
#include "ticket.h"
#include "vector.h"

// kgen:begin
#define KERNEL reduce
#define LAUNCH reduce_launch
using Elem = float;
constexpr KgenLayout kLayout = {1, 0, {8}, {1}, 0, {}};
constexpr int kBlockX = 256;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kOperation = 0; // 0: sum, 1: minimum, 2: maximum
constexpr int kMethod = 3;    // 0: modulo, 1: interleaved, 2: sequential, 3: shuffles
constexpr int kVector = 4;    // elements per load
constexpr int kUnroll = 4;    // loads that a thread has in flight
constexpr int kBlocks = 1056; // the most blocks of a launch
// kgen:end

namespace {

constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kWarps = kThreads / 32;
constexpr int kChunk = kThreads * kVector * kUnroll; /* elements that a block loads at a time */
constexpr unsigned kFewBlocks = 128;                 /* whose results one warp reduces */
static_assert(kThreads % 32 == 0, "whole warps");

using Pack = Vector<kVector * sizeof(Elem)>::Type;

/* The type of results: f16 elements, whose bits come as unsigned short, are reduced in float. */
template <class T> struct Folded { using Value = T; };
template <> struct Folded<unsigned short> { using Value = float; };
using Value = Folded<Elem>::Value;
using Sum = Number<Value>::Sum;
constexpr int kRoom = sizeof(Value) / sizeof(Elem); /* elements of the tile that a Value takes */

template <class T> __device__ __forceinline__ Value widen(T element) {
  if constexpr (sizeof(T) == 2) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(element));
    return value;
  } else {
    return element;
  }
}

template <class T> constexpr bool kIsInteger = static_cast<T>(0.5) == 0;

template <class T, class Unsigned> __device__ __forceinline__ T largest() {
  if constexpr (kIsInteger<T>)
    return static_cast<T>(~static_cast<Unsigned>(0) >> (static_cast<T>(-1) < 0));
  else
    return static_cast<T>(__longlong_as_double(0x7ff0000000000000)); /* infinity */
}

/* The identity of the operation. */
__device__ __forceinline__ Value neutral() {
  const Value most = largest<Value, Sum>(), least = -most - kIsInteger<Value>;
  return kOperation == 0 ? 0 : kOperation == 1 ? most : least;
}

__device__ __forceinline__ Value fold(Value a, Value b) {
  if constexpr (kOperation == 0)
    return static_cast<Sum>(a) + static_cast<Sum>(b);
  else if constexpr (kOperation == 1)
    return b < a ? b : a;
  else
    return b > a ? b : a;
}

/* --- a thread's elements --- */

/* Reduces a thread's vectors of a whole chunk. All loads are issued before the first is used. */
__device__ __forceinline__ Value fold_vectors(const Elem *chunk, int thread) {
  Pack loaded[kUnroll];
#pragma unroll
  for (int u = 0; u < kUnroll; u++)
    loaded[u] = __ldcs(reinterpret_cast<const Pack *>(chunk) + thread + u * kThreads);
  Value result = neutral();
#pragma unroll
  for (int u = 0; u < kUnroll; u++) {
    Elem element[kVector];
    memcpy(element, &loaded[u], sizeof element);
    Value part = widen(element[0]);
#pragma unroll
    for (int k = 1; k < kVector; k++) part = fold(part, widen(element[k]));
    result = fold(result, part);
  }
  return result;
}

__device__ __forceinline__ Value fold_elements(const Elem *chunk, int count, int thread) {
  Value result = neutral();
  for (int e = thread; e < count; e += kThreads) result = fold(result, widen(chunk[e]));
  return result;
}

__device__ __forceinline__ Value fold_chunks(const Elem *in, long long count, int thread) {
  const bool vectors = reinterpret_cast<size_t>(in) % sizeof(Pack) == 0;
  const long long stride = static_cast<long long>(gridDim.x) * kChunk;
  Value result = neutral();
  for (long long i = static_cast<long long>(blockIdx.x) * kChunk; i < count; i += stride) {
    const int size = static_cast<int>(min(count - i, kChunk + 0LL));
    result = fold(result, vectors && size == kChunk ? fold_vectors(in + i, thread)
                                                    : fold_elements(in + i, size, thread));
  }
  return result;
}

/* --- a block's threads --- */

/* Result i in the tile. Every layout that the solver admits keeps a Value contiguous. */
__device__ __forceinline__ Value &place(Elem *tile, int i) {
  static constexpr KgenLayout layout = kLayout;
  return *reinterpret_cast<Value *>(tile + kgen_offset1(&layout, i * kRoom));
}

/* Reduces the values of a warp's lanes; lane 0 gets the result. */
__device__ __forceinline__ Value fold_warp(Value value) {
#pragma unroll
  for (int s = 16; s > 0; s /= 2) value = fold(value, __shfl_down_sync(~0u, value, s));
  return value;
}

__device__ __forceinline__ Value fold_by_shuffles(Elem *tile, Value value, int thread) {
  value = fold_warp(value);
  if (thread % 32 == 0) place(tile, thread / 32) = value;
  __syncthreads();
  if (thread >= 32) return value;
  return fold_warp(thread < kWarps ? place(tile, thread) : neutral());
}

/* True if this thread reduces a pair in the round of that stride: results *own and *own + stride.
 * Strides are 1, 2, 4, ... but in method 2, where they fall from half of the block. */
__device__ __forceinline__ bool find_pair(int thread, int stride, int *own) {
  *own = kMethod == 1 ? 2 * stride * thread : thread;
  if constexpr (kMethod == 0)
    return thread % (2 * stride) == 0; /* every warp diverges */
  else if constexpr (kMethod == 1)
    return *own + stride < kThreads; /* the first threads work, their accesses are strided */
  else
    return thread < stride; /* the first threads work, their accesses are contiguous */
}

/* The loop is not unrolled: with constant strides the compiler would join loads of a thread, and
 * the accesses would not be those that the declaration describes. */
__device__ __forceinline__ Value fold_by_tree(Elem *tile, Value value, int thread) {
  place(tile, thread) = value;
  __syncthreads();
#pragma unroll 1
  for (int s = 1; s < kThreads; s *= 2) {
    const int stride = kMethod == 2 ? kThreads / 2 / s : s;
    int own;
    if (find_pair(thread, stride, &own))
      place(tile, own) = fold(place(tile, own), place(tile, own + stride));
    __syncthreads();
  }
  return thread == 0 ? place(tile, 0) : value;
}

/* Reduces the values of a block's threads; thread 0 gets the result. */
__device__ __forceinline__ Value fold_block(Elem *tile, Value value, int thread) {
  if constexpr (kMethod == 3)
    return fold_by_shuffles(tile, value, thread);
  else
    return fold_by_tree(tile, value, thread);
}

/* --- all blocks --- */

/* True in all threads of the block that arrives last, and sees what the first threads of the others
 * stored before they arrived. */
__device__ __forceinline__ bool is_last_block(unsigned *ticket, int thread) {
  return __syncthreads_or(thread == 0 && arrive_last(ticket, gridDim.x));
}

/* Reduces the results of few blocks in one warp, which need not exchange anything then. */
__device__ __forceinline__ Value fold_few_results(const Value *result, unsigned lane) {
  Value value = neutral();
#pragma unroll
  for (unsigned k = 0; k < kFewBlocks / 32; k++)
    if (lane + k * 32 < gridDim.x) value = fold(value, __ldcg(result + lane + k * 32));
  return fold_warp(value);
}

/* Reduces the blocks' results. Warps exchange theirs through device memory, so that the last block
 * executes the same accesses of shared memory as all others. */
__device__ __forceinline__ Value fold_results(Value *result, int thread) {
  Value value = neutral();
#pragma unroll 8
  for (unsigned b = thread; b < gridDim.x; b += kThreads) value = fold(value, __ldcg(result + b));
  value = fold_warp(value);
  if (thread % 32 == 0) __stcg(result + kBlocks + thread / 32, value);
  __syncthreads();
  return fold_warp(thread < kWarps ? __ldcg(result + kBlocks + thread) : neutral());
}

} // namespace

/* in: count elements; out: one; workspace: see LAUNCH. The grid is one-dimensional, of at most
 * kBlocks blocks, which stride over the array. */
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(Value *__restrict__ out, const Elem *__restrict__ in, long long count,
           unsigned long long *workspace) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  Elem *tile = reinterpret_cast<Elem *>(shared_memory);
  Value *result = reinterpret_cast<Value *>(workspace + 1);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  Value all = fold_block(tile, fold_chunks(in, count, thread), thread);
  if (gridDim.x > 1) {
    if (thread == 0) __stcg(result + blockIdx.x, all);
    if (!is_last_block(reinterpret_cast<unsigned *>(workspace), thread)) return;
    const bool few = gridDim.x <= kFewBlocks;
    if (few && thread >= 32) return;
    all = few ? fold_few_results(result, thread) : fold_results(result, thread);
  }
  if (thread == 0) *out = all;
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"

/* Reduces count elements on the stream to *out, which is a float if the elements are f16; without
 * elements to the operation's identity. The workspace has kBlocks + kThreads / 32 + 1 words of 8
 * bytes. It must be zero before the first launch; each launch leaves it ready for the next one.
 * Launches that may overlap need a workspace each. */
extern "C" cudaError_t LAUNCH(Value *out, const Elem *in, long long count,
                              unsigned long long *workspace, cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  const long long chunks = count > 0 ? (count + kChunk - 1) / kChunk : 1;
  const long long blocks = chunks < kBlocks ? chunks : kBlocks;
  return launch_programmatic(KERNEL, blocks, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, out,
                             in, count, workspace);
}
#endif
