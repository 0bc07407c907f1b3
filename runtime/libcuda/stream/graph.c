/* SPDX-License-Identifier: MIT */
#include "libcuda/stream/graph.h"

#include <stdlib.h>

#include "libcuda/driver.h"
#include "libcuda/state/context.h"
#include "libcuda/state/handle.h"

Graph *graph_new(void) {
  Graph *g = calloc(1, sizeof *g);
  if (g) handle_add(g, HANDLE_GRAPH);
  return g;
}

/* --- the program's objects --- */

bool graph_hold(Graph *g, UserObject *o, unsigned count) {
  Held *h = g->held;
  while (h && h->object != o) h = h->next;
  if (!h) {
    h = malloc(sizeof *h);
    if (!h) return false;
    *h = (Held){g->held, o, 0};
    g->held = h;
  }
  h->count += count;
  return true;
}

bool graph_let_go(Graph *g, UserObject *o, unsigned count) {
  Held **at = &g->held;
  while (*at && (*at)->object != o) at = &(*at)->next;
  Held *h = *at;
  if (!h || h->count < count) return false;
  h->count -= count;
  if (!h->count) {
    *at = h->next;
    free(h);
  }
  user_object_release(o, count);
  return true;
}

/* Adds references for the copy. */
static bool copy_held(Graph *clone, const Graph *g) {
  for (const Held *h = g->held; h; h = h->next) {
    if (!graph_hold(clone, h->object, h->count)) return false;
    h->object->count += h->count;
  }
  return true;
}

void user_object_release(UserObject *o, unsigned count) {
  if (o->count > count) {
    o->count -= count;
    return;
  }
  handle_drop(o);
  o->destroy(o->data);
  free(o);
}

static void let_all_go(Graph *g) {
  while (g->held) graph_let_go(g, g->held->object, g->held->count);
}

/* --- conditions --- */

static Condition *condition_new(uint32_t initial, bool resets) {
  Condition *c = calloc(1, sizeof *c);
  const uint64_t word = c ? emu_alloc(driver()->memory, sizeof initial, "graph condition") : 0;
  if (!word) {
    free(c);
    return NULL;
  }
  emu_copy_in(driver()->memory, word, &initial, sizeof initial);
  *c = (Condition){word, initial, resets, 1};
  return c;
}

static void condition_drop(Condition *c) {
  if (--c->uses) return;
  emu_free(driver()->memory, c->word);
  free(c);
}

Condition *graph_condition(Graph *g, uint32_t initial, bool resets) {
  Handle *h = calloc(1, sizeof *h);
  Condition *c = h ? condition_new(initial, resets) : NULL;
  if (!c) {
    free(h);
    return NULL;
  }
  *h = (Handle){g->handle, c};
  g->handle = h;
  return c;
}

static void free_handles(Graph *g) {
  while (g->handle) {
    Handle *h = g->handle;
    g->handle = h->next;
    condition_drop(h->condition);
    free(h);
  }
}

static uint32_t value_of(const Condition *c) {
  uint32_t value = 0;
  emu_copy_out(driver()->memory, &value, c->word, sizeof value);
  return value;
}

void graph_reset(Graph *g) {
  for (Node *n = g->first; n; n = n->next) {
    const Branch *b = &n->work.branch;
    if (n->work.kind == WORK_GRAPH) graph_reset(n->work.graph);
    if (n->work.kind != WORK_CONDITION) continue;
    const Condition *c = b->condition;
    if (c->resets) emu_copy_in(driver()->memory, c->word, &c->initial, sizeof c->initial);
    for (unsigned i = 0; i < b->count; i++) graph_reset(b->body[i]);
  }
}

static void free_branch(Branch *b) {
  for (unsigned i = 0; b->body && i < b->count; i++) graph_free(b->body[i]);
  free(b->body);
  condition_drop(b->condition);
}

