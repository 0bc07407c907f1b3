/* SPDX-License-Identifier: MIT */
/* A program that calls CUDA's driver API as CUDA's runtime does, found by the loader; its first
 * word says what it does: see the table. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Each block writes a row of a tile and reads a column, with a barrier between but in `race`. */
#define KERNEL(name, barrier)                                                                      \
  ".visible .entry " name "(.param .u64 out) {\n"                                                  \
  "  .reg .b32 %r<6>; .reg .b64 %rd<4>; .shared .align 4 .b8 tile_" name "[4096];\n"               \
  "  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, tile_" name ";\n"                 \
  "  shl.b32 %r3, %r1, 2; add.u32 %r3, %r2, %r3; st.shared.u32 [%r3], %r1;\n" barrier              \
  "  shl.b32 %r3, %r1, 7; and.b32 %r3, %r3, 4095; shr.u32 %r5, %r1, 5; shl.b32 %r5, %r5, 2;\n"     \
  "  add.u32 %r3, %r3, %r5; add.u32 %r3, %r2, %r3; ld.shared.u32 %r4, [%r3];\n"                    \
  "  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r4; ret;\n}\n"
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n" KERNEL("column", "  bar.sync 0;\n") KERNEL(
        "race",
        "") ".visible .entry fill(.param .u64 out) {\n  .reg .b32 %r<2>; .reg .b64 %rd<4>;\n"
            "  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
            "  add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1; ret;\n}\n"
            /* Every thread writes how many launches there have been. */
            ".visible .global .align 4 .u32 launches;\n"
            ".visible .entry count(.param .u64 out) {\n  .reg .b32 %r<3>; .reg .b64 %rd<4>; .reg "
            ".pred %p;\n"
            "  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
            "  add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [launches]; st.global.u32 [%rd3], "
            "%r2;\n"
            "  bar.sync 0; setp.ne.u32 %p, %r1, 0; @%p ret;\n"
            "  add.u32 %r2, %r2, 1; st.global.u32 [launches], %r2; ret;\n}\n"
            /* Adds up for a while. */
            ".visible .entry spin(.param .u64 out) {\n  .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg "
            ".pred %p;\n"
            "  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
            "more: mad.lo.u32 %r3, %r3, 5, %r1; xor.b32 %r3, %r3, %r2; add.u32 %r2, %r2, 1;\n"
            "  setp.lt.u32 %p, %r2, 200; @%p bra more;\n"
            "  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r3; "
            "ret;\n}\n"
            /* Its warps wait at a barrier for more threads than there are. */
            ".visible .entry stuck(.param .u64 out) {\n  bar.sync 1, 1024; ret;\n}\n"
            /* Takes 40 bytes of the heap, and writes behind them. */
            ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
            ".visible .entry heap(.param .u64 out) {\n  .reg .b64 %rd<2>; .param .b64 n; .param "
            ".b64 r;\n"
            "  st.param.b64 [n], 40; call.uni (r), malloc, (n); ld.param.b64 %rd1, [r];\n"
            "  st.global.u32 [%rd1+36], 1; st.global.u32 [%rd1+40], 2; ret;\n}\n"
            /* Reads what a variable points to. */
            ".visible .global .align 8 .u64 pointer;\n.visible .const .align 4 .u32 fixed = 77;\n"
            ".visible .entry through(.param .u64 out) {\n  .reg .b32 %r; .reg .b64 %rd<3>;\n"
            "  ld.param.u64 %rd1, [out]; ld.global.u64 %rd2, [pointer]; ld.global.u32 %r, [%rd2];\n"
            "  add.u32 %r, %r, 5; st.global.u32 [%rd1], %r; ret;\n}\n"
            ".visible .entry keep() {\n  .reg .b64 %rd<2>; .param .b64 n; .param .b64 r;\n"
            "  st.param.b64 [n], 40; call.uni (r), malloc, (n); ld.param.b64 %rd1, [r];\n"
            "  st.global.u32 [%rd1], 9; st.global.u64 [pointer], %rd1; ret;\n}\n"
            /* Waits until the host writes. */
            ".visible .entry polls(.param .u64 flag) {\n  .reg .b32 %r; .reg .b64 %rd; .reg .pred "
            "%p;\n  ld.param.u64 %rd, [flag];\n"
            "again: ld.volatile.global.u32 %r, [%rd]; setp.eq.u32 %p, %r, 0; @%p bra again; "
            "ret;\n}\n"
            /* The same, after all threads have written one word. */
            ".visible .entry races_and_polls(.param .u64 flag) {\n  .reg .b32 %r<2>; .reg .b64 "
            "%rd; .reg .pred %p; .shared .align 4 .b8 word[4];\n"
            "  ld.param.u64 %rd, [flag]; mov.u32 %r1, %tid.x; st.shared.u32 [word], %r1;\n"
            "again: ld.volatile.global.u32 %r0, [%rd]; setp.eq.u32 %p, %r0, 0; @%p bra again; "
            "ret;\n}\n"
            ".visible .entry copy(.param .u64 out, .param .u64 in) {\n  .reg .b32 %r<2>; .reg .b64 "
            "%rd<6>;\n"
            "  ld.param.u64 %rd1, [out]; ld.param.u64 %rd4, [in]; mov.u32 %r1, %tid.x;\n"
            "  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd4, %rd2; ld.global.u32 %r1, [%rd3];\n"
            "  add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1; ret;\n}\n";

