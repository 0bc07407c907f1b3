/* SPDX-License-Identifier: MIT */
/* graph.h: graphs of work, built by calls or captured from streams, and their instances. A graph
 * owns its nodes, and a node owns its copy of the work: work_keep(). */
#ifndef KGEN_LIBCUDA_STREAM_GRAPH_H
#define KGEN_LIBCUDA_STREAM_GRAPH_H

#include "libcuda/stream/work.h"

typedef struct Node {
  struct Node *next; /* next node of the graph, in order of creation */
  struct Graph *graph;
  struct Node *origin; /* the node that it is a copy of; or NULL */
  Work work;
  int deps, capacity;
  struct Node **dep; /* nodes that it depends on */
  int earlies, early_capacity;
  struct Node **early; /* the entries of `dep` with programmatic edges */
  EmuTrace *trace;     /* a kernel's trace while its graph runs */
  unsigned pass;       /* number of the latest search that visited the node */
  bool disabled, done;
} Node;

/* CUuserObject: an object of the program, which is destroyed when no graph holds a reference to
 * it. */
typedef struct UserObject {
  void *data;
  HostFunction *destroy;
  unsigned count;
} UserObject;

/* A graph's references to one object. */
typedef struct Held {
  struct Held *next;
  UserObject *object;
  unsigned count;
} Held;

/* A conditional handle. CUgraphConditionalHandle is the address of its word. */
typedef struct Handle {
  struct Handle *next;
  Condition *condition;
} Handle;

typedef struct Graph {
  Handle *handle;            /* handles that were made for it; a copy has none */
  const struct Graph *outer; /* for the body of a conditional node, the graph of that node; or
                                NULL */
  int count;
  Node *first, *last;
  Held *held;
  unsigned passes; /* number of searches of its nodes */
} Graph;

/* CUgraphExec: an instance, which holds a copy of a graph. */
typedef struct Exec {
  Graph *graph;
  uint64_t flags;
} Exec;

Graph *graph_new(void);
void graph_free(Graph *g);
/* Copies a graph with all nodes and child graphs, and adds references to the program's objects.
 * NULL when out of memory. */
Graph *graph_clone(const Graph *g);
/* Adds a node with the given dependencies and a copy of the work. NULL when out of memory. */
Node *graph_add(Graph *g, const Work *w, Node *const *dep, size_t deps);
/* Adds the node to a list unless the list contains it; false when out of memory. */
bool graph_list(Node ***list, int *count, int *capacity, Node *node);
bool graph_depends(const Node *node, const Node *on); /* there is an edge */
bool graph_depend(Node *node, Node *on);
/* Makes an edge between two kernels programmatic; false when out of memory. */
bool graph_depend_early(Node *node, Node *on);
bool graph_is_early(const Node *node, const Node *on);
bool graph_undepend(Node *node, const Node *on);
void graph_remove(Node *node);
/* True if its launches allocate or free memory. Such a graph cannot be copied, added to another
 * graph, or changed. */
bool graph_allocates(const Graph *g);
/* Returns the copy of a node in a clone of its graph, or in the clone's child graphs; NULL if there
 * is none. */
Node *graph_find(Graph *g, const Node *origin);
/* Resets the conditions to their default values, as each launch of an instance does. */
void graph_reset(Graph *g);
/* False if the dependencies have a cycle, in this graph or in a graph that a node runs. */
bool graph_ends(Graph *g);
/* Runs every node after its dependencies. */
CUresult graph_run(Graph *g);
/* Replaces a node's work; false when out of memory. */
bool graph_set(Node *node, const Work *w);

/* Creates a condition. It lives as long as the graph and the nodes that use it, including nodes of
 * instances. NULL when out of memory. */
Condition *graph_condition(Graph *g, uint32_t initial, bool resets);

/* Takes over `count` of the program's references to an object; false when out of memory. */
bool graph_hold(Graph *g, UserObject *o, unsigned count);
/* Releases `count` references; false if the graph has fewer. */
bool graph_let_go(Graph *g, UserObject *o, unsigned count);
void user_object_release(UserObject *o, unsigned count);

#endif
