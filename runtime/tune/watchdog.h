/* watchdog.h: stops kernels that never end. A GPU that executes one accepts no other call, and the
 * process cannot even exit; so another process watches it. */
#ifndef KGEN_TUNE_WATCHDOG_H
#define KGEN_TUNE_WATCHDOG_H

#include <sys/types.h>

#include "tune/record.h"

typedef struct {
  pid_t process; /* 0: nobody watches */
  int starts;    /* pipe to it */
} Watchdog;

/* Watches until the pipe is closed. A point that takes longer than `seconds` is recorded, and this
 * process is killed: the next run skips the point and goes on. */
Watchdog watchdog_start(const Recorder *r, const Space *s, int seconds);
/* A point begins; -1: none is under way. */
void watchdog_tell(const Watchdog *w, int point);
void watchdog_stop(Watchdog *w);

#endif