enum { THREADS = 1024, BYTES = 4 * THREADS };

/* --- the driver --- */

static void *cuda;

/* Calls a function of the driver by its name; all called here take integers and pointers. */
static int call(const char *name, uint64_t a, uint64_t b, uint64_t c) {
  int (*function)(uint64_t, uint64_t, uint64_t);
  *(void **)&function = dlsym(cuda, name);
  if (!function) exit(99);
  return function(a, b, c);
}

#define AT(x) ((uint64_t)(uintptr_t)(x))

static void begin(void) {
  void *context;
  cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!cuda) {
    puts("no driver");
    exit(98);
  }
  call("cuInit", 0, 0, 0);
  call("cuDevicePrimaryCtxRetain", AT(&context), 0, 0);
  call("cuCtxSetCurrent", AT(context), 0, 0);
}

static uint64_t alloc(void) {
  uint64_t out = 0;
  call("cuMemAlloc_v2", AT(&out), BYTES, 0);
  return out;
}

static void *module(void) {
  static void *one;
  if (!one) call("cuModuleLoadData", AT(&one), AT(ptx), 0);
  return one;
}

/* The address of a variable of the kernels. */
static uint64_t variable(const char *name) {
  int (*get)(uint64_t *, size_t *, void *, const char *);
  *(void **)&get = dlsym(cuda, "cuModuleGetGlobal_v2");
  uint64_t address = 0;
  size_t bytes;
  get(&address, &bytes, module(), name);
  return address;
}

static int launch(const char *kernel, unsigned threads, unsigned shared, uint64_t out,
                  uint64_t in) {
  void *f;
  call("cuModuleGetFunction", AT(&f), AT(module()), AT(kernel));
  int (*start)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
               void **, void **);
  *(void **)&start = dlsym(cuda, "cuLaunchKernel");
  void *params[] = {&out, &in};
  return start(f, 1, 1, 1, threads, 1, 1, shared, NULL, params, NULL);
}

/* --- what it does --- */

static int clean(void) {
  const uint64_t out = alloc();
  unsigned value[THREADS];
  launch("fill", THREADS, 0, out, 0);
  call("cuMemcpyDtoH_v2", AT(value), out, BYTES);
  call("cuMemFree_v2", out, 0, 0);
  puts(value[THREADS - 1] == THREADS - 1 ? "right" : "wrong");
  return 0;
}

static int conflict(void) {
  const uint64_t out = alloc();
  for (int i = 0; i < 5; i++) launch("column", THREADS, 0, out, 0);
  launch("column", THREADS, 16, out, 0);
  call("cuMemFree_v2", out, 0, 0);
  return 0;
}

/* More sizes of one kernel than kgen keeps apart. */
static int sizes(void) {
  enum { SIZES = 2200 };
  const uint64_t out = alloc();
  for (unsigned i = 0; i < SIZES; i++) launch("fill", 1 + i % THREADS, i / THREADS * 16, out, 0);
  call("cuMemFree_v2", out, 0, 0);
  return 0;
}

/* Launches one kernel from two places, from one of them twice. */
static int places(void) {
  const uint64_t out = alloc();
  for (volatile int i = 0; i < 2; i++) launch("column", THREADS, 0, out, 0);
  launch("column", THREADS, 0, out, 0);
  call("cuMemFree_v2", out, 0, 0);
  return 0;
}

static int race(void) {
  const uint64_t out = alloc();
  launch("fill", THREADS, 0, out, 0);
  launch("race", THREADS, 0, out, 0);
  call("cuMemFree_v2", out, 0, 0);
  return 7;
}

