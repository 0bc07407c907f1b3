/* SPDX-License-Identifier: MIT */
#include "libcuda/stream/capture.h"

#include <stdlib.h>

/* --- what streams depend on --- */

static bool add_tail(Stream *s, Node *n) {
  return graph_list(&s->tail, &s->tails, &s->capacity, n);
}

bool capture_set_tails(Stream *s, Node *const *dep, size_t deps, bool add) {
  bool ok = true;
  if (!add) s->tails = 0;
  for (size_t i = 0; ok && i < deps; i++) ok = add_tail(s, dep[i]);
  return ok;
}

CUresult capture_work(Stream *s, const Work *w) {
  if (s->capture->guard.invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  Node *n = graph_add(s->capture->graph, w, s->tail, (size_t)s->tails);
  for (int i = 0; n && w->kind == WORK_KERNEL && w->kernel.programmatic && i < s->tails; i++)
    if (!graph_depend_early(n, s->tail[i])) return CUDA_ERROR_OUT_OF_MEMORY;
  s->tails = 0;
  return n && add_tail(s, n) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* --- beginning --- */

static void join(Stream *s, Capture *c) {
  s->capture = c;
  s->tails = 0;
  s->next = c->first;
  c->first = s;
  if (stream_blocks(s)) c->guard.blocks = true;
}

bool capture_begin(Stream *s, Graph *graph, Node *const *dep, size_t deps, CaptureMode mode) {
  Capture *c = calloc(1, sizeof *c);
  if (c) *c = (Capture){.graph = graph ? graph : graph_new(), .given = graph, .origin = s};
  if (!c || !c->graph) {
    free(c);
    return false;
  }
  guard_begin(&c->guard, mode);
  join(s, c);
  return capture_set_tails(s, dep, deps, true);
}

CaptureStatus capture_status(const Stream *s) {
  if (!s->capture) return CAPTURE_NONE;
  return s->capture->guard.invalid ? CAPTURE_INVALIDATED : CAPTURE_ACTIVE;
}

/* --- ending --- */

static int mark(Node *const *node, int nodes, Node **list, int count) {
  for (int i = 0; i < nodes; i++) {
    if (!node[i]->done) list[count++] = node[i];
    node[i]->done = true;
  }
  return count;
}

/* Marks the origin's last nodes and all nodes before them; false when out of memory. */
static bool mark_joined(const Capture *c) {
  Node **list = malloc(((size_t)c->graph->count + 1) * sizeof(Node *));
  if (!list) return false;
  for (Node *n = c->graph->first; n; n = n->next) n->done = false;
  int count = mark(c->origin->tail, c->origin->tails, list, 0);
  while (count > 0) {
    const Node *n = list[--count];
    count = mark(n->dep, n->deps, list, count);
  }
  free(list);
  return true;
}

/* Checks that the origin's last work comes after the work of all streams that joined. */
static CUresult check_joined(const Capture *c) {
  if (!mark_joined(c)) return CUDA_ERROR_OUT_OF_MEMORY;
  for (const Stream *s = c->first; s; s = s->next)
    for (int i = 0; i < s->tails; i++)
      if (!s->tail[i]->done) return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  return CUDA_SUCCESS;
}

static void let_go(Capture *c) {
  guard_end(&c->guard);
  for (Stream *s = c->first, *next; s; s = next) {
    next = s->next;
    s->capture = NULL;
    s->next = NULL;
    s->tails = 0;
  }
  free(c);
}

CUresult capture_end(Stream *s, Graph **out) {
  Capture *c = s->capture;
  *out = NULL;
  if (!c) return CUDA_ERROR_ILLEGAL_STATE;
  if (c->origin != s) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (c->guard.mode != CAPTURE_RELAXED && !pthread_equal(c->guard.thread, pthread_self()))
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  const CUresult result =
      c->guard.invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : check_joined(c);
  if (!result) *out = c->graph;
  if (result && !c->given) graph_free(c->graph);
  let_go(c);
  return result;
}

void capture_leave(Stream *s) {
  Capture *c = s->capture;
  Stream **at = c ? &c->first : NULL;
  while (at && *at != s) at = &(*at)->next;
  if (at) *at = s->next;
  if (!c || c->origin != s) return;
  if (!c->given) graph_free(c->graph);
  let_go(c);
}

/* --- events --- */

/* The active capture in which an event was recorded; NULL: none. The guard is the first member of a
 * Capture. */
static Capture *capture_of(const Event *e) { return (Capture *)guard_find(e->capture); }

bool capture_record(Stream *s, Event *e) {
  free(e->tail);
  e->tail = NULL;
  e->tails = 0;
  e->capture = s->capture ? s->capture->guard.id : 0;
  event_stamp(e);
  if (!s->capture) return true;
  e->tail = malloc(((size_t)s->tails + 1) * sizeof(Node *));
  if (!e->tail) return false;
  for (int i = 0; i < s->tails; i++) e->tail[e->tails++] = s->tail[i];
  return true;
}

static CUresult check_wait(const Stream *s, const Event *e, Capture *c) {
  if (s->capture && s->capture->guard.invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (e->capture && !c) return CUDA_ERROR_CAPTURED_EVENT;
  if (s->capture && !c) return guard_spoil(&s->capture->guard, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  if (s->capture && s->capture != c) return guard_spoil(&c->guard, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  return CUDA_SUCCESS;
}

CUresult capture_wait(Stream *s, const Event *e) {
  Capture *c = capture_of(e);
  const CUresult result = e->recorded ? check_wait(s, e, c) : CUDA_SUCCESS;
  if (result || !c) return result;
  if (!s->capture) join(s, c);
  return capture_set_tails(s, e->tail, (size_t)e->tails, true) ? CUDA_SUCCESS
                                                               : CUDA_ERROR_OUT_OF_MEMORY;
}

/* --- calls that are errors --- */

CUresult capture_guard_stream(const Stream *s) {
  if (!s->capture) return CUDA_SUCCESS;
  return guard_spoil(&s->capture->guard, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult capture_guard_event(const Event *e) {
  Capture *c = capture_of(e);
  if (c) c->guard.invalid = true;
  return e->capture ? CUDA_ERROR_CAPTURED_EVENT : CUDA_SUCCESS;
}
