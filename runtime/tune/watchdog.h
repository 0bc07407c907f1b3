/* SPDX-License-Identifier: MIT */
/* watchdog.h: stops kernels that never end. A GPU that executes one accepts no other call, and the
 * process cannot even exit; therefore another process watches it. */
#ifndef KGEN_TUNE_WATCHDOG_H
#define KGEN_TUNE_WATCHDOG_H

#include <sys/types.h>

#include "tune/record.h"

typedef struct {
  pid_t process; /* 0: there is no watchdog */
  int starts;    /* pipe to it */
} Watchdog;

/* Watches until the pipe is closed. If a point takes longer than `seconds`, records it and kills
 * this process: the next run skips the point and continues. */
Watchdog watchdog_start(const Recorder *r, const Space *s, int seconds);
/* Signals that a point begins; -1: none is being measured. */
void watchdog_announce(const Watchdog *w, int point);
void watchdog_stop(Watchdog *w);

#endif
