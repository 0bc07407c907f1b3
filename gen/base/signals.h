/* SPDX-License-Identifier: MIT */
/* signals.h: defers signals that end the process during operations that must not be left half
 * done. */
#ifndef KGEN_BASE_SIGNALS_H
#define KGEN_BASE_SIGNALS_H

#include <signal.h>

/* Blocks SIGHUP, SIGINT and SIGTERM in this thread; *before goes to signals_release, after which a
 * signal that arrived meanwhile takes effect. */
void signals_hold(sigset_t *before);
void signals_release(const sigset_t *before);

/* A blocked signal that arrives within `ms` milliseconds, or 0. It is consumed: raise() it for it
 * to take effect. */
int signals_wait(int ms);

#endif
