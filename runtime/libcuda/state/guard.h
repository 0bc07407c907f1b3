/* guard.h: the captures under way, and what a program must not do until they end: CUDA refuses it,
 * and the captures that it concerns are invalid from then on [CUDA C++ Programming Guide, graphs,
 * prohibited operations]. */
#ifndef KGEN_LIBCUDA_STATE_GUARD_H
#define KGEN_LIBCUDA_STATE_GUARD_H

#include <pthread.h>
#include <stdbool.h>

#include "libcuda/abi.h"

/* CUstreamCaptureMode: whether calls that may wait or allocate are refused in all threads, in the
 * one that captures, or in none. */
typedef enum { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED } CaptureMode;

/* A capture under way. */
typedef struct Guard {
  struct Guard *next;
  CaptureMode mode;
  pthread_t thread; /* that began it */
  unsigned long long id;
  bool blocks; /* one of its streams takes turns with the legacy one */
  bool invalid;
} Guard;

void guard_begin(Guard *g, CaptureMode mode);
void guard_end(Guard *g);
/* Returns the capture of that number, or NULL if it has ended. */
Guard *guard_find(unsigned long long id);
/* Makes the capture invalid; returns the error, or that it was invalid before. */
CUresult guard_spoil(Guard *g, CUresult error);

/* --- what is refused while any stream is captured --- */

/* Refuses to wait for the device. */
CUresult guard_device(void);
/* Refuses work in the legacy stream, which would wait for captured streams. */
CUresult guard_legacy(void);
/* Refuses calls of this thread that may wait or allocate. */
CUresult guard_unsafe(void);
/* Sets this thread's own mode for such calls, and returns the one before. */
CaptureMode guard_exchange_mode(CaptureMode mode);

#endif
