#include "libcuda/graph.h"

#include <stdlib.h>

Graph *graph_new(void) { return calloc(1, sizeof(Graph)); }

/* --- the program's objects --- */

void user_object_release(UserObject *o, unsigned count) {
  if (o->count > count) {
    o->count -= count;
    return;
  }
  o->destroy(o->data);
  free(o);
}

static void let_go(Graph *g) {
  while (g->held) {
    Held *h = g->held;
    g->held = h->next;
    user_object_release(h->object, h->count);
    free(h);
  }
}

/* --- nodes --- */

static void free_node(Node *n) {
  if (n->work.kind == WORK_GRAPH) graph_free(n->work.graph);
  work_drop(&n->work);
  free(n->dep);
  free(n);
}

void graph_free(Graph *g) {
  if (!g) return;
  for (Node *n = g->first, *next; n; n = next) {
    next = n->next;
    free_node(n);
  }
  let_go(g);
  free(g);
}

bool graph_depend(Node *node, Node *on) {
  for (int i = 0; i < node->deps; i++)
    if (node->dep[i] == on) return true;
  if (node->deps == node->capacity) {
    const int capacity = node->capacity ? node->capacity * 2 : 4;
    Node **dep = realloc(node->dep, (size_t)capacity * sizeof *dep);
    if (!dep) return false;
    node->dep = dep;
    node->capacity = capacity;
  }
  node->dep[node->deps++] = on;
  return true;
}

bool graph_undepend(Node *node, const Node *on) {
  for (int i = 0; i < node->deps; i++) {
    if (node->dep[i] != on) continue;
    node->dep[i] = node->dep[--node->deps];
    return true;
  }
  return false;
}

static bool keep(Work *out, const Work *w) {
  if (!work_keep(out, w)) return false;
  if (w->kind == WORK_GRAPH) out->graph = graph_clone(w->graph);
  return w->kind != WORK_GRAPH || out->graph;
}

static void append(Graph *g, Node *n) {
  if (g->last)
    g->last->next = n;
  else
    g->first = n;
  g->last = n;
  g->count++;
}

Node *graph_add(Graph *g, const Work *w, Node *const *dep, size_t deps) {
  Node *n = calloc(1, sizeof *n);
  bool ok = n && keep(&n->work, w);
  for (size_t i = 0; ok && i < deps; i++) ok = graph_depend(n, dep[i]);
  if (!ok) {
    if (n) free(n->dep);
    free(n);
    return NULL;
  }
  n->graph = g;
  append(g, n);
  return n;
}

bool graph_set(Node *node, const Work *w) {
  Work kept;
  if (!keep(&kept, w)) return false;
  if (node->work.kind == WORK_GRAPH) graph_free(node->work.graph);
  work_drop(&node->work);
  node->work = kept;
  return true;
}

void graph_remove(Node *node) {
  Graph *g = node->graph;
  Node *before = NULL;
  for (Node *n = g->first; n; n = n->next) {
    graph_undepend(n, node);
    if (n->next == node) before = n;
  }
  if (before)
    before->next = node->next;
  else
    g->first = node->next;
  if (g->last == node) g->last = before;
  g->count--;
  free_node(node);
}

/* --- copies --- */

static Node *copy_of(const Graph *clone, const Node *origin) {
  for (Node *n = clone->first; n; n = n->next)
    if (n->origin == origin) return n;
  return NULL;
}

static bool clone_nodes(Graph *clone, const Graph *g) {
  for (Node *n = g->first; n; n = n->next) {
    Node *copy = graph_add(clone, &n->work, NULL, 0);
    if (!copy) return false;
    copy->origin = n;
    copy->disabled = n->disabled;
  }
  for (Node *n = g->first, *copy = clone->first; n; n = n->next, copy = copy->next)
    for (int i = 0; i < n->deps; i++)
      if (!graph_depend(copy, copy_of(clone, n->dep[i]))) return false;
  return true;
}

Graph *graph_clone(const Graph *g) {
  Graph *clone = graph_new();
  if (!clone || clone_nodes(clone, g)) return clone;
  graph_free(clone);
  return NULL;
}

Node *graph_find(Graph *g, const Node *origin) {
  for (Node *n = g->first; n; n = n->next) {
    if (n->origin == origin) return n;
    Node *inside = n->work.kind == WORK_GRAPH ? graph_find(n->work.graph, origin) : NULL;
    if (inside) return inside;
  }
  return NULL;
}

/* --- running --- */

static bool is_ready(const Node *n) {
  for (int i = 0; i < n->deps; i++)
    if (!n->dep[i]->done) return false;
  return !n->done;
}

static CUresult run_node(Node *n) {
  n->done = true;
  if (n->disabled) return CUDA_SUCCESS;
  return n->work.kind == WORK_GRAPH ? graph_run(n->work.graph) : work_run(&n->work);
}

CUresult graph_run(Graph *g) {
  CUresult result = CUDA_SUCCESS;
  int left = g->count;
  for (Node *n = g->first; n; n = n->next) n->done = false;
  for (bool moved = true; moved && left && !result;) {
    moved = false;
    for (Node *n = g->first; n && !result; n = n->next) {
      if (!is_ready(n)) continue;
      result = run_node(n);
      moved = true;
      left--;
    }
  }
  return result ? result : left ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
