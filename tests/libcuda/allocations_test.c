/* SPDX-License-Identifier: MIT */
/* Many live allocations, freed in an order that is not theirs: a driver that moves the rest of its
 * lists at each call would take minutes for the number here. */
#include <stdbool.h>
#include <stdlib.h>

#include "libcuda/cu.h"

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address);

enum { MANY = 200000, PRIME = 100003 };

/* A number that is prime to MANY visits each allocation once. */
static int shuffled(int i) { return (int)((int64_t)i * PRIME % MANY); }

static void check_known(CUdeviceptr address, size_t bytes, bool known) {
  CUdeviceptr base = 0;
  size_t found = 0;
  const CUresult result = cuMemGetAddressRange_v2(&base, &found, address + bytes - 1);
  CHECK(known ? !result && base == address && found == bytes : result == CUDA_ERROR_NOT_FOUND, "%d",
        (int)result);
}

int main(void) {
  CUcontext context;
  size_t before, half, after, total;
  CUdeviceptr *at = calloc(MANY, sizeof *at);
  CU(cuInit(0));
  CU(cuDevicePrimaryCtxRetain(&context, 0));
  CU(cuCtxSetCurrent(context));
  CU(cuMemGetInfo_v2(&before, &total));
  for (int i = 0; i < MANY; i++) CU(cuMemAlloc_v2(&at[i], 16));
  for (int i = 0; i < MANY / 2; i++) CU(cuMemFree_v2(at[shuffled(i)]));
  CU(cuMemGetInfo_v2(&half, &total));
  CHECK(before - half == MANY / 2 * 16, "%zu bytes are used", before - half);
  for (int i = 0; i < MANY; i += 997) check_known(at[shuffled(i)], 16, i >= MANY / 2);
  CU_FAILS(cuMemFree_v2(at[shuffled(0)]), CUDA_ERROR_INVALID_VALUE);
  for (int i = MANY / 2; i < MANY; i++) CU(cuMemFree_v2(at[shuffled(i)]));
  CU(cuMemGetInfo_v2(&after, &total));
  CHECK(after == before, "%zu bytes are used", before - after);
  free(at);
  return check_report("allocations");
}
