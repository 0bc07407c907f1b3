/* Sums the rows of a matrix in one launch: out[r] = in[r][0] + ... + in[r][cols - 1].
 *
 * A lane adds every 32nd vector of its warp's rows in registers, and the lanes' sums of a row go
 * into a tile in shared memory, of 32 columns and one row for each row that the block sums. Then
 * one thread sums each row of the tile, in vectors of 16 bytes. In those loads lanes go down a
 * column of the tile, which the layout keeps free of bank conflicts.
 *
 * However long the rows are, a lane has kUnroll loads in flight: of one row if that has enough
 * vectors, else of kShare rows. Many short rows need no tile: a warp loads one, two or four rows at
 * a time, and its lanes exchange halves of what they have until each has the sum of a row.
 *
 * A long row, or one of medium length if there are few, is summed by one or more blocks, whose
 * warps sum a segment each. If a row has several parts, the block that finishes last adds their
 * sums, always in the same order: the result does not depend on timing. */
#include "layout.h"
#include "number.h"
#include "programmatic.h"
#include "ticket.h"
#include "vector.h"

// kgen:begin
#define KERNEL rowsum
#define LAUNCH rowsum_launch
using Elem = float;
constexpr KgenLayout kLayout = {2, 0, {16, 32}, {32, 1}, 1, {{-2, 28}}};
constexpr int kBlockX = 256;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kVector = 4;    // elements per load
constexpr int kUnroll = 8;    // loads that a lane has in flight
constexpr int kMany = 8192;   // short rows that are many: so few blocks still fill a GPU
constexpr int kFew = 1023;    // rows that are few: each has its own blocks from kLong columns on
constexpr int kLong = 4096;   // columns from which on one of few rows has its own blocks
constexpr int kHuge = 16384;  // columns from which on any row has its own blocks
constexpr int kPart = 16384;  // columns of a part, at least, if a row has several
constexpr int kBlocks = 1056; // blocks that few rows are divided among
// kgen:end

/* The name of the kernel for many short rows. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define BRIEF(name) JOIN(name, _brief)

namespace {

constexpr int kRows = kLayout.extent[0];
constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kWarps = kThreads / 32;
constexpr int kShare = kRows / kWarps; /* rows of the tile per warp */

/* Loads that a lane has in flight if rows are short: a power of two, as halves are exchanged. */
constexpr int kFlight = kUnroll >= 8 ? 8 : kUnroll >= 4 ? 4 : kUnroll >= 2 ? 2 : 1;

static_assert(kMany > 0, "few rows go through the tile");

using Pack = Vector<kVector * sizeof(Elem)>::Type;

using Sum = Number<Elem>::Sum;
constexpr int kWide = 16 / sizeof(Sum); /* sums per load from the tile */

/* The loads of each of `rows` rows that a lane has in flight. */
KGEN_FN int loads_of(int rows) { return rows < kUnroll ? kUnroll / rows : 1; }

/* The blocks that sum one row, or 0 if a block sums several rows. */
KGEN_FN int parts_of_row(int rows, long long cols) {
  if (cols < kHuge && (cols < kLong || rows > kFew)) return 0;
  const long long most = cols / kPart;
  if (most <= 1) return 1; /* and no division by a variable */
  const long long share = kBlocks / rows, parts = share < most ? share : most;
  return parts > 1 ? static_cast<int>(parts) : 1;
}

/* The short rows that a warp loads at once: as many as it has lanes for their vectors. */
KGEN_FN int rows_of_load(long long cols) {
  const long long vectors = (cols % kVector == 0 ? cols : cols - (kVector - 1)) / kVector;
  return vectors <= 8 ? 4 : vectors <= 16 ? 2 : 1;
}

/* The rows of a warp if a block sums several. */
KGEN_FN int rows_of_warp(long long cols) {
  return cols > 32 * kVector * loads_of(kShare) ? 1 : kShare;
}

__device__ __forceinline__ int tile_at(int row, int col) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset2(&layout, row, col);
}

template <int COUNT, class T> __device__ __forceinline__ Sum add_up(T pack) {
  Sum element[COUNT];
  memcpy(element, &pack, sizeof element);
#pragma unroll
  for (int k = 1; k < COUNT; k++) element[0] += element[k];
  return element[0];
}

/* --- a lane's share of a warp's rows ---
 *
 * Unless rows are ALIGNED to vectors, each has an edge: less than two vectors of elements, before
 * its first aligned vector and after the last one that all rows have. A lane loads one of them. */

/* The vectors that every row of cols elements has. */
template <bool ALIGNED> __device__ __forceinline__ long long vectors_of(long long cols) {
  return (ALIGNED ? cols : max(cols - (kVector - 1), 0LL)) / kVector;
}

