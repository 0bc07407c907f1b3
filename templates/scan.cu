/* Prefix sums of an array in one launch and one pass over it: out[i] = in[0] + ... + in[i], or
 * ... + in[i - 1] if kExclusive.
 *
 * This is decoupled look-back: Merrill and Garland, "Single-pass Parallel Prefix Scan with
 * Decoupled Look-back", 2016. A block takes the next tile of the array and keeps it in registers:
 * each lane scans its vectors, shuffles scan the vectors of a warp, shared memory the warps' sums.
 * A tile publishes its own sum (the aggregate) as soon as it has it, and the sum up to its end (the
 * inclusive prefix) as soon as it knows that. So the first warp of a block gets the prefix of its
 * tile from what the predecessors have published so far. Of floating-point sums the last bits thus
 * depend on timing.
 *
 * A tile waits for the slowest load of its predecessors. Every block therefore first prefetches the
 * tile kAhead places ahead into L2, which on an H200 is worth a seventh of the bandwidth. */
#include "layout.h"
#include "number.h"
#include "programmatic.h"
#include "vector.h"

// kgen:begin
#define KERNEL scan
#define LAUNCH scan_launch
using Elem = float;
constexpr KgenLayout kLayout = {1, 0, {9}, {1}, 0, {}};
constexpr int kBlockX = 256;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kVector = 4;      // elements per load and store
constexpr int kUnroll = 10;     // vectors per thread
constexpr int kExclusive = 0;   // 1: an element is not part of its own sum
constexpr int kBlocksPerSm = 4; // blocks that registers must let reside on an SM
constexpr int kAhead = 132;     // tiles from this one to the one prefetched into L2; 0: no prefetch
// kgen:end

namespace {

constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kWarps = kThreads / 32;
constexpr int kTile = kThreads * kVector * kUnroll; /* elements */
static_assert(kThreads % 32 == 0, "whole warps");

using Pack = Vector<kVector * sizeof(Elem)>::Type;

using Sum = Number<Elem>::Sum;

__device__ __forceinline__ Sum &place(Sum *tile, int i) {
  static constexpr KgenLayout layout = kLayout;
  return tile[kgen_offset1(&layout, i)];
}

/* Starts to fetch `bytes` bytes into L2, by one instruction whatever their number. The address and
 * the bytes must be multiples of 16. Does nothing before sm_90. */
__device__ __forceinline__ void prefetch_to_l2(const void *from, unsigned bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
#else
  (void)from, (void)bytes;
#endif
}

/* --- what tiles publish --- */

/* A published sum takes kWords words, each with 32 bits of the sum and a tag: the launch, so that
 * sums of earlier launches do not count, and the kind. A word is stored at once, so that words with
 * equal tags belong to one sum, without a fence. Two words are stored by one instruction, which
 * saves tiles of 8-byte elements a sixth of their waiting. */
enum { NOTHING, AGGREGATE, PREFIX };
constexpr int kWords = sizeof(Sum) / sizeof(unsigned);

using Word = unsigned long long;

__device__ __forceinline__ void write_words(Word *to, const Word (&word)[kWords]) {
  if constexpr (kWords == 1)
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word[0]) : "memory");
  else
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(word[0]),
                 "l"(word[kWords - 1])
                 : "memory");
}

__device__ __forceinline__ void read_words(Word (&word)[kWords], const Word *from) {
  if constexpr (kWords == 1)
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word[0]) : "l"(from) : "memory");
  else
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(word[0]), "=l"(word[kWords - 1])
                 : "l"(from)
                 : "memory");
}

struct Published {
  int kind;
  Sum sum;
};

__device__ __forceinline__ void publish(Word *to, unsigned launch, int kind, Sum sum) {
  unsigned part[kWords];
  Word word[kWords];
  memcpy(part, &sum, sizeof sum);
#pragma unroll
  for (int k = 0; k < kWords; k++) word[k] = static_cast<Word>(launch * 4 + kind) << 32 | part[k];
  write_words(to, word);
}

__device__ __forceinline__ Published look_up(const Word *from, unsigned launch) {
  unsigned part[kWords], tag[kWords];
  Word word[kWords];
  bool whole = true;
  read_words(word, from);
#pragma unroll
  for (int k = 0; k < kWords; k++) {
    part[k] = static_cast<unsigned>(word[k]);
    tag[k] = static_cast<unsigned>(word[k] >> 32);
    whole = whole && tag[k] == tag[0];
  }
  Published p;
  p.kind = whole && (tag[0] ^ launch * 4) < 4 ? tag[0] % 4 : NOTHING;
  memcpy(&p.sum, part, sizeof p.sum);
  return p;
}