static int count(void) {
  const uint64_t out = alloc();
  for (int i = 0; i < 3; i++) launch("count", THREADS, 0, out, 0);
  call("cuMemFree_v2", out, 0, 0);
  return 0;
}

static int leak(void) {
  for (int i = 0; i < 3; i++) alloc();
  return 0;
}

/* A module that cannot be loaded: programs then end as they do on any error. */
static int refused(void) {
  enum { NO_BINARY = 209 };
  static const char image[64] = "\177ELF"; /* a header, and nothing in it */
  void *none;
  alloc();
  return call("cuModuleLoadData", AT(&none), AT(image), 0) == NO_BINARY ? 3 : 0;
}

/* A variable that points to a variable, to a constant, and to a block that a kernel has taken. */
static int through(void) {
  static const char *const names[] = {"launches", "fixed"};
  const uint64_t pointer = variable("pointer"), out = alloc(); /* variables are before memory */
  for (int i = 0; i < 2; i++) {
    const uint64_t to = variable(names[i]);
    call("cuMemcpyHtoD_v2", pointer, AT(&to), sizeof to);
    launch("through", 1, 0, out, 0);
  }
  launch("keep", 1, 0, 0, 0);
  launch("through", 1, 0, out, 0);
  call("cuMemFree_v2", out, 0, 0);
  return 0;
}

/* Polls a word that is never written. */
static int polls(void) {
  const uint64_t flag = alloc();
  call("cuMemsetD32_v2", flag, 0, 1);
  launch("polls", 1, 0, flag, 0);
  call("cuCtxSynchronize", 0, 0, 0);
  return 0;
}

/* Waits for the host, which writes when the call has returned. */
static int answered(void) {
  volatile unsigned *flag;
  call("cuMemHostAlloc", AT(&flag), sizeof *flag, 0);
  *flag = 0;
  launch("polls", 1, 0, AT(flag), 0);
  *flag = 1;
  const int code = call("cuCtxSynchronize", 0, 0, 0);
  call("cuMemFreeHost", AT(flag), 0, 0);
  return code;
}

/* Ends while its kernel waits, or resets the device. */
static int unanswered(void) {
  const uint64_t flag = alloc();
  call("cuMemsetD32_v2", flag, 0, 1);
  return launch("races_and_polls", 64, 0, flag, 0);
}

static int unanswered_exit(void) {
  unanswered();
  _exit(0);
}

static int unanswered_reset(void) {
  unanswered();
  return call("cuDevicePrimaryCtxReset_v2", 0, 0, 0);
}

/* A graph ends within its call. */
static int polls_in_graph(void) {
  uint64_t flag = alloc();
  void *params[] = {&flag}, *graph, *node, *exec;
  struct { /* CUDA_KERNEL_NODE_PARAMS */
    void *function;
    unsigned grid[3], block[3], shared;
    void **params, **extra, *kernel, *context;
  } kernel = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .params = params};
  int (*add)(void **, void *, void *, size_t, const void *);
  *(void **)&add = dlsym(cuda, "cuGraphAddKernelNode_v2");
  call("cuMemsetD32_v2", flag, 0, 1);
  call("cuModuleGetFunction", AT(&kernel.function), AT(module()), AT("polls"));
  call("cuGraphCreate", AT(&graph), 0, 0);
  add(&node, graph, NULL, 0, &kernel);
  call("cuGraphInstantiateWithFlags", AT(&exec), AT(graph), 0);
  call("cuGraphLaunch", AT(exec), 0, 0);
  return 0;
}

static int heap(void) { return launch("heap", 2, 0, 0, 0); }

static int heap_ends(void) {
  launch("heap", 2, 0, 0, 0);
  return call("cuDevicePrimaryCtxReset_v2", 0, 0, 0);
}

static int bad_free(void) {
  const uint64_t out = alloc();
  call("cuMemFree_v2", out, 0, 0);
  call("cuMemFree_v2", out, 0, 0);
  const uint64_t other = alloc();
  call("cuMemFree_v2", other + 256, 0, 0);
  call("cuMemFree_v2", other, 0, 0);
  return 0;
}

/* A launch of too many threads, whose output is read although the launch failed. */
static int ignored(void) {
  const uint64_t out = alloc();
  unsigned value[THREADS];
  launch("fill", 2 * THREADS, 0, out, 0);
  call("cuMemcpyDtoH_v2", AT(value), out, BYTES);
  call("cuMemFree_v2", out, 0, 0);
  return 0;
}

