/* SPDX-License-Identifier: MIT */
/* Memory and events of two processes: one makes them, the other one opens them. */
#include "libcuda/cu.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  char bytes[64];
} Handle;

CUresult cuIpcGetMemHandle(Handle *out, CUdeviceptr address);
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *out, Handle h, unsigned flags);
CUresult cuIpcCloseMemHandle(CUdeviceptr address);
CUresult cuIpcGetEventHandle(Handle *out, CUevent e);
CUresult cuIpcOpenEventHandle(CUevent *out, Handle h);

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry add(.param .u64 to, .param .u32 much) {\n"
                          "  .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
                          "  ld.param.u64 %d1, [to]; ld.param.u32 %r1, [much];\n"
                          "  mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4;\n"
                          "  add.s64 %d1, %d1, %d2; ld.global.u32 %r3, [%d1];\n"
                          "  add.u32 %r3, %r3, %r1; st.global.u32 [%d1], %r3; ret;\n}\n";

enum {
  COUNT = 64,
  BYTES = 3 << 20,
  LAZY = 1,
  SHARES = 6,
  MOST = 60 /* seconds; a time limit */
};

/* Messages from the owner to the guest. */
typedef struct {
  Handle memory, event, freed;
} Handles;

/* A side, and its pipes: a byte says that it has come as far as the other one waits for. */
typedef struct {
  int in, out;
  CUfunction add;
} Side;

static void tell(const Side *s) { CHECK(write(s->out, "", 1) == 1, "write"); }
static void hear(const Side *s) {
  char c;
  CHECK(read(s->in, &c, 1) == 1, "the other side has ended");
}

static void begin(Side *s) {
  CUmodule m;
  cu_begin();
  CU(cuModuleLoadData(&m, ptx));
  CU(cuModuleGetFunction(&s->add, m, "add"));
}

static void add(const Side *s, CUdeviceptr to, unsigned much, CUstream stream) {
  void *params[] = {&to, &much};
  CU(cuLaunchKernel(s->add, 1, 1, 1, COUNT, 1, 1, 0, stream, params, NULL));
}

static void expect(CUdeviceptr at, unsigned want) {
  unsigned got[COUNT];
  CU(cuMemcpyDtoH_v2(got, at, sizeof got));
  CHECK(got[0] == want && got[COUNT - 1] == want, "%u, not %u", got[0], want);
}

/* --- the process that opens them --- */

static void open_refused(const Handles *h) {
  CUdeviceptr at;
  CUevent e;
  Handle none;
  memset(&none, 0, sizeof none);
  CU_FAILS(cuIpcOpenMemHandle_v2(&at, none, LAZY), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuIpcOpenMemHandle_v2(&at, h->event, LAZY), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuIpcOpenEventHandle(&e, h->memory), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuIpcOpenMemHandle_v2(&at, h->memory, 0), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuIpcOpenMemHandle_v2(NULL, h->memory, LAZY), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuIpcOpenMemHandle_v2(&at, h->freed, LAZY), CUDA_ERROR_MAP_FAILED);
}

static void opened_refused(CUdeviceptr at) {
  Handle h;
  int capable = 1;
  CU_FAILS(cuMemFree_v2(at), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuMemFreeAsync(at, NULL), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuIpcGetMemHandle(&h, at), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuIpcCloseMemHandle(at + 4), CUDA_ERROR_INVALID_VALUE);
  CU(cuPointerGetAttribute(&capable, 10, at));
  CHECK(!capable, "what was opened cannot be passed on");
}

/* The owner's record waits for a word, which it writes when it hears of us: so we do, too. */
static void wait_elsewhere(const Side *s, CUdeviceptr at, CUevent e) {
  CUstream stream;
  CU(cuStreamCreate(&stream, 1));
  CU_FAILS(cuEventQuery(e), CUDA_ERROR_NOT_READY);
  CU(cuStreamWaitEvent(stream, e, 0));
  add(s, at, 100, stream);
  CU_FAILS(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  expect(at, 15);
  tell(s);
  CU(cuStreamSynchronize(stream));
  expect(at, 1115);
  CU(cuEventSynchronize(e));
  CU(cuEventQuery(e));
  CU(cuStreamDestroy_v2(stream));
}

static void guest(Side *s) {
  Handles h;
  CUdeviceptr at, again;
  CUevent e;
  CHECK(read(s->in, &h, sizeof h) == sizeof h, "no handles");
  begin(s);
  open_refused(&h);
  CU(cuIpcOpenMemHandle_v2(&at, h.memory, LAZY));
  CU(cuIpcOpenMemHandle_v2(&again, h.memory, LAZY));
  CHECK(at == again, "one address");
  opened_refused(at);
  CU(cuIpcOpenEventHandle(&e, h.event));
  CU(cuEventQuery(e));
  expect(at, 5);
  add(s, at, 10, NULL);
  CU(cuMemsetD32_v2(at + BYTES - 4, 77, 1));
  tell(s);
  hear(s);
  wait_elsewhere(s, at, e);
  tell(s);
  CU(cuIpcCloseMemHandle(at));
  expect(again, 1115);
  CU(cuIpcCloseMemHandle(at));
  CU_FAILS(cuIpcCloseMemHandle(at), CUDA_ERROR_INVALID_VALUE);
  CU(cuEventDestroy_v2(e));
}

/* --- the one that makes them --- */

static void get_refused(CUdeviceptr at) {
  Handle h;
  CUdeviceptr other;
  CUevent plain;
  void *host;
  CU_FAILS(cuIpcGetMemHandle(NULL, at), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuIpcGetMemHandle(&h, 4), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemHostAlloc(&host, 4, 0));
  CU_FAILS(cuIpcGetMemHandle(&h, (CUdeviceptr)(uintptr_t)host), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemFreeHost(host));
  CU(cuMemAllocManaged(&other, 4, 1));
  CU_FAILS(cuIpcGetMemHandle(&h, other), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemFree_v2(other));
  CU(cuMemAllocAsync(&other, 4, NULL));
  CU_FAILS(cuIpcGetMemHandle(&h, other), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemFreeAsync(other, NULL));
  CU_FAILS(cuEventCreate(&plain, 4), CUDA_ERROR_INVALID_VALUE);
  CU(cuEventCreate(&plain, 2));
  CU_FAILS(cuIpcGetEventHandle(&h, plain), CUDA_ERROR_INVALID_HANDLE);
  CU(cuEventDestroy_v2(plain));
}

/* A process cannot open its own handles. */
static void own_refused(const Handles *h) {
  CUdeviceptr at;
  CUevent e;
  CU_FAILS(cuIpcOpenMemHandle_v2(&at, h->memory, LAZY), CUDA_ERROR_INVALID_CONTEXT);
  CU_FAILS(cuIpcOpenEventHandle(&e, h->event), CUDA_ERROR_INVALID_CONTEXT);
}

static void make_handles(Handles *h, CUdeviceptr at, CUevent e) {
  CUdeviceptr gone;
  memset(h, 0, sizeof *h);
  CU(cuIpcGetMemHandle(&h->memory, at + 8));
  CU(cuIpcGetEventHandle(&h->event, e));
  CU(cuMemAlloc_v2(&gone, 4));
  CU(cuIpcGetMemHandle(&h->freed, gone));
  CU(cuMemFree_v2(gone));
}

static void record_later(const Side *s, CUdeviceptr at, CUevent e) {
  CUstream stream;
  CUdeviceptr word;
  CU(cuMemAlloc_v2(&word, 4));
  CU(cuMemsetD32_v2(word, 0, 1));
  CU(cuStreamCreate(&stream, 1));
  CU(cuStreamWaitValue32_v2(stream, word, 1, 1));
  add(s, at, 1000, stream);
  CU(cuEventRecord(e, stream));
  tell(s);
  hear(s);
  CU(cuMemsetD32_v2(word, 1, 1));
  CU(cuStreamSynchronize(stream));
  CU(cuStreamDestroy_v2(stream));
  CU(cuMemFree_v2(word));
}

static void owner(Side *s) {
  Handles h;
  CUdeviceptr at;
  CUevent e;
  int supported = 0;
  unsigned last = 0;
  begin(s);
  CU(cuDeviceGetAttribute(&supported, 125, 0));
  CHECK(supported == 1, "events of several processes");
  CU(cuMemAlloc_v2(&at, BYTES));
  CU(cuMemsetD32_v2(at, 5, COUNT)); /* before its pages move */
  CU(cuEventCreate(&e, SHARES));
  get_refused(at);
  make_handles(&h, at, e);
  own_refused(&h);
  CHECK(write(s->out, &h, sizeof h) == sizeof h, "write");
  hear(s);
  expect(at, 15);
  CU(cuMemcpyDtoH_v2(&last, at + BYTES - 4, sizeof last));
  CHECK(last == 77, "%u at the end", last);
  record_later(s, at, e);
  hear(s); /* the end of this process would end its record, too */
  CU(cuMemFree_v2(at));
  CU(cuEventDestroy_v2(e));
}

/* --- a process that is killed --- */

/* The killed process's record stays pending; waiting for it must end. */
static void record_and_die(Side *s) {
  Handle h;
  CUevent e;
  CUdeviceptr word;
  cu_begin();
  CU(cuEventCreate(&e, SHARES));
  CU(cuIpcGetEventHandle(&h, e));
  CU(cuMemAlloc_v2(&word, 4));
  CU(cuStreamWaitValue32_v2(NULL, word, 1, 1));
  CU(cuEventRecord(e, NULL));
  CHECK(write(s->out, &h, sizeof h) == sizeof h, "write");
  hear(s);
  raise(SIGKILL);
}

static void outlive(Side *s) {
  Handle h;
  CUevent e;
  CHECK(read(s->in, &h, sizeof h) == sizeof h, "no handle");
  cu_begin();
  CU(cuIpcOpenEventHandle(&e, h));
  CU_FAILS(cuEventQuery(e), CUDA_ERROR_NOT_READY);
  tell(s);
  CU(cuEventSynchronize(e));
  CU(cuEventDestroy_v2(e));
}

/* --- both --- */

static pid_t start(void (*side)(Side *), int in, int out, const int unused[2]) {
  const pid_t pid = fork();
  if (pid) return pid;
  Side s = {.in = in, .out = out};
  alarm(MOST);
  close(unused[0]);
  close(unused[1]);
  side(&s);
  _exit(check_report("libcuda_ipc, a process"));
}

static int end_of(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

/* Two processes with a pipe in each direction. The first one's exit status is checked after the
 * second has ended: the number of a signal. */
static void run(void (*first)(Side *), void (*second)(Side *), int want) {
  int to[2], from[2];
  CHECK(pipe(to) == 0 && pipe(from) == 0, "pipe");
  const pid_t one = start(first, to[0], from[1], (const int[]){to[1], from[0]});
  const pid_t two = start(second, from[0], to[1], (const int[]){to[0], from[1]});
  for (int i = 0; i < 2; i++) close(to[i]), close(from[i]);
  CHECK(end_of(two) == 0, "the second process has failed");
  const int status = end_of(one);
  CHECK(status == want, "the first process: status %x", (unsigned)status);
}

int main(void) {
  run(guest, owner, 0);
  run(record_and_die, outlive, SIGKILL);
  return check_report("libcuda_ipc");
}
