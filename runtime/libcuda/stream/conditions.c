/* SPDX-License-Identifier: MIT */
/* conditions.c: conditional handles and nodes. */
#include "libcuda/stream/conditions.h"

#include <stdlib.h>

#include "libcuda/state/call.h"
#include "libcuda/state/handle.h"

static CUresult create_handle(uint64_t *out, Graph *g, unsigned initial, unsigned flags) {
  enum { ASSIGN_DEFAULT = 1 };
  if (!out || !handle_is(g, HANDLE_GRAPH) || flags > ASSIGN_DEFAULT)
    return CUDA_ERROR_INVALID_VALUE;
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

/* Finds the condition of a handle that was made for the graph, or for an outer graph of which it is
 * a body. */
static Condition *find(const Graph *g, uint64_t word) {
  for (; g; g = g->outer)
    for (const Handle *h = g->handle; h; h = h->next)
      if (h->condition->word == word) return h->condition;
  return NULL;
}

/* The maximum number of bodies of a condition of that kind; 0: unknown kind. */
static unsigned most_bodies(int kind) {
  enum { MOST_CASES = 4096 };
  switch (kind) {
  case BRANCH_IF: return 2;
  case BRANCH_WHILE: return 1;
  case BRANCH_SWITCH: return MOST_CASES;
  default: return 0;
  }
}

/* Frees the bodies after adding the node, which keeps copies. */
static CUresult add_bodies(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps, Branch b) {
  Graph **body = calloc(b.count, sizeof(Graph *));
  unsigned made = 0;
  while (body && made < b.count && (body[made] = graph_new())) made++;
  b.body = body;
  const Work w = {.kind = WORK_CONDITION, .branch = b};
  *out = made == b.count ? graph_add(g, &w, dep, deps) : NULL;
  while (made) graph_free(body[--made]);
  free(body);
  return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult graph_add_condition(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps,
                             ConditionParams *p) {
  Condition *c = handle_is(g, HANDLE_GRAPH) ? find(g, p->handle) : NULL;
  if (!out || !c || (deps && !dep)) return CUDA_ERROR_INVALID_VALUE;
  if (!p->count || p->count > most_bodies(p->kind)) return CUDA_ERROR_INVALID_VALUE;
  const Branch b = {.condition = c, .kind = (BranchKind)p->kind, .count = p->count};
  const CUresult result = add_bodies(out, g, dep, deps, b);
  if (result) return result;
  p->body = (*out)->work.branch.body;
  for (unsigned i = 0; i < p->count; i++) p->body[i]->outer = g;
  return CUDA_SUCCESS;
}
