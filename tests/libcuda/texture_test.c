/* SPDX-License-Identifier: MIT */
/* Arrays of every shape are copied, fetched through textures and written through surfaces. */
#include "libcuda/cu.h"

#include <stdbool.h>
#include <string.h>

/* CUDA_MEMCPY2D and CUDA_MEMCPY3D. */
typedef struct {
  size_t x, y, z, level;
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  void *context;
  size_t pitch, height;
} Side3D;

typedef struct {
  Side3D from, to;
  size_t width, height, depth;
} Box3D;

typedef struct {
  size_t x, y;
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  size_t pitch;
} CopySide2D;

typedef struct {
  CopySide2D from, to;
  size_t width, height;
} CUDA_MEMCPY2D;

CUresult cuArrayCreate_v2(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d);
CUresult cuArray3DCreate_v2(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array);
CUresult cuArrayDestroy(CUarray array);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                unsigned levels);
CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray whole, unsigned level);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray whole);
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c);
CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t bytes);
CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *r,
                           const CUDA_TEXTURE_DESC *t, const CUDA_RESOURCE_VIEW_DESC *v);
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUtexObject handle);
CUresult cuTexObjectDestroy(CUtexObject handle);
CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *r);
CUresult cuSurfObjectDestroy(CUsurfObject handle);

/* Thread x fetches at x + 1/2 and y, from level 1 of a mipmap, and stores x + 100 in a surface. */
#define KERNEL(name, body)                                                                         \
  ".visible .entry " name "(.param .u64 object, .param .u64 out, .param .f32 y) {\n"               \
  "  .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<4>;\n"                                        \
  "  ld.param.u64 %rd1, [object]; ld.param.u64 %rd2, [out]; ld.param.f32 %f2, [y];\n"              \
  "  mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; add.f32 %f1, %f1, 0f3F000000;\n"                \
  "  mad.wide.u32 %rd2, %r1, 4, %rd2;\n" body "  ret;\n}\n"
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n" KERNEL(
    "flat", "  tex.2d.v4.u32.f32 {%r2, _, _, _}, [%rd1, {%f1, %f2}];\n"
            "  st.global.b32 [%rd2], %r2;\n")
    KERNEL("coarse", "  tex.level.2d.v4.u32.f32 {%r2, _, _, _}, [%rd1, {%f1, %f2}], 0f3F800000;\n"
                     "  st.global.b32 [%rd2], %r2;\n")
        KERNEL("line", "  tex.1d.v4.u32.s32 {%r2, _, _, _}, [%rd1, {%r1}];\n"
                       "  st.global.b32 [%rd2], %r2;\n")
            KERNEL("write", "  shl.b32 %r3, %r1, 2; add.u32 %r4, %r1, 100;\n"
                            "  sust.b.2d.b32.trap [%rd1, {%r3, 1}], %r4;\n");

enum { WIDTH = 8, HEIGHT = 4, DEPTH = 3 };

static unsigned texel[DEPTH][HEIGHT][WIDTH];

static void launch(CUmodule m, const char *name, uint64_t object, float y, unsigned *out) {
  CUfunction f;
  CUdeviceptr memory;
  CU(cuModuleGetFunction(&f, m, name));
  CU(cuMemAlloc_v2(&memory, WIDTH * sizeof *out));
  void *params[] = {&object, &memory, &y};
  CU(cuLaunchKernel(f, 1, 1, 1, WIDTH, 1, 1, 0, NULL, params, NULL));
  CU(cuCtxSynchronize());
  CU(cuMemcpyDtoH_v2(out, memory, WIDTH * sizeof *out));
  CU(cuMemFree_v2(memory));
}

static void check_row(const char *what, const unsigned *got, const unsigned *want) {
  for (int i = 0; i < WIDTH; i++)
    CHECK(got[i] == want[i], "%s: texel %d is %u, want %u", what, i, got[i], want[i]);
}

static CUtexObject texture_of(const CUDA_RESOURCE_DESC *r) {
  const CUDA_TEXTURE_DESC t = {
      .addressing = {1, 1, 1}, .flags = TEXTURE_AS_INTEGERS, .most_level = 10};
  CUtexObject texture;
  CU(cuTexObjectCreate(&texture, r, &t, NULL));
  return texture;
}

