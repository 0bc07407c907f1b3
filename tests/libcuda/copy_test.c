/* SPDX-License-Identifier: MIT */
/* Copies and sets: in the direction that the program names, and across memory that is mapped in
 * pieces. */
#include <string.h>

#include "libcuda/cu.h"

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t bytes);
CUresult cuMemcpy2D_v2(const void *box);
CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                         size_t height);
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const void *access, size_t count);

enum { BYTES = 64 };

static CUdeviceptr of(const void *host) { return (CUdeviceptr)(uintptr_t)host; }

/* Host memory that CUDA does not know is not device memory: a copy that declares it so is an error
 * on an H200. */
static void test_directions(void) {
  CUdeviceptr device;
  void *pinned;
  char host[BYTES] = {0}, other[BYTES] = {0};
  CU(cuMemAlloc_v2(&device, BYTES));
  CU(cuMemHostAlloc(&pinned, BYTES, 0));
  CU(cuMemcpy(of(other), of(host), BYTES)); /* says nothing about either */
  CU(cuMemcpyDtoH_v2(host, of(pinned), BYTES));
  CU(cuMemcpyHtoD_v2(of(pinned), host, BYTES));
  CU_FAILS(cuMemcpyHtoD_v2(of(host), other, BYTES), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuMemcpyDtoH_v2(host, of(other), BYTES), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuMemcpyDtoHAsync_v2(host, of(other), BYTES, NULL), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuMemcpyDtoD_v2(device, of(host), BYTES), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuMemcpyDtoD_v2(of(host), device, BYTES), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuMemsetD8_v2(of(host), 1, BYTES), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemsetD8_v2(of(pinned), 1, BYTES));
  CU(cuMemFreeHost(pinned));
  CU(cuMemFree_v2(device));
}

typedef struct {
  size_t x, y;
  int type;
  const void *host;
  CUdeviceptr device;
  void *array;
  size_t pitch;
} Side;

/* Four rows, the second of which crosses from one piece into the next. */
static void copy_box(CUdeviceptr from, char *to) {
  const struct {
    Side from, to;
    size_t width, height;
  } box = {{.type = 2, .device = from, .pitch = 24}, {.type = 1, .host = to, .pitch = 24}, 20, 4};
  CU(cuMemcpy2D_v2(&box));
}

static void test_pieces(void) {
  enum { PIECE = 2 << 20 };
  const int properties[8] = {1, 0, 1, 0};
  CUdeviceptr base;
  void *piece[2];
  char row[200], box[96];
  CU(cuMemAddressReserve(&base, 4 * (size_t)PIECE, 0, 0, 0));
  for (size_t i = 0; i < 2; i++) {
    CU(cuMemCreate(&piece[i], PIECE, properties, 0));
    CU(cuMemMap(base + i * PIECE, PIECE, 0, piece[i], 0));
  }
  const CUdeviceptr middle = base + PIECE;
  CU(cuMemsetD32_v2(base, 0x05050505, 2 * (size_t)PIECE / 4));
  CU_FAILS(cuMemsetD32_v2(base, 0, 3 * (size_t)PIECE / 4), CUDA_ERROR_INVALID_VALUE);
  for (int i = 0; i < 200; i++) row[i] = (char)(i & 127);
  CU(cuMemcpyHtoD_v2(middle - 30, row, sizeof row));
  memset(row, 0, sizeof row);
  CU(cuMemcpyDtoH_v2(row, middle - 30, sizeof row));
  CHECK(row[29] == 29 && row[30] == 30 && row[127] == 127, "%d %d", row[29], row[30]);
  copy_box(middle - 30, box);
  CHECK(box[24] == 24 && box[43] == 43 && box[72] == 72, "%d %d", box[24], box[43]);
  CU(cuMemcpyDtoH_v2(row, middle + PIECE - 200, sizeof row));
  CHECK(row[199] == 5, "%d", row[199]);
  CU(cuMemUnmap(base, 2 * (size_t)PIECE));
  for (size_t i = 0; i < 2; i++) CU(cuMemRelease(piece[i]));
}

/* Rows so far apart that the second one is in another allocation. */
static void test_far_rows(void) {
  CUdeviceptr a, b;
  char host[2 * BYTES] = {0};
  CU(cuMemAlloc_v2(&a, BYTES));
  CU(cuMemAlloc_v2(&b, BYTES));
  const struct {
    Side from, to;
    size_t width, height;
  } box = {{.type = 1, .host = host, .pitch = BYTES},
           {.type = 2, .device = a, .pitch = b - a},
           BYTES,
           2};
  CU_FAILS(cuMemcpy2D_v2(&box), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuMemsetD2D8_v2(a, b - a, 1, BYTES, 2), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemFree_v2(a));
  CU(cuMemFree_v2(b));
}

int main(void) {
  cu_begin();
  test_directions();
  test_pieces();
  test_far_rows();
  return check_report("libcuda_copy");
}
