/* SPDX-License-Identifier: MIT */
/* cu.h: the part of the driver API that the tests call, from this build's libcuda.so.1. */
#ifndef KGEN_TESTS_LIBCUDA_CU_H
#define KGEN_TESTS_LIBCUDA_CU_H

#include "check.h"
#include "libcuda/abi.h"

CUresult cuInit(unsigned flags);
CUresult cuDriverGetVersion(int *out);
CUresult cuDeviceGetAttribute(int *out, int attribute, int device);
CUresult cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *query);
CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxSynchronize(void);
CUresult cuModuleLoadData(CUmodule *out, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned options, int *option,
                            void **value);
CUresult cuModuleUnload(CUmodule m);
CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule m, const char *name);
CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared_bytes, CUstream stream,
                        void **params, void **extra);
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra);
CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes);
CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags);
CUresult cuMemFreeHost(void *host);
CUresult cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
                            unsigned element);
CUresult cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags);
CUresult cuMemFree_v2(CUdeviceptr address);
CUresult cuMemGetInfo_v2(size_t *unused, size_t *total);
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes);
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count);

typedef struct Link *CUlinkState;
typedef struct Exec *CUgraphExec;
CUresult cuCtxCreate_v4(CUcontext *out, void *params, unsigned flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuLinkCreate_v2(unsigned options, int *option, void **value, CUlinkState *out);
CUresult cuLinkAddData_v2(CUlinkState l, int kind, void *data, size_t bytes, const char *name,
                          unsigned options, int *option, void **value);
CUresult cuLinkComplete(CUlinkState l, void **out, size_t *bytes);
CUresult cuLinkDestroy(CUlinkState l);
CUresult cuStreamCreate(CUstream *out, unsigned flags);
CUresult cuStreamDestroy_v2(CUstream s);
CUresult cuStreamSynchronize(CUstream s);
CUresult cuStreamQuery(CUstream s);
CUresult cuStreamIsCapturing(CUstream s, int *out);
CUresult cuThreadExchangeStreamCaptureMode(int *mode);
CUresult cuEventSynchronize(CUevent e);
CUresult cuStreamWaitValue32_v2(CUstream s, CUdeviceptr address, uint32_t value, unsigned flags);
CUresult cuStreamWaitValue64_v2(CUstream s, CUdeviceptr address, uint64_t value, unsigned flags);
CUresult cuStreamWriteValue32_v2(CUstream s, CUdeviceptr address, uint32_t value, unsigned flags);
CUresult cuStreamWaitEvent(CUstream s, CUevent event, unsigned flags);
CUresult cuStreamBeginCapture_v2(CUstream s, int mode);
CUresult cuStreamEndCapture(CUstream s, CUgraph *out);
CUresult cuLaunchHostFunc(CUstream s, void (*call)(void *), void *data);
CUresult cuStreamAddCallback(CUstream s, void (*call)(CUstream s, CUresult status, void *data),
                             void *data, unsigned flags);
CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                             unsigned by, unsigned bz, unsigned shared_bytes, CUstream stream,
                             void **params, void **extra);
CUresult cuMemcpyDtoH_v2_ptds(void *to, CUdeviceptr from, size_t bytes);
CUresult cuStreamQuery_ptsz(CUstream s);
CUresult cuEventQuery(CUevent e);
CUresult cuEventCreate(CUevent *out, unsigned flags);
CUresult cuEventRecord(CUevent e, CUstream s);
CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to);
CUresult cuEventDestroy_v2(CUevent e);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags);
CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *count);
CUresult cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *count);
CUresult cuGraphLaunch(CUgraphExec e, CUstream s);
CUresult cuGraphExecDestroy(CUgraphExec e);
CUresult cuGraphDestroy(CUgraph g);
CUresult cuGraphDestroyNode(CUgraphNode n);
CUresult cuGraphCreate(CUgraph *out, unsigned flags);
CUresult cuGraphClone(CUgraph *out, CUgraph g);
CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph g, CUgraphNode const *dep, size_t deps,
                              const void *params, CUcontext context);
CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph g, CUgraphNode const *dep, size_t deps,
                                  CUgraph child);
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode n, CUgraph *out);
CUresult cuGraphExecUpdate_v2(CUgraphExec e, CUgraph g, void *info);
CUresult cuGraphNodeSetEnabled(CUgraphExec e, CUgraphNode n, unsigned enabled);
CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph g, CUgraphNode const *dep, size_t deps,
                                 const void *params);
CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph g, CUgraphNode const *dep, size_t deps);
CUresult cuGraphAddDependencies(CUgraph g, CUgraphNode const *from, CUgraphNode const *to,
                                size_t count);
CUresult cuGraphRemoveDependencies(CUgraph g, CUgraphNode const *from, CUgraphNode const *to,
                                   size_t count);
CUresult cuGraphNodeGetDependencies(CUgraphNode n, CUgraphNode *out, size_t *count);
CUresult cuGraphNodeGetDependentNodes(CUgraphNode n, CUgraphNode *out, size_t *count);
typedef struct UserObject *CUuserObject;
CUresult cuUserObjectCreate(CUuserObject *out, void *data, void (*destroy)(void *), unsigned count,
                            unsigned flags);
CUresult cuUserObjectRelease(CUuserObject o, unsigned count);
CUresult cuGraphRetainUserObject(CUgraph g, CUuserObject o, unsigned count, unsigned flags);
CUresult cuGraphReleaseUserObject(CUgraph g, CUuserObject o, unsigned count);
CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t align, CUdeviceptr wish,
                             unsigned long long flags);
CUresult cuMemCreate(void **out, size_t bytes, const void *properties, unsigned long long flags);
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, void *block,
                  unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes);
CUresult cuMemRelease(void *block);
CUresult cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream s);
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream s);
CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, uint8_t value, size_t width, size_t height);
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, uint32_t value, size_t width,
                          size_t height);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream s);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream s);
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream s);
CUresult cuMemcpy2DAsync_v2(const void *box, CUstream s);
CUresult cuMemcpy3D_v2(const void *box);
CUresult cuFuncGetAttribute(int *out, int attribute, CUfunction f);
CUresult cuFuncSetAttribute(CUfunction f, int attribute, int value);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, CUfunction f, int threads,
                                                     size_t dynamic);
CUresult cuPointerGetAttribute(void *out, int attribute, CUdeviceptr address);

/* Calls the API; its success is a check. */
#define CU(call)                                                                                   \
  do {                                                                                             \
    const CUresult cu_result = (call);                                                             \
    CHECK(cu_result == CUDA_SUCCESS, "error %d", (int)cu_result);                                  \
  } while (0)
#define CU_FAILS(call, want)                                                                       \
  do {                                                                                             \
    const CUresult cu_result = (call);                                                             \
    CHECK(cu_result == (want), "error %d, not %d", (int)cu_result, (int)(want));                   \
  } while (0)

/* Makes a context current. */
static inline void cu_begin(void) {
  CUcontext context;
  CU(cuInit(0));
  CU(cuDevicePrimaryCtxRetain(&context, 0));
  CU(cuCtxSetCurrent(context));
}

/* Runs `go` of a module by one thread; what it stores. */
static inline unsigned cu_go(CUmodule m) {
  CUfunction f;
  CUdeviceptr out;
  unsigned value = 0;
  CU(cuModuleGetFunction(&f, m, "go"));
  CU(cuMemAlloc_v2(&out, sizeof value));
  void *params[] = {&out};
  CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  CU(cuMemcpyDtoH_v2(&value, out, sizeof value));
  CU(cuMemFree_v2(out));
  return value;
}

#endif
