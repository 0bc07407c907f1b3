/* graph_nodes.c: the API's functions for each kind of graph node: they add one, get and set its
 * parameters, and set them in an instance. */
#include <string.h>

#include "libcuda/api.h"
#include "libcuda/graph.h"
#include "libcuda/memory.h"
#include "libcuda/pool.h"

static CUresult add(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps, const Work *w) {
  if (!out || !g || (deps && !dep)) return CUDA_ERROR_INVALID_VALUE;
  *out = graph_add(g, w, dep, deps);
  return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult set(Node *n, const Work *w) {
  if (!n || n->work.kind != w->kind) return CUDA_ERROR_INVALID_VALUE;
  return graph_set(n, w) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static Node *of_exec(const Exec *e, const Node *n) {
  return e && n ? graph_find(e->graph, n) : NULL;
}

/* Returns the work of a node of that kind, or NULL. */
static const Work *get(const Node *n, WorkKind kind, const void *out) {
  return n && out && n->work.kind == kind ? &n->work : NULL;
}

/* --- kernels --- */

typedef struct {
  CUfunction function;
  unsigned grid[3], block[3], shared_bytes;
  void **params, **extra;
  CUkernel kernel;
  CUcontext context;
} KernelParams; /* CUDA_KERNEL_NODE_PARAMS */

static CUresult kernel_work(const KernelParams *p, Work *out) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  *out = (Work){.kind = WORK_KERNEL};
  KernelLaunch *l = &out->kernel;
  l->function = p->function ? p->function : p->kernel;
  memcpy(l->grid, p->grid, sizeof l->grid);
  memcpy(l->block, p->block, sizeof l->block);
  l->shared_bytes = p->shared_bytes;
  l->params = p->params;
  if (!p->params && p->extra) return CUDA_ERROR_NOT_SUPPORTED;
  return launch_check(l);
}

static CUresult add_kernel(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps,
                           const KernelParams *p) {
  Work w;
  const CUresult result = kernel_work(p, &w);
  return result ? result : add(out, g, dep, deps, &w);
}

CU_API CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                        const KernelParams *p) {
  SERVE(NEED_HEALTH, add_kernel(out, g, dep, deps, p));
}

static CUresult get_kernel(const Node *n, KernelParams *out) {
  const Work *w = get(n, WORK_KERNEL, out);
  if (!w) return CUDA_ERROR_INVALID_VALUE;
  *out = (KernelParams){.function = w->kernel.function,
                        .shared_bytes = w->kernel.shared_bytes,
                        .params = w->kernel.params};
  memcpy(out->grid, w->kernel.grid, sizeof out->grid);
  memcpy(out->block, w->kernel.block, sizeof out->block);
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode n, KernelParams *out) {
  SERVE(NEED_INIT, get_kernel(n, out));
}

/* Attributes that were set before are kept. */
static CUresult set_kernel(Node *n, const KernelParams *p) {
  Work w;
  const CUresult result = kernel_work(p, &w);
  if (result || !n) return result ? result : CUDA_ERROR_INVALID_VALUE;
  w.kernel.cooperative = n->work.kernel.cooperative;
  memcpy(w.kernel.cluster, n->work.kernel.cluster, sizeof w.kernel.cluster);
  return set(n, &w);
}

CU_API CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode n, const KernelParams *p) {
  SERVE(NEED_INIT, set_kernel(n, p));
}

CU_API CUresult cuGraphExecKernelNodeSetParams_v2(Exec *e, CUgraphNode n, const KernelParams *p) {
  SERVE(NEED_INIT, set_kernel(of_exec(e, n), p));
}

