/* capture.h: streams, and their captures into graphs. */
#ifndef KGEN_LIBCUDA_STREAM_CAPTURE_H
#define KGEN_LIBCUDA_STREAM_CAPTURE_H

#include "libcuda/state/guard.h"
#include "libcuda/stream/graph.h"

enum { STREAM_GREATEST_PRIORITY = -5 }; /* the least is 0 */

typedef struct Stream {
  unsigned flags;
  int priority;
  unsigned long long id;
  CUcontext context;
  struct Capture *capture; /* NULL: not captured */
  struct Stream *next;     /* of the capture */
  int tails, capacity;
  Node **tail;  /* what its next work waits for */
  int pending;  /* work: pending.h */
  bool dropped; /* the program has destroyed it */
  /* its latest kernel's trace, valid as long as pending.c counts the same time: no other work and
   * no call that waits has come since */
  EmuTrace *trace;
  uint64_t trace_time;
  int waiting; /* the CUsynchronizationPolicy that was set, which decides nothing; 0: not set */
  uint64_t window[4]; /* the CUaccessPolicyWindow that was set, which decides nothing */
} Stream;

/* Whether its work and the legacy stream's wait for each other. */
static inline bool stream_blocks(const Stream *s) {
  enum { NON_BLOCKING = 1 };
  return !(s->flags & NON_BLOCKING);
}

/* A capture of one or more streams into a graph. */
typedef struct Capture {
  Guard guard;
  Graph *graph;
  bool given;     /* the graph is the program's */
  Stream *origin; /* the one that began */
  Stream *first;  /* all that take part */
} Capture;

/* CUstreamCaptureStatus. */
typedef enum { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED } CaptureStatus;

/* False when out of memory. */
bool capture_begin(Stream *s, Graph *graph, Node *const *dep, size_t deps, CaptureMode mode);
/* Ends the capture of all its streams; `out` is the graph, or NULL if the call fails. */
CUresult capture_end(Stream *s, Graph **out);
/* Takes a stream that is destroyed out of its capture; if it began it, nobody can end it. */
void capture_leave(Stream *s);
CaptureStatus capture_status(const Stream *s);
/* Adds work to the graph, as the stream's last. */
CUresult capture_work(Stream *s, const Work *w);
/* Records the stream's last nodes in the event, if the stream is captured; false when out of
 * memory. */
bool capture_record(Stream *s, Event *e);
/* Makes the stream depend on the event's nodes, and join its capture. */
CUresult capture_wait(Stream *s, const Event *e);
bool capture_set_tails(Stream *s, Node *const *dep, size_t deps, bool add);
/* Refuse to wait for, or to ask about, a captured stream and an event that was recorded in one. */
CUresult capture_guard_stream(const Stream *s);
CUresult capture_guard_event(const Event *e);

#endif