/* The elements before a row's first aligned vector. */
template <bool ALIGNED> __device__ __forceinline__ int head_of(const Sum *row) {
  if constexpr (ALIGNED) return 0;
  return static_cast<int>(-(reinterpret_cast<size_t>(row) / sizeof(Sum)) % kVector);
}

/* Element `at` of the edge of a row of `vectors` vectors and `left` elements, or 0. */
template <bool ALIGNED>
__device__ __forceinline__ Sum load_edge(const Sum *row, long long vectors, long long left,
                                         int at) {
  if constexpr (ALIGNED) return 0;
  return at < left ? row[at < head_of<ALIGNED>(row) ? at : at + vectors * kVector] : 0;
}

/* Adds UNROLL of this lane's vectors of each row to sum[r]: from[r] + v is the first, `left`
 * vectors before the row's end. Unless ALL are within the row, those beyond count as zeros. The
 * places are counted in int from there: with eight comparisons of 64 bits, and as many addresses,
 * ptxas loaded the last vector in a branch, behind the sum of the others. */
template <bool ALL, int UNROLL, int ROWS>
__device__ __forceinline__ void add_vectors(Sum (&sum)[ROWS], const Pack *const (&from)[ROWS],
                                            long long v, int left) {
  Pack loaded[UNROLL][ROWS];
#pragma unroll
  for (int u = 0; u < UNROLL; u++)
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      loaded[u][r] = Pack{};
      if (ALL || u * 32 < left) loaded[u][r] = __ldcs(from[r] + v + u * 32);
    }
#pragma unroll
  for (int u = 0; u < UNROLL; u++)
#pragma unroll
    for (int r = 0; r < ROWS; r++) sum[r] += add_up<kVector>(loaded[u][r]);
}

/* Adds this lane's elements of `rows` <= ROWS rows of cols elements, the first at `in` and `pitch`
 * from one to the next. In the place of rows that do not exist the last one is loaded again. */
template <bool ALIGNED, int ROWS>
__device__ __forceinline__ void add_rows(Sum (&sum)[ROWS], const Sum *in, long long pitch,
                                         long long cols, int rows, int lane) {
  if (rows <= 0) return;
  constexpr int unroll = loads_of(ROWS);
  const long long vectors = vectors_of<ALIGNED>(cols);
  const Pack *from[ROWS];
  Sum edge[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const Sum *row = in + min(r, rows - 1) * pitch;
    from[r] = reinterpret_cast<const Pack *>(row + head_of<ALIGNED>(row)) + lane;
    edge[r] = load_edge<ALIGNED>(row, vectors, cols - vectors * kVector, lane);
  }
  long long v = 0;
#pragma unroll 1
  for (; v + 32 * unroll <= vectors; v += 32 * unroll) add_vectors<true, unroll>(sum, from, v, 0);
  if (v < vectors) add_vectors<false, unroll>(sum, from, v, static_cast<int>(vectors - v) - lane);
#pragma unroll
  for (int r = 0; r < ROWS; r++) sum[r] += edge[r];
}

/* --- rows of the tile --- */

__device__ __forceinline__ Sum add_lanes(const Sum *tile, int row) {
  Sum sum = 0;
#pragma unroll
  for (int c = 0; c < 32; c += kWide)
    sum += add_up<kWide>(*reinterpret_cast<const uint4 *>(tile + tile_at(row, c)));
  return sum;
}

/* --- a block that sums several rows --- */

/* Sums ROWS neighbouring rows a warp by way of the tile. */
template <bool ALIGNED, int ROWS>
__device__ __forceinline__ void sum_block(Elem *out, const Sum *in, int rows, long long cols,
                                          Sum *tile, int thread) {
  const int warp = thread / 32, lane = thread % 32;
  const long long block = blockIdx.x * static_cast<long long>(kWarps * ROWS);
  const long long first = block + warp * ROWS;
  Sum sum[ROWS] = {};
  add_rows<ALIGNED>(sum, in + first * cols, cols, cols,
                    static_cast<int>(min(rows - first, ROWS + 0LL)), lane);
#pragma unroll
  for (int r = 0; r < ROWS; r++) tile[tile_at(warp * ROWS + r, lane)] = sum[r];
  __syncthreads();
  if (thread < kWarps * ROWS && block + thread < rows)
    out[block + thread] = add_lanes(tile, thread);
}

template <bool ALIGNED>
__device__ __forceinline__ void sum_rows(Elem *out, const Sum *in, int rows, long long cols,
                                         Sum *tile, int thread) {
  if (rows_of_warp(cols) > 1)
    sum_block<ALIGNED, kShare>(out, in, rows, cols, tile, thread);
  else
    sum_block<ALIGNED, 1>(out, in, rows, cols, tile, thread);
}

