/* SPDX-License-Identifier: MIT */
#include "libcuda/stream/pending.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcuda/launch/judge.h"
#include "libcuda/state/allocation.h"
#include "libcuda/state/call.h"
#include "libcuda/watch/session.h"

typedef struct Item {
  struct Item *next;
  Stream *stream;
  Context *context;
  Work work;
  Waiting launch;  /* state of a kernel that has begun */
  bool called;     /* a host function is running */
  unsigned words;  /* number of completed word operations */
  void *staged;    /* copy of the source of a copy, or NULL */
  uint64_t waited; /* polling of the launch before a thread began to wait for it */
} Item;

typedef struct {
  Item *first;
  uint64_t time; /* incremented when all previous launches count as complete */
  bool served;   /* the thread that calls host functions was started */
  bool closed;
  pthread_cond_t changed; /* signalled when an item is added or ends */
} Pending;

static Pending *all(void) {
  static Pending one = {.changed = PTHREAD_COND_INITIALIZER};
  return &one;
}

/* --- order --- */

/* The synchronization of streams: [CUDA C++ Programming Guide, default stream]. */
static bool comes_after(const Stream *later, const Stream *earlier) {
  const Stream *legacy = stream_of(STREAM_LEGACY);
  return later == earlier || (later == legacy && stream_blocks(earlier)) ||
         (earlier == legacy && stream_blocks(later));
}

static bool waits_for(const Work *w, const Item *earlier) {
  return w->kind == WORK_WAIT && earlier->work.kind == WORK_RECORD &&
         earlier->work.event == w->event;
}

static bool waits_elsewhere(const Work *w) {
  return w->kind == WORK_WAIT && w->record && event_elsewhere(w->event) == w->record;
}

/* True if work must wait for an item in the list before `end`, or for another process. */
static bool is_blocked(const Stream *s, const Work *w, const Item *end) {
  if (w && waits_elsewhere(w)) return true;
  for (const Item *i = all()->first; i != end; i = i->next)
    if (comes_after(s, i->stream) || (w && waits_for(w, i))) return true;
  return false;
}

bool pending_before(const Stream *s) { return is_blocked(s, NULL, NULL); }

/* --- their life --- */

/* Waits until an item is added or ends; releases the driver's lock meanwhile. */
static void await_change(long nanoseconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += nanoseconds;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&all()->changed, &driver()->lock, &until);
}

static void say_changed(void) { pthread_cond_broadcast(&all()->changed); }

/* True if a side is pageable host memory, which the program may change once the call has
 * returned. */
static bool is_pageable(const CopySide *s) {
  return !s->array && !allocation_at(s->address) && !emu_view(driver()->memory, s->address, 1);
}

/* Copies the source row of a copy that must wait, wherever in its box it begins. A copy without a
 * valid source fails when it runs. */
static bool stage(Item *i) {
  Copy *c = &i->work.copy;
  if (i->work.kind != WORK_COPY || !is_pageable(&c->from)) return true;
  const void *from = c->width && c->height && c->depth ? copy_source(c) : NULL;
  if (!from) return true;
  i->staged = malloc(c->width);
  if (!i->staged) return false;
  memcpy(i->staged, from, c->width);
  c->from = (CopySide){.address = (uint64_t)(uintptr_t)i->staged};
  return true;
}

static void destroy(Item *i) {
  launch_drop(&i->launch);
  if (i->work.kind == WORK_GRAPH) graph_free(i->work.graph);
  if (i->work.kind == WORK_RECORD) event_settle(i->work.event);
  if (i->work.kind == WORK_WAIT) event_leave(i->work.event);
  work_drop(&i->work);
  stream_settle(i->stream);
  free(i->staged);
  free(i);
}

/* Copies the graph, because the program may destroy it once the call has returned. */
static bool copy_graph(Item *i) {
  if (i->work.kind == WORK_GRAPH) i->work.graph = graph_clone(i->work.graph);
  return i->work.kind != WORK_GRAPH || i->work.graph;
}

static Item *add(Stream *s, const Work *w) {
  Item *i = calloc(1, sizeof *i), **end = &all()->first;
  if (!i) return NULL;
  *i = (Item){.stream = s, .context = context_current()};
  if (!work_keep(&i->work, w) || !stage(i) || !copy_graph(i)) {
    work_drop(&i->work);
    free(i);
    return NULL;
  }
  if (w->kind == WORK_RECORD) event_begin(w->event);
  if (w->kind == WORK_WAIT) event_await(w->event);
  s->pending++;
  while (*end) end = &(*end)->next;
  return *end = i;
}

static void take_out(Item *i) {
  Item **at = &all()->first;
  while (*at != i) at = &(*at)->next;
  *at = i->next;
  destroy(i);
  say_changed();
}

/* --- launches that begin early --- */

