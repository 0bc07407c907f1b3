/* graph.h: graphs of work, built by hand or captured from streams, and their instances. A graph
 * owns its nodes, and a node its copy of the work: work_keep. */
#ifndef KGEN_LIBCUDA_STREAM_GRAPH_H
#define KGEN_LIBCUDA_STREAM_GRAPH_H

#include "libcuda/stream/work.h"

typedef struct Node {
  struct Node *next; /* of the graph, in the order of making */
  struct Graph *graph;
  struct Node *origin; /* that it is a copy of; or NULL */
  Work work;
  int deps, capacity;
  struct Node **dep; /* that come before it */
  int earlies, early_capacity;
  struct Node **early; /* the part of `dep` at programmatic edges */
  EmuTrace *trace;     /* a kernel's, while its graph runs */
  unsigned pass;       /* the latest search that visited it */
  bool disabled, done;
} Node;

/* CUuserObject: an object of the program, destroyed when no graph holds a reference to it. */
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
  Handle *handle;            /* those that were made for it; a copy of it has none */
  const struct Graph *outer; /* that it is a body in, of a condition's node; or NULL */
  int count;
  Node *first, *last;
  Held *held;
  unsigned passes; /* searches of its nodes so far */
} Graph;

/* CUgraphExec: an instance, which is a copy of a graph. */
typedef struct Exec {
  Graph *graph;
  uint64_t flags;
} Exec;

Graph *graph_new(void);
void graph_free(Graph *g);
/* Copies a graph with all its nodes and child graphs, and with references of its own to the
 * program's objects; NULL when out of memory. */
Graph *graph_clone(const Graph *g);
/* Adds a node that depends on the given ones and keeps a copy of the work; NULL when out
 * of memory. */
Node *graph_add(Graph *g, const Work *w, Node *const *dep, size_t deps);
/* Adds the node to a list, unless it is there; false when out of memory. */
bool graph_list(Node ***list, int *count, int *capacity, Node *node);
bool graph_depends(const Node *node, const Node *on); /* by an edge */
bool graph_depend(Node *node, Node *on);
/* Makes an edge to a kernel from a kernel programmatic; false when out of memory. */
bool graph_depend_early(Node *node, Node *on);
bool graph_is_early(const Node *node, const Node *on);
bool graph_undepend(Node *node, const Node *on);
void graph_remove(Node *node);
/* Whether its launches allocate or free memory: then it is not copied, put into another or cut. */
bool graph_allocates(const Graph *g);
/* Returns the copy of a node in a clone of its graph or in the clone's child graphs, or NULL. */
Node *graph_find(Graph *g, const Node *origin);
/* Sets the conditions to their default values, as each launch of an instance does. */
void graph_reset(Graph *g);
/* Whether each node has its turn: false if the dependencies have a cycle, here or in a graph that a
 * node runs. */
bool graph_ends(Graph *g);
/* Runs every node after those that it depends on. */
CUresult graph_run(Graph *g);
/* Replaces a node's work; false when out of memory. */
bool graph_set(Node *node, const Work *w);

/* Creates a condition, which lives as long as the graph and the nodes that it decides, those of
 * instances among them; NULL when out of memory. */
Condition *graph_condition(Graph *g, uint32_t initial, bool resets);

/* Takes over so many of the program's references to an object; false when out of memory. */
bool graph_hold(Graph *g, UserObject *o, unsigned count);
/* Releases so many; false if the graph has fewer. */
bool graph_let_go(Graph *g, UserObject *o, unsigned count);
void user_object_release(UserObject *o, unsigned count);

#endif
