/* Extracts one member of every struct of an array through a tile in shared memory:
 * out[s] = in[s * kFields + kField] for `count` structs s.
 *
 * A block copies whole structs into the tile, element by element and coalesced, and then loads the
 * member from there. If structs are contiguous, the lanes of that load are a struct apart: structs
 * of 4 words give a 4-way bank conflict, which the tile's layout removes. */
#include "layout.h"
#include "vector.h"

// kgen:begin
#define KERNEL member
#define LAUNCH member_launch
using Elem = float;
constexpr KgenLayout kLayout = {1, 32, {2048}, {32, 1}, 1, {{0, 3}}};
constexpr int kBlockX = 256;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kFields = 4; // elements per struct
constexpr int kField = 0;  // the element that is extracted
// kgen:end

namespace {

constexpr int kElements = kLayout.extent[0];
constexpr int kStructs = kElements / kFields;
constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
static_assert(kElements % (kThreads * kFields) == 0, "all threads load the same number of members");

using Bits = Vector<sizeof(Elem)>::Type; /* one element; nothing here depends on its value */

__device__ __forceinline__ int tile_at(int element) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset1(&layout, element);
}

/* Extracts the member of the first `structs` structs of a tile. FULL: of all, unconditionally. */
template <bool FULL>
__device__ __forceinline__ void read_member(Bits *out, const Bits *in, Bits *tile, int thread,
                                            int structs) {
  Bits loaded[kElements / kThreads];
#pragma unroll
  for (int j = 0; j < kElements / kThreads; j++) {
    const int e = thread + j * kThreads;
    if (FULL || e < structs * kFields) loaded[j] = __ldcs(in + e);
  }
#pragma unroll
  for (int j = 0; j < kElements / kThreads; j++) {
    const int e = thread + j * kThreads;
    if (FULL || e < structs * kFields) tile[tile_at(e)] = loaded[j];
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < kStructs / kThreads; j++) {
    const int s = thread + j * kThreads;
    if (FULL || s < structs) __stcs(out + s, tile[tile_at(s * kFields + kField)]);
  }
}

} // namespace

/* in: count structs of kFields elements; out: count elements. The grid is one-dimensional, one
 * block per tile of kStructs structs. */
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, long long count) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  Bits *tile = reinterpret_cast<Bits *>(shared_memory);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const long long first = blockIdx.x * static_cast<long long>(kStructs);
  const Bits *from = reinterpret_cast<const Bits *>(in) + first * kFields;
  Bits *to = reinterpret_cast<Bits *>(out) + first;
  const int structs = static_cast<int>(min(count - first, kStructs + 0LL));
  if (structs == kStructs)
    read_member<true>(to, from, tile, thread, structs);
  else
    read_member<false>(to, from, tile, thread, structs);
}

#ifndef __CUDACC_RTC__
#include "launch.h"

/* Extracts the member of count structs on the stream; the arrays must not overlap. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, long long count, cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  const long long blocks = (count + kStructs - 1) / kStructs;
  return launch_blocks(KERNEL, blocks, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, out, in,
                       count);
}
#endif
