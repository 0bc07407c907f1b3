/*
 * driver.h: the one device, its memory, and the lock that every call takes. CUDA's driver is
 * process-wide by its interface: this is the only state of the process that kgen has, and driver()
 * the only way to it.
 */
#ifndef KGEN_LIBCUDA_DRIVER_H
#define KGEN_LIBCUDA_DRIVER_H

#include <pthread.h>

#include "emu/emu.h"
#include "libcuda/abi.h"
#include "libcuda/device.h"

typedef struct {
  pthread_mutex_t
      lock; /* recursive; held during a call, but not while the program's own functions run */
  bool initialised;
  const DeviceModel *device;
  EmuMemory *memory;
} Driver;

Driver *driver(void);

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
