#include <cuda/std/cstdint>

extern "C" __global__ void count(cuda::std::uint32_t *out) { out[threadIdx.x] = 1; }
