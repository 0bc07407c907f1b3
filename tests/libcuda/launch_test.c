/* SPDX-License-Identifier: MIT */
/* A module of PTX is loaded, its kernel launched, and memory of each kind written by it. */
#include "libcuda/cu.h"

#include <string.h>

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .const .align 4 .u32 scale = 3;\n"
    ".visible .global .align 4 .u32 base;\n"
    ".visible .entry fill(.param .u64 out, .param .u32 count) {\n"
    "  .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p;\n"
    "  ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [count];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.u32 %r2, %r2, %r3, %r4; setp.ge.u32 %p, %r2, %r1; @%p ret;\n"
    "  ld.const.u32 %r5, [scale]; ld.global.u32 %r6, [base]; mad.lo.u32 %r7, %r2, %r5, %r6;\n"
    "  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r7; ret;\n"
    "}\n";

/* Each launch may start before the one before it has ended, and waits for its memory. */
static const char early_ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry step(.param .u64 out) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "  griddepcontrol.launch_dependents; griddepcontrol.wait;\n"
    "  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
    "  add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3]; mad.lo.u32 %r3, %r2, 3, %r1;\n"
    "  st.global.u32 [%rd3], %r3; ret;\n"
    "}\n";

enum { COUNT = 1000 };

static void run(CUfunction f, CUdeviceptr out) {
  unsigned count = COUNT;
  void *params[] = {&out, &count};
  CU(cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
  CU(cuCtxSynchronize());
}

static int wrong(const unsigned *value, unsigned scale, unsigned base) {
  int count = 0;
  for (unsigned i = 0; i < COUNT; i++) count += value[i] != i * scale + base;
  return count;
}

static void test_device(CUmodule m, CUfunction f) {
  CUdeviceptr out, base;
  size_t bytes;
  const unsigned seven = 7;
  unsigned value[COUNT];
  CU(cuMemAlloc_v2(&out, sizeof value));
  CU(cuModuleGetGlobal_v2(&base, &bytes, m, "base"));
  CHECK(bytes == 4, "%zu bytes", bytes);
  CU(cuMemcpyHtoD_v2(base, &seven, sizeof seven));
  run(f, out);
  CU(cuMemcpyDtoH_v2(value, out, sizeof value));
  CHECK(wrong(value, 3, 7) == 0, "%d wrong", wrong(value, 3, 7));
  CU_FAILS(cuMemcpyDtoH_v2(value, out + 4, sizeof value), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemsetD32_v2(out, 5, COUNT));
  CU(cuMemcpyDtoH_v2(value, out, sizeof value));
  CHECK(value[0] == 5 && value[COUNT - 1] == 5, "set to %u", value[0]);
  CU(cuMemFree_v2(out));
  CU_FAILS(cuMemFree_v2(out), CUDA_ERROR_INVALID_VALUE);
}

static void test_managed(CUmodule m, CUfunction f) {
  CUdeviceptr out, scale;
  size_t bytes;
  const unsigned nine = 9;
  CU(cuMemAllocManaged(&out, COUNT * sizeof(unsigned), 1));
  CU(cuModuleGetGlobal_v2(&scale, &bytes, m, "scale"));
  CU(cuMemcpyHtoD_v2(scale, &nine, sizeof nine));
  run(f, out);
  const unsigned *value = (const unsigned *)(uintptr_t)out;
  CHECK(wrong(value, 9, 7) == 0, "%d wrong", wrong(value, 9, 7));
  CU(cuMemFree_v2(out));
}

/* v becomes 3 v + i four times, from 0: that is 40 i. */
static void test_programmatic(void) {
  enum { STEPS = 4, WANT = 1 + 3 + 9 + 27 };
  CUmodule m;
  CUfunction f;
  CUdeviceptr out;
  unsigned value[COUNT];
  void *params[] = {&out};
  CUlaunchAttribute early = {.id = LAUNCH_PROGRAMMATIC, .value.programmatic = 1};
  const CUlaunchConfig config = {
      .grid = {1, 1, 1}, .block = {COUNT, 1, 1}, .attribute = &early, .attributes = 1};
  CU(cuModuleLoadData(&m, early_ptx));
  CU(cuModuleGetFunction(&f, m, "step"));
  CU(cuMemAlloc_v2(&out, sizeof value));
  CU(cuMemsetD32_v2(out, 0, COUNT));
  for (int i = 0; i < STEPS; i++) CU(cuLaunchKernelEx(&config, f, params, NULL));
  CU(cuMemcpyDtoH_v2(value, out, sizeof value));
  CHECK(wrong(value, WANT, 0) == 0, "%d wrong", wrong(value, WANT, 0));
  CU(cuMemFree_v2(out));
  CU(cuModuleUnload(m));
}

/* A variable is known as memory of the device, from any address in it. */
static void test_pointer(CUmodule m) {
  enum { MEMORY_TYPE = 2, RANGE_BYTES = 12, DEVICE = 2 };
  CUdeviceptr base;
  size_t bytes;
  int type = 0;
  CU(cuModuleGetGlobal_v2(&base, &bytes, m, "base"));
  CU(cuPointerGetAttribute(&type, MEMORY_TYPE, base + 1));
  CU(cuPointerGetAttribute(&bytes, RANGE_BYTES, base + 1));
  CHECK(type == DEVICE && bytes == 4, "type %d of %zu bytes", type, bytes);
}

/* Checks an attribute of `bytes` bytes, and that no other byte is written. */
static void check_attribute(CUdeviceptr p, int attribute, unsigned bytes, uint64_t want) {
  unsigned char got[2 * sizeof want];
  uint64_t value = 0;
  memset(got, 0xee, sizeof got);
  CU(cuPointerGetAttribute(got, attribute, p));
  memcpy(&value, got, bytes);
  CHECK(value == want, "attribute %d: %llu", attribute, (unsigned long long)value);
  for (unsigned i = bytes; i < sizeof got; i++)
    CHECK(got[i] == 0xee, "attribute %d: byte %u is written", attribute, i);
}

/* The numbers are cuda.h's: CUpointer_attribute. The host has no address for device memory. */
static void test_pointer_attributes(void) {
  enum { TYPE = 2, DEVICE, HOST, IS_MANAGED = 8, ORDINAL, START = 11, BYTES, MAPPED, ACCESS = 16 };
  enum { OF_DEVICE = 2, READ_WRITE = 3, SIZE = 256, NONE = 9999 };
  CUdeviceptr memory[2];
  void *host;
  CU(cuMemAlloc_v2(&memory[0], SIZE));
  CU(cuMemAllocManaged(&memory[1], SIZE, 1));
  for (unsigned managed = 0; managed < 2; managed++) {
    const CUdeviceptr p = memory[managed] + 4;
    check_attribute(p, TYPE, sizeof(int), OF_DEVICE);
    check_attribute(p, DEVICE, sizeof p, p);
    check_attribute(p, IS_MANAGED, sizeof(int), managed);
    check_attribute(p, ORDINAL, sizeof(int), 0);
    check_attribute(p, START, sizeof p, memory[managed]);
    check_attribute(p, BYTES, sizeof(size_t), SIZE);
    check_attribute(p, MAPPED, sizeof(int), 1);
    check_attribute(p, ACCESS, sizeof(int), READ_WRITE);
    CU_FAILS(cuPointerGetAttribute(&host, NONE, p), CUDA_ERROR_INVALID_VALUE);
  }
  check_attribute(memory[1], HOST, sizeof host, memory[1]);
  CU_FAILS(cuPointerGetAttribute(&host, HOST, memory[0]), CUDA_ERROR_INVALID_VALUE);
  for (int i = 0; i < 2; i++) CU(cuMemFree_v2(memory[i]));
}

/* Clusters have 16 blocks only if the program allows it, and must divide the grid. */
static void test_cluster(CUfunction f) {
  enum { NON_PORTABLE_CLUSTER = 14 };
  CUdeviceptr out;
  unsigned count = COUNT;
  void *params[] = {&out, &count};
  CUlaunchAttribute size = {.id = LAUNCH_CLUSTER_DIMENSION, .value.cluster = {16, 1, 1}};
  const CUlaunchConfig config = {
      .grid = {16, 1, 1}, .block = {64, 1, 1}, .attribute = &size, .attributes = 1};
  CU(cuMemAlloc_v2(&out, COUNT * sizeof(unsigned)));
  CU_FAILS(cuLaunchKernelEx(&config, f, params, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  CU(cuFuncSetAttribute(f, NON_PORTABLE_CLUSTER, 1));
  CU(cuLaunchKernelEx(&config, f, params, NULL));
  size.value.cluster.x = 3;
  CU_FAILS(cuLaunchKernelEx(&config, f, params, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  CU(cuMemFree_v2(out));
}

/* A function that is not implemented, or newer than the requested version, is not found. */
static void test_lookup(void) {
  enum { PER_THREAD_STREAM = 2 };
  void *entry;
  int query, version;
  CU(cuDriverGetVersion(&version));
  CU(cuGetProcAddress_v2("cuMemAlloc", &entry, version, 0, &query));
  CHECK(entry && query == 0, "query %d", query);
  void *own;
  CU(cuGetProcAddress_v2("cuLaunchKernel", &entry, version, 0, &query));
  CU(cuGetProcAddress_v2("cuLaunchKernel", &own, version, PER_THREAD_STREAM, &query));
  CHECK(own && own != entry && query == 0, "query %d", query);
  CU(cuGetProcAddress_v2("cuGraphConditionalHandleCreate", &entry, 12020, 0, &query));
  CHECK(!entry && query == 2, "query %d", query);
  CU(cuGetProcAddress_v2("cuNoSuchThing", &entry, version, 0, &query));
  CHECK(!entry && query == 1, "query %d", query);
}

/* A graph's node takes its arguments packed, as a launch does, and keeps them. */
static void test_packed(CUfunction f) {
  struct { /* CUDA_KERNEL_NODE_PARAMS */
    CUfunction function;
    unsigned grid[3], block[3], shared;
    void **params, **extra, *kernel, *context;
  } k = {.function = f, .grid = {4, 1, 1}, .block = {256, 1, 1}};
  struct {
    CUdeviceptr out;
    unsigned count;
  } packed = {.count = COUNT};
  size_t bytes = sizeof packed;
  void *extra[] = {(void *)1, &packed, (void *)2, &bytes, NULL};
  unsigned value[COUNT];
  CUgraph g;
  CUgraphNode node;
  CUgraphExec e;
  CU(cuMemAlloc_v2(&packed.out, sizeof value));
  const CUdeviceptr out = packed.out;
  CU(cuGraphCreate(&g, 0));
  CU_FAILS(cuGraphAddKernelNode_v2(&node, g, NULL, 0, &k), CUDA_ERROR_INVALID_VALUE);
  k.extra = extra;
  CU(cuGraphAddKernelNode_v2(&node, g, NULL, 0, &k));
  packed.out = 0;
  CU(cuGraphInstantiateWithFlags(&e, g, 0));
  CU(cuGraphLaunch(e, NULL));
  CU(cuMemcpyDtoH_v2(value, out, sizeof value));
  CHECK(wrong(value, 9, 7) == 0, "%d wrong", wrong(value, 9, 7));
  CU(cuGraphExecDestroy(e));
  CU(cuGraphDestroy(g));
  CU(cuMemFree_v2(out));
}

/* The numbers are cuda.h's; no attribute has the last one. */
static void test_attributes(void) {
  enum { WARP_SIZE = 10, NONE = 9999 };
  int value = 0;
  CU(cuDeviceGetAttribute(&value, WARP_SIZE, 0));
  CHECK(value == 32, "%d", value);
  CU_FAILS(cuDeviceGetAttribute(&value, NONE, 0), CUDA_ERROR_INVALID_VALUE);
}

int main(void) {
  CUmodule m;
  CUfunction f;
  cu_begin();
  test_attributes();
  CU_FAILS(cuModuleLoadData(&m, "\x7f"
                                "ELF"),
           CUDA_ERROR_NO_BINARY_FOR_GPU);
  CU(cuModuleLoadData(&m, ptx));
  CU_FAILS(cuModuleGetFunction(&f, m, "none"), CUDA_ERROR_NOT_FOUND);
  CU(cuModuleGetFunction(&f, m, "fill"));
  test_device(m, f);
  test_managed(m, f);
  test_packed(f);
  test_programmatic();
  test_pointer(m);
  test_pointer_attributes();
  test_cluster(f);
  test_lookup();
  CU(cuModuleUnload(m));
  return check_report("libcuda_launch");
}