void pending_settle(void) { all()->time++; }

/* The launch, linked to the stream's preceding launch if that may still run. Kernels of other
 * streams that wait for the legacy stream, or for which it waits, end that overlap. */
static KernelLaunch linked(Stream *s, const KernelLaunch *launch) {
  Stream *legacy = stream_of(STREAM_LEGACY);
  KernelLaunch l = *launch;
  if (l.programmatic && s->trace_time == all()->time) {
    l.primary = &s->trace;
    l.primaries = 1;
  }
  l.trace = &s->trace;
  if (s == legacy)
    pending_settle();
  else if (stream_blocks(s))
    legacy->trace_time = UINT64_MAX;
  s->trace_time = all()->time;
  return l;
}

static CUresult begin_kernel(Stream *s, const Work *w, Waiting *waiting) {
  const KernelLaunch l = linked(s, &w->kernel);
  return launch_begin(&l, waiting);
}

/* --- progress --- */

static CUresult run_graph(Graph *g) {
  graph_reset(g);
  return graph_run(g);
}

/* Makes progress with an item that is not blocked; true if it has ended. */
static bool advance(Item *i, uint64_t patience) {
  const Work *w = &i->work;
  CUresult result = CUDA_SUCCESS;
  if (i->context->error && w->kind != WORK_HOST) return true;
  if (w->kind != WORK_KERNEL) pending_settle();
  if (i->launch.run)
    launch_go_on(&i->launch, patience);
  else if (w->kind == WORK_KERNEL)
    result = begin_kernel(i->stream, w, &i->launch);
  else if (w->kind == WORK_WORDS)
    result = work_words(w, &i->words);
  else if (w->kind == WORK_GRAPH)
    result = run_graph(w->graph);
  else
    result = work_run(w);
  if (result) context_fail(i->context, result);
  return result || (!i->launch.run && (w->kind != WORK_WORDS || i->words == w->words.count));
}

/* Runs the work in its own context, on whichever thread. */
static bool advance_there(Item *i, uint64_t patience) {
  ContextStack *mine = context_stack();
  const ContextStack before = *mine;
  *mine = (ContextStack){{i->context}, 1};
  const bool ended = advance(i, patience);
  *mine = before;
  return ended;
}

/* The number of instructions for which a launch may poll. A launch that has been waited for as long
 * as the limit of a launch must end. */
static uint64_t patience_with(const Item *i, bool awaited) {
  enum { SHORT = 1 << 12, LONG = 1 << 16 };
  const Session *s = session();
  const uint64_t most = s ? s->max_steps : UINT64_C(1) << 26;
  if (!awaited || !i->launch.run) return SHORT;
  return emu_waited(i->launch.run) - i->waited > most ? 0 : LONG;
}

/* Makes progress with the first item that can; runs host functions only on their own thread
 * (`calls`). True if an item has ended, in which case the list has changed. */
static bool step(bool calls, bool awaited) {
  for (Item *i = all()->first; i; i = i->next) {
    const bool is_call = i->work.kind == WORK_HOST;
    if (i->called || (is_call && !calls) || is_blocked(i->stream, &i->work, i)) continue;
    i->called = is_call; /* the host function runs without the lock */
    if (!advance_there(i, patience_with(i, awaited))) continue;
    take_out(i);
    return true;
  }
  return false;
}

/* --- the thread --- */

enum { NAP = 200000 }; /* ns */

static void *serve(void *unused) {
  const Pending *p = all();
  (void)unused;
  pthread_mutex_lock(&driver()->lock);
  while (!p->closed) {
    if (!p->first)
      pthread_cond_wait(&all()->changed, &driver()->lock);
    else if (!step(true, false))
      await_change(NAP);
  }
  pthread_mutex_unlock(&driver()->lock);
  return NULL;
}

