/* SPDX-License-Identifier: MIT */
/* graph_update.c: the API functions that update an instance from a changed graph. */
#include "libcuda/state/call.h"
#include "libcuda/state/handle.h"
#include "libcuda/stream/graph.h"

enum { UPDATE_DONE, UPDATE_ERROR, UPDATE_TOPOLOGY, UPDATE_KIND, UPDATE_PARAMETERS = 5 };

/* CUgraphExecUpdateResultInfo: the result, and the unmatched node of the new graph or NULL. */
typedef struct {
  int result;
  CUgraphNode node, from;
} UpdateInfo;

static UpdateInfo compare(const Graph *old, const Graph *new);

/* Compares the bodies of a condition. They may change as graphs may, but its kind and their number
 * may not. */
static UpdateInfo compare_bodies(const Branch *old, Node *n) {
  const Branch *new = &n->work.branch;
  UpdateInfo info = {UPDATE_DONE, NULL, NULL};
  if (old->kind != new->kind || old->count != new->count)
    return (UpdateInfo){UPDATE_PARAMETERS, n, NULL};
  for (unsigned i = 0; i < new->count && !info.result; i++)
    info = compare(old->body[i], new->body[i]);
  return info;
}

static UpdateInfo compare_nodes(const Node *old, Node *new) {
  if (old->work.kind != new->work.kind) return (UpdateInfo){UPDATE_KIND, new, NULL};
  if (old->deps != new->deps) return (UpdateInfo){UPDATE_TOPOLOGY, new, NULL};
  if (new->work.kind == WORK_GRAPH) return compare(old->work.graph, new->work.graph);
  if (new->work.kind == WORK_CONDITION) return compare_bodies(&old->work.branch, new);
  return (UpdateInfo){UPDATE_DONE, NULL, NULL};
}

/* Matches nodes in creation order, because two captures of the same code create them in the same
 * order. */
static UpdateInfo compare(const Graph *old, const Graph *new) {
  UpdateInfo info = {old->count == new->count ? UPDATE_DONE : UPDATE_TOPOLOGY, NULL, NULL};
  const Node *a = old->first;
  for (Node *b = new->first; b && !info.result; a = a->next, b = b->next)
    info = compare_nodes(a, b);
  return info;
}

static void take_origins(const Graph *anew, const Graph *old);

static void take_origins_inside(const Work *anew, const Work *old) {
  if (anew->kind == WORK_GRAPH) take_origins(anew->graph, old->graph);
  for (unsigned i = 0; anew->kind == WORK_CONDITION && i < anew->branch.count; i++)
    take_origins(anew->branch.body[i], old->branch.body[i]);
}

/* Copies the origins of all nodes: later calls refer to nodes of the graph that the instance was
 * made from, and of its child graphs. */
static void take_origins(const Graph *anew, const Graph *old) {
  const Node *a = old->first;
  for (Node *b = anew->first; b; a = a->next, b = b->next) {
    b->origin = a->origin;
    b->disabled = a->disabled;
    take_origins_inside(&b->work, &a->work);
  }
}

static CUresult update(Exec *e, const Graph *g, UpdateInfo *info) {
  if (!handle_is(e, HANDLE_EXEC) || !handle_is(g, HANDLE_GRAPH) || !info)
    return CUDA_ERROR_INVALID_VALUE;
  *info = compare(e->graph, g);
  if (info->result) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  Graph *anew = graph_clone(g);
  if (!anew) return CUDA_ERROR_OUT_OF_MEMORY;
  take_origins(anew, e->graph);
  graph_free(e->graph);
  e->graph = anew;
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphExecUpdate_v2(Exec *e, CUgraph g, UpdateInfo *info) {
  SERVE(NEED_HEALTH, update(e, g, info));
}

CU_API CUresult cuGraphExecUpdate(Exec *e, CUgraph g, CUgraphNode *node, int *result) {
  UpdateInfo info = {UPDATE_ERROR, NULL, NULL};
  api_lock();
  CUresult code = api_enter(NULL, NEED_HEALTH);
  if (!code) code = update(e, g, &info);
  if (node) *node = info.node;
  if (result) *result = info.result;
  return api_leave(__func__, code);
}
