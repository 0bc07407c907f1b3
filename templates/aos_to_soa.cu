/* Converts an array of structs to a structure of arrays, through a tile in shared memory:
 * out[f * pitch + s] = in[s * kFields + f] for `count` structs s and kFields fields f.
 *
 * A block moves one tile. Its threads load the structs as a stream of 16-byte vectors and store
 * them into the tile in the same order. After the barrier each thread loads kVector whole structs,
 * transposes them in registers, and stores one 16-byte vector to each field's array. So both sides
 * of device memory are coalesced, 16 bytes per lane. What could conflict are the loads from the
 * tile, a row of structs apart from lane to lane: the layout spreads them over the banks.
 *
 * Arrays that are not aligned to 16 bytes, a pitch that is no multiple of kVector, and the last
 * tile are moved element by element. */
#include "layout.h"
#include "programmatic.h"
#include "vector.h"

// kgen:begin
#define KERNEL aos_to_soa
#define LAUNCH aos_to_soa_launch
using Elem = float;
constexpr KgenLayout kLayout = {2, 0, {32, 16}, {16, 1}, 1, {{-1, 12}}};
constexpr int kBlockX = 32;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kFields = 4; // elements per struct
// kgen:end

#include "struct_tile.h"

namespace {

/* Moves a full tile by vectors. All loads of a thread are issued before its first store, so that
 * their latencies overlap. */
__device__ __forceinline__ void move_vectors(Bits *out, const Bits *in, long long pitch, Bits *tile,
                                             int thread) {
  Pack loaded[kRowsPerThread * kFields];
#pragma unroll
  for (int j = 0; j < kRowsPerThread * kFields; j++)
    loaded[j] = __ldcs(reinterpret_cast<const Pack *>(in + (thread + j * kThreads) * kVector));
#pragma unroll
  for (int j = 0; j < kRowsPerThread * kFields; j++) {
    const int v = thread + j * kThreads;
    *reinterpret_cast<Pack *>(tile + tile_at(v / kFields, v % kFields * kVector)) = loaded[j];
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < kRowsPerThread; j++) {
    const int row = thread + j * kThreads;
    Pack pack[kFields];
#pragma unroll
    for (int i = 0; i < kFields; i++)
      pack[i] = *reinterpret_cast<const Pack *>(tile + tile_at(row, i * kVector));
    transpose_elements<kVector, kFields>(pack);
#pragma unroll
    for (int f = 0; f < kFields; f++)
      __stcs(reinterpret_cast<Pack *>(out + f * pitch + row * kVector), pack[f]);
  }
}

/* Moves the first `structs` structs of a tile, element by element. */
__device__ __forceinline__ void move_elements(Bits *out, const Bits *in, long long pitch,
                                              Bits *tile, int thread, int structs) {
  constexpr int across = kFields * kVector;
#pragma unroll 8
  for (int e = thread; e < structs * kFields; e += kThreads)
    tile[tile_at(e / across, e % across)] = in[e];
  __syncthreads();
  for (int f = 0; f < kFields; f++)
#pragma unroll 4
    for (int s = thread; s < structs; s += kThreads)
      out[f * pitch + s] = tile[tile_at(s / kVector, s % kVector * kFields + f)];
}

} // namespace

/* in: count structs of kFields elements; out: kFields arrays that start `pitch` elements apart. The
 * grid is one-dimensional, one block per tile of kStructs structs. */
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, long long count, long long pitch) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  Bits *tile = reinterpret_cast<Bits *>(shared_memory);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const long long first = blockIdx.x * static_cast<long long>(kStructs);
  const Bits *from = reinterpret_cast<const Bits *>(in) + first * kFields;
  Bits *to = reinterpret_cast<Bits *>(out) + first;
  const size_t addresses = reinterpret_cast<size_t>(from) | reinterpret_cast<size_t>(to);
  const int structs = static_cast<int>(min(count - first, kStructs + 0LL));
  if (structs == kStructs && addresses % sizeof(Pack) == 0 && pitch % kVector == 0)
    move_vectors(to, from, pitch, tile, thread);
  else
    move_elements(to, from, pitch, tile, thread, structs);
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"

/* Splits count structs on the stream; the arrays start pitch >= count elements apart. `in` and
 * `out` must not overlap. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, long long count, long long pitch,
                              cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  const long long blocks = (count + kStructs - 1) / kStructs;
  return launch_programmatic(KERNEL, blocks, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, out,
                             in, count, pitch);
}
#endif
