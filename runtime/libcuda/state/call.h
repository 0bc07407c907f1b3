/* call.h: how a function of the API begins and ends. */
#ifndef KGEN_LIBCUDA_STATE_CALL_H
#define KGEN_LIBCUDA_STATE_CALL_H

#include "libcuda/driver.h"

/* What a call needs before it begins. */
typedef enum {
  NEED_NOTHING,
  NEED_INIT,    /* cuInit */
  NEED_CONTEXT, /* a current context */
  NEED_HEALTH,  /* and no launch in it has failed */
  NEED_SAFETY   /* and no capture of streams: the call may wait or allocate */
} Need;

void api_lock(void);
/* Under the lock, returns the error that ends the call if it lacks what it needs; the caller passes
 * that to api_leave. A context that the call's handles name is current until then if no other is,
 * as an H200's driver has it; NULL: they name none. */
CUresult api_enter(CUcontext lender, Need need);
/* Releases the lock and returns the result. */
CUresult api_leave(const char *function, CUresult result);

/* Release the lock while a callback of the program runs, which may call nothing that needs cuInit,
 * and take it again. */
void api_pause(void);
void api_resume(void);

/* The body of a function of the API; of one whose handles name a context. */
#define SERVE(need, call) SERVE_AS(NULL, need, call)
#define SERVE_AS(lender, need, call)                                                               \
  do {                                                                                             \
    api_lock();                                                                                    \
    CUresult result_ = api_enter(lender, need);                                                    \
    if (!result_) result_ = (call);                                                                \
    return api_leave(__func__, result_);                                                           \
  } while (0)

/* The form of a function whose default stream is the thread's own: `suffix` is _ptsz, or _ptds
 * where no stream is passed. */
#define PER_THREAD(name, suffix, params, args)                                                     \
  CU_API CUresult name##suffix params {                                                            \
    *api_own_default() = true;                                                                     \
    const CUresult result_ = name args;                                                            \
    *api_own_default() = false;                                                                    \
    return result_;                                                                                \
  }

/* Whether the call that this thread is in means its own stream by the default one. */
bool *api_own_default(void);

/* Reports on stderr, once for each name, that it is not supported. */
CUresult api_missing(const char *what);

#endif
