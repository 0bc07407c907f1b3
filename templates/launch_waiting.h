/* launch_waiting.h: launches a kernel from the host on a one-dimensional grid; with programmatic
 * dependent launch where its code waits for the launch before. To be included after
 * launch_programmatic.h. */
#ifndef KGEN_LAUNCH_WAITING_H
#define KGEN_LAUNCH_WAITING_H

namespace {

/* Launches `blocks` blocks on the stream, each with `bytes` of dynamic shared memory; none if there
 * are none. */
template <class... Params, class... Args>
cudaError_t launch_waiting(void (*kernel)(Params...), long long blocks, dim3 block, int bytes,
                           cudaStream_t stream, Args... args) {
  if (blocks <= 0) return cudaSuccess;
  if (blocks > 0x7fffffff) return cudaErrorInvalidValue;
  return launch_grid(kernel, dim3(static_cast<unsigned>(blocks)), block, bytes, stream,
                     waits_for_launch(kernel), args...);
}

} // namespace

#endif
