/* graph.h: graphs of work, built by hand or captured from streams, and copies of them that are
 * launched. */
#ifndef KGEN_LIBCUDA_GRAPH_H
#define KGEN_LIBCUDA_GRAPH_H

#include "libcuda/work.h"

typedef struct Node {
  struct Node *next; /* of the graph, in the order of making */
  struct Graph *graph;
  struct Node *origin; /* that it is a copy of; or NULL */
  Work work;
  int deps, capacity;
  struct Node **dep; /* that come before it */
  bool disabled, done;
} Node;

/* An object of the program that lives as long as graphs need it. */
typedef struct UserObject {
  void *data;
  HostFunction *destroy;
  unsigned count;
} UserObject;

typedef struct Held {
  struct Held *next;
  UserObject *object;
  unsigned count;
} Held;

/* CUgraphConditionalHandle is the word's address. */
typedef struct Handle {
  struct Handle *next;
  Condition condition;
} Handle;

typedef struct Graph {
  Handle *handle;            /* those that were made for it; a copy of it has none */
  const struct Graph *outer; /* that it is a body in, of a condition's node; or NULL */
  int count;
  Node *first, *last;
  Held *held;
} Graph;

/* CUgraphExec: a copy of a graph. */
typedef struct Exec {
  Graph *graph;
  uint64_t flags;
} Exec;

Graph *graph_new(void);
void graph_free(Graph *g);
/* With copies of all nodes and child graphs; NULL when out of memory. */
Graph *graph_clone(const Graph *g);
/* A new node that keeps the work, behind the given ones; NULL when out of memory. */
Node *graph_add(Graph *g, const Work *w, Node *const *dep, size_t deps);
bool graph_depend(Node *node, Node *on);
bool graph_undepend(Node *node, const Node *on);
void graph_remove(Node *node);
/* The node's copy in a graph that was cloned, or in its children; or NULL. */
Node *graph_find(Graph *g, const Node *origin);
/* What an instance of it begins with: conditions are set to their first values. */
void graph_reset(Graph *g);
/* Every node after those that it depends on. CUDA_ERROR_INVALID_VALUE if they go in a circle. */
CUresult graph_run(Graph *g);
/* A node's work anew; false when out of memory. */
bool graph_set(Node *node, const Work *w);

/* A word for conditions of the graph, which goes with it; NULL when out of memory. */
Handle *graph_handle(Graph *g, uint32_t initial, bool resets);

void user_object_release(UserObject *o, unsigned count);

#endif
