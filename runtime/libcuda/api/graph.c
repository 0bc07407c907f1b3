/* SPDX-License-Identifier: MIT */
/* graph.c: the API functions that build, inspect, clone and launch graphs. */
#include <stdlib.h>

#include "libcuda/state/call.h"
#include "libcuda/state/handle.h"
#include "libcuda/stream/pending.h"

static CUresult done(bool ok) { return ok ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY; }

static CUresult create(CUgraph *out, unsigned flags) {
  if (!out || flags) return CUDA_ERROR_INVALID_VALUE;
  *out = graph_new();
  return done(*out);
}

CU_API CUresult cuGraphCreate(CUgraph *out, unsigned flags) {
  SERVE(NEED_INIT, create(out, flags));
}

static CUresult destroy(CUgraph g) {
  if (!handle_is(g, HANDLE_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
  graph_free(g);
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphDestroy(CUgraph g) { SERVE(NEED_INIT, destroy(g)); }

static CUresult copy(CUgraph *out, CUgraph g) {
  if (!out || !handle_is(g, HANDLE_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
  if (graph_allocates(g)) return CUDA_ERROR_NOT_SUPPORTED;
  *out = graph_clone(g);
  return done(*out);
}

CU_API CUresult cuGraphClone(CUgraph *out, CUgraph g) { SERVE(NEED_INIT, copy(out, g)); }

static CUresult find_in_clone(CUgraphNode *out, CUgraphNode origin, CUgraph clone) {
  if (!out || !origin || !handle_is(clone, HANDLE_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
  *out = graph_find(clone, origin);
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode origin, CUgraph clone) {
  SERVE(NEED_INIT, find_in_clone(out, origin, clone));
}

/* --- inspecting --- */

static CUresult get_type(CUgraphNode n, int *out) {
  if (!handle_is(n, HANDLE_NODE) || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = (int)n->work.kind;
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphNodeGetType(CUgraphNode n, int *out) { SERVE(NEED_INIT, get_type(n, out)); }

/* A list that is returned to the program. If the program passes NULL it receives the length, else
 * as many entries as fit; remaining entries are set to NULL. */
typedef struct {
  CUgraphNode *out;
  size_t room, count;
} List;

static void list_add(List *l, Node *n) {
  if (l->out && l->count < l->room) l->out[l->count] = n;
  l->count++;
}

static CUresult list_end(List *l, size_t *count) {
  for (size_t i = l->count; l->out && i < l->room; i++) l->out[i] = NULL;
  *count = l->out && l->count > l->room ? l->room : l->count;
  return CUDA_SUCCESS;
}

static CUresult get_nodes(const Graph *g, CUgraphNode *out, size_t *count, bool roots) {
  if (!handle_is(g, HANDLE_GRAPH) || !count) return CUDA_ERROR_INVALID_VALUE;
  List l = {out, *count, 0};
  for (Node *n = g->first; n; n = n->next)
    if (!roots || !n->deps) list_add(&l, n);
  return list_end(&l, count);
}

CU_API CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *count) {
  SERVE(NEED_INIT, get_nodes(g, out, count, false));
}

CU_API CUresult cuGraphGetRootNodes(CUgraph g, CUgraphNode *out, size_t *count) {
  SERVE(NEED_INIT, get_nodes(g, out, count, true));
}

static CUgraphEdgeData edge_of(const Node *node, const Node *on) {
  const bool early = graph_is_early(node, on);
  return (CUgraphEdgeData){.from_port = early, .type = early ? EDGE_PROGRAMMATIC : EDGE_FULL};
}

static CUresult get_edges(const Graph *g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edge,
                          size_t *count) {
  if (!handle_is(g, HANDLE_GRAPH) || !count) return CUDA_ERROR_INVALID_VALUE;
  List a = {from, *count, 0}, b = {to, *count, 0};
  for (Node *n = g->first; n; n = n->next)
    for (int i = 0; i < n->deps; i++) {
      if (edge && a.count < a.room) edge[a.count] = edge_of(n, n->dep[i]);
      list_add(&a, n->dep[i]);
      list_add(&b, n);
    }
  size_t same = *count;
  list_end(&a, &same);
  return list_end(&b, count);
}

CU_API CUresult cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *count) {
  SERVE(NEED_INIT, get_edges(g, from, to, NULL, count));
}

CU_API CUresult cuGraphGetEdges_v2(CUgraph g, CUgraphNode *from, CUgraphNode *to,
                                   CUgraphEdgeData *edges, size_t *count) {
  SERVE(NEED_INIT, get_edges(g, from, to, edges, count));
}

/* Lists the nodes that depend on a node, in order of creation. */
static void list_dependents(List *l, const Node *n, CUgraphEdgeData *edge) {
  for (Node *other = n->graph->first; other; other = other->next)
    for (int i = 0; i < other->deps; i++) {
      if (other->dep[i] != n) continue;
      if (edge && l->count < l->room) edge[l->count] = edge_of(other, n);
      list_add(l, other);
    }
}

/* Lists the node's dependents, or its dependencies in the order of its edges. */
static CUresult get_neighbours(const Node *n, bool dependents, CUgraphNode *out,
                               CUgraphEdgeData *edge, size_t *count) {
  if (!handle_is(n, HANDLE_NODE) || !count) return CUDA_ERROR_INVALID_VALUE;
  List l = {out, *count, 0};
  if (dependents) list_dependents(&l, n, edge);
  for (int i = 0; !dependents && i < n->deps; i++) {
    if (edge && l.count < l.room) edge[l.count] = edge_of(n, n->dep[i]);
    list_add(&l, n->dep[i]);
  }
  return list_end(&l, count);
}

#define NEIGHBOURS(name, dependents)                                                               \
  CU_API CUresult name(CUgraphNode n, CUgraphNode *out, size_t *count) {                           \
    SERVE(NEED_INIT, get_neighbours(n, dependents, out, NULL, count));                             \
  }                                                                                                \
  CU_API CUresult name##_v2(CUgraphNode n, CUgraphNode *out, CUgraphEdgeData *edges,               \
                            size_t *count) {                                                       \
    SERVE(NEED_INIT, get_neighbours(n, dependents, out, edges, count));                            \
  }

NEIGHBOURS(cuGraphNodeGetDependencies, false)
NEIGHBOURS(cuGraphNodeGetDependentNodes, true)

/* --- edges --- */

/* True if an edge can be added: both nodes are in one graph, and the edge does not exist yet. */
static bool may_join(const Node *from, const Node *to) {
  return handle_is(from, HANDLE_NODE) && handle_is(to, HANDLE_NODE) && from != to &&
         from->graph == to->graph && !graph_depends(to, from);
}

static CUresult add_edges(Node *const *from, Node *const *to, const CUgraphEdgeData *edge,
                          size_t count) {
  if (count && (!from || !to)) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++)
    if (!may_join(from[i], to[i])) return CUDA_ERROR_INVALID_VALUE;
  bool ok = true;
  for (size_t i = 0; ok && i < count; i++) {
    ok = graph_depend(to[i], from[i]);
    if (ok && edge && edge[i].type == EDGE_PROGRAMMATIC) ok = graph_depend_early(to[i], from[i]);
  }
  return done(ok);
}

CU_API CUresult cuGraphAddDependencies(CUgraph g, Node *const *from, Node *const *to,
                                       size_t count) {
  (void)g;
  SERVE(NEED_INIT, add_edges(from, to, NULL, count));
}

CU_API CUresult cuGraphAddDependencies_v2(CUgraph g, Node *const *from, Node *const *to,
                                          const CUgraphEdgeData *edges, size_t count) {
  (void)g;
  SERVE(NEED_INIT, add_edges(from, to, edges, count));
}

static CUresult remove_edges(Node *const *from, Node *const *to, size_t count) {
  if (count && (!from || !to)) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++)
    if (!from[i] || !handle_is(to[i], HANDLE_NODE) || !graph_undepend(to[i], from[i]))
      return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphRemoveDependencies(CUgraph g, Node *const *from, Node *const *to,
                                          size_t count) {
  (void)g;
  SERVE(NEED_INIT, remove_edges(from, to, count));
}

CU_API CUresult cuGraphRemoveDependencies_v2(CUgraph g, Node *const *from, Node *const *to,
                                             const void *edges, size_t count) {
  (void)g, (void)edges;
  SERVE(NEED_INIT, remove_edges(from, to, count));
}

static CUresult destroy_node(CUgraphNode n) {
  if (!handle_is(n, HANDLE_NODE)) return CUDA_ERROR_INVALID_VALUE;
  if (graph_allocates(n->graph)) return CUDA_ERROR_NOT_SUPPORTED;
  graph_remove(n);
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphDestroyNode(CUgraphNode n) { SERVE(NEED_INIT, destroy_node(n)); }

/* --- launching --- */

static CUresult instantiate(Exec **out, Graph *g, uint64_t flags) {
  if (!out || !handle_is(g, HANDLE_GRAPH) || !graph_ends(g)) return CUDA_ERROR_INVALID_VALUE;
  Exec *e = calloc(1, sizeof *e);
  if (e) *e = (Exec){graph_clone(g), flags};
  if (!e || !e->graph) {
    free(e);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  handle_add(e, HANDLE_EXEC);
  *out = e;
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphInstantiateWithFlags(Exec **out, CUgraph g, unsigned long long flags) {
  SERVE(NEED_CONTEXT, instantiate(out, g, flags));
}

/* The older versions also return a message and the node with the error. */
CU_API CUresult cuGraphInstantiate_v2(Exec **out, CUgraph g, CUgraphNode *node, char *log,
                                      size_t bytes) {
  if (node) *node = NULL;
  if (log && bytes) log[0] = '\0';
  SERVE(NEED_CONTEXT, instantiate(out, g, 0));
}

typedef struct {
  uint64_t flags;
  CUstream upload;
  CUgraphNode wrong;
  int result;
} InstantiateParams;

static CUresult instantiate_with(Exec **out, Graph *g, InstantiateParams *p) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  p->wrong = NULL;
  p->result = 0;
  return instantiate(out, g, p->flags);
}

CU_API CUresult cuGraphInstantiateWithParams(Exec **out, CUgraph g, InstantiateParams *p) {
  SERVE(NEED_CONTEXT, instantiate_with(out, g, p));
}
PER_THREAD(cuGraphInstantiateWithParams, _ptsz, (Exec * *out, CUgraph g, InstantiateParams *p),
           (out, g, p))

static CUresult get_flags(const Exec *e, uint64_t *out) {
  if (!handle_is(e, HANDLE_EXEC) || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = e->flags;
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphExecGetFlags(Exec *e, uint64_t *out) { SERVE(NEED_INIT, get_flags(e, out)); }

static CUresult launch(const Exec *e, CUstream stream) {
  if (!handle_is(e, HANDLE_EXEC)) return CUDA_ERROR_INVALID_VALUE;
  return pending_submit(stream, &(Work){.kind = WORK_GRAPH, .graph = e->graph});
}

CU_API CUresult cuGraphLaunch(Exec *e, CUstream stream) {
  SERVE_IN(stream, NEED_HEALTH, launch(e, stream));
}
PER_THREAD(cuGraphLaunch, _ptsz, (Exec * e, CUstream stream), (e, stream))

static CUresult upload(const Exec *e) {
  return handle_is(e, HANDLE_EXEC) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuGraphUpload(Exec *e, CUstream stream) {
  (void)stream;
  SERVE_IN(stream, NEED_HEALTH, upload(e));
}
PER_THREAD(cuGraphUpload, _ptsz, (Exec * e, CUstream stream), (e, stream))

static CUresult destroy_exec(Exec *e) {
  if (!handle_is(e, HANDLE_EXEC)) return CUDA_ERROR_INVALID_VALUE;
  handle_drop(e);
  graph_free(e->graph);
  free(e);
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphExecDestroy(Exec *e) { SERVE(NEED_INIT, destroy_exec(e)); }

/* The instance's copy of a node that can be disabled: a kernel, copy or set. */
static Node *switched(const Exec *e, const Node *n) {
  Node *mine = handle_is(e, HANDLE_EXEC) && n ? graph_find(e->graph, n) : NULL;
  const WorkKind kind = mine ? mine->work.kind : WORK_EMPTY;
  return kind == WORK_KERNEL || kind == WORK_COPY || kind == WORK_FILL ? mine : NULL;
}

static CUresult set_enabled(const Exec *e, const Node *n, unsigned enabled) {
  Node *mine = switched(e, n);
  if (!mine) return CUDA_ERROR_INVALID_VALUE;
  mine->disabled = !enabled;
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphNodeSetEnabled(Exec *e, CUgraphNode n, unsigned enabled) {
  SERVE(NEED_INIT, set_enabled(e, n, enabled));
}

static CUresult get_enabled(const Exec *e, const Node *n, unsigned *out) {
  const Node *mine = switched(e, n);
  if (!mine || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = !mine->disabled;
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphNodeGetEnabled(Exec *e, CUgraphNode n, unsigned *out) {
  SERVE(NEED_INIT, get_enabled(e, n, out));
}

/* --- objects of the program --- */

static CUresult create_object(UserObject **out, void *data, HostFunction *destroy_data,
                              unsigned count) {
  if (!out || !destroy_data || !count) return CUDA_ERROR_INVALID_VALUE;
  *out = malloc(sizeof **out);
  if (!*out) return CUDA_ERROR_OUT_OF_MEMORY;
  **out = (UserObject){data, destroy_data, count};
  handle_add(*out, HANDLE_OBJECT);
  return CUDA_SUCCESS;
}

CU_API CUresult cuUserObjectCreate(UserObject **out, void *data, HostFunction *destroy_data,
                                   unsigned count, unsigned flags) {
  (void)flags;
  SERVE(NEED_INIT, create_object(out, data, destroy_data, count));
}

static CUresult retain(UserObject *o, unsigned count) {
  if (!handle_is(o, HANDLE_OBJECT)) return CUDA_ERROR_INVALID_VALUE;
  o->count += count;
  return CUDA_SUCCESS;
}

CU_API CUresult cuUserObjectRetain(UserObject *o, unsigned count) {
  SERVE(NEED_INIT, retain(o, count));
}

static CUresult release(UserObject *o, unsigned count) {
  if (!handle_is(o, HANDLE_OBJECT)) return CUDA_ERROR_INVALID_VALUE;
  user_object_release(o, count);
  return CUDA_SUCCESS;
}

CU_API CUresult cuUserObjectRelease(UserObject *o, unsigned count) {
  SERVE(NEED_INIT, release(o, count));
}

static CUresult hold(Graph *g, UserObject *o, unsigned count, unsigned flags) {
  enum { MOVE = 1 };
  if (!handle_is(g, HANDLE_GRAPH) || !handle_is(o, HANDLE_OBJECT) || !count)
    return CUDA_ERROR_INVALID_VALUE;
  if (!graph_hold(g, o, count)) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!(flags & MOVE)) o->count += count;
  return CUDA_SUCCESS;
}

CU_API CUresult cuGraphRetainUserObject(CUgraph g, UserObject *o, unsigned count, unsigned flags) {
  SERVE(NEED_INIT, hold(g, o, count, flags));
}

static CUresult let_go(Graph *g, UserObject *o, unsigned count) {
  if (!handle_is(g, HANDLE_GRAPH) || !handle_is(o, HANDLE_OBJECT) || !count)
    return CUDA_ERROR_INVALID_VALUE;
  return graph_let_go(g, o, count) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CU_API CUresult cuGraphReleaseUserObject(CUgraph g, UserObject *o, unsigned count) {
  SERVE(NEED_INIT, let_go(g, o, count));
}
