/* api.h: how a function of the API begins and ends. */
#ifndef KGEN_LIBCUDA_API_H
#define KGEN_LIBCUDA_API_H

#include "libcuda/driver.h"

/* What a call needs before it begins. */
typedef enum {
  NEED_NOTHING,
  NEED_INIT,    /* cuInit */
  NEED_CONTEXT, /* a current context */
  NEED_HEALTH,  /* and no launch in it has failed */
  NEED_SAFETY   /* and no capture of streams: the call may wait or allocate */
} Need;

/* Takes the lock. Returns the error that ends the call if it lacks what it needs; the caller passes
 * that to api_leave. */
CUresult api_enter(Need need);
/* Releases the lock and returns the result. */
CUresult api_leave(const char *function, CUresult result);

/* Release the lock while a callback of the program runs, which may call nothing that needs cuInit,
 * and take it again. */
void api_pause(void);
void api_resume(void);

/* The body of a function of the API. */
#define SERVE(need, call)                                                                          \
  do {                                                                                             \
    CUresult result_ = api_enter(need);                                                            \
    if (!result_) result_ = (call);                                                                \
    return api_leave(__func__, result_);                                                           \
  } while (0)

/* Reports on stderr, once for each name, that it is not supported. */
CUresult api_missing(const char *what);

#endif
