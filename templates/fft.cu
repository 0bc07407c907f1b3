/* A batch of discrete Fourier transforms of kPoints complex points each, unscaled:
 * out[k] = the sum over j of in[j] * exp(-2 pi i jk / kPoints), or +2 pi i for the inverse.
 *
 * This is Stockham's algorithm, which needs no bit reversal of the result. A thread holds kRadix
 * points in registers; every stage multiplies them by twiddle factors and transforms them by a
 * radix-kRadix butterfly (the last stage by the radix that is left of kPoints). Between two stages
 * the points change threads through a tile in shared memory: they are stored in the order of the
 * next stage, and loaded kPoints / kRadix apart. The lanes of the first stage's stores are kRadix
 * points apart: these are the accesses that the layout has to spread over the banks. A block
 * computes several transforms at once if they are short. */
#include "layout.h"
#include "programmatic.h"

// kgen:begin
#define KERNEL fft
#define LAUNCH fft_launch
using Elem = float2;
constexpr KgenLayout kLayout = {1, 16, {1024}, {16, 1}, 1, {{0, 15}}};
constexpr int kBlockX = 64;
constexpr int kBlockY = 1;
constexpr int kBlockZ = 1;
constexpr int kPoints = 1024;   // points per transform
constexpr int kRadix = 16;      // points per thread
constexpr int kInverse = 0;     // 0: exp(-2 pi i jk / n), 1: exp(+2 pi i jk / n)
constexpr int kBlocksPerSm = 0; // blocks that registers must let reside on an SM; 0: any
// kgen:end