/* Replaces the bodies by copies. */
static bool clone_branch(Branch *b) {
  Graph *const *from = b->body;
  b->condition->uses++;
  b->body = calloc((size_t)b->count + 1, sizeof(Graph *));
  bool ok = b->body;
  for (unsigned i = 0; ok && i < b->count; i++) ok = (b->body[i] = graph_clone(from[i])) != NULL;
  if (!ok) free_branch(b);
  return ok;
}

/* --- nodes --- */

static void drop(Work *w) {
  if (w->kind == WORK_GRAPH) graph_free(w->graph);
  if (w->kind == WORK_CONDITION) free_branch(&w->branch);
  work_drop(w);
}

static void free_node(Node *n) {
  handle_drop(n);
  drop(&n->work);
  emu_trace_free(n->trace);
  free(n->early);
  free(n->dep);
  free(n);
}

void graph_free(Graph *g) {
  if (!g) return;
  for (Node *n = g->first, *next; n; n = next) {
    next = n->next;
    free_node(n);
  }
  let_all_go(g);
  free_handles(g);
  handle_drop(g);
  free(g);
}

bool graph_list(Node ***list, int *count, int *capacity, Node *node) {
  for (int i = 0; i < *count; i++)
    if ((*list)[i] == node) return true;
  if (*count == *capacity) {
    const int more = *capacity ? *capacity * 2 : 4;
    Node **grown = realloc(*list, (size_t)more * sizeof *grown);
    if (!grown) return false;
    *list = grown;
    *capacity = more;
  }
  (*list)[(*count)++] = node;
  return true;
}

bool graph_depends(const Node *node, const Node *on) {
  for (int i = 0; i < node->deps; i++)
    if (node->dep[i] == on) return true;
  return false;
}

bool graph_depend(Node *node, Node *on) {
  return graph_list(&node->dep, &node->deps, &node->capacity, on);
}

bool graph_depend_early(Node *node, Node *on) {
  if (node->work.kind != WORK_KERNEL || on->work.kind != WORK_KERNEL) return true;
  return graph_list(&node->early, &node->earlies, &node->early_capacity, on);
}

bool graph_is_early(const Node *node, const Node *on) {
  for (int i = 0; i < node->earlies; i++)
    if (node->early[i] == on) return true;
  return false;
}

bool graph_undepend(Node *node, const Node *on) {
  for (int i = 0; i < node->earlies; i++)
    if (node->early[i] == on) node->early[i--] = node->early[--node->earlies];
  for (int i = 0; i < node->deps; i++) {
    if (node->dep[i] != on) continue;
    node->dep[i] = node->dep[--node->deps];
    return true;
  }
  return false;
}

static bool keep(Work *out, const Work *w) {
  if (!work_keep(out, w)) return false;
  if (w->kind == WORK_CONDITION) return clone_branch(&out->branch);
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
  handle_add(n, HANDLE_NODE);
  append(g, n);
  return n;
}

