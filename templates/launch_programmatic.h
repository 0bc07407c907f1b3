/* launch_programmatic.h: launches a kernel from the host on a one-dimensional grid, with
 * programmatic dependent launch. */
#ifndef KGEN_LAUNCH_PROGRAMMATIC_H
#define KGEN_LAUNCH_PROGRAMMATIC_H

namespace {

/* The SMs of the current device, for blocks that are persistent. */
cudaError_t count_sms(int *sms) {
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  return cudaDeviceGetAttribute(sms, cudaDevAttrMultiProcessorCount, device);
}

/* Launches `blocks` blocks on the stream, each with `bytes` of dynamic shared memory; none if there
 * are none. The blocks may start while the previous kernel of the stream still runs, so the kernel
 * must not access device memory before griddepcontrol.wait. The function's attribute, which lifts
 * the limit of 48 KiB, is set at every launch, since it belongs to the current device. */
template <class... Params, class... Args>
cudaError_t launch_programmatic(void (*kernel)(Params...), long long blocks, dim3 block, int bytes,
                                cudaStream_t stream, Args... args) {
  if (blocks <= 0) return cudaSuccess;
  if (blocks > 0x7fffffff) return cudaErrorInvalidValue;
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error != cudaSuccess) return error;
  cudaLaunchAttribute programmatic = {};
  programmatic.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  programmatic.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = block;
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  config.attrs = &programmatic;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...);
}

} // namespace

#endif
