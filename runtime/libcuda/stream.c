#include "libcuda/stream.h"

#include <stdlib.h>

/* The legacy default stream belongs to the process, the other to a thread. */
Stream *stream_of(CUstream handle) {
  static Stream legacy = {.id = 1};
  static _Thread_local Stream per_thread = {.id = 2};
  if (handle == STREAM_PER_THREAD) return &per_thread;
  return !handle || handle == STREAM_LEGACY ? &legacy : handle;
}

static bool add_tail(Stream *s, Node *n) {
  for (int i = 0; i < s->tails; i++)
    if (s->tail[i] == n) return true;
  if (s->tails == s->capacity) {
    const int capacity = s->capacity ? s->capacity * 2 : 4;
    Node **tail = realloc(s->tail, (size_t)capacity * sizeof *tail);
    if (!tail) return false;
    s->tail = tail;
    s->capacity = capacity;
  }
  s->tail[s->tails++] = n;
  return true;
}

static CUresult add_work(Stream *s, const Work *w) {
  Node *n = graph_add(s->capture->graph, w, s->tail, (size_t)s->tails);
  s->tails = 0;
  return n && add_tail(s, n) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult stream_submit(CUstream handle, const Work *w) {
  Stream *s = stream_of(handle);
  if (s->capture) return add_work(s, w);
  if (w->kind != WORK_GRAPH) return work_run(w);
  graph_reset(w->graph);
  return graph_run(w->graph);
}

/* --- captures --- */

static void join(Stream *s, Capture *c) {
  s->capture = c;
  s->tails = 0;
  s->next = c->first;
  c->first = s;
}

bool capture_begin(Stream *s, Graph *graph, Node *const *dep, size_t deps) {
  static unsigned long long begun;
  Capture *c = calloc(1, sizeof *c);
  if (c) *c = (Capture){graph ? graph : graph_new(), graph != NULL, ++begun, s, NULL};
  if (!c || !c->graph) {
    free(c);
    return false;
  }
  join(s, c);
  return capture_set_tails(s, dep, deps, true);
}

Graph *capture_end(Stream *s) {
  Capture *c = s->capture;
  if (!c || c->origin != s) return NULL;
  Graph *graph = c->graph;
  for (Stream *one = c->first, *next; one; one = next) {
    next = one->next;
    one->capture = NULL;
    one->next = NULL;
    one->tails = 0;
  }
  free(c);
  return graph;
}

bool capture_record(Stream *s, Event *e) {
  free(e->tail);
  e->tail = NULL;
  e->tails = 0;
  e->capture = s->capture;
  event_stamp(e);
  if (!s->capture) return true;
  e->tail = malloc(((size_t)s->tails + 1) * sizeof(Node *));
  if (!e->tail) return false;
  for (int i = 0; i < s->tails; i++) e->tail[e->tails++] = s->tail[i];
  return true;
}

bool capture_wait(Stream *s, const Event *e) {
  if (!e->capture) return true;
  if (!s->capture) join(s, e->capture);
  return s->capture != e->capture || capture_set_tails(s, e->tail, (size_t)e->tails, true);
}

bool capture_set_tails(Stream *s, Node *const *dep, size_t deps, bool add) {
  bool ok = true;
  if (!add) s->tails = 0;
  for (size_t i = 0; ok && i < deps; i++) ok = add_tail(s, dep[i]);
  return ok;
}