static CUresult set_kernel_attribute(Node *n, int id, const CUlaunchAttributeValue *value) {
  if (!get(n, WORK_KERNEL, value)) return CUDA_ERROR_INVALID_VALUE;
  KernelLaunch *l = &n->work.kernel;
  if (id == LAUNCH_COOPERATIVE) l->cooperative = value->cooperative != 0;
  if (id == LAUNCH_CLUSTER_DIMENSION) {
    l->cluster[0] = value->cluster.x;
    l->cluster[1] = value->cluster.y;
    l->cluster[2] = value->cluster.z;
  }
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphKernelNodeSetAttribute(CUgraphNode n, int id,
                                              const CUlaunchAttributeValue *value) {
  SERVE(NEED_INIT, set_kernel_attribute(n, id, value));
}

static CUresult get_kernel_attribute(const Node *n, int id, CUlaunchAttributeValue *out) {
  if (!get(n, WORK_KERNEL, out)) return CUDA_ERROR_INVALID_VALUE;
  const KernelLaunch *l = &n->work.kernel;
  memset(out, 0, sizeof *out);
  if (id == LAUNCH_COOPERATIVE) out->cooperative = l->cooperative;
  if (id == LAUNCH_CLUSTER_DIMENSION) {
    out->cluster.x = l->cluster[0];
    out->cluster.y = l->cluster[1];
    out->cluster.z = l->cluster[2];
  }
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphKernelNodeGetAttribute(CUgraphNode n, int id, CUlaunchAttributeValue *out) {
  SERVE(NEED_INIT, get_kernel_attribute(n, id, out));
}

static CUresult copy_attributes(Node *to, const Node *from) {
  if (!get(to, WORK_KERNEL, from) || !get(from, WORK_KERNEL, to)) return CUDA_ERROR_INVALID_VALUE;
  to->work.kernel.cooperative = from->work.kernel.cooperative;
  memcpy(to->work.kernel.cluster, from->work.kernel.cluster, sizeof to->work.kernel.cluster);
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  SERVE(NEED_INIT, copy_attributes(to, from));
}

/* --- copies --- */

static CUresult add_copy(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps,
                         const Box3D *b) {
  if (!b) return CUDA_ERROR_INVALID_VALUE;
  return add(out, g, dep, deps, &(Work){.kind = WORK_COPY, .copy = copy_of_box(b)});
}

CU_API CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                     const Box3D *b, CUcontext context) {
  (void)context;
  SERVE(NEED_INIT, add_copy(out, g, dep, deps, b));
}

static Side3D side_of(const CopySide *s) {
  const CUmemorytype type = s->array ? MEMORY_ARRAY : MEMORY_UNIFIED;
  return (Side3D){.x = s->x,
                  .y = s->y,
                  .z = s->z,
                  .type = type,
                  .device = s->address,
                  .array = s->array,
                  .pitch = s->pitch,
                  .height = s->height};
}

static CUresult get_copy(const Node *n, Box3D *out) {
  const Work *w = get(n, WORK_COPY, out);
  if (!w) return CUDA_ERROR_INVALID_VALUE;
  *out = (Box3D){side_of(&w->copy.from), side_of(&w->copy.to), w->copy.width, w->copy.height,
                 w->copy.depth};
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphMemcpyNodeGetParams(CUgraphNode n, Box3D *out) {
  SERVE(NEED_INIT, get_copy(n, out));
}

static CUresult set_copy(Node *n, const Box3D *b) {
  if (!b) return CUDA_ERROR_INVALID_VALUE;
  return set(n, &(Work){.kind = WORK_COPY, .copy = copy_of_box(b)});
}

CU_API CUresult cuGraphMemcpyNodeSetParams(CUgraphNode n, const Box3D *b) {
  SERVE(NEED_INIT, set_copy(n, b));
}

CU_API CUresult cuGraphExecMemcpyNodeSetParams(Exec *e, CUgraphNode n, const Box3D *b,
                                               CUcontext context) {
  (void)context;
  SERVE(NEED_INIT, set_copy(of_exec(e, n), b));
}

/* --- sets; Fill is CUDA_MEMSET_NODE_PARAMS --- */

static CUresult add_fill(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps, const Fill *f) {
  if (!f) return CUDA_ERROR_INVALID_VALUE;
  return add(out, g, dep, deps, &(Work){.kind = WORK_FILL, .fill = *f});
}

CU_API CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                     const Fill *f, CUcontext context) {
  (void)context;
  SERVE(NEED_INIT, add_fill(out, g, dep, deps, f));
}

static CUresult get_fill(const Node *n, Fill *out) {
  const Work *w = get(n, WORK_FILL, out);
  if (w) *out = w->fill;
  return w ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuGraphMemsetNodeGetParams(CUgraphNode n, Fill *out) {
  SERVE(NEED_INIT, get_fill(n, out));
}

static CUresult set_fill(Node *n, const Fill *f) {
  if (!f) return CUDA_ERROR_INVALID_VALUE;
  return set(n, &(Work){.kind = WORK_FILL, .fill = *f});
}

CU_API CUresult cuGraphMemsetNodeSetParams(CUgraphNode n, const Fill *f) {
  SERVE(NEED_INIT, set_fill(n, f));
}

CU_API CUresult cuGraphExecMemsetNodeSetParams(Exec *e, CUgraphNode n, const Fill *f,
                                               CUcontext context) {
  (void)context;
  SERVE(NEED_INIT, set_fill(of_exec(e, n), f));
}

/* --- functions of the program --- */

typedef struct {
  HostFunction *call;
  void *data;
} HostParams; /* CUDA_HOST_NODE_PARAMS */

static CUresult add_host(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps,
                         const HostParams *p) {
  if (!p || !p->call) return CUDA_ERROR_INVALID_VALUE;
  return add(out, g, dep, deps,
             &(Work){.kind = WORK_HOST, .host = {.call = p->call, .data = p->data}});
}

CU_API CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                   const HostParams *p) {
  SERVE(NEED_INIT, add_host(out, g, dep, deps, p));
}

static CUresult get_host(const Node *n, HostParams *out) {
  const Work *w = get(n, WORK_HOST, out);
  if (w) *out = (HostParams){w->host.call, w->host.data};
  return w ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuGraphHostNodeGetParams(CUgraphNode n, HostParams *out) {
  SERVE(NEED_INIT, get_host(n, out));
}

static CUresult set_host(Node *n, const HostParams *p) {
  if (!p || !p->call) return CUDA_ERROR_INVALID_VALUE;
  return set(n, &(Work){.kind = WORK_HOST, .host = {.call = p->call, .data = p->data}});
}

CU_API CUresult cuGraphHostNodeSetParams(CUgraphNode n, const HostParams *p) {
  SERVE(NEED_INIT, set_host(n, p));
}

CU_API CUresult cuGraphExecHostNodeSetParams(Exec *e, CUgraphNode n, const HostParams *p) {
  SERVE(NEED_INIT, set_host(of_exec(e, n), p));
}

/* --- graphs in graphs --- */

static CUresult add_child(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps, Graph *child) {
  if (!child) return CUDA_ERROR_INVALID_VALUE;
  return add(out, g, dep, deps, &(Work){.kind = WORK_GRAPH, .graph = child});
}

CU_API CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                         CUgraph child) {
  SERVE(NEED_INIT, add_child(out, g, dep, deps, child));
}

static CUresult get_child(const Node *n, CUgraph *out) {
  const Work *w = get(n, WORK_GRAPH, out);
  if (w) *out = w->graph;
  return w ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode n, CUgraph *out) {
  SERVE(NEED_INIT, get_child(n, out));
}

static CUresult set_child(Node *n, Graph *child) {
  if (!child) return CUDA_ERROR_INVALID_VALUE;
  return set(n, &(Work){.kind = WORK_GRAPH, .graph = child});
}

CU_API CUresult cuGraphExecChildGraphNodeSetParams(Exec *e, CUgraphNode n, CUgraph child) {
  SERVE(NEED_INIT, set_child(of_exec(e, n), child));
}

/* --- nothing, and events --- */

CU_API CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps) {
  SERVE(NEED_INIT, add(out, g, dep, deps, &(Work){.kind = WORK_EMPTY}));
}

