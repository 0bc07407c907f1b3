/* stream.h: streams, whose work is done in the order of the calls and has ended when each returns,
 * unless it is captured. */
#ifndef KGEN_LIBCUDA_STREAM_H
#define KGEN_LIBCUDA_STREAM_H

#include "libcuda/graph.h"

/* What streams that belong together leave behind for a graph. */
typedef struct Capture {
  Graph *graph;
  bool given; /* the graph is the program's */
  unsigned long long id;
  struct Stream *origin; /* the one that began */
  struct Stream *first;  /* all that take part */
} Capture;

typedef struct Stream {
  unsigned flags;
  int priority;
  unsigned long long id;
  CUcontext context;
  Capture *capture;    /* NULL: not captured */
  struct Stream *next; /* of the capture */
  int tails, capacity;
  Node **tail; /* what its next work waits for */
} Stream;

/* The stream of a handle; the default ones have one, too. */
Stream *stream_of(CUstream handle);
/* Runs the work, or captures it. */
CUresult stream_submit(CUstream handle, const Work *w);

/* --- captures --- */

/* False when out of memory. */
bool capture_begin(Stream *s, Graph *graph, Node *const *dep, size_t deps);
/* The graph, or NULL if the stream did not begin it. All its streams run again. */
Graph *capture_end(Stream *s);
/* The event in a stream that is captured stands for what the stream has done there. */
bool capture_record(Stream *s, Event *e);
/* The stream joins the event's capture. */
bool capture_wait(Stream *s, const Event *e);
bool capture_set_tails(Stream *s, Node *const *dep, size_t deps, bool add);

#endif
