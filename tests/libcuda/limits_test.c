/* SPDX-License-Identifier: MIT */
/* Limits, flags, attributes and occupancy have the values of an H200. */
#include <string.h>

#include "libcuda/cu.h"

CUresult cuCtxGetLimit(size_t *out, unsigned limit);
CUresult cuCtxSetLimit(unsigned limit, size_t value);
CUresult cuCtxGetFlags(unsigned *out);
CUresult cuMemHostGetFlags(unsigned *out, void *host);
CUresult cuCtxPushCurrent_v2(CUcontext context);
CUresult cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority);
CUresult cuStreamGetPriority(CUstream s, int *out);
CUresult cuStreamGetAttribute(CUstream s, int attribute, void *out);
CUresult cuStreamSetAttribute(CUstream s, int attribute, const void *value);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *out, CUfunction f, int blocks,
                                                 int threads);

static const char ptx[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                          ".visible .entry plain(.param .u64 a) { ret; }\n"
                          ".visible .entry fixed(.param .u64 a) .maxntid 128, 1, 1\n"
                          "{ .shared .align 4 .b8 s[4000]; .reg .b32 %r; mov.u32 %r, s;\n"
                          "  st.shared.u32 [%r], 0; ret; }\n"
                          ".visible .entry pairs() .explicitcluster .reqnctapercluster 2, 1, 1\n"
                          "{ ret; }\n";

static void test_limits(void) {
  static const struct {
    unsigned limit;
    CUresult result;
    size_t value, then; /* the value set, and the value read back */
  } row[] = {{0, CUDA_SUCCESS, 1000, 1008},           {1, CUDA_SUCCESS, 1000, 512 << 10},
             {2, CUDA_SUCCESS, 1000, 4 << 20},        {3, CUDA_ERROR_UNSUPPORTED_LIMIT, 2, 0},
             {5, CUDA_ERROR_INVALID_VALUE, 1000, 64}, {9, CUDA_ERROR_UNSUPPORTED_LIMIT, 1, 0}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    size_t value = 0;
    CU_FAILS(cuCtxSetLimit(row[i].limit, row[i].value), row[i].result);
    cuCtxGetLimit(&value, row[i].limit);
    CHECK(value == row[i].then, "limit %u: %zu", row[i].limit, value);
  }
}

static void test_flags(void) {
  unsigned flags;
  void *host;
  CUdeviceptr nothing = 1;
  CU(cuCtxGetFlags(&flags));
  CHECK(flags == 8, "%u", flags);
  CU(cuMemHostAlloc(&host, 64, 5));
  CU(cuMemHostGetFlags(&flags, host));
  CHECK(flags == 7, "%u", flags);
  CU(cuMemFreeHost(host));
  CU(cuMemAllocAsync(&nothing, 0, NULL));
  CHECK(!nothing, "an address of no memory");
}

static int blocks(CUfunction f, int threads, size_t dynamic) {
  int n = -1;
  CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, threads, dynamic));
  return n;
}

/* Launch bounds do not count; shared memory that a launch may not have does. */
static void test_occupancy(CUfunction plain, CUfunction fixed) {
  enum { MAX_DYNAMIC = 8, CARVEOUT = 9 };
  size_t bytes;
  CHECK(blocks(fixed, 1024, 0) == 2, "%d", blocks(fixed, 1024, 0));
  CHECK(blocks(plain, 64, 100000) == 0, "%d", blocks(plain, 64, 100000));
  CU(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, 2, 256));
  CHECK(bytes == 49152, "%zu", bytes);
  CU(cuFuncSetAttribute(plain, MAX_DYNAMIC, 200000));
  CU(cuFuncSetAttribute(fixed, MAX_DYNAMIC, 200000));
  CHECK(blocks(plain, 64, 100000) == 2, "%d", blocks(plain, 64, 100000));
  CU(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, 5, 256));
  CHECK(bytes == 46592, "%zu", bytes);
  CU(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, fixed, 5, 256));
  CHECK(bytes == 42592, "%zu", bytes);
  CU_FAILS(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, 3, 1024),
           CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuFuncSetAttribute(plain, CARVEOUT, 101), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuFuncSetAttribute(plain, CARVEOUT, -2), CUDA_ERROR_INVALID_VALUE);
  CU(cuFuncSetAttribute(plain, CARVEOUT, -1));
}

