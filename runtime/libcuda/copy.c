/* copy.c: copies and sets, which have happened when the call returns. */
#include <string.h>

#include "libcuda/api.h"
#include "libcuda/memory.h"
#include "libcuda/print.h"

/* Where both lie in host memory tells all; ranges may overlap. */
static CUresult copy(uint64_t to, uint64_t from, size_t bytes) {
  if (!bytes) return CUDA_SUCCESS;
  void *target = memory_view(to, bytes);
  const void *source = memory_view(from, bytes);
  if (!target || !source) return CUDA_ERROR_INVALID_VALUE;
  memmove(target, source, bytes);
  return CUDA_SUCCESS;
}

/* One that waits for the device, at which kernels' prints are shown. */
static CUresult copy_and_wait(uint64_t to, uint64_t from, size_t bytes) {
  print_flush();
  return copy(to, from, bytes);
}

static uint64_t host(const void *p) { return (uint64_t)(uintptr_t)p; }

CU_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  SERVE(NEED_HEALTH, copy_and_wait(to, from, bytes));
}

CU_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  (void)stream;
  SERVE(NEED_HEALTH, copy(to, from, bytes));
}

CU_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  SERVE(NEED_HEALTH, copy_and_wait(to, host(from), bytes));
}

CU_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                     CUstream stream) {
  (void)stream;
  SERVE(NEED_HEALTH, copy(to, host(from), bytes));
}

CU_API CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  SERVE(NEED_HEALTH, copy_and_wait(host(to), from, bytes));
}

CU_API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  (void)stream;
  SERVE(NEED_HEALTH, copy(host(to), from, bytes));
}

CU_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  SERVE(NEED_HEALTH, copy(to, from, bytes));
}

CU_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                     CUstream stream) {
  (void)stream;
  SERVE(NEED_HEALTH, copy(to, from, bytes));
}

CU_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here,
                             size_t bytes) {
  (void)there, (void)here;
  SERVE(NEED_HEALTH, copy(to, from, bytes));
}

CU_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here,
                                  size_t bytes, CUstream stream) {
  (void)there, (void)here, (void)stream;
  SERVE(NEED_HEALTH, copy(to, from, bytes));
}

/* --- sets: rows of elements of 1, 2 or 4 bytes --- */

static CUresult fill(CUdeviceptr to, size_t pitch, unsigned value, size_t element, size_t width,
                     size_t height) {
  if (!width || !height) return CUDA_SUCCESS;
  if (to % element) return CUDA_ERROR_INVALID_VALUE;
  char *target = memory_view(to, pitch * (height - 1) + width * element);
  if (!target) return CUDA_ERROR_INVALID_VALUE;
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++)
      memcpy(target + y * pitch + x * element, &value, element); /* the low bytes */
  return CUDA_SUCCESS;
}

#define FILL_FUNCTIONS(bits, type)                                                                 \
  CU_API CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count) {                 \
    SERVE(NEED_HEALTH, fill(to, 0, value, sizeof value, count, 1));                                \
  }                                                                                                \
  CU_API CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count,                 \
                                         CUstream stream) {                                        \
    (void)stream;                                                                                  \
    SERVE(NEED_HEALTH, fill(to, 0, value, sizeof value, count, 1));                                \
  }                                                                                                \
  CU_API CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width,   \
                                         size_t height) {                                          \
    SERVE(NEED_HEALTH, fill(to, pitch, value, sizeof value, width, height));                       \
  }                                                                                                \
  CU_API CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, \
                                           size_t height, CUstream stream) {                       \
    (void)stream;                                                                                  \
    SERVE(NEED_HEALTH, fill(to, pitch, value, sizeof value, width, height));                       \
  }
FILL_FUNCTIONS(8, uint8_t)
FILL_FUNCTIONS(16, uint16_t)
FILL_FUNCTIONS(32, uint32_t)
