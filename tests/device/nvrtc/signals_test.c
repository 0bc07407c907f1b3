/* SPDX-License-Identifier: MIT */
/* While NVRTC compiles, signals of a host with several threads do what the host has set: NVRTC
 * itself would exit with status 4. */
#include "device/nvrtc.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

static atomic_int handled, compiling;

static void handle(int signal) {
  (void)signal;
  atomic_fetch_add(&handled, 1);
}

static bool is_own(void) {
  struct sigaction now;
  return sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == handle;
}

/* How often the host's handler and NVRTC's were there. */
typedef struct {
  int own, others;
  bool sent;
} Looks;

/* Sends a signal when NVRTC's handler has come and gone. */
static void *look(void *context) {
  Looks *l = context;
  while (atomic_load(&compiling)) {
    const bool own = is_own();
    *(own ? &l->own : &l->others) += 1;
    if (own && l->others && !l->sent) l->sent = kill(getpid(), SIGINT) == 0;
    usleep(100);
  }
  return NULL;
}

/* It takes about a second. */
static void compile(Arena *a) {
  static const char text[] =
      "template <int N, int M> struct Sum {\n"
      "  static const int of = Sum<N - 1, 2 * M>::of + Sum<N - 1, 2 * M + 1>::of; };\n"
      "template <int M> struct Sum<0, M> { static const int of = M; };\n"
      "extern \"C\" __global__ void k(int *out) { *out = Sum<12, 1>::of; }\n";
  static const char *const option[] = {"--gpu-architecture=sm_90"};
  const NvrtcSource source = {"k.cu", text, option, 1, true};
  NvrtcResult out = {0};
  Text why = text_new(a);
  const bool done = nvrtc_compile(a, &source, &out, &why);
  CHECK(done && out.accepted, "%s", why.s);
}

int main(void) {
  Arena *a = arena_new();
  pthread_t looker;
  Looks l = {0};
  signal(SIGINT, handle);
  atomic_store(&compiling, 1);
  pthread_create(&looker, NULL, look, &l);
  compile(a);
  atomic_store(&compiling, 0);
  pthread_join(looker, NULL);
  CHECK(l.others <= l.own / 10, "NVRTC's handler was there %d times, the host's %d", l.others,
        l.own);
  CHECK(atomic_load(&handled) == l.sent, "%d signals", atomic_load(&handled));
  CHECK(is_own(), "the host's handler is gone");
  arena_free(a);
  return check_report("device_signals");
}
