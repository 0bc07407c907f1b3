/* A handle that is none, or none any more, is refused: the call must not read it. */
#include "libcuda/cu.h"

#include <string.h>

CUresult cuKernelGetFunction(CUfunction *out, CUkernel f);
CUresult cuFuncGetModule(CUmodule *out, CUfunction f);
CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z);
CUresult cuStreamGetId(CUstream s, unsigned long long *out);
CUresult cuStreamCopyAttributes(CUstream to, CUstream from);
CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph g, CUgraphNode const *dep, size_t deps,
                                   CUevent event);

static const char ptx[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                          ".visible .entry k() { ret; }\n";

/* None of the driver's; reading it as a pointer would end the test. */
static void *foreign(void) {
  static uint64_t words[64];
  memset(words, 0x5a, sizeof words);
  return words;
}

static void test_function(CUfunction f) {
  const CUlaunchConfig config = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
  CUmodule m;
  int value;
  CU_FAILS(cuFuncGetAttribute(&value, 0, f), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuFuncSetAttribute(f, 8, 10), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuKernelGetFunction(&f, f), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuFuncGetModule(&m, f), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuFuncSetBlockShape(f, 1, 1, 1), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 32, 0),
           CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuLaunchKernelEx(&config, f, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void test_module(CUmodule m) {
  CUfunction f;
  CUdeviceptr at;
  CU_FAILS(cuModuleGetFunction(&f, m, "k"), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuModuleGetGlobal_v2(&at, NULL, m, "k"), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuModuleUnload(m), CUDA_ERROR_INVALID_HANDLE);
}

static void test_stream(CUstream s, CUfunction f) {
  unsigned long long id;
  CUdeviceptr at;
  CU_FAILS(cuStreamSynchronize(s), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuStreamQuery(s), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuStreamGetId(s, &id), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuStreamCopyAttributes(NULL, s), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuMemAllocAsync(&at, 64, s), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuStreamDestroy_v2(s), CUDA_ERROR_INVALID_HANDLE);
}

static void test_event(CUevent e) {
  CUevent good;
  CUgraph g;
  CUgraphNode n;
  float ms;
  CU(cuEventCreate(&good, 0));
  CU(cuEventRecord(good, NULL));
  CU(cuGraphCreate(&g, 0));
  CU_FAILS(cuEventRecord(e, NULL), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuEventQuery(e), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuEventSynchronize(e), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuEventElapsedTime(&ms, good, e), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuStreamWaitEvent(NULL, e, 0), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuGraphAddEventRecordNode(&n, g, NULL, 0, e), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuEventDestroy_v2(e), CUDA_ERROR_INVALID_HANDLE);
  CU(cuGraphDestroy(g));
  CU(cuEventDestroy_v2(good));
}

/* Many at once, destroyed in another order than made: none is lost, none stays. */
static void test_many(void) {
  enum { MANY = 1000, STEP = 7 };
  CUevent e[MANY];
  for (int i = 0; i < MANY; i++) CU(cuEventCreate(&e[i], 0));
  for (int i = 0; i < MANY; i += STEP) CU(cuEventDestroy_v2(e[i]));
  for (int i = 0; i < MANY; i++)
    CU_FAILS(cuEventQuery(e[i]), i % STEP ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
  for (int i = 0; i < MANY; i++)
    if (i % STEP) CU(cuEventDestroy_v2(e[i]));
}

int main(void) {
  CUmodule m;
  CUfunction f;
  CUstream s;
  CUevent e;
  cu_begin();
  test_function(foreign());
  test_module(foreign());
  CU(cuModuleLoadData(&m, ptx));
  CU(cuModuleGetFunction(&f, m, "k"));
  CU(cuStreamCreate(&s, 0));
  CU(cuEventCreate(&e, 0));
  test_stream(foreign(), f);
  test_event(foreign());
  CU(cuStreamDestroy_v2(s));
  CU(cuEventDestroy_v2(e));
  test_stream(s, f);
  test_event(e);
  CU(cuModuleUnload(m));
  test_function(f);
  test_module(m);
  test_many();
  return check_report("libcuda_handle");
}