bool graph_set(Node *node, const Work *w) {
  Work kept;
  if (!keep(&kept, w)) return false;
  drop(&node->work);
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

bool graph_allocates(const Graph *g) {
  for (const Node *n = g->first; n; n = n->next)
    if (n->work.kind == WORK_ALLOC || n->work.kind == WORK_FREE) return true;
  return false;
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
  for (Node *n = g->first, *copy = clone->first; n; n = n->next, copy = copy->next)
    for (int i = 0; i < n->earlies; i++)
      if (!graph_depend_early(copy, copy_of(clone, n->early[i]))) return false;
  return true;
}

Graph *graph_clone(const Graph *g) {
  Graph *clone = graph_new();
  if (!clone || (clone_nodes(clone, g) && copy_held(clone, g))) return clone;
  graph_free(clone);
  return NULL;
}

static Node *find_inside(const Work *w, const Node *origin) {
  if (w->kind == WORK_GRAPH) return graph_find(w->graph, origin);
  Node *found = NULL;
  for (unsigned i = 0; w->kind == WORK_CONDITION && !found && i < w->branch.count; i++)
    found = graph_find(w->branch.body[i], origin);
  return found;
}

Node *graph_find(Graph *g, const Node *origin) {
  for (Node *n = g->first; n; n = n->next) {
    if (n->origin == origin) return n;
    Node *inside = find_inside(&n->work, origin);
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

/* Returns the body that the condition's value selects, or NULL. An `if` may have a second body, for
 * the value 0. */
static Graph *choose(const Branch *b) {
  const uint32_t value = value_of(b->condition);
  const uint32_t index = b->kind == BRANCH_SWITCH ? value : value ? 0 : 1;
  return index < b->count ? b->body[index] : NULL;
}

static CUresult run_branch(const Branch *b) {
  CUresult result = CUDA_SUCCESS;
  Graph *body = choose(b);
  if (b->kind != BRANCH_WHILE) return body ? graph_run(body) : CUDA_SUCCESS;
  while (!result && value_of(b->condition) && !context_current()->error) result = graph_run(body);
  return result;
}

/* True if `node` is `n` or precedes it. */
static bool comes_before(const Node *node, Node *n, unsigned pass) {
  if (n == node) return true;
  if (n->pass == pass) return false;
  n->pass = pass;
  for (int i = 0; i < n->deps; i++)
    if (comes_before(node, n->dep[i], pass)) return true;
  return false;
}

/* False if `early` precedes a full dependency of `n`: then it has ended before `n` begins. */
static bool may_run(const Node *early, Node *n) {
  const unsigned pass = ++n->graph->passes;
  for (int i = 0; i < n->deps; i++)
    if (!graph_is_early(n, n->dep[i]) && comes_before(early, n->dep[i], pass)) return false;
  return true;
}

static CUresult run_kernel(Node *n) {
  KernelLaunch l = n->work.kernel;
  EmuTrace **primary = calloc((size_t)n->earlies + 1, sizeof(EmuTrace *));
  if (!primary) return CUDA_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < n->earlies; i++)
    if (may_run(n->early[i], n)) primary[i] = n->early[i]->trace;
  l.primary = primary;
  l.primaries = n->earlies;
  l.trace = &n->trace;
  const CUresult result = launch_run(&l);
  free(primary);
  return result;
}

static CUresult run_node(Node *n) {
  n->done = true;
  if (n->disabled) return CUDA_SUCCESS;
  if (n->work.kind == WORK_KERNEL) return run_kernel(n);
  if (n->work.kind == WORK_CONDITION) return run_branch(&n->work.branch);
  return n->work.kind == WORK_GRAPH ? graph_run(n->work.graph) : work_run(&n->work);
}

/* Visits each node after its dependencies, until `visit` fails. *left: number of nodes that were
 * not visited. */
static CUresult visit_all(Graph *g, CUresult (*visit)(Node *n), int *left) {
  CUresult result = CUDA_SUCCESS;
  *left = g->count;
  for (Node *n = g->first; n; n = n->next) n->done = false;
  for (bool moved = true; moved && *left && !result;) {
    moved = false;
    for (Node *n = g->first; n && !result; n = n->next) {
      if (!is_ready(n)) continue;
      result = visit(n);
      moved = true;
      --*left;
    }
  }
  return result;
}

static CUresult check_node(Node *n) {
  n->done = true;
  const Work *w = &n->work;
  bool ends = w->kind != WORK_GRAPH || graph_ends(w->graph);
  for (unsigned i = 0; ends && w->kind == WORK_CONDITION && i < w->branch.count; i++)
    ends = graph_ends(w->branch.body[i]);
  return ends ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

bool graph_ends(Graph *g) {
  int left;
  return !visit_all(g, check_node, &left) && !left;
}

CUresult graph_run(Graph *g) {
  int left;
  const CUresult result = visit_all(g, run_node, &left);
  for (Node *n = g->first; n; n = n->next) {
    emu_trace_free(n->trace);
    n->trace = NULL;
  }
  return result;
}
