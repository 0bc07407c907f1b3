/* SPDX-License-Identifier: MIT */
#include "libcuda/state/guard.h"

static Guard **under_way(void) {
  static Guard *first;
  return &first;
}

void guard_begin(Guard *g, CaptureMode mode) {
  static unsigned long long begun;
  *g = (Guard){.next = *under_way(), .mode = mode, .thread = pthread_self(), .id = ++begun};
  *under_way() = g;
}

void guard_end(Guard *g) {
  Guard **at = under_way();
  while (*at != g) at = &(*at)->next;
  *at = g->next;
}

Guard *guard_find(unsigned long long id) {
  Guard *g = *under_way();
  while (g && g->id != id) g = g->next;
  return g;
}

CUresult guard_spoil(Guard *g, CUresult error) {
  if (g->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  g->invalid = true;
  return error;
}

/* Invalidates the captures that the call concerns; without `concerns`, all of them. */
static CUresult refuse(bool (*concerns)(const Guard *g), CUresult error) {
  CUresult result = CUDA_SUCCESS;
  for (Guard *g = *under_way(); g; g = g->next) {
    if (concerns && !concerns(g)) continue;
    g->invalid = true;
    result = error;
  }
  return result;
}

CUresult guard_device(void) { return refuse(NULL, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED); }

static bool concerns_legacy(const Guard *g) { return g->blocks; }

CUresult guard_legacy(void) { return refuse(concerns_legacy, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT); }

static CaptureMode *own_mode(void) {
  static _Thread_local CaptureMode mode;
  return &mode;
}

CaptureMode guard_exchange_mode(CaptureMode mode) {
  const CaptureMode old = *own_mode();
  *own_mode() = mode;
  return old;
}

/* [CUDA driver API, cuThreadExchangeStreamCaptureMode] */
static bool concerns_thread(const Guard *g) {
  if (*own_mode() == CAPTURE_RELAXED || g->mode == CAPTURE_RELAXED) return false;
  if (pthread_equal(g->thread, pthread_self())) return true;
  return *own_mode() == CAPTURE_GLOBAL && g->mode == CAPTURE_GLOBAL;
}

CUresult guard_unsafe(void) {
  return refuse(concerns_thread, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}