/* Takes the next tile of this launch, and the launch's number. Tiles are handed out in the order in
 * which blocks start, so that the predecessors that a tile waits for are already resident. The
 * workspace's first word counts both, tiles in its low half; the block that takes the last tile
 * resets that half and starts the next launch's number. */
__device__ __forceinline__ unsigned take_tile(Word *counter, unsigned *launch) {
  const Word old = atomicAdd(counter, 1ull);
  const unsigned tile = static_cast<unsigned>(old);
  *launch = static_cast<unsigned>(old >> 32);
  if (tile == gridDim.x - 1) atomicAdd(counter, (1ull << 32) - gridDim.x);
  return tile;
}

/* The sum of all tiles before this one, in all lanes of a warp. The warp reads the state of 32
 * tiles at a time, nearest first, and waits until every tile from the nearest PREFIX on has
 * published. */
__device__ __forceinline__ Sum look_back(const Word *state, unsigned launch, unsigned tile,
                                         int lane) {
  Sum before = 0;
  for (long long last = tile - 1LL; last >= 0;) {
    const long long i = last - lane;
    Published p = {PREFIX, 0}; /* before the array */
    if (i >= 0) p = look_up(state + i * kWords, launch);
    const unsigned ends = __ballot_sync(~0u, p.kind == PREFIX);
    const unsigned needed = ends ? ends ^ (ends - 1) : ~0u;
    if (__ballot_sync(~0u, p.kind == NOTHING) & needed) continue;
    Sum sum = needed >> lane & 1 ? p.sum : 0;
#pragma unroll
    for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
    before = sum + before;
    if (ends) break;
    last -= 32;
  }
  return before;
}

/* --- a tile --- */

/* A thread's elements: vector u of lane l of warp w is vector (w * kUnroll + u) * 32 + l of the
 * tile, so that each load of a warp is coalesced. */
struct Items {
  Sum at[kUnroll][kVector];
};

__device__ __forceinline__ int first_of(int thread, int u) {
  return ((thread / 32 * kUnroll + u) * 32 + thread % 32) * kVector;
}

/* Elements of a vector, zeros past the end of the array. */
__device__ __forceinline__ void load_vector(Sum (&to)[kVector], const Elem *in, int first,
                                            int count, bool vectors) {
  if (vectors) {
    const Pack pack = __ldcs(reinterpret_cast<const Pack *>(in + first));
    memcpy(to, &pack, sizeof pack);
  } else {
#pragma unroll
    for (int k = 0; k < kVector; k++)
      to[k] = first + k < count ? static_cast<Sum>(in[first + k]) : 0;
  }
}

__device__ __forceinline__ void store_vector(Elem *out, int first, int count, bool vectors,
                                             const Sum (&from)[kVector]) {
  if (vectors) {
    Pack pack;
    memcpy(&pack, from, sizeof pack);
    __stcs(reinterpret_cast<Pack *>(out + first), pack);
  } else {
#pragma unroll
    for (int k = 0; k < kVector; k++)
      if (first + k < count) out[first + k] = from[k];
  }
}

/* With elements of 8 bytes one branch around all loads of a full tile is faster than one around
 * each: 3460 GB/s instead of 2990 on an H200. With 4 bytes it is slower, 3580 instead of 3660,
 * since it takes registers. */
constexpr bool kBranchOnce = sizeof(Elem) == 8;

__device__ __forceinline__ Items load_items(const Elem *in, int count, bool vectors, int thread) {
  Items items;
  if (kBranchOnce && vectors) {
#pragma unroll
    for (int u = 0; u < kUnroll; u++)
      load_vector(items.at[u], in, first_of(thread, u), count, true);
  } else {
#pragma unroll
    for (int u = 0; u < kUnroll; u++)
      load_vector(items.at[u], in, first_of(thread, u), count, vectors);
  }
  return items;
}

__device__ __forceinline__ void store_items(Elem *out, int count, bool vectors, int thread,
                                            const Items &items) {
  if (kBranchOnce && vectors) {
#pragma unroll
    for (int u = 0; u < kUnroll; u++)
      store_vector(out, first_of(thread, u), count, true, items.at[u]);
  } else {
#pragma unroll
    for (int u = 0; u < kUnroll; u++)
      store_vector(out, first_of(thread, u), count, vectors, items.at[u]);
  }
}

