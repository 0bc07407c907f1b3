/* SPDX-License-Identifier: MIT */
/* copy.c: the API functions for copies and sets. */
#include "libcuda/state/allocation.h"
#include "libcuda/state/call.h"
#include "libcuda/state/context.h"
#include "libcuda/state/print.h"
#include "libcuda/stream/pending.h"
#include "libcuda/stream/stream.h"

static CUresult start(const Copy *c, CUstream stream) {
  const CUresult refused = copy_check(c);
  return refused ? refused : pending_submit(stream, &(Work){.kind = WORK_COPY, .copy = *c});
}

/* The sides that the program declares as device memory. */
typedef enum { ANY_TO_ANY, ANY_TO_DEVICE, DEVICE_TO_ANY, DEVICE_TO_DEVICE } Direction;

static Copy directed(uint64_t to, uint64_t from, size_t bytes, Direction d) {
  Copy c = copy_linear(to, from, bytes);
  c.to.device = d == ANY_TO_DEVICE || d == DEVICE_TO_DEVICE;
  c.from.device = d == DEVICE_TO_ANY || d == DEVICE_TO_DEVICE;
  return c;
}

static CUresult copy(uint64_t to, uint64_t from, size_t bytes, Direction d, CUstream stream) {
  const Copy c = directed(to, from, bytes, d);
  return start(&c, stream);
}

/* Runs a copy that synchronizes with the device: in the default stream, and writing what kernels
 * have printed. */
static CUresult run_now(const Copy *c) {
  const Stream *s = stream_of(NULL);
  const CUresult refused = s == stream_of(STREAM_LEGACY) ? guard_legacy() : capture_guard_stream(s);
  if (refused) return refused;
  pending_finish(s);
  print_flush();
  const CUresult failed = context_error();
  return failed ? failed : copy_run(c);
}

static CUresult copy_now(uint64_t to, uint64_t from, size_t bytes, Direction d) {
  const Copy c = directed(to, from, bytes, d);
  return run_now(&c);
}

static uint64_t host(const void *p) { return (uint64_t)(uintptr_t)p; }

CU_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  SERVE(NEED_HEALTH, copy_now(to, from, bytes, ANY_TO_ANY));
}
PER_THREAD(cuMemcpy, _ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))

CU_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH, copy(to, from, bytes, ANY_TO_ANY, stream));
}
PER_THREAD(cuMemcpyAsync, _ptsz, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
           (to, from, bytes, stream))

CU_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  SERVE(NEED_HEALTH, copy_now(to, host(from), bytes, ANY_TO_DEVICE));
}
PER_THREAD(cuMemcpyHtoD_v2, _ptds, (CUdeviceptr to, const void *from, size_t bytes),
           (to, from, bytes))

CU_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                     CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH, copy(to, host(from), bytes, ANY_TO_DEVICE, stream));
}
PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz,
           (CUdeviceptr to, const void *from, size_t bytes, CUstream stream),
           (to, from, bytes, stream))

CU_API CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  SERVE(NEED_HEALTH, copy_now(host(to), from, bytes, DEVICE_TO_ANY));
}
PER_THREAD(cuMemcpyDtoH_v2, _ptds, (void *to, CUdeviceptr from, size_t bytes), (to, from, bytes))

CU_API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH, copy(host(to), from, bytes, DEVICE_TO_ANY, stream));
}
PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz, (void *to, CUdeviceptr from, size_t bytes, CUstream stream),
           (to, from, bytes, stream))

CU_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  SERVE(NEED_HEALTH, copy(to, from, bytes, DEVICE_TO_DEVICE,
                          NULL)); /* device to device: the host does not wait */
}
PER_THREAD(cuMemcpyDtoD_v2, _ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
           (to, from, bytes))

CU_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                     CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH, copy(to, from, bytes, DEVICE_TO_DEVICE, stream));
}
PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz,
           (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
           (to, from, bytes, stream))

CU_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here,
                             size_t bytes) {
  (void)there, (void)here;
  SERVE(NEED_HEALTH, copy_now(to, from, bytes, DEVICE_TO_DEVICE));
}
PER_THREAD(cuMemcpyPeer, _ptds,
           (CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes),
           (to, there, from, here, bytes))

CU_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here,
                                  size_t bytes, CUstream stream) {
  (void)there, (void)here;
  SERVE_IN(stream, NEED_HEALTH, copy(to, from, bytes, DEVICE_TO_DEVICE, stream));
}
PER_THREAD(cuMemcpyPeerAsync, _ptsz,
           (CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes,
            CUstream stream),
           (to, there, from, here, bytes, stream))

