/* api.h: how a function of the API begins and ends. */
#ifndef KGEN_LIBCUDA_API_H
#define KGEN_LIBCUDA_API_H

#include "libcuda/driver.h"

/* What a call needs before it begins. */
typedef enum {
  NEED_NOTHING,
  NEED_INIT,    /* cuInit */
  NEED_CONTEXT, /* a current context */
  NEED_HEALTH   /* and no launch in it has failed */
} Need;

/* Takes the lock. What stands in the way is the call's result, which api_leave is to be told. */
CUresult api_enter(Need need);
/* Releases the lock and returns the result. */
CUresult api_leave(const char *function, CUresult result);

/* Leaves the lock to others while a function of the program runs. */
void api_pause(void);
void api_resume(void);

/* The body of a function of the API. */
#define SERVE(need, call)                                                                          \
  do {                                                                                             \
    CUresult result_ = api_enter(need);                                                            \
    if (!result_) result_ = (call);                                                                \
    return api_leave(__func__, result_);                                                           \
  } while (0)

/* Says once a name, on stderr, that kgen does not serve it. */
CUresult api_missing(const char *what);

#endif
