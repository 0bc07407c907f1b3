/* SPDX-License-Identifier: MIT */
#include "device/nvrtc_signals.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

#include "base/signals.h"

static const int caught[NVRTC_CATCHES] = {SIGINT, SIGTERM};

static const void *library_of(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : NULL;
}

static bool is_default(const struct sigaction *a) {
  return !(a->sa_flags & SA_SIGINFO) && a->sa_handler == SIG_DFL;
}

/* Address of a handler: C has no conversion from a function pointer to an object pointer. */
static const void *place_of(const struct sigaction *a) {
  const void *place;
  memcpy(&place, &a->sa_handler, sizeof place);
  return place;
}

/* A handler that the host has set meanwhile stays. */
static void put_back(const NvrtcSignals *s) {
  struct sigaction now;
  for (int i = 0; i < NVRTC_CATCHES; i++)
    if (sigaction(caught[i], NULL, &now) == 0 && library_of(place_of(&now)) == s->library)
      sigaction(caught[i], &s->own[i], NULL);
}

static void end_by(const NvrtcSignals *s, int signal) {
  const struct sigaction end = {.sa_handler = SIG_DFL};
  sigaction(signal, &end, NULL);
  pthread_sigmask(SIG_UNBLOCK, &s->ending, NULL);
  raise(signal);
}

/* The thread is cancelled while it waits. AddressSanitizer's guards of its variables then remain,
 * and the code that ends the thread would run into them. */
__attribute__((no_sanitize("address"))) static void *watch(void *context) {
  static const struct timespec look = {.tv_nsec = 1000000};
  const NvrtcSignals *s = context;
  int signal;
  while ((signal = sigtimedwait(&s->ending, NULL, &look)) <= 0) put_back(s);
  end_by(s, signal);
  return NULL;
}

void nvrtc_signals_hold(NvrtcSignals *s, const void *inside) {
  signals_hold(&s->before);
  s->library = library_of(inside);
  sigemptyset(&s->ending);
  for (int i = 0; i < NVRTC_CATCHES; i++)
    if (sigaction(caught[i], NULL, &s->own[i]) == 0 && is_default(&s->own[i]) &&
        !sigismember(&s->before, caught[i]))
      sigaddset(&s->ending, caught[i]);
  s->watches = s->library && pthread_create(&s->watcher, NULL, watch, s) == 0;
}

void nvrtc_signals_release(const NvrtcSignals *s) {
  if (s->watches) {
    pthread_cancel(s->watcher);
    pthread_join(s->watcher, NULL);
  }
  signals_release(&s->before);
}
