/* SPDX-License-Identifier: MIT */
/* capture.h: streams, and their captures into graphs. */
#ifndef KGEN_LIBCUDA_STREAM_CAPTURE_H
#define KGEN_LIBCUDA_STREAM_CAPTURE_H

#include "libcuda/state/guard.h"
#include "libcuda/stream/graph.h"

enum { STREAM_GREATEST_PRIORITY = -5 }; /* the lowest priority is 0 */

typedef struct Stream {
  unsigned flags;
  int priority;
  unsigned long long id;
  CUcontext context;
  struct Capture *capture; /* NULL: not captured */
  struct Stream *next;     /* next stream of the capture */
  int tails, capacity;
  Node **tail;  /* nodes that its next work depends on */
  int pending;  /* number of pending work items: pending.h */
  bool dropped; /* the program has destroyed the stream */
  /* its latest kernel's trace; valid while pending.c counts the same time, that is, until other
   * work or a call that waits */
  EmuTrace *trace;
  uint64_t trace_time;
  int waiting; /* the CUsynchronizationPolicy that was set, which has no effect; 0: not set */
  uint64_t window[4]; /* the CUaccessPolicyWindow that was set, which has no effect */
} Stream;

/* True if its work and the legacy stream's work wait for each other. */
static inline bool stream_blocks(const Stream *s) {
  enum { NON_BLOCKING = 1 };
  return !(s->flags & NON_BLOCKING);
}

/* A capture of one or more streams into a graph. */
typedef struct Capture {
  Guard guard;
  Graph *graph;
  bool given;     /* the graph belongs to the program */
  Stream *origin; /* the stream in which it began */
  Stream *first;  /* list of all captured streams */
} Capture;

/* CUstreamCaptureStatus. */
typedef enum { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED } CaptureStatus;

/* False when out of memory. */
bool capture_begin(Stream *s, Graph *graph, Node *const *dep, size_t deps, CaptureMode mode);
/* Ends the capture of all its streams. *out is the graph, or NULL if the call fails. */
CUresult capture_end(Stream *s, Graph **out);
/* Removes a destroyed stream from its capture. A capture whose origin was destroyed cannot be
 * ended. */
void capture_leave(Stream *s);
CaptureStatus capture_status(const Stream *s);
/* Appends work of the stream to the graph. */
CUresult capture_work(Stream *s, const Work *w);
/* If the stream is captured, records its last nodes in the event. False when out of memory. */
bool capture_record(Stream *s, Event *e);
/* Makes the stream depend on the event's nodes and join its capture. */
CUresult capture_wait(Stream *s, const Event *e);
bool capture_set_tails(Stream *s, Node *const *dep, size_t deps, bool add);
/* Return an error for waiting for, or querying, a captured stream or an event that was recorded in
 * one. */
CUresult capture_guard_stream(const Stream *s);
CUresult capture_guard_event(const Event *e);

#endif