/* The same, but the program checks the error and launches fewer threads. */
static int looked(void) {
  const uint64_t out = alloc();
  if (launch("fill", 2 * THREADS, 0, out, 0)) launch("fill", THREADS, 0, out, 0);
  call("cuMemFree_v2", out, 0, 0);
  return 0;
}

/* The kernel copies a buffer of which only the first half was written. */
static int unwritten(void) {
  const uint64_t in = alloc(), out = alloc();
  call("cuMemsetD32_v2", in, 0, THREADS / 2);
  launch("copy", THREADS, 0, out, in);
  call("cuMemFree_v2", in, 0, 0);
  call("cuMemFree_v2", out, 0, 0);
  return 0;
}

/* A deadlock ends the launch and its context: nothing can be freed any more. */
static int stuck(void) {
  const uint64_t out = alloc();
  launch("stuck", 32, 0, out, 0);
  const int code = call("cuCtxSynchronize", 0, 0, 0);
  call("cuMemFree_v2", out, 0, 0);
  return code == 702 ? 0 : 96; /* CUDA_ERROR_LAUNCH_TIMEOUT */
}

/* Resetting the device frees what it holds. */
static int reset(void) {
  const uint64_t out = alloc();
  call("cuDevicePrimaryCtxReset_v2", 0, 0, 0);
  return call("cuMemFree_v2", out, 0, 0) ? 0 : 96;
}

/* The process becomes another program, and keeps its number. */
static int replaced(void) {
  const uint64_t out = alloc();
  launch("race", THREADS, 0, out, 0);
  execl("/proc/self/exe", "program", "clean", (char *)NULL);
  return 1;
}

static int crash(void) {
  const uint64_t out = alloc();
  launch("race", THREADS, 0, out, 0);
  raise(SIGKILL);
  return 0;
}

/* Two processes, each with the driver to itself. */
static int both(int (*first)(void), int (*second)(void)) {
  int status;
  const pid_t child = fork();
  begin();
  if (child == 0) exit(first());
  const int code = second();
  waitpid(child, &status, 0);
  return code;
}

static int fork_twice(void) { return both(race, conflict); }

/* The kernel "race" of the file that MODULE names. */
static int from_file(void) {
  const uint64_t out = alloc();
  void *m, *f;
  int (*start)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
               void **, void **);
  *(void **)&start = dlsym(cuda, "cuLaunchKernel");
  if (call("cuModuleLoad", AT(&m), AT(getenv("MODULE")), 0) != 0) return 96;
  call("cuModuleGetFunction", AT(&f), AT(m), AT("race"));
  void *params[] = {(void *)&out};
  return start(f, 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL);
}

/* --- several threads --- */

enum { CALLERS = 12, ROUNDS = 20 };

/* Loads a module of its own, launches from it, and unloads it, again and again. */
static void *caller(void *context) {
  const int rounds = *(int *)context;
  void *primary, *m, *f;
  int (*start)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
               void **, void **);
  *(void **)&start = dlsym(cuda, "cuLaunchKernel");
  call("cuDevicePrimaryCtxRetain", AT(&primary), 0, 0);
  call("cuCtxSetCurrent", AT(primary), 0, 0);
  for (int i = 0; i < rounds; i++) {
    uint64_t out = alloc();
    void *params[] = {&out};
    if (call("cuModuleLoadData", AT(&m), AT(ptx), 0) != 0) return NULL;
    call("cuModuleGetFunction", AT(&f), AT(m), AT(i % 2 ? "fill" : "column"));
    start(f, 1, 1, 1, 4096, 1, 1, 0, NULL, params, NULL); /* an invalid launch */
    start(f, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL);
    call("cuCtxSynchronize", 0, 0, 0);
    call("cuMemFree_v2", out, 0, 0);
    call("cuModuleUnload", AT(m), 0, 0);
  }
  return NULL;
}

static int threads(void) {
  static int rounds = ROUNDS;
  pthread_t thread[CALLERS];
  for (int i = 0; i < CALLERS; i++) pthread_create(&thread[i], NULL, caller, &rounds);
  for (int i = 0; i < CALLERS; i++) pthread_join(thread[i], NULL);
  return 0;
}

static void count_up(void *context) { __atomic_fetch_add((int *)context, 1, __ATOMIC_RELAXED); }