namespace {

constexpr int kLanes = kPoints / kRadix; /* threads per transform */
constexpr int kThreads = kBlockX * kBlockY * kBlockZ;
constexpr int kTransforms = kThreads / kLanes; /* transforms per block */
constexpr float kSign = kInverse ? 1 : -1;
static_assert(kThreads % kLanes == 0, "a block computes whole transforms");
static_assert(kLayout.extent[0] == kTransforms * kPoints, "the tile holds the block's points");

/* A point is one 8-byte access. It is volatile, since the compiler would join neighbours that no
 * swizzle keeps apart, and the accesses would not be those that the layout was chosen for. */
using Bits = unsigned long long;
using Tile = volatile Bits *;

__device__ __forceinline__ int tile_at(int point) {
  static constexpr KgenLayout layout = kLayout;
  return kgen_offset1(&layout, point);
}

/* True for layouts without padding: the offset of a point is then the XOR of the offsets of its
 * bits. */
KGEN_FN bool offsets_are_xors() {
  constexpr KgenLayout layout = kLayout;
  return layout.period == 0 || (layout.stride[0] == layout.period && layout.stride[1] == 1);
}

/* The points `first + step` of the tile, for constant steps that have no bit in common with
 * `first`: one instruction each, where the whole address would be five. On an H200 transforms of 64
 * points, which wait for memory alone, are 1 % slower so. */
struct Points {
  Tile tile;
  int first, offset;
  __device__ __forceinline__ Points(Tile t, int f) : tile(t), first(f), offset(tile_at(f)) {}
  __device__ __forceinline__ volatile Bits &operator[](int step) const {
    return tile[kPoints > 64 && offsets_are_xors() ? offset ^ tile_at(step)
                                                   : tile_at(first + step)];
  }
};

__device__ __forceinline__ void store_point(volatile Bits &to, float2 value) {
  Bits bits;
  memcpy(&bits, &value, sizeof bits);
  to = bits;
}

__device__ __forceinline__ float2 load_point(const volatile Bits &from) {
  const Bits bits = from;
  float2 value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

__device__ __forceinline__ float2 operator+(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
__device__ __forceinline__ float2 operator-(float2 a, float2 b) {
  return make_float2(a.x - b.x, a.y - b.y);
}
__device__ __forceinline__ float2 operator*(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* exp(+-2 pi i fraction). The argument is exact, since denominators are powers of two. */
__device__ __forceinline__ float2 twiddle(float fraction) {
  float2 r;
  sincospif(2 * fraction, &r.y, &r.x);
  r.y *= kSign;
  return r;
}

/* a * exp(+-2 pi i sixteenths / 16), for sixteenths from 0 to 7 that are constant after unrolling:
 * the constants below are cos(2 pi sixteenths / 16). */
__device__ __forceinline__ float2 rotate(float2 a, int sixteenths) {
  constexpr float cosine[8] = {1, 0.9238795325112868f,  0.7071067811865476f,  0.3826834323650898f,
                               0, -0.3826834323650898f, -0.7071067811865476f, -0.9238795325112868f};
  if (sixteenths == 0) return a;
  if (sixteenths == 4) return make_float2(-kSign * a.y, kSign * a.x);
  const int quarter = abs(sixteenths - 4); /* sin x = cos(x - pi / 2) */
  return a * make_float2(cosine[sixteenths], kSign * cosine[quarter]);
}

/* The butterfly: transforms N points in registers, N up to 16, by decimation in frequency. Results
 * are in bit-reversed order, which costs nothing: the compiler only renames registers. */
template <int N> __device__ __forceinline__ void transform(float2 (&x)[N]) {
#pragma unroll
  for (int half = N / 2; half > 0; half /= 2)
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
      const int k = i % half, low = i / half * 2 * half + k;
      const float2 a = x[low], b = x[low + half];
      x[low] = a + b;
      x[low + half] = rotate(a - b, k * (8 / half));
    }
}

/* k with its log2(N) bits reversed. */
template <int N> __device__ constexpr int reversed(int k) {
  int r = 0;
  for (int bit = 1; bit < N; bit *= 2, k /= 2) r = 2 * r + k % 2;
  return r;
}

/* Multiplies x[k] by twiddle(k * (step + set / kRadix)). The factors for 1 and 4 are computed, once
 * for all sets; those for 2 and 8 are their squares, the others products of at most four of these.
 * That saves most sines and cosines and keeps every factor within a few roundings. */
template <int N>
__device__ __forceinline__ void apply_twiddles(float2 (&x)[N], float step, int set) {
  float2 w[N];
#pragma unroll
  for (int k = 1; k < N; k++) {
    const int rest = k & (k - 1);
    if (rest != 0)
      w[k] = w[rest] * w[k - rest];
    else if (k == 2 || k == 8)
      w[k] = w[k / 2] * w[k / 2];
    else
      w[k] = rotate(twiddle(k * step), k * set * (16 / kRadix));
    x[k] = x[k] * w[k];
  }
}

/* One stage: combines transforms of SPAN points into transforms of RADIX * SPAN. The thread of rank
 * `lane` holds points lane + i * kLanes, which are kRadix / RADIX sets of RADIX points. Only the
 * last stage has more than one set; there set * kLanes / (SPAN * RADIX) is set / kRadix. */
template <int SPAN, int RADIX>
__device__ __forceinline__ void run_stage(float2 (&point)[kRadix], int lane) {
  constexpr int sets = kRadix / RADIX;
#pragma unroll
  for (int set = 0; set < sets; set++) {
    float2 x[RADIX];
#pragma unroll
    for (int k = 0; k < RADIX; k++) x[k] = point[set + k * sets];
    if constexpr (SPAN > 1)
      apply_twiddles(x, static_cast<float>(lane % SPAN) / (SPAN * RADIX), set);
    transform(x);
#pragma unroll
    for (int k = 0; k < RADIX; k++) point[set + k * sets] = x[reversed<RADIX>(k)];
  }
}

/* Exchanges points through the tile after a stage of radix kRadix: the thread of rank `lane` gets
 * points lane + i * kLanes of its transform, which begins at `first`. */
template <int SPAN>
__device__ __forceinline__ void exchange(float2 (&point)[kRadix], Tile tile, int first, int lane) {
  const Points to(tile, first + lane / SPAN * SPAN * kRadix + lane % SPAN);
  const Points from(tile, first + lane);
  if constexpr (SPAN > 1) __syncthreads(); /* all have loaded the previous exchange */
#pragma unroll
  for (int k = 0; k < kRadix; k++) store_point(to[k * SPAN], point[k]);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kRadix; i++) point[i] = load_point(from[i * kLanes]);
}

template <int SPAN>
__device__ __forceinline__ void run_stages(float2 (&point)[kRadix], Tile tile, int first,
                                           int lane) {
  if constexpr (SPAN * kRadix < kPoints) {
    run_stage<SPAN, kRadix>(point, lane);
    exchange<SPAN>(point, tile, first, lane);
    run_stages<SPAN * kRadix>(point, tile, first, lane);
  } else {
    run_stage<SPAN, kPoints / SPAN>(point, lane);
  }
}

} // namespace

/* in and out: batch x kPoints. The grid is one-dimensional, kTransforms transforms per block. */
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    KERNEL(Elem *__restrict__ out, const Elem *__restrict__ in, long long batch) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  await_launch_before();
  const int thread = threadIdx.x + kBlockX * (threadIdx.y + kBlockY * threadIdx.z);
  const int slot = thread / kLanes, lane = thread % kLanes;
  const long long index = blockIdx.x * static_cast<long long>(kTransforms) + slot;
  const long long start = index * kPoints + lane;
  float2 point[kRadix] = {};
  if (index < batch) {
#pragma unroll
    for (int i = 0; i < kRadix; i++) point[i] = __ldcs(in + start + i * kLanes);
  }
  run_stages<1>(point, reinterpret_cast<Tile>(shared_memory), slot * kPoints, lane);
  if (index < batch) {
#pragma unroll
    for (int i = 0; i < kRadix; i++) __stcs(out + start + i * kLanes, point[i]);
  }
}

#ifndef __CUDACC_RTC__
#include "launch_programmatic.h"

/* Transforms `batch` sets of kPoints points on the stream; `in` and `out` must not overlap. */
extern "C" cudaError_t LAUNCH(Elem *out, const Elem *in, long long batch, cudaStream_t stream) {
  constexpr int bytes = kgen_elements(&kLayout) * static_cast<int>(sizeof(Elem));
  const long long blocks = (batch + kTransforms - 1) / kTransforms;
  return launch_programmatic(KERNEL, blocks, dim3(kBlockX, kBlockY, kBlockZ), bytes, stream, out,
                             in, batch);
}
#endif
