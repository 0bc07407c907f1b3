/* SPDX-License-Identifier: MIT */
/* Work that waits for the host does not keep the program from going on. What calls return, and
 * which of them wait, are an H200's answers. */
#include "libcuda/cu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* `wait` polls its word until it is not 0; `add` adds to a word a thread; `answer` copies each
 * change of the first word to the second, until that is 3. */
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry wait(.param .u64 word) {\n"
    "  .reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .pred %p;\n"
    "  ld.param.u64 %rd1, [word];\n"
    "again: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p, %r1, 0; @%p bra again; ret;\n"
    "}\n"
    ".visible .entry add(.param .u64 to, .param .u32 n) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "  ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
    "  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "  ld.global.u32 %r3, [%rd3]; add.u32 %r3, %r3, %r1; st.global.u32 [%rd3], %r3; ret;\n"
    "}\n"
    ".visible .entry answer(.param .u64 words) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p, %q;\n"
    "  ld.param.u64 %rd1, [words]; mov.u32 %r3, 0;\n"
    "again: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p, %r1, %r3; @%p bra again;\n"
    "  mov.u32 %r3, %r1; st.volatile.global.u32 [%rd1+4], %r1;\n"
    "  setp.lt.u32 %q, %r1, 3; @%q bra again; ret;\n"
    "}\n";

enum { COUNT = 32, NON_BLOCKING = 1 };

typedef struct {
  CUfunction wait, add, answer;
  CUdeviceptr data;
  CUstream one, two, apart;
  CUevent event;
  volatile unsigned *word; /* in pinned memory: two */
  unsigned *value;         /* too */
} Run;

static void start_wait(Run *r, CUstream s) {
  uint64_t word = (uint64_t)(uintptr_t)r->word;
  void *params[] = {&word};
  r->word[0] = r->word[1] = 0;
  CU(cuLaunchKernel(r->wait, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
}

static void add(Run *r, unsigned n, CUstream s) {
  void *params[] = {&r->data, &n};
  CU(cuLaunchKernel(r->add, 1, 1, 1, COUNT, 1, 1, 0, s, params, NULL));
}

static unsigned now_at(Run *r) { /* without waiting for `one` and `two` */
  unsigned value;
  CU(cuMemcpyDtoHAsync_v2(&value, r->data, sizeof value, r->apart));
  return value;
}

/* Work after the kernel in its stream waits, as does work that waits for its event; another stream
 * continues. The source of a pending copy may change. */
static void test_order(Run *r) {
  unsigned from[COUNT], to[COUNT];
  for (int i = 0; i < COUNT; i++) from[i] = 10;
  CU(cuMemsetD32_v2(r->data, 1, COUNT));
  start_wait(r, r->one);
  CU_FAILS(cuStreamQuery(r->one), CUDA_ERROR_NOT_READY);
  CU(cuMemcpyHtoDAsync_v2(r->data, from, sizeof from, r->one));
  memset(from, 0, sizeof from);
  add(r, 5, r->one);
  CU(cuMemcpyDtoHAsync_v2(r->value, r->data, sizeof from, r->one));
  CU(cuEventRecord(r->event, r->one));
  CU_FAILS(cuEventQuery(r->event), CUDA_ERROR_NOT_READY);
  CU(cuStreamWaitEvent(r->two, r->event, 0));
  add(r, 100, r->two);
  CU_FAILS(cuStreamQuery(r->two), CUDA_ERROR_NOT_READY);
  CU_FAILS(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
  CU(cuStreamQuery(r->apart));
  CHECK(now_at(r) == 1, "%u", now_at(r));
  r->word[0] = 1;
  CU(cuEventSynchronize(r->event));
  CHECK(r->value[COUNT - 1] == 15, "%u", r->value[COUNT - 1]);
  CU(cuMemcpyDtoH_v2(to, r->data, sizeof to));
  CHECK(to[0] == 115 && to[COUNT - 1] == 115, "%u, %u", to[0], to[COUNT - 1]);
  CU(cuStreamQuery(r->two));
}

/* A copy that waits has taken its row of the host's memory, from the column, row and slice on that
 * it names; that memory may change. */
static void test_staged(Run *r) {
  enum { PITCH = 16, ROWS = 3 };
  unsigned char from[ROWS * PITCH];
  struct {
    size_t x, y;
    int type;
    void *host;
    CUdeviceptr device;
    void *array;
    size_t pitch;
  } side[2] = {{.x = 4, .y = 2, .type = MEMORY_HOST, .host = from, .pitch = PITCH},
               {.type = MEMORY_DEVICE, .device = r->data, .pitch = PITCH}};
  struct {
    char side[sizeof side];
    size_t width, height;
  } box = {.width = 4, .height = 1};
  memcpy(box.side, side, sizeof side);
  for (int i = 0; i < ROWS * PITCH; i++) from[i] = (unsigned char)i;
  start_wait(r, r->one);
  CU(cuMemcpy2DAsync_v2(&box, r->one));
  memset(from, 0, sizeof from);
  r->word[0] = 1;
  CU(cuStreamSynchronize(r->one));
  CHECK(now_at(r) == 0x27262524, "%#x", now_at(r));
}

/* The kernel answers while the program calls nothing. */
static void test_answers(Run *r) {
  uint64_t words = (uint64_t)(uintptr_t)r->word;
  void *params[] = {&words};
  r->word[0] = r->word[1] = 0;
  CU(cuLaunchKernel(r->answer, 1, 1, 1, 1, 1, 1, 0, r->one, params, NULL));
  for (unsigned n = 1; n <= 3; n++) {
    r->word[0] = n;
    for (int ms = 0; ms < 10000 && r->word[1] != n; ms++)
      nanosleep(&(struct timespec){0, 1000000}, NULL);
    CHECK(r->word[1] == n, "%u: %u", n, r->word[1]);
  }
  CU(cuStreamSynchronize(r->one));
}

/* A stream's own wait for a word; what frees waits for all. */
static void test_words(Run *r) {
  enum { AT_LEAST };
  CUevent gone;
  CUstream s;
  CU(cuStreamCreate(&s, 0));
  CU(cuEventCreate(&gone, 0));
  CU(cuMemsetD32_v2(r->data, 0, COUNT));
  r->word[0] = 0;
  CU(cuStreamWaitValue32_v2(s, (CUdeviceptr)(uintptr_t)r->word, 1, AT_LEAST));
  add(r, 7, s);
  CU(cuEventRecord(gone, s));
  CU_FAILS(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
  CU(cuEventDestroy_v2(gone));
  CU(cuStreamDestroy_v2(s));
  CHECK(now_at(r) == 0, "%u", now_at(r));
  CU(cuStreamWriteValue32_v2(r->apart, (CUdeviceptr)(uintptr_t)r->word, 1, 0));
  CU(cuCtxSynchronize());
  CHECK(now_at(r) == 7, "%u", now_at(r));
}

/* --- what frees memory waits for the work that may use it --- */

typedef struct {
  Run *run;
  atomic_int freed;
} Release;

/* Lets the kernel end once the other thread's call had time to return, if it did not wait. */
static void *release_late(void *data) {
  Release *l = data;
  for (int ms = 0; ms < 30 && !l->freed; ms++) nanosleep(&(struct timespec){0, 1000000}, NULL);
  const bool waited = !l->freed;
  l->run->word[0] = 1;
  return waited ? l : NULL;
}

static void test_free(Run *r) {
  for (int kind = 0; kind < 3; kind++) {
    Release l = {.run = r};
    pthread_t thread;
    CUdeviceptr memory = 0;
    void *host = NULL, *waited = NULL;
    if (kind == 0) CU(cuMemAlloc_v2(&memory, COUNT));
    if (kind == 1) CU(cuMemAllocManaged(&memory, COUNT, 1));
    if (kind == 2) CU(cuMemHostAlloc(&host, COUNT, 0));
    start_wait(r, r->one);
    CHECK(pthread_create(&thread, NULL, release_late, &l) == 0, "no thread");
    CU(host ? cuMemFreeHost(host) : cuMemFree_v2(memory));
    l.freed = 1;
    pthread_join(thread, &waited);
    CHECK(waited, "memory of kind %d is freed under a kernel", kind);
    CU(cuStreamSynchronize(r->one));
  }
}

/* A graph's copy runs after the work before it. */
static void test_graph(Run *r) {
  CUgraph graph;
  CUgraphExec exec;
  CU(cuStreamBeginCapture_v2(r->one, 0));
  add(r, 3, r->one);
  CU(cuStreamEndCapture(r->one, &graph));
  CU(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU(cuMemsetD32_v2(r->data, 0, COUNT));
  start_wait(r, r->one);
  CU(cuGraphLaunch(exec, r->one));
  CU(cuGraphExecDestroy(exec));
  CU(cuGraphDestroy(graph));
  CHECK(now_at(r) == 0, "%u", now_at(r));
  r->word[0] = 1;
  CU(cuStreamSynchronize(r->one));
  CHECK(now_at(r) == 3, "%u", now_at(r));
}

/* --- host functions --- */

typedef struct {
  Run *run;
  atomic_int may_return, refused, asked;
} Host;

static void wait_for_program(void *data) {
  Host *h = data;
  CUdeviceptr memory;
  h->refused = (int)cuMemAlloc_v2(&memory, 4);
  h->asked = (int)cuEventQuery(h->run->event);
  while (!h->may_return) nanosleep(&(struct timespec){0, 100000}, NULL);
}

static void call_back(CUstream s, CUresult status, void *data) {
  CHECK(s == ((Host *)data)->run->one && !status, "%d", (int)status);
  wait_for_program(data);
}

static void test_host(Run *r) {
  for (int callback = 0; callback < 2; callback++) {
    Host h = {.run = r, .asked = -1};
    CU(cuMemsetD32_v2(r->data, 0, COUNT));
    if (callback)
      CU(cuStreamAddCallback(r->one, call_back, &h, 0));
    else
      CU(cuLaunchHostFunc(r->one, wait_for_program, &h));
    add(r, 2, r->one);
    CU_FAILS(cuStreamQuery(r->one), CUDA_ERROR_NOT_READY);
    CHECK(now_at(r) == 0, "%u", now_at(r));
    h.may_return = 1;
    CU(cuStreamSynchronize(r->one));
    CHECK(now_at(r) == 2, "%u", now_at(r));
    CHECK(h.refused == CUDA_ERROR_NOT_PERMITTED && !h.asked, "%d, %d", h.refused, h.asked);
  }
}

/* --- a thread's own default stream --- */

/* Its work does not wait for other threads' streams; the work of a thread that has ended
 * continues. */
static void *start_own(void *run) {
  Run *r = run;
  uint64_t word = (uint64_t)(uintptr_t)r->word;
  unsigned n = 4;
  void *params[] = {&word}, *sum[] = {&r->data, &n};
  CUcontext context;
  CU(cuDevicePrimaryCtxRetain(&context, 0));
  CU(cuCtxSetCurrent(context));
  CU(cuLaunchKernel_ptsz(r->wait, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  CU(cuLaunchKernel(r->add, 1, 1, 1, COUNT, 1, 1, 0, STREAM_PER_THREAD, sum, NULL));
  CU_FAILS(cuStreamQuery_ptsz(NULL), CUDA_ERROR_NOT_READY);
  return NULL;
}

static void test_own(Run *r) {
  unsigned first;
  pthread_t thread;
  CU(cuMemsetD32_v2(r->data, 1, COUNT));
  r->word[0] = r->word[1] = 0;
  CHECK(pthread_create(&thread, NULL, start_own, r) == 0, "no thread");
  pthread_join(thread, NULL);
  CU(cuStreamQuery_ptsz(NULL));
  CU_FAILS(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
  CU(cuMemcpyDtoH_v2_ptds(&first, r->data, sizeof first));
  CHECK(first == 1, "%u", first);
  r->word[0] = 1;
  CU(cuStreamSynchronize(NULL));
  CHECK(now_at(r) == 5, "%u", now_at(r));
}

/* --- a fork --- */

static int in_child(Run *r) {
  CUdeviceptr memory;
  int version;
  return cuMemAlloc_v2(&memory, 4) == CUDA_ERROR_NOT_INITIALIZED &&
         cuInit(0) == CUDA_ERROR_NOT_INITIALIZED &&
         cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED && !cuDriverGetVersion(&version) &&
         !cuEventQuery(r->event);
}

static void test_fork(Run *r) {
  int status = 0;
  start_wait(r, r->one);
  const pid_t child = fork();
  if (!child) _exit(in_child(r) ? 0 : 1);
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "status %x", (unsigned)status);
  r->word[0] = 1;
  CU(cuStreamSynchronize(r->one));
}

/* A pending copy from memory that was freed meanwhile fails when it runs, and the context with it.
 * Uses a process of its own. */
static void copy_freed(void) {
  CUmodule m;
  CUdeviceptr gone;
  void *words;
  Run r = {0};
  cu_begin();
  CU(cuModuleLoadData(&m, ptx));
  CU(cuModuleGetFunction(&r.wait, m, "wait"));
  CU(cuMemHostAlloc(&words, 2 * sizeof *r.word, 0));
  CU(cuMemAlloc_v2(&r.data, COUNT));
  CU(cuMemAlloc_v2(&gone, COUNT));
  CU(cuMemFree_v2(gone));
  CU(cuStreamCreate(&r.one, 0));
  r.word = words;
  start_wait(&r, r.one);
  CU(cuMemcpyHtoDAsync_v2(r.data, (void *)(uintptr_t)gone, COUNT, r.one));
  r.word[0] = 1;
  CU_FAILS(cuStreamSynchronize(r.one), CUDA_ERROR_INVALID_VALUE);
}

static void test_freed(void) {
  int status = 0;
  const pid_t child = fork();
  if (!child) {
    copy_freed();
    _exit(check_report("libcuda_pending, a copy from freed memory"));
  }
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "status %x", (unsigned)status);
}

int main(void) {
  CUmodule m;
  Run r = {0};
  void *words, *value;
  test_freed();
  cu_begin();
  CU(cuModuleLoadData(&m, ptx));
  CU(cuModuleGetFunction(&r.wait, m, "wait"));
  CU(cuModuleGetFunction(&r.add, m, "add"));
  CU(cuModuleGetFunction(&r.answer, m, "answer"));
  CU(cuMemAlloc_v2(&r.data, COUNT * sizeof *r.value));
  CU(cuMemHostAlloc(&words, 2 * sizeof *r.word, 0));
  CU(cuMemHostAlloc(&value, COUNT * sizeof *r.value, 0));
  r.word = words;
  r.value = value;
  CU(cuStreamCreate(&r.one, 0));
  CU(cuStreamCreate(&r.two, 0));
  CU(cuStreamCreate(&r.apart, NON_BLOCKING));
  CU(cuEventCreate(&r.event, 0));
  test_order(&r);
  test_staged(&r);
  test_answers(&r);
  test_words(&r);
  test_free(&r);
  test_graph(&r);
  test_host(&r);
  test_own(&r);
  test_fork(&r);
  start_wait(&r, r.one);
  CU(cuStreamDestroy_v2(r.one));
  r.word[0] = 1;
  CU(cuMemFreeHost(words));
  CU(cuMemFreeHost(value));
  CU(cuStreamDestroy_v2(r.two));
  CU(cuStreamDestroy_v2(r.apart));
  CU(cuEventDestroy_v2(r.event));
  CU(cuMemFree_v2(r.data));
  CU(cuModuleUnload(m));
  return check_report("libcuda_pending");
}
