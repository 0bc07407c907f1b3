/* nvrtc_signals.h: while NVRTC compiles, signals do what they do without it. */
#ifndef KGEN_DEVICE_NVRTC_SIGNALS_H
#define KGEN_DEVICE_NVRTC_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

enum { NVRTC_CATCHES = 2 }; /* SIGINT and SIGTERM */

/* While it compiles, NVRTC catches them for all threads, to exit with status 4. A thread puts back
 * what was there before, and waits for those that would end the process, and lets them. */
typedef struct {
  sigset_t before, ending;
  struct sigaction own[NVRTC_CATCHES];
  const void *library; /* where NVRTC lies */
  pthread_t watcher;
  bool watches;
} NvrtcSignals;

/* Until the release, signals do not reach this thread. One that it held already, or that the host
 * handles, takes effect when the thread is the host's again, or on another of the host's threads.
 * `inside` is any address in NVRTC. */
void nvrtc_signals_hold(NvrtcSignals *s, const void *inside);
void nvrtc_signals_release(const NvrtcSignals *s);

#endif