/* Launches from the one module in a stream of its own, with a host function behind each kernel. */
static void *sharer(void *context) {
  void *primary, *f, *stream;
  int (*start)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
               void **, void **);
  *(void **)&start = dlsym(cuda, "cuLaunchKernel");
  call("cuDevicePrimaryCtxRetain", AT(&primary), 0, 0);
  call("cuCtxSetCurrent", AT(primary), 0, 0);
  call("cuStreamCreate", AT(&stream), 1, 0);
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t out = alloc();
    void *params[] = {&out};
    call("cuModuleGetFunction", AT(&f), AT(module()), AT(i % 2 ? "fill" : "column"));
    start(f, 4, 1, 1, 64, 1, 1, 0, stream, params, NULL);
    call("cuLaunchHostFunc", AT(stream), AT(count_up), AT(context));
    call("cuStreamSynchronize", AT(stream), 0, 0);
    call("cuMemFree_v2", out, 0, 0);
  }
  call("cuStreamDestroy_v2", AT(stream), 0, 0);
  return NULL;
}

static int threads_share(void) {
  enum { SHARERS = 16 };
  static int calls;
  pthread_t thread[SHARERS];
  module();
  for (int i = 0; i < SHARERS; i++) pthread_create(&thread[i], NULL, sharer, &calls);
  for (int i = 0; i < SHARERS; i++) pthread_join(thread[i], NULL);
  return calls == SHARERS * ROUNDS ? 0 : 1;
}

/* The process ends while they run. */
static int threads_at_exit(void) {
  static int rounds = 1 << 30;
  pthread_t thread;
  for (int i = 0; i < CALLERS; i++) pthread_create(&thread, NULL, caller, &rounds);
  usleep(100000);
  return 0;
}

/* A kernel waits for the host while another thread unloads its module. */
static int unloaded(void) {
  const uint64_t flag = alloc();
  unsigned zero = 0;
  call("cuMemcpyHtoD_v2", flag, AT(&zero), sizeof zero);
  launch("races_and_polls", 64, 0, flag, 0);
  call("cuModuleUnload", AT(module()), 0, 0);
  return 0;
}

static int destroyed(void) {
  void *context;
  int (*create)(void **, void *, unsigned, int);
  *(void **)&create = dlsym(cuda, "cuCtxCreate_v4");
  create(&context, NULL, 0, 0);
  unanswered();
  call("cuCtxDestroy_v2", AT(context), 0, 0);
  call("cuModuleUnload", AT(module()), 0, 0);
  return 0;
}

/* --- what makes records hard to write --- */

enum { MANY = 300 };

static int many(void) {
  const uint64_t out = alloc();
  for (int i = 0; i < MANY; i++) launch("fill", THREADS, 0, out, 0);
  return call("cuMemFree_v2", out, 0, 0);
}

static int many_at_once(void) {
  many();
  _exit(0);
}

static int many_quick(void) {
  many();
  quick_exit(0);
}

/* A child is killed after many launches. */
static int many_killed(void) {
  int status;
  const pid_t child = fork();
  begin();
  if (child == 0) {
    many();
    raise(SIGKILL);
  }
  waitpid(child, &status, 0);
  return clean();
}

static int masked(void) {
  umask(0777);
  return race();
}

static int elsewhere(void) {
  if (mkdir("empty", 0700) != 0 || chroot("empty") != 0 || chdir("/") != 0) return 96;
  return race();
}

static int other_user(void) {
  if (setuid(65534) != 0) return 96;
  return race();
}

static int other_user_early(void) {
  if (setuid(65534) != 0) return 96;
  begin();
  race();
  return 0;
}

static int no_descriptors(void) {
  const struct rlimit few = {20, 20};
  setrlimit(RLIMIT_NOFILE, &few);
  while (open("/dev/null", O_RDONLY) >= 0) continue;
  return race();
}

/* Another file takes the number of whatever the driver had open. */
static int closed(void) {
  for (int i = 3; i < 100; i++) close(i);
  for (int i = 0; i < 20; i++)
    if (open("/tmp", O_RDONLY | O_DIRECTORY) < 0) return 96;
  return race();
}

/* A process that has queried the version starts another one, which has the driver to itself. */
static int asked_before(void) {
  int version, status;
  cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  call("cuDriverGetVersion", AT(&version), 0, 0);
  const pid_t child = fork();
  if (child == 0) {
    begin();
    exit(race());
  }
  waitpid(child, &status, 0);
  return 0;
}

/* --- translated to C meanwhile --- */