/* Blocks all signals in the thread: the program's signals are for its own threads. */
static void start_thread(void) {
  Pending *p = all();
  pthread_t thread;
  sigset_t every, before;
  if (p->served) return;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  p->served = pthread_create(&thread, NULL, serve, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (p->served) pthread_detach(thread);
}

/* --- submitting --- */

static bool is_pending(const Item *one) {
  for (const Item *i = all()->first; i; i = i->next)
    if (i == one) return true;
  return false;
}

/* Waits for a host function for a short time. Most return soon, and what the program does next then
 * follows the function. */
static void await_call(const Item *i) {
  enum { WHILE = 100, MILLISECOND = 1000000 };
  for (int n = 0; n < WHILE && is_pending(i); n++) await_change(MILLISECOND);
}

/* Adds a pending item with its progress so far: a launch, or completed word operations. */
static CUresult keep(Stream *s, const Work *w, Waiting launch, unsigned words) {
  Item *i = add(s, w);
  if (!i) return CUDA_ERROR_OUT_OF_MEMORY;
  i->launch = launch;
  i->words = words;
  start_thread();
  say_changed();
  if (w->kind == WORK_HOST) await_call(i);
  return CUDA_SUCCESS;
}

/* True for work that must end before the call returns if it has to wait for other work. These are
 * launches that may be checked, whose reports name the call, and, as on an H200, copies to pageable
 * memory. Copies from pageable memory are deferred only if they have one row. */
static bool must_end(const Work *w) {
  switch (w->kind) {
  case WORK_KERNEL:
  case WORK_GRAPH: return judge_expects();
  case WORK_COPY:
    return is_pageable(&w->copy.to) ||
           (is_pageable(&w->copy.from) && (w->copy.height > 1 || w->copy.depth > 1));
  default: return false;
  }
}

static CUresult run_kernel(Stream *s, const Work *w) {
  Waiting waiting;
  const CUresult result = begin_kernel(s, w, &waiting);
  return waiting.run ? keep(s, w, waiting, 0) : result;
}

static CUresult run_words(Stream *s, const Work *w) {
  unsigned done = 0;
  const CUresult result = work_words(w, &done);
  return result || done == w->words.count ? result : keep(s, w, (Waiting){0}, done);
}

/* --- waiting --- */

static bool is_awaited(const Event *e) { return e->pending > 0 || event_elsewhere(e); }

/* True if a pending item precedes the stream's next work, or the event; for neither, if there is
 * any item. */
static bool is_before(const Stream *s, const Event *e) {
  return s ? pending_before(s) : e ? is_awaited(e) : all()->first != NULL;
}

/* Queries, and makes some progress: a program that queries in a loop would otherwise keep the lock
 * from other threads. */
static bool ask(const Stream *s, const Event *e) {
  pending_settle();
  if (is_before(s, e) && !step(false, false)) await_change(NAP);
  return is_before(s, e);
}

bool pending_ask(const Stream *s) { return ask(s, NULL); }
bool pending_ask_event(const Event *e) { return ask(NULL, e); }

static void finish(const Stream *s, const Event *e) {
  pending_settle();
  for (Item *i = all()->first; i; i = i->next)
    i->waited = i->launch.run ? emu_waited(i->launch.run) : 0;
  while (is_before(s, e) && !all()->closed)
    if (!step(false, true)) await_change(NAP);
}

void pending_finish(const Stream *s) { finish(s, NULL); }
void pending_finish_event(const Event *e) { finish(NULL, e); }
void pending_finish_all(void) { finish(NULL, NULL); }

static CUresult run_now(Stream *s, const Work *w) {
  if (w->kind != WORK_KERNEL) pending_settle();
  switch (w->kind) {
  case WORK_KERNEL: return run_kernel(s, w);
  case WORK_GRAPH: return run_graph(w->graph);
  case WORK_WORDS: return run_words(s, w);
  case WORK_HOST: return keep(s, w, (Waiting){0}, 0);
  default: return work_run(w);
  }
}

CUresult pending_submit(CUstream handle, const Work *w) {
  Stream *s = stream_of(handle);
  if (s->capture) return capture_work(s, w);
  const CUresult refused = s == stream_of(STREAM_LEGACY) ? guard_legacy() : CUDA_SUCCESS;
  if (refused) return refused;
  if (!is_blocked(s, w, NULL)) return run_now(s, w);
  if (!must_end(w)) return keep(s, w, (Waiting){0}, 0);
  Work later = *w; /* other threads may unload the kernel while this one waits */
  if (w->kind == WORK_KERNEL) later.kernel.kept = w->kernel.function->id;
  pending_finish(s);
  const CUresult failed = context_error();
  return failed ? failed : run_now(s, &later);
}

/* --- the end --- */

static void drop_if(bool (*concerns)(const Item *i, const void *what), const void *what) {
  for (Item *i = all()->first, *next; i; i = next) {
    next = i->next;
    if (!i->called && concerns(i, what)) take_out(i);
  }
}

static bool is_any(const Item *i, const void *unused) { return (void)i, (void)unused, true; }

static bool is_in(const Item *i, const void *context) { return i->context == context; }

static bool is_of(const Item *i, const void *module) {
  const KernelLaunch *l = &i->work.kernel;
  return i->work.kind == WORK_KERNEL && module_holds(l->function, l->kept) &&
         l->function->module == module;
}

void pending_drop(const Context *c) { drop_if(is_in, c); }
void pending_drop_module(const Module *m) { drop_if(is_of, m); }

void pending_close(void) {
  if (driver()->forked) return;
  pthread_mutex_lock(&driver()->lock);
  all()->closed = true;
  drop_if(is_any, NULL);
  say_changed();
  pthread_mutex_unlock(&driver()->lock);
}
