/* SPDX-License-Identifier: MIT */
/* graph_node.c: the API functions for each kind of graph node: they add a node, get and set its
 * parameters, and set them in an instance. Conditional nodes are in stream/conditions.c. */
#include <stdlib.h>
#include <string.h>

#include "libcuda/state/allocation.h"
#include "libcuda/state/call.h"
#include "libcuda/state/handle.h"
#include "libcuda/stream/conditions.h"
#include "libcuda/stream/node_work.h"

/* True if all dependencies are nodes of this graph, and each occurs once. */
static bool may_depend(const Graph *g, Node *const *dep, size_t deps) {
  for (size_t i = 0; i < deps; i++) {
    if (!handle_is(dep[i], HANDLE_NODE) || dep[i]->graph != g) return false;
    for (size_t j = 0; j < i; j++)
      if (dep[j] == dep[i]) return false;
  }
  return true;
}

static CUresult add(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps, NodeWork w) {
  CUresult result = w.error;
  if (!result && (!out || !handle_is(g, HANDLE_GRAPH) || (deps && !dep)))
    result = CUDA_ERROR_INVALID_VALUE;
  if (!result && !may_depend(g, dep, deps)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result && !(*out = graph_add(g, &w.work, dep, deps))) result = CUDA_ERROR_OUT_OF_MEMORY;
  free(w.unpacked);
  return result;
}

/* A node cannot change its kind. */
static CUresult set(Node *n, NodeWork w) {
  CUresult result = w.error;
  if (!result && (!handle_is(n, HANDLE_NODE) || n->work.kind != w.work.kind))
    result = CUDA_ERROR_INVALID_VALUE;
  if (!result && !graph_set(n, &w.work)) result = CUDA_ERROR_OUT_OF_MEMORY;
  free(w.unpacked);
  return result;
}

/* The instance's copy of a node; NULL if there is none. */
static Node *of_exec(const Exec *e, const Node *n) {
  return handle_is(e, HANDLE_EXEC) && n ? graph_find(e->graph, n) : NULL;
}

/* Returns the work of a node; NULL if the node has another kind, or the program passes no output
 * pointer. */
static const Work *get(const Node *n, WorkKind kind, const void *out) {
  return handle_is(n, HANDLE_NODE) && out && n->work.kind == kind ? &n->work : NULL;
}

static CUresult known(const Work *w) { return w ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

/* --- kernels --- */

CU_API CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                        const KernelParams *p) {
  SERVE(NEED_HEALTH, add(out, g, dep, deps, node_work_kernel(p)));
}

static CUresult get_kernel(const Node *n, KernelParams *out) {
  const Work *w = get(n, WORK_KERNEL, out);
  if (w) *out = node_params_kernel(w);
  return known(w);
}

CU_API CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode n, KernelParams *out) {
  SERVE(NEED_INIT, get_kernel(n, out));
}

static void copy_attributes(KernelLaunch *to, const KernelLaunch *from) {
  to->cooperative = from->cooperative;
  memcpy(to->cluster, from->cluster, sizeof to->cluster);
}

/* Attributes that were set earlier are kept. */
static CUresult set_kernel(Node *n, const KernelParams *p) {
  NodeWork w = node_work_kernel(p);
  if (handle_is(n, HANDLE_NODE)) copy_attributes(&w.work.kernel, &n->work.kernel);
  return set(n, w);
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

static CUresult copy_node_attributes(Node *to, const Node *from) {
  if (!get(to, WORK_KERNEL, from) || !get(from, WORK_KERNEL, to)) return CUDA_ERROR_INVALID_VALUE;
  copy_attributes(&to->work.kernel, &from->work.kernel);
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  SERVE(NEED_INIT, copy_node_attributes(to, from));
}

/* --- copies --- */

CU_API CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                     const Box3D *box, CUcontext context) {
  (void)context;
  SERVE(NEED_INIT, add(out, g, dep, deps, node_work_copy(box)));
}

static CUresult get_copy(const Node *n, Box3D *out) {
  const Work *w = get(n, WORK_COPY, out);
  if (w) *out = node_params_copy(w);
  return known(w);
}

CU_API CUresult cuGraphMemcpyNodeGetParams(CUgraphNode n, Box3D *out) {
  SERVE(NEED_INIT, get_copy(n, out));
}

