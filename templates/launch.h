/* launch.h: launches a kernel from the host on a one-dimensional grid. */
#ifndef KGEN_LAUNCH_H
#define KGEN_LAUNCH_H

namespace {

/* Launches `blocks` blocks on the stream, each with `bytes` of dynamic shared memory; none if there
 * are none. The attribute, which lifts the limit of 48 KiB, is set at every launch, since it
 * belongs to the current device. */
template <class... Params, class... Args>
cudaError_t launch_blocks(void (*kernel)(Params...), long long blocks, dim3 block, int bytes,
                          cudaStream_t stream, Args... args) {
  if (blocks <= 0) return cudaSuccess;
  if (blocks > 0x7fffffff) return cudaErrorInvalidValue;
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error != cudaSuccess) return error;
  kernel<<<static_cast<unsigned>(blocks), block, bytes, stream>>>(args...);
  return cudaGetLastError();
}

} // namespace

#endif
