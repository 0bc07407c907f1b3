/* SPDX-License-Identifier: MIT */
/* pending.h: Stream work runs in call order and is complete when the call returns. Exceptions:
 * captured streams; work that waits for the host (polling kernels, waits for words, host functions,
 * which a thread of ours calls); and work queued after such work. */
#ifndef KGEN_LIBCUDA_STREAM_PENDING_H
#define KGEN_LIBCUDA_STREAM_PENDING_H

#include "libcuda/state/context.h"
#include "libcuda/stream/stream.h"

/* Captures the work, runs it, or queues the part that cannot run now. */
CUresult pending_submit(CUstream handle, const Work *w);
/* True if work that precedes the stream's next work has not ended. */
bool pending_before(const Stream *s);
/* Like pending_before(), but makes progress with pending work. */
bool pending_ask(const Stream *s);
bool pending_ask_event(const Event *e);

/* Marks all previous launches as complete: a launch that may begin early does not overlap them. */
void pending_settle(void);

/* Return when the stream's work has ended, when the event has been recorded, and when nothing is
 * pending. A launch that only polls for as many instructions as a launch may execute fails. */
void pending_finish(const Stream *s);
void pending_finish_event(const Event *e);
void pending_finish_all(void);

/* Discards the pending work of a context, or of a module. */
void pending_drop(const Context *c);
void pending_drop_module(const Module *m);
/* Discards all pending work permanently, because the process ends. */
void pending_close(void);

#endif
