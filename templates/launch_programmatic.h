/* launch_programmatic.h: launches a kernel from the host with programmatic dependent launch: its
 * blocks may start while the previous kernel of the stream still runs, so it must not access device
 * memory before griddepcontrol.wait. Needs the CUDA Toolkit 11.8 or later. */
#ifndef KGEN_LAUNCH_PROGRAMMATIC_H
#define KGEN_LAUNCH_PROGRAMMATIC_H

namespace {

/* The SMs of the current device, for blocks that are persistent. */
[[maybe_unused]] cudaError_t count_sms(int *sms) {
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  return cudaDeviceGetAttribute(sms, cudaDevAttrMultiProcessorCount, device);
}

/* Launches a grid on the stream, with `bytes` of dynamic shared memory a block, `early` with
 * programmatic dependent launch. The function's attribute, which lifts the limit of 48 KiB, is set
 * at every launch, since it belongs to the current device. */
template <class... Params, class... Args>
cudaError_t launch_grid(void (*kernel)(Params...), dim3 grid, dim3 block, int bytes,
                        cudaStream_t stream, bool early, Args... args) {
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error != cudaSuccess) return error;
  cudaLaunchAttribute programmatic = {};
  programmatic.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  programmatic.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  config.attrs = &programmatic;
  config.numAttrs = early;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...);
}

/* True if all code that nvcc compiles here has griddepcontrol.wait. */
constexpr bool all_code_waits() {
#ifdef __CUDA_ARCH_LIST__
  for (const int arch : {__CUDA_ARCH_LIST__})
    if (arch < 900) return false;
  return true;
#else
  return false;
#endif
}

/* True if the kernel's code has griddepcontrol.wait. If older code is included, queries the driver,
 * which takes 0.3 us, because the driver may have compiled the kernel for this device from older
 * PTX. */
template <class... Params> bool waits_for_launch(void (*kernel)(Params...)) {
  if constexpr (all_code_waits()) return true;
  cudaFuncAttributes compiled = {};
  return cudaFuncGetAttributes(&compiled, kernel) == cudaSuccess && compiled.ptxVersion >= 90;
}

/* Launches `blocks` blocks on the stream; none if there are none. */
template <class... Params, class... Args>
[[maybe_unused]] cudaError_t launch_programmatic(void (*kernel)(Params...), long long blocks,
                                                 dim3 block, int bytes, cudaStream_t stream,
                                                 Args... args) {
  if (blocks <= 0) return cudaSuccess;
  if (blocks > 0x7fffffff) return cudaErrorInvalidValue;
  return launch_grid(kernel, dim3(static_cast<unsigned>(blocks)), block, bytes, stream,
                     waits_for_launch(kernel), args...);
}

} // namespace

#endif