/* --- boxes --- */

typedef struct {
  size_t x, y;
  CUmemorytype type;
  void *host;
  CUdeviceptr device;
  CUarray array;
  size_t pitch;
} Side2D; /* a side of CUDA_MEMCPY2D */

typedef struct {
  Side2D from, to;
  size_t width, height;
} Box2D;

static CopySide side_of_2d(const Side2D *s) {
  CopySide out = copy_side(s->type, s->host, s->device, s->array);
  out.x = s->x;
  out.y = s->y;
  out.pitch = s->pitch;
  return out;
}

static CUresult copy_2d(const Box2D *b, bool wait, CUstream stream) {
  if (!b) return CUDA_ERROR_INVALID_VALUE;
  const Copy c = {side_of_2d(&b->from), side_of_2d(&b->to), b->width, b->height, 1};
  return wait ? run_now(&c) : start(&c, stream);
}

CU_API CUresult cuMemcpy2D_v2(const Box2D *b) { SERVE(NEED_HEALTH, copy_2d(b, true, NULL)); }
PER_THREAD(cuMemcpy2D_v2, _ptds, (const Box2D *b), (b))
CU_API CUresult cuMemcpy2DUnaligned_v2(const Box2D *b) {
  SERVE(NEED_HEALTH, copy_2d(b, true, NULL));
}
PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds, (const Box2D *b), (b))
CU_API CUresult cuMemcpy2DAsync_v2(const Box2D *b, CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH, copy_2d(b, false, stream));
}
PER_THREAD(cuMemcpy2DAsync_v2, _ptsz, (const Box2D *b, CUstream stream), (b, stream))

static CUresult copy_3d(const Box3D *b, bool wait, CUstream stream) {
  if (!b) return CUDA_ERROR_INVALID_VALUE;
  const Copy c = copy_of_box(b);
  return wait ? run_now(&c) : start(&c, stream);
}

CU_API CUresult cuMemcpy3D_v2(const Box3D *b) { SERVE(NEED_HEALTH, copy_3d(b, true, NULL)); }
PER_THREAD(cuMemcpy3D_v2, _ptds, (const Box3D *b), (b))
CU_API CUresult cuMemcpy3DAsync_v2(const Box3D *b, CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH, copy_3d(b, false, stream));
}
PER_THREAD(cuMemcpy3DAsync_v2, _ptsz, (const Box3D *b, CUstream stream), (b, stream))
CU_API CUresult cuMemcpy3DPeer(const Box3D *b) { SERVE(NEED_HEALTH, copy_3d(b, true, NULL)); }
PER_THREAD(cuMemcpy3DPeer, _ptds, (const Box3D *b), (b))
CU_API CUresult cuMemcpy3DPeerAsync(const Box3D *b, CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH, copy_3d(b, false, stream));
}
PER_THREAD(cuMemcpy3DPeerAsync, _ptsz, (const Box3D *b, CUstream stream), (b, stream))

/* --- copies between memory and arrays --- */

static CUresult copy_array(CopySide to, CopySide from, size_t bytes) {
  const Copy c = {from, to, bytes, 1, 1};
  return run_now(&c);
}

static CUresult start_array(CopySide to, CopySide from, size_t bytes, CUstream stream) {
  const Copy c = {from, to, bytes, 1, 1};
  return start(&c, stream);
}

CU_API CUresult cuMemcpyHtoA_v2(CUarray to, size_t x, const void *from, size_t bytes) {
  SERVE(NEED_HEALTH,
        copy_array((CopySide){.array = to, .x = x}, (CopySide){.address = host(from)}, bytes));
}
PER_THREAD(cuMemcpyHtoA_v2, _ptds, (CUarray to, size_t x, const void *from, size_t bytes),
           (to, x, from, bytes))

CU_API CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t x, size_t bytes) {
  SERVE(NEED_HEALTH,
        copy_array((CopySide){.address = host(to)}, (CopySide){.array = from, .x = x}, bytes));
}
PER_THREAD(cuMemcpyAtoH_v2, _ptds, (void *to, CUarray from, size_t x, size_t bytes),
           (to, from, x, bytes))