CU_API CUresult cuGraphMemcpyNodeSetParams(CUgraphNode n, const Box3D *box) {
  SERVE(NEED_INIT, set(n, node_work_copy(box)));
}

CU_API CUresult cuGraphExecMemcpyNodeSetParams(Exec *e, CUgraphNode n, const Box3D *box,
                                               CUcontext context) {
  (void)context;
  SERVE(NEED_INIT, set(of_exec(e, n), node_work_copy(box)));
}

/* --- sets --- */

CU_API CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                     const Fill *f, CUcontext context) {
  (void)context;
  SERVE(NEED_INIT, add(out, g, dep, deps, node_work_fill(f)));
}

static CUresult get_fill(const Node *n, Fill *out) {
  const Work *w = get(n, WORK_FILL, out);
  if (w) *out = w->fill;
  return known(w);
}

CU_API CUresult cuGraphMemsetNodeGetParams(CUgraphNode n, Fill *out) {
  SERVE(NEED_INIT, get_fill(n, out));
}

CU_API CUresult cuGraphMemsetNodeSetParams(CUgraphNode n, const Fill *f) {
  SERVE(NEED_INIT, set(n, node_work_fill(f)));
}

CU_API CUresult cuGraphExecMemsetNodeSetParams(Exec *e, CUgraphNode n, const Fill *f,
                                               CUcontext context) {
  (void)context;
  SERVE(NEED_INIT, set(of_exec(e, n), node_work_fill(f)));
}

/* --- host functions --- */

CU_API CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                   const HostParams *p) {
  SERVE(NEED_INIT, add(out, g, dep, deps, node_work_host(p)));
}

static CUresult get_host(const Node *n, HostParams *out) {
  const Work *w = get(n, WORK_HOST, out);
  if (w) *out = (HostParams){w->host.call, w->host.data};
  return known(w);
}

CU_API CUresult cuGraphHostNodeGetParams(CUgraphNode n, HostParams *out) {
  SERVE(NEED_INIT, get_host(n, out));
}

CU_API CUresult cuGraphHostNodeSetParams(CUgraphNode n, const HostParams *p) {
  SERVE(NEED_INIT, set(n, node_work_host(p)));
}

CU_API CUresult cuGraphExecHostNodeSetParams(Exec *e, CUgraphNode n, const HostParams *p) {
  SERVE(NEED_INIT, set(of_exec(e, n), node_work_host(p)));
}

/* --- child graphs --- */

CU_API CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                         CUgraph child) {
  SERVE(NEED_INIT, add(out, g, dep, deps, node_work_graph(child)));
}

static CUresult get_child(const Node *n, CUgraph *out) {
  const Work *w = get(n, WORK_GRAPH, out);
  if (w) *out = w->graph;
  return known(w);
}

CU_API CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode n, CUgraph *out) {
  SERVE(NEED_INIT, get_child(n, out));
}

CU_API CUresult cuGraphExecChildGraphNodeSetParams(Exec *e, CUgraphNode n, CUgraph child) {
  SERVE(NEED_INIT, set(of_exec(e, n), node_work_graph(child)));
}

/* --- empty nodes and events --- */

CU_API CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps) {
  SERVE(NEED_INIT, add(out, g, dep, deps, (NodeWork){.work = {.kind = WORK_EMPTY}}));
}

CU_API CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph g, Node *const *dep,
                                          size_t deps, CUevent event) {
  SERVE(NEED_INIT, add(out, g, dep, deps, node_work_event(WORK_RECORD, event)));
}

CU_API CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                        CUevent event) {
  SERVE(NEED_INIT, add(out, g, dep, deps, node_work_event(WORK_WAIT, event)));
}

static CUresult get_event(const Node *n, WorkKind kind, CUevent *out) {
  const Work *w = get(n, kind, out);
  if (w) *out = w->event;
  return known(w);
}