/* --- a block that sums a part of one row --- */

__device__ __forceinline__ Sum add_warp(Sum sum) {
#pragma unroll
  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
  return sum;
}

/* The elements of a warp's segment, whole lines of 128 bytes, if a row has `parts` parts. Two
 * divisions, as the one by a constant takes no time. */
__device__ __forceinline__ long long segment_of(long long cols, int parts) {
  constexpr int line = 8 * kVector;
  const long long lines = (cols - 1) / line;
  return (parts > 1 ? lines / (parts * kWarps) + 1 : lines / kWarps + 1) * line;
}

/* Sums this block's part of a row of cols elements, a segment a warp. All threads of the first warp
 * return it. */
template <bool ALIGNED>
__device__ __forceinline__ Sum sum_part(const Sum *row, long long cols, int part, int parts,
                                        Sum *tile, int thread) {
  const int warp = thread / 32, lane = thread % 32;
  const long long segment = segment_of(cols, parts);
  const long long first = segment * (part * kWarps + warp), count = min(segment, cols - first);
  Sum sum[1] = {};
  add_rows<ALIGNED>(sum, row + first, 0, count, count > 0, lane);
#pragma unroll
  for (int r = 0; r < kShare; r++) tile[tile_at(warp * kShare + r, lane)] = r == 0 ? sum[0] : 0;
  __syncthreads();
  Sum all = 0;
  if (thread >= 32) return all;
  for (int r = lane; r < kRows; r += 32) all += add_lanes(tile, r);
  return add_warp(all);
}

/* True in all lanes of the first warp of the block that arrives last of `blocks`, and sees what the
 * first lanes of the others stored before they arrived. The ticket is then 0 again. */
__device__ __forceinline__ bool is_last_block(unsigned *ticket, unsigned blocks, int lane) {
  const bool last = __any_sync(~0u, lane == 0 && arrive_last(ticket, blocks));
  __syncwarp(); /* a vote orders no memory, and the first lane alone has acquired */
  return last;
}

template <bool ALIGNED>
__device__ __forceinline__ void sum_divided(Elem *out, const Sum *in, long long cols, int parts,
                                            unsigned long long *workspace, Sum *tile, int thread) {
  const int block = static_cast<int>(blockIdx.x), row = parts > 1 ? block / parts : block;
  const int part = block - row * parts;
  Sum sum = sum_part<ALIGNED>(in + row * cols, cols, part, parts, tile, thread);
  if (thread >= 32) return;
  if (parts > 1) {
    Sum *sums = reinterpret_cast<Sum *>(workspace + kBlocks) + row * parts;
    if (thread == 0) __stcg(sums + part, sum);
    if (!is_last_block(reinterpret_cast<unsigned *>(workspace + row), parts, thread)) return;
    sum = 0;
#pragma unroll 8
    for (int p = thread; p < parts; p += 32) sum += __ldcg(sums + p);
    sum = add_warp(sum);
  }
  if (thread == 0) out[row] = sum;
}

template <bool ALIGNED>
__device__ __forceinline__ void sum_matrix(Elem *out, const Sum *in, int rows, long long cols,
                                           unsigned long long *workspace, Sum *tile, int thread) {
  const int parts = parts_of_row(rows, cols);
  if (parts > 0)
    sum_divided<ALIGNED>(out, in, cols, parts, workspace, tile, thread);
  else
    sum_rows<ALIGNED>(out, in, rows, cols, tile, thread);
}

/* --- many short rows, without the tile --- */

/* Sums COUNT rows among WIDTH neighbouring lanes, each of which has a part of all. In each step a
 * lane gives half of its rows away and gets the other half's parts, until it has one row. */
template <int COUNT, int WIDTH>
__device__ __forceinline__ Sum exchange_halves(Sum (&sum)[COUNT], int lane) {
#pragma unroll
  for (int s = WIDTH / 2, left = COUNT; s > 0; s /= 2, left /= 2) {
    const bool upper = lane & s;
    if (left <= 1) sum[0] += __shfl_xor_sync(~0u, sum[0], s);
#pragma unroll
    for (int r = 0; r < left / 2; r++) {
      const Sum other = __shfl_xor_sync(~0u, upper ? sum[r] : sum[r + left / 2], s);
      sum[r] = (upper ? sum[r + left / 2] : sum[r]) + other;
    }
  }
  return sum[0];
}

/* Sums kFlight * TOGETHER neighbouring short rows a warp, of which it loads TOGETHER at once. In
 * the place of rows that do not exist the last one is loaded again. */