CU_API CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t x, const void *from, size_t bytes,
                                     CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH,
           start_array((CopySide){.array = to, .x = x}, (CopySide){.address = host(from)}, bytes,
                       stream));
}
PER_THREAD(cuMemcpyHtoAAsync_v2, _ptsz,
           (CUarray to, size_t x, const void *from, size_t bytes, CUstream stream),
           (to, x, from, bytes, stream))

CU_API CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t x, size_t bytes,
                                     CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH,
           start_array((CopySide){.address = host(to)}, (CopySide){.array = from, .x = x}, bytes,
                       stream));
}
PER_THREAD(cuMemcpyAtoHAsync_v2, _ptsz,
           (void *to, CUarray from, size_t x, size_t bytes, CUstream stream),
           (to, from, x, bytes, stream))

CU_API CUresult cuMemcpyDtoA_v2(CUarray to, size_t x, CUdeviceptr from, size_t bytes) {
  SERVE(NEED_HEALTH,
        copy_array((CopySide){.array = to, .x = x}, (CopySide){.address = from}, bytes));
}
PER_THREAD(cuMemcpyDtoA_v2, _ptds, (CUarray to, size_t x, CUdeviceptr from, size_t bytes),
           (to, x, from, bytes))

CU_API CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t x, size_t bytes) {
  SERVE(NEED_HEALTH,
        copy_array((CopySide){.address = to}, (CopySide){.array = from, .x = x}, bytes));
}
PER_THREAD(cuMemcpyAtoD_v2, _ptds, (CUdeviceptr to, CUarray from, size_t x, size_t bytes),
           (to, from, x, bytes))

CU_API CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_x, CUarray from, size_t from_x,
                                size_t bytes) {
  SERVE(NEED_HEALTH, copy_array((CopySide){.array = to, .x = to_x},
                                (CopySide){.array = from, .x = from_x}, bytes));
}
PER_THREAD(cuMemcpyAtoA_v2, _ptds,
           (CUarray to, size_t to_x, CUarray from, size_t from_x, size_t bytes),
           (to, to_x, from, from_x, bytes))

/* --- sets: rows of elements of 1, 2 or 4 bytes --- */

static CUresult fill(CUdeviceptr to, size_t pitch, unsigned value, unsigned element, size_t width,
                     size_t height, CUstream stream) {
  const Fill f = {to, pitch, value, element, width, height};
  if (width && height && allocation_foreign(to)) return CUDA_ERROR_INVALID_VALUE;
  return pending_submit(stream, &(Work){.kind = WORK_FILL, .fill = f});
}

#define FILL_FUNCTIONS(bits, type)                                                                 \
  CU_API CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count) {                 \
    SERVE(NEED_HEALTH, fill(to, 0, value, sizeof value, count, 1, NULL));                          \
  }                                                                                                \
  PER_THREAD(cuMemsetD##bits##_v2, _ptds, (CUdeviceptr to, type value, size_t count),              \
             (to, value, count))                                                                   \
  CU_API CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count,                 \
                                         CUstream stream) {                                        \
    SERVE_IN(stream, NEED_HEALTH, fill(to, 0, value, sizeof value, count, 1, stream));             \
  }                                                                                                \
  PER_THREAD(cuMemsetD##bits##Async, _ptsz,                                                        \
             (CUdeviceptr to, type value, size_t count, CUstream stream),                          \
             (to, value, count, stream))                                                           \
  CU_API CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width,   \
                                         size_t height) {                                          \
    SERVE(NEED_HEALTH, fill(to, pitch, value, sizeof value, width, height, NULL));                 \
  }                                                                                                \
  PER_THREAD(cuMemsetD2D##bits##_v2, _ptds,                                                        \
             (CUdeviceptr to, size_t pitch, type value, size_t width, size_t height),              \
             (to, pitch, value, width, height))                                                    \
  CU_API CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, \
                                           size_t height, CUstream stream) {                       \
    SERVE_IN(stream, NEED_HEALTH, fill(to, pitch, value, sizeof value, width, height, stream));    \
  }                                                                                                \
  PER_THREAD(                                                                                      \
      cuMemsetD2D##bits##Async, _ptsz,                                                             \
      (CUdeviceptr to, size_t pitch, type value, size_t width, size_t height, CUstream stream),    \
      (to, pitch, value, width, height, stream))
FILL_FUNCTIONS(8, uint8_t)
FILL_FUNCTIONS(16, uint16_t)
FILL_FUNCTIONS(32, uint32_t)
