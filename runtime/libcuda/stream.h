/* stream.h: streams. Work runs in the order of the calls and has ended when each call returns,
 * unless the stream is captured. */
#ifndef KGEN_LIBCUDA_STREAM_H
#define KGEN_LIBCUDA_STREAM_H

#include "libcuda/graph.h"

/* A capture of one or more streams into a graph. */
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

/* Returns the stream of a handle, default streams included. */
Stream *stream_of(CUstream handle);
/* Runs the work, or captures it. */
CUresult stream_submit(CUstream handle, const Work *w);

/* --- captures --- */

/* False when out of memory. */
bool capture_begin(Stream *s, Graph *graph, Node *const *dep, size_t deps);
/* Ends the capture of all its streams and returns the graph, or NULL if the stream did not begin
 * it. */
Graph *capture_end(Stream *s);
/* Records the stream's last nodes in the event, if the stream is captured. */
bool capture_record(Stream *s, Event *e);
/* Makes the stream depend on the event's nodes, and join its capture. */
bool capture_wait(Stream *s, const Event *e);
bool capture_set_tails(Stream *s, Node *const *dep, size_t deps, bool add);

#endif
