/* SPDX-License-Identifier: MIT */
/* nvrtc_signals.h: keeps the effect of signals unchanged while NVRTC compiles. */
#ifndef KGEN_DEVICE_NVRTC_SIGNALS_H
#define KGEN_DEVICE_NVRTC_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

enum { NVRTC_CATCHES = 2 }; /* SIGINT and SIGTERM */

/* While NVRTC compiles, it catches these signals for all threads and exits with status 4. A thread
 * restores the previous handlers, waits for signals that would end the process, and lets them. */
typedef struct {
  sigset_t before, ending;
  struct sigaction own[NVRTC_CATCHES];
  const void *library; /* address range of NVRTC */
  pthread_t watcher;
  bool watches;
} NvrtcSignals;

/* Until the release, signals do not reach this thread. A signal that it had already blocked, or
 * that the host handles, takes effect after the release, or on another of the host's threads.
 * `inside` is any address in NVRTC. */
void nvrtc_signals_hold(NvrtcSignals *s, const void *inside);
void nvrtc_signals_release(const NvrtcSignals *s);

#endif
