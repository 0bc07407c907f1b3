/* Limits, flags, attributes and occupancy, as an H200 tells them. */
#include "libcuda/cu.h"

CUresult cuCtxGetLimit(size_t *out, unsigned limit);
CUresult cuCtxSetLimit(unsigned limit, size_t value);
CUresult cuCtxGetFlags(unsigned *out);
CUresult cuMemHostGetFlags(unsigned *out, void *host);
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
    size_t value, then; /* set, and what is told then */
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
  CU(cuModuleUnload(m));
  return check_report("libcuda_limits");
}