template <bool ALIGNED, int TOGETHER>
__device__ __forceinline__ void sum_short_rows(Elem *out, const Sum *in, int rows, int cols,
                                               int thread) {
  constexpr int width = 32 / TOGETHER, share = kFlight * TOGETHER;
  const int group = thread % 32 / width, at = thread % width;
  const long long first = (blockIdx.x * static_cast<long long>(kWarps) + thread / 32) * share;
  const int count = static_cast<int>(min(rows - first, share + 0LL));
  if (count <= 0) return;
  const int vectors = static_cast<int>(vectors_of<ALIGNED>(cols));
  Pack loaded[kFlight];
  Sum sum[kFlight];
#pragma unroll
  for (int i = 0; i < kFlight; i++) {
    const Sum *row = in + (first + min(i * TOGETHER + group, count - 1)) * cols;
    const Pack *from = reinterpret_cast<const Pack *>(row + head_of<ALIGNED>(row)) + at;
    loaded[i] = Pack{};
    if (at < vectors) loaded[i] = __ldcs(from);
    sum[i] = load_edge<ALIGNED>(row, vectors, cols - vectors * kVector, at);
  }
#pragma unroll
  for (int i = 0; i < kFlight; i++) sum[i] += add_up<kVector>(loaded[i]);
  const Sum all = exchange_halves<kFlight, width>(sum, at);
  const int row = at * kFlight / width * TOGETHER + group;
  if (at % (width / kFlight) == 0 && row < count) out[first + row] = all;
}

template <bool ALIGNED>
__device__ __forceinline__ void sum_short_matrix(Elem *out, const Sum *in, int rows, int cols,
                                                 int thread) {
  if (rows_of_load(cols) > 2)
    sum_short_rows<ALIGNED, 4>(out, in, rows, cols, thread);
  else if (rows_of_load(cols) > 1)
    sum_short_rows<ALIGNED, 2>(out, in, rows, cols, thread);
  else
    sum_short_rows<ALIGNED, 1>(out, in, rows, cols, thread);
}

__device__ __forceinline__ bool is_aligned(const Elem *in, long long cols) {
  return reinterpret_cast<size_t>(in) % sizeof(Pack) == 0 && cols % kVector == 0;
}

} // namespace

/* in: rows x cols elements without gaps; out: `rows` elements; workspace: see LAUNCH. The grid is
 * one-dimensional, of parts_of_row(rows, cols) blocks per row or, if that is 0, one block per
 * rows_of_warp(cols) * kWarps rows. The launch bounds allow 64 registers, with which 1,024
 * threads reside on an SM. Without bounds the compiler uses so few that a thread loads one row
 * after another. */
extern "C" __global__ void __launch_bounds__(kThreads, kThreads <= 512 ? 1024 / kThreads : 1)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, int rows, long long cols,
           unsigned long long *workspace) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  Sum *tile = reinterpret_cast<Sum *>(shared_memory);
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const Sum *from = reinterpret_cast<const Sum *>(in);
  if (is_aligned(in, cols))
    sum_matrix<true>(out, from, rows, cols, workspace, tile, thread);
  else
    sum_matrix<false>(out, from, rows, cols, workspace, tile, thread);
}

/* The same for many short rows, one block per kFlight * rows_of_load(cols) * kWarps rows. */
extern "C" __global__ void __launch_bounds__(kThreads, kThreads <= 512 ? 1024 / kThreads : 1)
    BRIEF(KERNEL)(Elem *__restrict__ out, const Elem *__restrict__ in, int rows, long long cols,
                  unsigned long long *) {
  await_launch_before();
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const Sum *from = reinterpret_cast<const Sum *>(in);
  if (is_aligned(in, cols))
    sum_short_matrix<true>(out, from, rows, static_cast<int>(cols), thread);
  else
    sum_short_matrix<false>(out, from, rows, static_cast<int>(cols), thread);
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"

namespace {

/* True if rows are short and many. */
bool rows_are_short(int rows, long long cols) { return rows >= kMany && cols <= 32 * kVector; }

} // namespace

/* Sums `rows` rows of cols elements on the stream. The workspace, of 2 * kBlocks words of 8 bytes,
 * must be zero before the first launch; each launch leaves it ready for the next one. Launches that
 * may overlap need a workspace each. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, int rows, long long cols,
                              unsigned long long *workspace, cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  if (rows <= 0) return cudaSuccess;
  const bool brief = rows_are_short(rows, cols);
  const int parts = parts_of_row(rows, cols);
  const int height = kWarps * (brief ? kFlight * rows_of_load(cols) : rows_of_warp(cols));
  const long long blocks =
      parts > 0 ? rows * static_cast<long long>(parts) : (rows - 1) / height + 1;
  return launch_programmatic(brief ? BRIEF(KERNEL) : KERNEL, blocks,
                             dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, out, in, rows, cols,
                             workspace);
}
#endif