CU_API CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph g, Node *const *dep,
                                          size_t deps, CUevent event) {
  SERVE(NEED_INIT, add(out, g, dep, deps, &(Work){.kind = WORK_RECORD, .event = event}));
}

CU_API CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                        CUevent event) {
  SERVE(NEED_INIT, add(out, g, dep, deps, &(Work){.kind = WORK_WAIT, .event = event}));
}

static CUresult get_event(const Node *n, WorkKind kind, CUevent *out) {
  const Work *w = get(n, kind, out);
  if (w) *out = w->event;
  return w ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult set_event(Node *n, WorkKind kind, CUevent event) {
  return set(n, &(Work){.kind = kind, .event = event});
}

CU_API CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode n, CUevent *out) {
  SERVE(NEED_INIT, get_event(n, WORK_RECORD, out));
}
CU_API CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode n, CUevent event) {
  SERVE(NEED_INIT, set_event(n, WORK_RECORD, event));
}
CU_API CUresult cuGraphExecEventRecordNodeSetEvent(Exec *e, CUgraphNode n, CUevent event) {
  SERVE(NEED_INIT, set_event(of_exec(e, n), WORK_RECORD, event));
}
CU_API CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode n, CUevent *out) {
  SERVE(NEED_INIT, get_event(n, WORK_WAIT, out));
}
CU_API CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode n, CUevent event) {
  SERVE(NEED_INIT, set_event(n, WORK_WAIT, event));
}
CU_API CUresult cuGraphExecEventWaitNodeSetEvent(Exec *e, CUgraphNode n, CUevent event) {
  SERVE(NEED_INIT, set_event(of_exec(e, n), WORK_WAIT, event));
}

