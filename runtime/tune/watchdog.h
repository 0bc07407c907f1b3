/* watchdog.h: the end of a kernel that never ends. A GPU that works on one takes no other call, not
 * even that of the process's own end; so another process watches. */
#ifndef KGEN_WATCHDOG_H
#define KGEN_WATCHDOG_H

#include <sys/types.h>

#include "tune/record.h"

typedef struct {
  pid_t process; /* 0: nobody watches */
  int starts;    /* pipe to it */
} Watchdog;

/* Watches until the pipe is closed. Of a point that takes longer than `seconds` a record says so,
 * and this process is killed: the next run knows of it and goes on. */
Watchdog watchdog_start(const Recorder *r, const Space *s, int seconds);
/* A point begins; -1: none is under way. */
void watchdog_tell(const Watchdog *w, int point);
void watchdog_stop(Watchdog *w);

#endif
