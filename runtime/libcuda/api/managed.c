/* SPDX-License-Identifier: MIT */
/* managed.c: the API functions for the placement of managed memory, which host and device always
 * share. */
#include <string.h>

#include "libcuda/state/call.h"
#include "libcuda/stream/stream.h"

/* Does nothing: host and device share managed memory, so there is nothing to prefetch. */
static CUresult hint(CUdeviceptr address, size_t bytes) {
  return address && bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, int advice, CUdevice device) {
  (void)advice, (void)device;
  SERVE(NEED_HEALTH, hint(address, bytes));
}

CU_API CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, int advice,
                               CUmemLocation location) {
  (void)advice, (void)location;
  SERVE(NEED_HEALTH, hint(address, bytes));
}

CU_API CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device,
                                   CUstream stream) {
  (void)device, (void)stream;
  SERVE_IN(stream, NEED_HEALTH, hint(address, bytes));
}
PER_THREAD(cuMemPrefetchAsync, _ptsz,
           (CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream),
           (address, bytes, device, stream))

CU_API CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location,
                                      unsigned flags, CUstream stream) {
  (void)location, (void)flags, (void)stream;
  SERVE_IN(stream, NEED_HEALTH, hint(address, bytes));
}
PER_THREAD(cuMemPrefetchAsync_v2, _ptsz,
           (CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
            CUstream stream),
           (address, bytes, location, flags, stream))

/* --- attributes --- */

/* CUmem_range_attribute has read mostly, preferred location, accessed by and last prefetch. */
static CUresult get_range_attribute(void *out, size_t size, int attribute) {
  enum { READ_MOSTLY = 1, NOWHERE = -2 };
  if (!out || size < sizeof(int) || size % sizeof(int)) return CUDA_ERROR_INVALID_VALUE;
  const int value = attribute == READ_MOSTLY ? 0 : NOWHERE;
  for (size_t i = 0; i < size / sizeof value; i++)
    memcpy((char *)out + i * sizeof value, &value, sizeof value);
  return CUDA_SUCCESS;
}

CU_API CUresult cuMemRangeGetAttribute(void *out, size_t size, int attribute, CUdeviceptr address,
                                       size_t bytes) {
  (void)address, (void)bytes;
  SERVE(NEED_CONTEXT, get_range_attribute(out, size, attribute));
}