/* --- memory: its address is known when the node is made --- */

typedef struct {
  PoolProps pool;
  const void *access;
  size_t accesses, bytes;
  CUdeviceptr address;
} AllocParams; /* CUDA_MEM_ALLOC_NODE_PARAMS */

static CUresult add_alloc(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps,
                          AllocParams *p) {
  if (!p || !p->bytes) return CUDA_ERROR_INVALID_VALUE;
  uint64_t address;
  CUresult result = memory_new(KIND_DEVICE, p->bytes, 0, NULL, &address);
  if (!result) result = memory_drop(address);
  if (result) return result;
  p->address = address;
  return add(out, g, dep, deps, &(Work){.kind = WORK_ALLOC, .memory = {address, p->bytes}});
}

CU_API CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                       AllocParams *p) {
  SERVE(NEED_INIT, add_alloc(out, g, dep, deps, p));
}

static CUresult get_alloc(const Node *n, AllocParams *out) {
  const Work *w = get(n, WORK_ALLOC, out);
  if (w) *out = (AllocParams){.bytes = w->memory.bytes, .address = w->memory.address};
  return w ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuGraphMemAllocNodeGetParams(CUgraphNode n, AllocParams *out) {
  SERVE(NEED_INIT, get_alloc(n, out));
}

CU_API CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                      CUdeviceptr address) {
  SERVE(NEED_INIT, add(out, g, dep, deps, &(Work){.kind = WORK_FREE, .memory = {address, 0}}));
}

