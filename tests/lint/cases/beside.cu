// Unsupported kernels in one file with supported ones, and a device function that two kernels call.
__global__ void plain(int *out) { out[threadIdx.x] = 1; }
__global__ void __cluster_dims__(2, 1, 1) clustered(int *out) { out[threadIdx.x] = 1; }
__global__ void multicast(int *out) {
  asm volatile("{ .reg .b32 %%r; multimem.ld_reduce.relaxed.sys.global.add.u32 %%r, [%0]; }" ::"l"(out));
}
__device__ __noinline__ void fence(int *out) {
  asm volatile("wgmma.fence.sync.aligned;");
  *out = 1;
}
__global__ void first(int *out) { fence(out); }
__global__ void second(int *out) { fence(out + 1); }