/* Copies the host's rows from (2 * 4, 1) on into an array's corner, and back from it. */
static void test_flat(CUmodule m) {
  const CUDA_ARRAY_DESCRIPTOR d = {WIDTH, HEIGHT, FORMAT_U32, 1};
  CUarray array;
  unsigned out[WIDTH], back[2][4] = {{0}};
  CU(cuArrayCreate_v2(&array, &d));
  CUDA_MEMCPY2D c = {.from = {.type = MEMORY_HOST, .host = texel, .pitch = sizeof texel[0][0]},
                     .to = {.type = MEMORY_ARRAY, .array = array},
                     .width = sizeof texel[0][0],
                     .height = HEIGHT};
  CU(cuMemcpy2D_v2(&c));
  const CUDA_RESOURCE_DESC r = {.type = RESOURCE_ARRAY, .array = array};
  const CUtexObject texture = texture_of(&r);
  launch(m, "flat", texture, 2.5f, out);
  check_row("flat", out, texel[0][2]);
  c = (CUDA_MEMCPY2D){.from = {.x = 8, .y = 1, .type = MEMORY_ARRAY, .array = array},
                      .to = {.type = MEMORY_HOST, .host = back, .pitch = sizeof back[0]},
                      .width = 16,
                      .height = 2};
  CU(cuMemcpy2D_v2(&c));
  CHECK(memcmp(back[1], &texel[0][2][2], sizeof back[1]) == 0, "a part of an array");
  c.from.y = 3;
  CU_FAILS(cuMemcpy2D_v2(&c), CUDA_ERROR_INVALID_VALUE);
  c.from.y = 1;
  c.from.x = sizeof texel[0][0] - 15; /* a byte beyond the row */
  CU_FAILS(cuMemcpy2D_v2(&c), CUDA_ERROR_INVALID_VALUE);
  CUDA_RESOURCE_DESC same;
  CU(cuTexObjectGetResourceDesc(&same, texture));
  CHECK(same.array == array, "a texture knows its array");
  CU(cuTexObjectDestroy(texture));
  CU_FAILS(cuTexObjectDestroy(texture), CUDA_ERROR_INVALID_VALUE);
  CU(cuArrayDestroy(array));
}

static void test_deep(void) {
  const CUDA_ARRAY3D_DESCRIPTOR d = {WIDTH, HEIGHT, DEPTH, FORMAT_U32, 1, ARRAY_LAYERED};
  CUDA_ARRAY3D_DESCRIPTOR got;
  CUarray array;
  unsigned back[HEIGHT][WIDTH];
  CU(cuArray3DCreate_v2(&array, &d));
  CU(cuArray3DGetDescriptor_v2(&got, array));
  CHECK(memcmp(&got, &d, sizeof d) == 0, "an array's description");
  const Side3D all = {
      .type = MEMORY_HOST, .host = texel, .pitch = sizeof texel[0][0], .height = HEIGHT};
  Box3D c = {.from = all,
             .to = {.type = MEMORY_ARRAY, .array = array},
             .width = sizeof texel[0][0],
             .height = HEIGHT,
             .depth = DEPTH};
  CU(cuMemcpy3D_v2(&c));
  c.from = (Side3D){.z = 2, .type = MEMORY_ARRAY, .array = array};
  c.to = all;
  c.to.host = back;
  c.depth = 1;
  CU(cuMemcpy3D_v2(&c));
  CHECK(memcmp(back, texel[2], sizeof back) == 0, "a layer of an array");
  c.from.z = 3;
  CU_FAILS(cuMemcpy3D_v2(&c), CUDA_ERROR_INVALID_VALUE);
  CU(cuArrayDestroy(array));
}

static void test_mipmap(CUmodule m) {
  const CUDA_ARRAY3D_DESCRIPTOR d = {2 * WIDTH, 2 * HEIGHT, 0, FORMAT_U32, 1, 0};
  CUmipmappedArray whole;
  CUarray level;
  unsigned out[WIDTH];
  CU(cuMipmappedArrayCreate(&whole, &d, 2));
  CU_FAILS(cuMipmappedArrayGetLevel(&level, whole, 2), CUDA_ERROR_INVALID_VALUE);
  CU(cuMipmappedArrayGetLevel(&level, whole, 1));
  const CUDA_MEMCPY2D c = {
      .from = {.type = MEMORY_HOST, .host = texel, .pitch = sizeof texel[0][0]},
      .to = {.type = MEMORY_ARRAY, .array = level},
      .width = sizeof texel[0][0],
      .height = HEIGHT};
  CU(cuMemcpy2D_v2(&c));
  CU_FAILS(cuMemcpyHtoA_v2(level, 4, texel[0], sizeof texel[0][0]), CUDA_ERROR_INVALID_VALUE);
  const CUDA_RESOURCE_DESC r = {.type = RESOURCE_MIPMAP, .mipmap = whole};
  const CUtexObject texture = texture_of(&r);
  launch(m, "coarse", texture, 1.5f, out);
  check_row("level", out, texel[0][1]);
  CU(cuTexObjectDestroy(texture));
  CU(cuMipmappedArrayDestroy(whole));
}

static void test_linear(CUmodule m) {
  CUdeviceptr memory;
  unsigned out[WIDTH], want[WIDTH] = {0};
  CU(cuMemAlloc_v2(&memory, sizeof texel[0][0]));
  CU(cuMemcpyHtoD_v2(memory, texel[1][1], sizeof texel[0][0]));
  CUDA_RESOURCE_DESC r = {.type = RESOURCE_LINEAR};
  r.memory.address = memory;
  r.memory.format = FORMAT_U32;
  r.memory.channels = 1;
  r.memory.width = 6 * sizeof(unsigned);
  const CUtexObject texture = texture_of(&r);
  launch(m, "line", texture, 0, out);
  memcpy(want, texel[1][1], r.memory.width);
  check_row("linear memory", out, want);
  CU(cuTexObjectDestroy(texture));
  CU(cuMemFree_v2(memory));
}