static CUresult get_free(const Node *n, CUdeviceptr *out) {
  const Work *w = get(n, WORK_FREE, out);
  if (w) *out = w->memory.address;
  return w ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuGraphMemFreeNodeGetParams(CUgraphNode n, CUdeviceptr *out) {
  SERVE(NEED_INIT, get_free(n, out));
}

/* --- conditions --- */

typedef struct {
  uint64_t handle;
  int kind;
  unsigned count;
  CUgraph *body; /* set by the call: the graphs to fill, which stay the node's */
  CUcontext context;
} ConditionParams; /* CUDA_CONDITIONAL_NODE_PARAMS */

static CUresult create_handle(uint64_t *out, Graph *g, unsigned initial, unsigned flags) {
  enum { ASSIGN_DEFAULT = 1 };
  if (!out || !g || flags > ASSIGN_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
  const Condition *c = graph_condition(g, initial, flags == ASSIGN_DEFAULT);
  if (!c) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = c->word;
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphConditionalHandleCreate(uint64_t *out, CUgraph g, CUcontext context,
                                               unsigned initial, unsigned flags) {
  (void)context;
  SERVE(NEED_INIT, create_handle(out, g, initial, flags));
}

static Condition *condition_of(const Graph *g, uint64_t word) {
  for (; g; g = g->outer)
    for (const Handle *h = g->handle; h; h = h->next)
      if (h->condition->word == word) return h->condition;
  return NULL;
}

/* Adds a node with empty bodies. The node copies the graphs that it is given, so these are freed.
 */
static CUresult add_bodies(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps, Branch b) {
  enum { MOST = 4096 };
  Graph *body[MOST];
  if (b.count > MOST) return CUDA_ERROR_INVALID_VALUE;
  unsigned made = 0;
  while (made < b.count && (body[made] = graph_new())) made++;
  b.body = body;
  CUresult result = made < b.count ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  if (!result) result = add(out, g, dep, deps, &(Work){.kind = WORK_CONDITION, .branch = b});
  while (made) graph_free(body[--made]);
  return result;
}

static CUresult add_condition(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps,
                              ConditionParams *p) {
  Condition *c = condition_of(g, p->handle);
  if (!c || !p->count || p->kind > BRANCH_SWITCH) return CUDA_ERROR_INVALID_VALUE;
  if ((p->kind == BRANCH_IF && p->count > 2) || (p->kind == BRANCH_WHILE && p->count > 1))
    return CUDA_ERROR_INVALID_VALUE;
  const Branch b = {.condition = c, .kind = (BranchKind)p->kind, .count = p->count};
  const CUresult result = add_bodies(out, g, dep, deps, b);
  if (result) return result;
  p->body = (*out)->work.branch.body;
  for (unsigned i = 0; i < p->count; i++) p->body[i]->outer = g;
  return CUDA_SUCCESS;
}

/* --- any kind --- */

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
    Fill fill;
    HostParams host;
    CUgraph graph;
    CUevent event;
    AllocParams alloc;
    CUdeviceptr address;
    ConditionParams condition;
  };
  long long end;
} NodeParams; /* CUgraphNodeParams */

static CUresult work_of(const NodeParams *p, Work *out) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  *out = (Work){.kind = (WorkKind)p->type};
  switch (p->type) {
  case WORK_KERNEL: return kernel_work(&p->kernel, out);
  case WORK_COPY: out->copy = copy_of_box(&p->copy.box); break;
  case WORK_FILL: out->fill = p->fill; break;
  case WORK_HOST: out->host.call = p->host.call, out->host.data = p->host.data; break;
  case WORK_GRAPH: out->graph = p->graph; break;
  case WORK_EMPTY: break;
  case WORK_WAIT:
  case WORK_RECORD: out->event = p->event; break;
  case WORK_FREE: out->memory.address = p->address; break;
  default: return api_missing("a graph node of that kind");
  }
  return CUDA_SUCCESS;
}

static CUresult add_any(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps, NodeParams *p) {
  if (p && p->type == WORK_ALLOC) return add_alloc(out, g, dep, deps, &p->alloc);
  if (p && p->type == WORK_CONDITION) return add_condition(out, g, dep, deps, &p->condition);
  Work w;
  const CUresult result = work_of(p, &w);
  return result ? result : add(out, g, dep, deps, &w);
}

CU_API CUresult cuGraphAddNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                               NodeParams *p) {
  SERVE(NEED_HEALTH, add_any(out, g, dep, deps, p));
}

CU_API CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph g, Node *const *dep, const void *edges,
                                  size_t deps, NodeParams *p) {
  (void)edges;
  SERVE(NEED_HEALTH, add_any(out, g, dep, deps, p));
}

static CUresult set_any(Node *n, const NodeParams *p) {
  if (p && p->type == WORK_KERNEL) return set_kernel(n, &p->kernel);
  Work w;
  const CUresult result = work_of(p, &w);
  return result ? result : set(n, &w);
}

CU_API CUresult cuGraphNodeSetParams(CUgraphNode n, NodeParams *p) {
  SERVE(NEED_INIT, set_any(n, p));
}

CU_API CUresult cuGraphExecNodeSetParams(Exec *e, CUgraphNode n, NodeParams *p) {
  SERVE(NEED_INIT, set_any(of_exec(e, n), p));
}
