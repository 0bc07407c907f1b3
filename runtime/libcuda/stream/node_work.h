/* node_work.h: the parameters of graph nodes as the API has them, and the work that
 * they describe. */
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
  CUdeviceptr address; /* set by the call that adds the node */
} AllocParams;         /* CUDA_MEM_ALLOC_NODE_PARAMS */

typedef struct {
  uint64_t handle;
  int kind;
  unsigned count;
  CUgraph *body; /* set by the call: the graphs to fill, which stay the node's */
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

/* The work that parameters describe, or the error that refuses them. */
typedef struct {
  CUresult error;
  Work work;
  void **unpacked; /* an array that the work uses, and that is to be freed; or NULL */
} NodeWork;

/* Parameters may be NULL, which is refused, as is a member that the work cannot do without. */
NodeWork node_work_kernel(const KernelParams *p);
NodeWork node_work_copy(const Box3D *box);
NodeWork node_work_fill(const Fill *fill);
NodeWork node_work_host(const HostParams *p);
NodeWork node_work_graph(Graph *graph);
NodeWork node_work_event(WorkKind kind, CUevent event);
NodeWork node_work_free(CUdeviceptr address);
/* Of a kind that is named by the parameters; not of WORK_ALLOC and WORK_CONDITION, which are only
 * ever added. */
NodeWork node_work_any(const NodeParams *p);

/* The parameters of work, as cuGraph...NodeGetParams returns them. */
KernelParams node_params_kernel(const Work *w);
Box3D node_params_copy(const Work *w);

#endif
