/* SPDX-License-Identifier: MIT */
/* A handle that is invalid, or was destroyed, is an error; the call must not dereference it. */
#include "libcuda/cu.h"

#include <string.h>

CUresult cuKernelGetFunction(CUfunction *out, CUkernel f);
CUresult cuFuncGetModule(CUmodule *out, CUfunction f);
CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z);
CUresult cuArrayCreate_v2(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d);
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *out, CUarray array);
CUresult cuArrayDestroy(CUarray array);
CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t bytes);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                unsigned levels);
CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray whole, unsigned level);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray whole);
CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *r,
                           const CUDA_TEXTURE_DESC *t, const CUDA_RESOURCE_VIEW_DESC *v);
CUresult cuGraphNodeGetType(CUgraphNode n, int *out);
CUresult cuStreamGetId(CUstream s, unsigned long long *out);
CUresult cuStreamCopyAttributes(CUstream to, CUstream from);
CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph g, CUgraphNode const *dep, size_t deps,
                                   CUevent event);

typedef void LogCallback(void *data, int level, char *message, size_t bytes);
CUresult cuLogsRegisterCallback(LogCallback *call, void *data, void **out);
CUresult cuLogsUnregisterCallback(void *entry);

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

static void test_array(CUarray a) {
  const CUDA_TEXTURE_DESC plain = {0};
  const CUDA_RESOURCE_DESC r = {.type = RESOURCE_ARRAY, .array = a};
  CUDA_ARRAY_DESCRIPTOR d;
  CUtexObject t;
  CU_FAILS(cuArrayGetDescriptor_v2(&d, a), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuMemcpyHtoA_v2(a, 0, &d, 4), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuTexObjectCreate(&t, &r, &plain, NULL), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuArrayDestroy(a), CUDA_ERROR_INVALID_HANDLE);
}

static void test_mipmap(CUmipmappedArray whole) {
  CUarray level;
  CU_FAILS(cuMipmappedArrayGetLevel(&level, whole, 0), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuMipmappedArrayDestroy(whole), CUDA_ERROR_INVALID_HANDLE);
}

static void test_arrays(void) {
  const CUDA_ARRAY_DESCRIPTOR flat = {8, 8, FORMAT_FLOAT, 1};
  const CUDA_ARRAY3D_DESCRIPTOR deep = {8, 8, 0, FORMAT_FLOAT, 1, 0};
  CUarray a, level;
  CUmipmappedArray whole;
  CU(cuArrayCreate_v2(&a, &flat));
  CU(cuArrayDestroy(a));
  CU(cuMipmappedArrayCreate(&whole, &deep, 2));
  CU(cuMipmappedArrayGetLevel(&level, whole, 1));
  CU(cuMipmappedArrayDestroy(whole));
  test_array(foreign());
  test_array(a);
  test_array(level);
  test_mipmap(foreign());
  test_mipmap(whole);
}

static void test_graph(CUgraph g) {
  CUgraph out;
  CUgraphNode n;
  CUgraphExec e;
  CU_FAILS(cuGraphClone(&out, g), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuGraphAddEmptyNode(&n, g, NULL, 0), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuGraphInstantiateWithFlags(&e, g, 0), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuGraphDestroy(g), CUDA_ERROR_INVALID_VALUE);
}

static void test_node(CUgraph g, CUgraphNode n) {
  CUgraphNode other;
  int type;
  CU(cuGraphAddEmptyNode(&other, g, NULL, 0));
  CU_FAILS(cuGraphNodeGetType(n, &type), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuGraphAddEmptyNode(&other, g, &n, 1), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuGraphAddDependencies(g, &n, &other, 1), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuGraphDestroyNode(n), CUDA_ERROR_INVALID_VALUE);
}

static void test_exec(CUgraphExec e) {
  CU_FAILS(cuGraphLaunch(e, NULL), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuGraphExecDestroy(e), CUDA_ERROR_INVALID_VALUE);
}

static void test_graphs(void) {
  CUgraph g;
  CUgraphNode n;
  CUgraphExec e;
  CU(cuGraphCreate(&g, 0));
  CU(cuGraphAddEmptyNode(&n, g, NULL, 0));
  CU(cuGraphInstantiateWithFlags(&e, g, 0));
  CU(cuGraphExecDestroy(e));
  test_exec(foreign());
  test_exec(e);
  test_node(g, foreign());
  CU(cuGraphDestroyNode(n));
  CU_FAILS(cuGraphDestroyNode(n), CUDA_ERROR_INVALID_VALUE);
  CU(cuGraphDestroy(g));
  test_graph(foreign());
  test_graph(g);
}

static void nothing(void *unused) { (void)unused; }

static void test_others(void) {
  CUuserObject o;
  CUlinkState l;
  void *image;
  CU(cuUserObjectCreate(&o, NULL, nothing, 1, 1));
  CU(cuUserObjectRelease(o, 1));
  CU_FAILS(cuUserObjectRelease(o, 1), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuUserObjectRelease(foreign(), 1), CUDA_ERROR_INVALID_VALUE);
  CU(cuLinkCreate_v2(0, NULL, NULL, &l));
  CU(cuLinkDestroy(l));
  CU_FAILS(cuLinkComplete(l, &image, NULL), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuLinkDestroy(foreign()), CUDA_ERROR_INVALID_VALUE);
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

static void log_call(void *data, int level, char *message, size_t bytes) {
  (void)data, (void)level, (void)message, (void)bytes;
}

static void test_log(void) {
  void *entry;
  CU_FAILS(cuLogsRegisterCallback(NULL, NULL, &entry), CUDA_ERROR_INVALID_VALUE);
  CU(cuLogsRegisterCallback(log_call, NULL, NULL));
  CU(cuLogsRegisterCallback(log_call, NULL, &entry));
  CU(cuLogsUnregisterCallback(entry));
  CU_FAILS(cuLogsUnregisterCallback(entry), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuLogsUnregisterCallback(foreign()), CUDA_ERROR_INVALID_VALUE);
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
  test_arrays();
  test_graphs();
  test_others();
  test_log();
  test_many();
  return check_report("libcuda_handle");
}
