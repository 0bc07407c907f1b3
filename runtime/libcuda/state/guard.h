/* SPDX-License-Identifier: MIT */
/* guard.h: the active captures, and the calls that are errors until they end. Such a call returns
 * an error and invalidates the captures that it concerns [CUDA C++ Programming Guide, graphs,
 * prohibited operations]. */
#ifndef KGEN_LIBCUDA_STATE_GUARD_H
#define KGEN_LIBCUDA_STATE_GUARD_H

#include <pthread.h>
#include <stdbool.h>

#include "libcuda/abi.h"

/* CUstreamCaptureMode: the threads in which calls that may wait or allocate are errors: all
 * threads, the capturing thread, or none. */
typedef enum { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED } CaptureMode;

/* An active capture. */
typedef struct Guard {
  struct Guard *next;
  CaptureMode mode;
  pthread_t thread; /* the thread that began it */
  unsigned long long id;
  bool blocks; /* one of its streams synchronizes with the legacy stream */
  bool invalid;
} Guard;

void guard_begin(Guard *g, CaptureMode mode);
void guard_end(Guard *g);
/* Returns the capture with that number, or NULL if it has ended. */
Guard *guard_find(unsigned long long id);
/* Invalidates the capture. Returns the error, or another one if it was invalid already. */
CUresult guard_spoil(Guard *g, CUresult error);

/* --- calls that are errors while a stream is captured --- */

/* Checks a call that waits for the device. */
CUresult guard_device(void);
/* Checks work in the legacy stream, which would wait for captured streams. */
CUresult guard_legacy(void);
/* Checks a call of this thread that may wait or allocate. */
CUresult guard_unsafe(void);
/* Sets this thread's mode for such calls; returns the previous one. */
CaptureMode guard_exchange_mode(CaptureMode mode);

#endif
