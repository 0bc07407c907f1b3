/* signals.h: what must not be left half done is done before the signals that end a process. */
#ifndef KGEN_SIGNALS_H
#define KGEN_SIGNALS_H

#include <signal.h>

/* Holds back SIGHUP, SIGINT and SIGTERM in this thread; *before is for signals_release, at which
 * one that came meanwhile takes effect. */
void signals_hold(sigset_t *before);
void signals_release(const sigset_t *before);

/* One that is held back and has come, within `ms` milliseconds; 0 if none has. It is taken: raise()
 * it for it to take effect. */
int signals_wait(int ms);

#endif
