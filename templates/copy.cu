/* Copies an array through a tile in shared memory: out[i] = in[i]. It shows the bandwidth that a
 * kernel which stages its data in shared memory can reach at best.
 *
 * A block moves one tile. Its threads store vectors of kVector elements into it; after the barrier
 * thread t loads what thread kThreads - 1 - t has stored, so that the data really goes through
 * shared memory. Arrays that are not aligned to a vector, and the last tile, are copied element by
 * element. */
#include "cache_hint.h"
#include "layout.h"
#include "vector.h"

// kgen:begin
#define KERNEL copy
#define LAUNCH copy_launch
using Elem = float;
constexpr KgenLayout kLayout = {1, 0, {512}, {1}, 0, {}};
constexpr int kBlockX = 128;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kVector = 4;    // elements per load and store
constexpr int kLoadHint = 1;  // 0: none, 1: streaming
constexpr int kStoreHint = 1; // 0: none, 1: streaming, 2: write-through
// kgen:end

namespace {

constexpr int kElements = kLayout.extent[0];
constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kVectorsPerThread = kElements / kVector / kThreads;

using Pack = Vector<kVector * sizeof(Elem)>::Type; /* kVector elements in one instruction */
using Bits = Vector<sizeof(Elem)>::Type; /* one element; nothing here depends on its value */

/* The offset of the vector that begins with element `first`, in elements. Every layout that the
 * solver admits keeps an aligned vector contiguous. */
__device__ __forceinline__ int tile_at(int first) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset1(&layout, first);
}

/* Copies a full tile by vectors. All loads of a thread are issued before its first store, so that
 * their latencies overlap. */
__device__ __forceinline__ void move_vectors(Bits *out, const Bits *in, Bits *tile, int thread) {
  Pack loaded[kVectorsPerThread];
#pragma unroll
  for (int j = 0; j < kVectorsPerThread; j++)
    loaded[j] = global_load<kLoadHint>(
        reinterpret_cast<const Pack *>(in + (thread + j * kThreads) * kVector));
#pragma unroll
  for (int j = 0; j < kVectorsPerThread; j++)
    *reinterpret_cast<Pack *>(tile + tile_at((thread + j * kThreads) * kVector)) = loaded[j];
  __syncthreads();
  const int mirror = kThreads - 1 - thread;
#pragma unroll
  for (int j = 0; j < kVectorsPerThread; j++) {
    const int first = (mirror + j * kThreads) * kVector;
    global_store<kStoreHint>(reinterpret_cast<Pack *>(out + first),
                             *reinterpret_cast<const Pack *>(tile + tile_at(first)));
  }
}

/* Copies the first `count` elements of a tile, element by element. */
__device__ __forceinline__ void move_elements(Bits *out, const Bits *in, Bits *tile, int thread,
                                              int count) {
#pragma unroll 8
  for (int e = thread; e < count; e += kThreads) tile[tile_at(e)] = in[e];
  __syncthreads();
#pragma unroll 8
  for (int e = thread; e < count; e += kThreads) out[e] = tile[tile_at(e)];
}

} // namespace

/* Copies count elements. The grid is one-dimensional, one block per tile of kElements elements. */
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, long long count) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  Bits *tile = reinterpret_cast<Bits *>(shared_memory);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const long long first = blockIdx.x * static_cast<long long>(kElements);
  const Bits *from = reinterpret_cast<const Bits *>(in) + first;
  Bits *to = reinterpret_cast<Bits *>(out) + first;
  const size_t addresses = reinterpret_cast<size_t>(from) | reinterpret_cast<size_t>(to);
  const int elements = static_cast<int>(min(count - first, kElements + 0LL));
  if (elements == kElements && addresses % sizeof(Pack) == 0)
    move_vectors(to, from, tile, thread);
  else
    move_elements(to, from, tile, thread, elements);
}

#ifndef __CUDACC_RTC__
#include "launch.h"

/* Copies count elements on the stream; the arrays do not overlap. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, long long count, cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  const long long blocks = (count + kElements - 1) / kElements;
  return launch_blocks(KERNEL, blocks, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, out, in,
                       count);
}
#endif
