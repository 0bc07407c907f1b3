/* SPDX-License-Identifier: MIT */
/* node_work.h: the API's parameters of graph nodes, and the work that they describe. */
#ifndef KGEN_LIBCUDA_STREAM_NODE_WORK_H
#define KGEN_LIBCUDA_STREAM_NODE_WORK_H

#include "libcuda/state/pool.h"
#include "libcuda/stream/graph.h"

typedef struct {
  CUfunction function;
  unsigned grid[3], block[3], shared_bytes;
  void **params, **extra;
  CUkernel kernel;
  CUcontext context;
} KernelParams; /* CUDA_KERNEL_NODE_PARAMS */

typedef struct {
  HostFunction *call;
  void *data;
} HostParams; /* CUDA_HOST_NODE_PARAMS */

typedef struct {
  PoolProps pool;
  const void *access;
  size_t accesses, bytes;
  CUdeviceptr address; /* output of the call that adds the node */
} AllocParams;         /* CUDA_MEM_ALLOC_NODE_PARAMS */

typedef struct {
  uint64_t handle;
  int kind;
  unsigned count;
  CUgraph *body; /* output: the graphs to fill, which the node owns */
  CUcontext context;
} ConditionParams; /* CUDA_CONDITIONAL_NODE_PARAMS */

typedef struct {
  int type, reserved[3];
  union {
    long long size[29];
    KernelParams kernel;
    struct {
      int flags, reserved;
      CUcontext context;
      Box3D box;
    } copy;
    Fill fill; /* CUDA_MEMSET_NODE_PARAMS */
    HostParams host;
    CUgraph graph;
    CUevent event;
    AllocParams alloc;
    CUdeviceptr address;
    ConditionParams condition;
  };
  long long end;
} NodeParams; /* CUgraphNodeParams */

/* The work that parameters describe, or an error. */
typedef struct {
  CUresult error;
  Work work;
  void **unpacked; /* an array that the work uses, and that the caller frees; or NULL */
} NodeWork;

/* NULL, or NULL for a required member, is an error. */
NodeWork node_work_kernel(const KernelParams *p);
NodeWork node_work_copy(const Box3D *box);
NodeWork node_work_fill(const Fill *fill);
NodeWork node_work_host(const HostParams *p);
NodeWork node_work_graph(Graph *graph);
NodeWork node_work_event(WorkKind kind, CUevent event);
NodeWork node_work_free(CUdeviceptr address);
/* The kind is in the parameters. WORK_ALLOC and WORK_CONDITION are errors, because other
 * functions add such nodes. */
NodeWork node_work_any(const NodeParams *p);

/* The parameters of work, as returned by cuGraph...NodeGetParams. */
KernelParams node_params_kernel(const Work *w);
Box3D node_params_copy(const Work *w);

#endif
