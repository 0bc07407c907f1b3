/* pending.h: work of streams runs in the order of the calls, and has ended when each call returns,
 * unless the stream is captured, or the work waits for the host: kernels that poll memory, waits
 * for words, and host functions, which a thread of ours calls; or comes after such. */
#ifndef KGEN_LIBCUDA_STREAM_PENDING_H
#define KGEN_LIBCUDA_STREAM_PENDING_H

#include "libcuda/state/context.h"
#include "libcuda/stream/stream.h"

/* Captures the work, runs it, or keeps what of it cannot run now. */
CUresult pending_submit(CUstream handle, const Work *w);
/* Whether something that comes before the stream's next work has not ended. */
bool pending_before(const Stream *s);
/* The same; goes on with what is pending meanwhile. */
bool pending_ask(const Stream *s);
bool pending_ask_event(const Event *e);

/* All launches so far count as complete: a launch that may begin early does not overlap them. */
void pending_settle(void);

/* Return when that has ended, when the event has been recorded, and when nothing is pending; what
 * only polls for as many instructions as a launch may execute ends then as a failure. */
void pending_finish(const Stream *s);
void pending_finish_event(const Event *e);
void pending_finish_all(void);

/* What is pending in a context, or of a module, does not go on. */
void pending_drop(const Context *c);
void pending_drop_module(const Module *m);
/* The same of all, for good: the process ends. */
void pending_close(void);

#endif
