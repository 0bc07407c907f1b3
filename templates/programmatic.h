/* programmatic.h: programmatic dependent launch (sm_90): a kernel starts before the previous one of
 * its stream has ended. Older architectures compile the functions to nothing. */
#ifndef KGEN_PROGRAMMATIC_H
#define KGEN_PROGRAMMATIC_H

namespace {

/* Once all blocks have executed this, or have ended, blocks of the next launch may become resident,
 * if that launch allows it (cudaLaunchAttributeProgrammaticStreamSerialization). */
[[maybe_unused]] __device__ __forceinline__ void allow_next_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Waits until the previous launches have ended and their stores are visible; returns at once in a
 * kernel that was launched without the attribute. Before it the kernel must neither read device
 * memory, which they may still write, nor write it, since they may still read it. */
[[maybe_unused]] __device__ __forceinline__ void await_launch_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

} // namespace

#endif