/* The inclusive scan over the lanes of a warp. */
__device__ __forceinline__ Sum scan_lanes(Sum sum, int lane) {
#pragma unroll
  for (int s = 1; s < 32; s *= 2) {
    const Sum other = __shfl_up_sync(~0u, sum, s);
    if (lane >= s) sum += other;
  }
  return sum;
}

__device__ __forceinline__ void add_to_vector(Sum (&element)[kVector], Sum before) {
#pragma unroll
  for (int k = 0; k < kVector; k++) element[k] += before;
}

/* Scans a warp's elements and returns their sum. */
__device__ __forceinline__ Sum scan_warp(Items *items, int lane) {
  Sum all = 0;
#pragma unroll
  for (int u = 0; u < kUnroll; u++) {
    Sum run = 0;
#pragma unroll
    for (int k = 0; k < kVector; k++) {
      const Sum element = items->at[u][k];
      if constexpr (kExclusive == 1) items->at[u][k] = run;
      run += element;
      if constexpr (kExclusive == 0) items->at[u][k] = run;
    }
    const Sum scanned = scan_lanes(run, lane), left = __shfl_up_sync(~0u, scanned, 1);
    add_to_vector(items->at[u], lane > 0 ? all + left : all);
    all += __shfl_sync(~0u, scanned, 31);
  }
  return all;
}

/* The sum of the warps before this one, in all lanes; *all gets the sum of the block. */
__device__ __forceinline__ Sum scan_warps(Sum *tile, Sum sum, int thread, Sum *all) {
  const int lane = thread % 32, warp = thread / 32;
  if (lane == 0) place(tile, warp) = sum;
  __syncthreads();
  const Sum scanned = scan_lanes(lane < kWarps ? place(tile, lane) : 0, lane);
  const Sum left = __shfl_sync(~0u, scanned, (warp - 1) & 31);
  *all = __shfl_sync(~0u, scanned, kWarps - 1);
  return warp > 0 ? left : 0;
}

/* Thread 0's value in all threads, through the last element of the tile. */
template <class T> __device__ __forceinline__ T broadcast(Sum *tile, T value, int thread) {
  Sum room = 0;
  memcpy(&room, &value, sizeof value);
  if (thread == 0) place(tile, kWarps) = room;
  __syncthreads();
  room = place(tile, kWarps);
  memcpy(&value, &room, sizeof value);
  return value;
}

} // namespace

/* in and out: count elements; workspace: see LAUNCH. The grid is one-dimensional, one block per
 * tile of kTile elements. */
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, long long count,
           unsigned long long *workspace) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  Sum *tile = reinterpret_cast<Sum *>(shared_memory);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  unsigned launch = 0, number = 0;
  if (thread == 0) number = take_tile(workspace, &launch);
  number = broadcast(tile, number, thread);

  const long long first = number * static_cast<long long>(kTile);
  const int size = static_cast<int>(min(count - first, kTile + 0LL));
  const size_t addresses = reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out);
  const bool vectors = size == kTile && addresses % sizeof(Pack) == 0;
  if (kAhead > 0 && thread == 0 && vectors && count - first >= (kAhead + 1LL) * kTile)
    prefetch_to_l2(in + first + kAhead * static_cast<long long>(kTile), kTile * sizeof(Elem));
  Items items = load_items(in + first, size, vectors, thread);
  Sum all;
  const Sum sum = scan_warp(&items, thread % 32);
  const Sum warps = scan_warps(tile, sum, thread, &all);

  Sum tiles = 0;
  if (thread < 32) {
    Word *state = workspace + kWords, *own = state + static_cast<size_t>(number) * kWords;
    launch = __shfl_sync(~0u, launch, 0);
    if (thread == 0 && number > 0) publish(own, launch, AGGREGATE, all);
    tiles = look_back(state, launch, number, thread);
    if (thread == 0) publish(own, launch, PREFIX, tiles + all);
  }
  tiles = broadcast(tile, tiles, thread);
#pragma unroll
  for (int u = 0; u < kUnroll; u++) add_to_vector(items.at[u], tiles + warps);
  store_items(out + first, size, vectors, thread, items);
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"

/* Scans count elements on the stream; the arrays must not overlap. The workspace, aligned to 16
 * bytes, has sizeof(Elem) / 4 words of 8 bytes for each tile of kTile elements, plus the same
 * number for the counters. It must be zero before the first launch; each launch, of any count that
 * fits, leaves it ready for the next one. Launches that may overlap need separate workspaces. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, long long count,
                              unsigned long long *workspace, cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  const long long tiles = (count + kTile - 1) / kTile;
  return launch_programmatic(KERNEL, tiles, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, out, in,
                             count, workspace);
}
#endif