static int loads_native(void) {
  char line[512];
  int found = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && !found && fgets(line, sizeof line, maps))
    found = strstr(line, "memfd:kgen") != NULL;
  if (maps) fclose(maps);
  return found;
}

static int spin(uint64_t out) {
  unsigned value[THREADS];
  launch("spin", THREADS, 0, out, 0);
  call("cuMemcpyDtoH_v2", AT(value), out, BYTES);
  for (unsigned i = 0; i < THREADS; i++) {
    unsigned sum = 0;
    for (unsigned k = 0; k < 200; k++) sum = (sum * 5 + i) ^ k;
    if (sum != value[i]) return 0;
  }
  return 1;
}

/* Launches until a translation is loaded, or `seconds` are over. The compiler is not a child of
 * this process, which has others or not. */
static int spins(int seconds, int children) {
  const uint64_t out = alloc();
  const time_t end = time(NULL) + seconds;
  while (!loads_native() && time(NULL) < end) {
    if (!spin(out)) return puts("wrong"), 96;
    if (!children && waitpid(-1, NULL, WNOHANG) != -1) return puts("a child"), 96;
  }
  if (!spin(out)) return puts("wrong"), 96;
  puts(loads_native() ? "native" : "interpreted");
  call("cuMemFree_v2", out, 0, 0);
  return 0;
}

static int native(void) { return spins(20, 0); }
static int soon(void) { return spins(2, 0); }
static int native_parent(void) { return spins(20, 1); }

/* A program that keeps nothing of what it was given. */
static int hostile(void) {
  umask(0777);
  if (chdir("/") != 0 || clearenv() != 0) return 96;
  for (int fd = 3; fd < 256; fd++) close(fd);
  signal(SIGCHLD, SIG_IGN);
  return spins(20, 0);
}

static int native_twice(void) { return both(native, native_parent); }

static int echo(void) {
  char line[100];
  if (fgets(line, sizeof line, stdin)) fputs(line, stdout);
  return 0;
}

/* Loads the driver and calls nothing of it. */
static int idle(void) { return dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) ? 3 : 98; }

static const struct {
  const char *name;
  int (*run)(void);
  int begins; /* the driver is there before */
} table[] = {
    {"clean", clean, 1},
    {"conflict", conflict, 1},
    {"places", places, 1},
    {"sizes", sizes, 1},
    {"race", race, 1},
    {"leak", leak, 1},
    {"refused", refused, 1},
    {"through", through, 1},
    {"polls", polls, 1},
    {"answered", answered, 1},
    {"polls-in-graph", polls_in_graph, 1},
    {"heap", heap, 1},
    {"heap-ends", heap_ends, 1},
    {"bad-free", bad_free, 1},
    {"ignored", ignored, 1},
    {"looked", looked, 1},
    {"crash", crash, 1},
    {"replaced", replaced, 1},
    {"fork", fork_twice, 0},
    {"unwritten", unwritten, 1},
    {"count", count, 1},
    {"stuck", stuck, 1},
    {"reset", reset, 1},
    {"echo", echo, 0},
    {"idle", idle, 0},
    {"native", native, 1},
    {"soon", soon, 1},
    {"hostile", hostile, 1},
    {"native-twice", native_twice, 0},
    {"unanswered", unanswered, 1},
    {"unanswered-exit", unanswered_exit, 1},
    {"unanswered-reset", unanswered_reset, 1},
    {"from-file", from_file, 1},
    {"threads", threads, 1},
    {"threads-share", threads_share, 1},
    {"threads-at-exit", threads_at_exit, 1},
    {"unloaded", unloaded, 1},
    {"destroyed", destroyed, 1},
    {"many", many, 1},
    {"many-at-once", many_at_once, 1},
    {"many-quick", many_quick, 1},
    {"many-killed", many_killed, 0},
    {"masked", masked, 1},
    {"elsewhere", elsewhere, 1},
    {"other-user", other_user, 1},
    {"other-user-early", other_user_early, 0},
    {"no-descriptors", no_descriptors, 1},
    {"closed", closed, 1},
    {"asked-before", asked_before, 0},
};

int main(int argc, char **argv) {
  setenv("KGEN_EXEC_AFTER", "10000", 1); /* instructions, for a translation */
  for (size_t i = 0; argc > 1 && i < sizeof table / sizeof *table; i++) {
    if (strcmp(argv[1], table[i].name) != 0) continue;
    if (table[i].begins) begin();
    return table[i].run();
  }
  return 97;
}