CU_API CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode n, CUevent *out) {
  SERVE(NEED_INIT, get_event(n, WORK_RECORD, out));
}
CU_API CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode n, CUevent event) {
  SERVE(NEED_INIT, set(n, node_work_event(WORK_RECORD, event)));
}
CU_API CUresult cuGraphExecEventRecordNodeSetEvent(Exec *e, CUgraphNode n, CUevent event) {
  SERVE(NEED_INIT, set(of_exec(e, n), node_work_event(WORK_RECORD, event)));
}
CU_API CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode n, CUevent *out) {
  SERVE(NEED_INIT, get_event(n, WORK_WAIT, out));
}
CU_API CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode n, CUevent event) {
  SERVE(NEED_INIT, set(n, node_work_event(WORK_WAIT, event)));
}
CU_API CUresult cuGraphExecEventWaitNodeSetEvent(Exec *e, CUgraphNode n, CUevent event) {
  SERVE(NEED_INIT, set(of_exec(e, n), node_work_event(WORK_WAIT, event)));
}

/* --- memory: its address is fixed when the node is added --- */

static CUresult add_alloc(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps,
                          AllocParams *p) {
  if (!p || !p->bytes) return CUDA_ERROR_INVALID_VALUE;
  uint64_t address;
  CUresult result = allocation_new(KIND_DEVICE, p->bytes, 0, NULL, &address);
  if (!result) result = allocation_drop(address);
  if (result) return result;
  p->address = address;
  const Work w = {.kind = WORK_ALLOC, .memory = {address, p->bytes}};
  return add(out, g, dep, deps, (NodeWork){.work = w});
}

CU_API CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                       AllocParams *p) {
  SERVE(NEED_INIT, add_alloc(out, g, dep, deps, p));
}

static CUresult get_alloc(const Node *n, AllocParams *out) {
  const Work *w = get(n, WORK_ALLOC, out);
  if (w) *out = (AllocParams){.bytes = w->memory.bytes, .address = w->memory.address};
  return known(w);
}

CU_API CUresult cuGraphMemAllocNodeGetParams(CUgraphNode n, AllocParams *out) {
  SERVE(NEED_INIT, get_alloc(n, out));
}

CU_API CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                                      CUdeviceptr address) {
  SERVE(NEED_INIT, add(out, g, dep, deps, node_work_free(address)));
}

static CUresult get_free(const Node *n, CUdeviceptr *out) {
  const Work *w = get(n, WORK_FREE, out);
  if (w) *out = w->memory.address;
  return known(w);
}

CU_API CUresult cuGraphMemFreeNodeGetParams(CUgraphNode n, CUdeviceptr *out) {
  SERVE(NEED_INIT, get_free(n, out));
}

/* --- any kind --- */

static CUresult add_any(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps, NodeParams *p) {
  if (p && p->type == WORK_ALLOC) return add_alloc(out, g, dep, deps, &p->alloc);
  if (p && p->type == WORK_CONDITION) return graph_add_condition(out, g, dep, deps, &p->condition);
  return add(out, g, dep, deps, node_work_any(p));
}

CU_API CUresult cuGraphAddNode(CUgraphNode *out, CUgraph g, Node *const *dep, size_t deps,
                               NodeParams *p) {
  SERVE(NEED_HEALTH, add_any(out, g, dep, deps, p));
}

static CUresult add_with_edges(CUgraphNode *out, Graph *g, Node *const *dep,
                               const CUgraphEdgeData *edge, size_t deps, NodeParams *p) {
  const CUresult result = add_any(out, g, dep, deps, p);
  bool ok = true;
  for (size_t i = 0; !result && edge && ok && i < deps; i++)
    if (edge[i].type == EDGE_PROGRAMMATIC) ok = graph_depend_early(*out, dep[i]);
  return ok ? result : CUDA_ERROR_OUT_OF_MEMORY;
}

CU_API CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph g, Node *const *dep,
                                  const CUgraphEdgeData *edges, size_t deps, NodeParams *p) {
  SERVE(NEED_HEALTH, add_with_edges(out, g, dep, edges, deps, p));
}

static CUresult set_any(Node *n, const NodeParams *p) {
  if (p && p->type == WORK_KERNEL) return set_kernel(n, &p->kernel);
  return set(n, node_work_any(p));
}

CU_API CUresult cuGraphNodeSetParams(CUgraphNode n, NodeParams *p) {
  SERVE(NEED_INIT, set_any(n, p));
}

CU_API CUresult cuGraphExecNodeSetParams(Exec *e, CUgraphNode n, NodeParams *p) {
  SERVE(NEED_INIT, set_any(of_exec(e, n), p));
}
