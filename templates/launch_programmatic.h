/* launch_programmatic.h: a kernel launched from the host by programmatic dependent launch, all of
 * its blocks in x. */
#ifndef KGEN_LAUNCH_PROGRAMMATIC_H
#define KGEN_LAUNCH_PROGRAMMATIC_H

namespace {

/* Launches `blocks` blocks, each with `bytes` of dynamic shared memory, on the stream; nothing if
 * there is nothing to do. They may start while the kernel launched before on the stream still runs:
 * a kernel launched so touches no device memory before griddepcontrol.wait. The function's
 * attribute is set each time: it belongs to the current device. */
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
