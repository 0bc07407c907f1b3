// A kernel of headers alone, as of a library, and one with a helper of its own.
#include "inlined/agent.h"
__device__ int helper(const int *p) { return __ldg(p + threadIdx.x); }
__global__ void mine(const int *in, int *out) { out[threadIdx.x] = helper(in); }
