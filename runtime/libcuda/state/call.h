/* SPDX-License-Identifier: MIT */
/* call.h: the beginning and the end of every API function. */
#ifndef KGEN_LIBCUDA_STATE_CALL_H
#define KGEN_LIBCUDA_STATE_CALL_H

#include "libcuda/driver.h"

/* The precondition of a call; each includes the preceding ones. */
typedef enum {
  NEED_NOTHING,
  NEED_INIT,    /* cuInit was called */
  NEED_CONTEXT, /* there is a current context */
  NEED_HEALTH,  /* no launch in it has failed */
  NEED_SAFETY   /* no stream is being captured: the call may wait or allocate */
} Need;

void api_lock(void);
/* Under the lock, returns an error if the precondition does not hold; the caller passes it to
 * api_leave(). lender: the context of the call's handle, or NULL. If there is no current context,
 * it is current until api_leave(), as with an H200's driver. */
CUresult api_enter(CUcontext lender, Need need);
/* Releases the lock and returns the result. */
CUresult api_leave(const char *function, CUresult result);

/* Release and reacquire the lock around a callback of the program, which may not call anything that
 * needs cuInit. */
void api_pause(void);
void api_resume(void);

/* The body of an API function; of one whose handle has a context. */
#define SERVE(need, call) SERVE_AS(NULL, need, call)
#define SERVE_AS(lender, need, call)                                                               \
  do {                                                                                             \
    api_lock();                                                                                    \
    CUresult result_ = api_enter(lender, need);                                                    \
    if (!result_) result_ = (call);                                                                \
    return api_leave(__func__, result_);                                                           \
  } while (0)

/* The variant of a function whose default stream is the calling thread's own. `suffix` is _ptsz, or
 * _ptds for functions without a stream parameter. */
#define PER_THREAD(name, suffix, params, args)                                                     \
  CU_API CUresult name##suffix params {                                                            \
    *api_own_default() = true;                                                                     \
    const CUresult result_ = name args;                                                            \
    *api_own_default() = false;                                                                    \
    return result_;                                                                                \
  }

/* True while the current call's default stream is the thread's own. */
bool *api_own_default(void);

/* Reports an unsupported function on stderr, once per name. */
CUresult api_missing(const char *what);

#endif