/* Memory for textures is aligned; no texture may be destroyed. */
static void test_alignment(void) {
  static const struct {
    CUresourcetype type;
    size_t at, pitch;
    CUresult result;
  } row[] = {{RESOURCE_LINEAR, 0, 0, CUDA_SUCCESS},
             {RESOURCE_LINEAR, 4, 0, CUDA_ERROR_INVALID_VALUE},
             {RESOURCE_PITCH, 0, 64, CUDA_SUCCESS},
             {RESOURCE_PITCH, 0, 40, CUDA_ERROR_INVALID_VALUE}};
  const CUDA_TEXTURE_DESC plain = {0};
  CUDA_RESOURCE_DESC r = {.memory = {.format = FORMAT_FLOAT, .channels = 1, .height = 8}};
  CUdeviceptr memory;
  CUtexObject texture;
  CU(cuMemAlloc_v2(&memory, 1024));
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    r.type = row[i].type;
    r.memory.address = memory + row[i].at;
    r.memory.width = r.type == RESOURCE_PITCH ? 8 : 512; /* elements or bytes */
    r.memory.pitch = row[i].pitch;
    CU_FAILS(cuTexObjectCreate(&texture, &r, &plain, NULL), row[i].result);
    if (!row[i].result) CU(cuTexObjectDestroy(texture));
  }
  r.memory.address = 0;
  CU_FAILS(cuTexObjectCreate(&texture, &r, &plain, NULL), CUDA_ERROR_INVALID_VALUE);
  CU(cuTexObjectDestroy(0));
  CU(cuMemFree_v2(memory));
}

static void test_largest(void) {
  CUDA_ARRAY3D_DESCRIPTOR d = {1 << 20, 8, 0, FORMAT_U8, 1, 0};
  CUarray array;
  CU_FAILS(cuArray3DCreate_v2(&array, &d), CUDA_ERROR_INVALID_VALUE);
  d.width = 1 << 17;
  CU(cuArray3DCreate_v2(&array, &d));
  CU(cuArrayDestroy(array));
}

/* The array was not made for surfaces, which an H200 does not mind. */
static void test_surface(CUmodule m) {
  const CUDA_ARRAY3D_DESCRIPTOR d = {WIDTH, HEIGHT, 0, FORMAT_U32, 1, 0};
  CUarray array;
  CUsurfObject surface;
  unsigned out[WIDTH], row[WIDTH], want[WIDTH];
  CU(cuArray3DCreate_v2(&array, &d));
  const CUDA_RESOURCE_DESC r = {.type = RESOURCE_ARRAY, .array = array};
  CU(cuSurfObjectCreate(&surface, &r));
  launch(m, "write", surface, 0, out);
  const CUDA_MEMCPY2D c = {.from = {.y = 1, .type = MEMORY_ARRAY, .array = array},
                           .to = {.type = MEMORY_HOST, .host = row},
                           .width = sizeof row,
                           .height = 1};
  CU(cuMemcpy2D_v2(&c));
  for (unsigned i = 0; i < WIDTH; i++) want[i] = i + 100;
  check_row("surface", row, want);
  CU(cuSurfObjectDestroy(surface));
  CU(cuArrayDestroy(array));
}

/* A cubemap has six faces, as wide as high; one of layers a multiple of six. */
static void test_cubes(void) {
  static const struct {
    size_t height, depth;
    unsigned flags;
    bool made;
  } cubes[] = {{8, 6, ARRAY_CUBEMAP, true},
               {8, 3, ARRAY_CUBEMAP, false},
               {8, 12, ARRAY_CUBEMAP, false},
               {8, 0, ARRAY_CUBEMAP, false},
               {4, 6, ARRAY_CUBEMAP, false},
               {8, 6, ARRAY_CUBEMAP | ARRAY_LAYERED, true},
               {8, 12, ARRAY_CUBEMAP | ARRAY_LAYERED, true},
               {8, 9, ARRAY_CUBEMAP | ARRAY_LAYERED, false},
               {8, 0, ARRAY_CUBEMAP | ARRAY_LAYERED, false}};
  for (size_t i = 0; i < sizeof cubes / sizeof *cubes; i++) {
    const CUDA_ARRAY3D_DESCRIPTOR d = {8, cubes[i].height, cubes[i].depth, FORMAT_U32,
                                       1, cubes[i].flags};
    CUarray array = NULL;
    const CUresult result = cuArray3DCreate_v2(&array, &d);
    CHECK(result == (cubes[i].made ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE), "cube %zu: %d", i,
          (int)result);
    if (!result) CU(cuArrayDestroy(array));
  }
}

int main(void) {
  CUmodule m;
  cu_begin();
  CU(cuModuleLoadData(&m, ptx));
  for (unsigned i = 0; i < sizeof texel / sizeof(unsigned); i++) (&texel[0][0][0])[i] = i * i + 7;
  test_flat(m);
  test_deep();
  test_mipmap(m);
  test_linear(m);
  test_alignment();
  test_largest();
  test_surface(m);
  test_cubes();
  CU(cuModuleUnload(m));
  return check_report("libcuda_texture");
}
