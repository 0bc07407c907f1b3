#include "tma.h"
#ifndef PAD
#define PAD 128
#endif
// A swizzled box of TMA at PAD bytes of the dynamic array, and a wgmma whose descriptors begin at row ROW of a tile.
extern "C" __global__ void copy(const __grid_constant__ CUtensorMap map, const half* in, half* out) {
  extern __shared__ __align__(1024) char raw[];
  char* tile = raw + PAD;
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) { mbar_init(&bar, 1); asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
  __syncthreads();
  if (threadIdx.x == 0) { mbar_expect(&bar, 64 * 128); tma2(tile, &map, &bar, 0, 0); }
  mbar_wait(&bar, 0);
  for (int r = threadIdx.x / 8; r < 64; r += blockDim.x / 8) {
    int p = threadIdx.x % 8;
    reinterpret_cast<uint4*>(out)[r * 8 + p] = *reinterpret_cast<uint4*>(tile + r * 128 + (p ^ (r & 7)) * 16);
  }
}

#ifndef ROW
#define ROW 0
#endif
__device__ uint64_t descriptor(const void *p) { return (uint64_t)(sm(p) >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62; }
extern "C" __global__ void product(const uint4 *in, float *out) {
  __shared__ __align__(1024) half tile[96][64];
  for (int i = threadIdx.x; i < 96 * 8; i += 128) reinterpret_cast<uint4 *>(tile)[i] = in[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  float d[4] = {0, 0, 0, 0};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(descriptor(tile[ROW])), "l"(descriptor(tile[80])));
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 4; i++) out[threadIdx.x * 4 + i] = d[i];
}