/* A kernel's own clusters are the only ones that it runs in. */
static void test_clusters(CUfunction pairs) {
  enum { MUST_BE_SET = 10 };
  int must = 0;
  CUlaunchAttribute size = {.id = LAUNCH_CLUSTER_DIMENSION};
  size.value.cluster.x = 4;
  size.value.cluster.y = size.value.cluster.z = 1;
  const CUlaunchConfig config = {
      .grid = {16, 1, 1}, .block = {32, 1, 1}, .attribute = &size, .attributes = 1};
  CU(cuFuncGetAttribute(&must, MUST_BE_SET, pairs));
  CHECK(must == 1, "%d", must);
  CU_FAILS(cuLaunchKernelEx(&config, pairs, NULL, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  size.value.cluster.x = 2;
  CU(cuLaunchKernelEx(&config, pairs, NULL, NULL));
}

/* Invalid priorities become the nearest valid one. The L2 access policy that was set is read back.
 */
static void test_stream(void) {
  enum { WINDOW = 1 };
  static const int wish[] = {-100, -5, -2, 0, 5}, then[] = {-5, -5, -2, 0, 0};
  const uint64_t window[8] = {4096, 1 << 20, 7, 8};
  uint64_t told[8] = {0};
  CUstream s;
  for (int i = 0; i < 5; i++) {
    int priority;
    CU(cuStreamCreateWithPriority(&s, 0, wish[i]));
    CU(cuStreamGetPriority(s, &priority));
    CHECK(priority == then[i], "%d of %d", priority, wish[i]);
    CU(cuStreamSetAttribute(s, WINDOW, window));
    CU(cuStreamGetAttribute(s, WINDOW, told));
    CHECK(memcmp(told, window, 4 * sizeof *told) == 0, "another window");
    CU(cuStreamDestroy_v2(s));
  }
}

static void test_refusals(CUfunction plain) {
  enum { NO_TIMING = 2, OF_PROCESSES = 4 };
  CUdeviceptr data = 0;
  size_t bytes = sizeof data;
  void *params[] = {&data}, *extra[] = {(void *)1, &data, (void *)2, &bytes, NULL};
  CUevent e;
  CU_FAILS(cuEventCreate(&e, OF_PROCESSES), CUDA_ERROR_INVALID_VALUE);
  CU(cuEventCreate(&e, OF_PROCESSES | NO_TIMING));
  CU_FAILS(cuStreamWaitEvent(NULL, e, 9), CUDA_ERROR_INVALID_VALUE);
  CU(cuEventDestroy_v2(e));
  CU_FAILS(cuCtxPushCurrent_v2(NULL), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0, NULL, params, extra),
           CUDA_ERROR_INVALID_VALUE);
}

/* The PTX is of another architecture than the GPU. */
static void test_target(void) {
  enum { PTX_VERSION = 5, BINARY_VERSION = 6 };
  static const char older[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                              ".visible .entry k() { ret; }\n";
  CUmodule m;
  CUfunction f;
  int of_ptx, of_code;
  CU(cuModuleLoadData(&m, older));
  CU(cuModuleGetFunction(&f, m, "k"));
  CU(cuFuncGetAttribute(&of_ptx, PTX_VERSION, f));
  CU(cuFuncGetAttribute(&of_code, BINARY_VERSION, f));
  CHECK(of_ptx == 80 && of_code == 90, "%d, %d", of_ptx, of_code);
  CU(cuModuleUnload(m));
}

int main(void) {
  CUmodule m;
  CUfunction plain, fixed, pairs;
  cu_begin();
  CU(cuModuleLoadData(&m, ptx));
  CU(cuModuleGetFunction(&plain, m, "plain"));
  CU(cuModuleGetFunction(&fixed, m, "fixed"));
  CU(cuModuleGetFunction(&pairs, m, "pairs"));
  test_limits();
  test_flags();
  test_occupancy(plain, fixed);
  test_clusters(pairs);
  test_stream();
  test_refusals(plain);
  test_target();
  CU(cuModuleUnload(m));
  return check_report("libcuda_limits");
}
