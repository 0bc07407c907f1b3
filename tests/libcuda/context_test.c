/* SPDX-License-Identifier: MIT */
/* Calls that work without a current context because of their handles, and properties of a context
 * and a stream. Expected values are the answers of an H200's driver; numbers are from cuda.h. */
#include "libcuda/cu.h"

#include <string.h>
#include <unistd.h>

CUresult cuModuleGetFunctionCount(unsigned *out, CUmodule m);
CUresult cuStreamGetCtx(CUstream s, CUcontext *out);
CUresult cuStreamGetAttribute(CUstream s, int attribute, void *out);
CUresult cuStreamSetAttribute(CUstream s, int attribute, const void *value);
CUresult cuStreamCopyAttributes(CUstream to, CUstream from);
CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to);
CUresult cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags);
CUresult cuMemHostUnregister(void *host);
CUresult cuEventDestroy_v2(CUevent e);
CUresult cuCtxGetCurrent(CUcontext *out);
CUresult cuCtxGetCacheConfig(int *out);
CUresult cuCtxSetCacheConfig(int config);
CUresult cuCtxGetSharedMemConfig(int *out);
CUresult cuCtxAttach(CUcontext *out, unsigned flags);
CUresult cuCtxDetach(CUcontext context);
CUresult cuGetExportTable(const void **out, const void *id);
CUresult cuDeviceGetPCIBusId(char *out, int size, CUdevice device);
CUresult cuDeviceGetByPCIBusId(CUdevice *out, const char *id);

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry put(.param .u64 out) {\n"
    "  .reg .b32 %r<2>; .reg .b64 %d<2>;\n"
    "  ld.param.u64 %d1, [out]; mov.u32 %r1, 7; st.global.u32 [%d1], %r1; ret;\n"
    "}\n";

typedef struct {
  CUcontext context;
  CUmodule module;
  CUfunction put;
  CUstream stream;
  CUevent from, to;
  CUdeviceptr memory;
  void *host, *registered;
} Made;

static Made make(void) {
  enum { WORDS = 2 };
  static char page[4096];
  Made m;
  CU(cuCtxGetCurrent(&m.context));
  CU(cuModuleLoadData(&m.module, ptx));
  CU(cuModuleGetFunction(&m.put, m.module, "put"));
  CU(cuStreamCreate(&m.stream, 0));
  CU(cuEventCreate(&m.from, 0));
  CU(cuEventCreate(&m.to, 0));
  CU(cuMemAlloc_v2(&m.memory, WORDS * sizeof(unsigned)));
  CU(cuMemHostAlloc(&m.host, sizeof m, 0));
  m.registered = page;
  CU(cuMemHostRegister_v2(page, sizeof page, 0));
  return m;
}

/* Work in a stream is its context's. */
static void test_stream(const Made *m) {
  void *params[] = {(void *)(uintptr_t)&m->memory};
  unsigned value[2] = {0};
  float ms;
  CUcontext context;
  CUdeviceptr other;
  CU(cuEventRecord(m->from, m->stream));
  CU(cuMemsetD32Async(m->memory, 5, 2, m->stream));
  CU(cuLaunchKernel(m->put, 1, 1, 1, 1, 1, 1, 0, m->stream, params, NULL));
  CU(cuMemcpyDtoHAsync_v2(value, m->memory, sizeof value, m->stream));
  CU(cuEventRecord(m->to, m->stream));
  CU(cuStreamWaitEvent(m->stream, m->from, 0));
  CU(cuStreamQuery(m->stream));
  CU(cuStreamSynchronize(m->stream));
  CU(cuEventQuery(m->to));
  CU(cuEventSynchronize(m->to));
  CU(cuEventElapsedTime(&ms, m->from, m->to));
  CHECK(value[0] == 7 && value[1] == 5, "%u %u", value[0], value[1]);
  CU(cuStreamGetCtx(m->stream, &context));
  CHECK(context == m->context, "the stream's context");
  CU(cuMemAllocAsync(&other, 64, m->stream));
  CU(cuMemFreeAsync(other, m->stream));
}

static void test_handles(const Made *m) {
  enum { POINTER_CONTEXT = 1, REGISTERS = 4 };
  CUfunction put;
  CUcontext context;
  unsigned count;
  int registers;
  CU(cuModuleGetFunctionCount(&count, m->module));
  CU(cuModuleGetFunction(&put, m->module, "put"));
  CHECK(count == 1 && put == m->put, "%u functions", count);
  CU(cuFuncGetAttribute(&registers, REGISTERS, m->put));
  CU(cuPointerGetAttribute(&context, POINTER_CONTEXT, m->memory));
  CHECK(context == m->context, "the memory's context");
}

/* The default stream is the current context's. */
static void test_refused(const Made *m) {
  void *params[] = {(void *)(uintptr_t)&m->memory};
  CUdeviceptr other;
  CUcontext context;
  CU_FAILS(cuLaunchKernel(m->put, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
           CUDA_ERROR_INVALID_CONTEXT);
  CU_FAILS(cuMemsetD32_v2(m->memory, 5, 1), CUDA_ERROR_INVALID_CONTEXT);
  CU_FAILS(cuMemAlloc_v2(&other, 64), CUDA_ERROR_INVALID_CONTEXT);
  CU_FAILS(cuEventRecord(m->from, NULL), CUDA_ERROR_INVALID_CONTEXT);
  CU(cuCtxGetCurrent(&context));
  CHECK(!context, "a context is left current");
}

/* Memory and preferences are of the context that was current. */
static void test_contexts(const Made *m) {
  enum { POINTER_CONTEXT = 1, PREFER_L1 = 2, FOUR_BYTES = 1 };
  CUcontext other, context;
  int config;
  CU(cuCtxSetCacheConfig(PREFER_L1));
  CU_FAILS(cuCtxSetCacheConfig(9), CUDA_ERROR_INVALID_VALUE);
  CU(cuCtxCreate_v4(&other, NULL, 0, 0));
  CU(cuCtxGetCacheConfig(&config));
  CHECK(config == 0, "another context prefers %d", config);
  CU(cuPointerGetAttribute(&context, POINTER_CONTEXT, m->memory));
  CHECK(context == m->context, "the memory's context while another is current");
  CU(cuCtxDestroy_v2(other));
  CU(cuCtxSetCurrent(m->context));
  CU(cuCtxGetCacheConfig(&config));
  CHECK(config == PREFER_L1, "the context prefers %d", config);
  CU(cuCtxGetSharedMemConfig(&config));
  CHECK(config == FOUR_BYTES, "banks of kind %d", config);
}

/* A context lives until all of its users have detached. */
static void test_attached(const Made *m) {
  CUcontext other, again, current;
  CU(cuCtxCreate_v4(&other, NULL, 0, 0));
  CU(cuCtxAttach(&again, 0));
  CHECK(again == other, "attached to another context");
  CU(cuCtxDetach(other));
  CU(cuCtxGetCurrent(&current));
  CHECK(current == other, "it ended, though one still uses it");
  CU_FAILS(cuCtxDetach(m->context), CUDA_ERROR_INVALID_CONTEXT);
  CU(cuCtxDetach(other));
  CU(cuCtxGetCurrent(&current));
  CHECK(current == m->context, "the one below it on the stack is not current");
}

/* CUDA's runtime continues only if this table exists; since 13.4 it reads slot 51. */
static void test_runtime_table(void) {
  static const unsigned char id[] = {0x21, 0x31, 0x8C, 0x60, 0x97, 0x14, 0x32, 0x48,
                                     0x8C, 0xA6, 0x41, 0xFF, 0x73, 0x24, 0xC8, 0xF2};
  enum { LAST = 51 };
  const void *table = NULL;
  CU(cuGetExportTable(&table, id));
  CHECK(table && *(const size_t *)table > LAST * sizeof(void *), "the table is too small");
}

static void check_waiting(CUstream s, int want) {
  enum { WAITING = 3 };
  int value[16]; /* CUstreamAttrValue */
  CU(cuStreamGetAttribute(s, WAITING, value));
  CHECK(value[0] == want, "the stream waits by %d, not %d", value[0], want);
}

static void test_attributes(const Made *m) {
  enum { WAITING = 3, BLOCKING = 4 };
  const int value[16] = {BLOCKING};
  CUstream other;
  CU(cuStreamCreate(&other, 0));
  check_waiting(m->stream, -1);
  CU(cuStreamSetAttribute(m->stream, WAITING, value));
  check_waiting(m->stream, BLOCKING);
  check_waiting(other, -1);
  CU(cuStreamCopyAttributes(other, m->stream));
  check_waiting(other, BLOCKING);
  CU(cuStreamDestroy_v2(other));
}

/* A device is found by each form of its place. */
static void test_places(void) {
  static const struct {
    const char *form;
    int args; /* domain, bus and device; or the last two */
    CUresult want;
  } table[] = {{"%x:%x:%x", 3, CUDA_SUCCESS},
               {"%04X:%02X:%02X.0", 3, CUDA_SUCCESS},
               {"%08x:%02x:%02x", 3, CUDA_SUCCESS},
               {"%x:%x.0", 2, CUDA_SUCCESS},
               {"%02x:%02x.1", 2, CUDA_ERROR_INVALID_DEVICE},
               {"%02x:%02x", 2, CUDA_ERROR_INVALID_VALUE},
               {"junk", 2, CUDA_ERROR_INVALID_VALUE}};
  char place[32], id[64];
  unsigned at[3];
  CUdevice device;
  CU(cuDeviceGetPCIBusId(place, sizeof place, 0));
  CHECK(sscanf(place, "%x:%x:%x", &at[0], &at[1], &at[2]) == 3, "%s", place);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const unsigned *from = &at[3 - table[i].args];
    snprintf(id, sizeof id, table[i].form, from[0], from[1], from[table[i].args - 1]);
    const CUresult got = cuDeviceGetByPCIBusId(&device, id);
    CHECK(got == table[i].want, "%s: %d", id, (int)got);
  }
}

/* No more is said to be free than the host has, which may have less memory than the device. */
static void test_free(const Made *m) {
  enum { BYTES = 1 << 20 };
  const uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  size_t unused, then, total;
  CUdeviceptr some;
  CU(cuCtxSetCurrent(m->context));
  CU(cuMemGetInfo_v2(&unused, &total));
  CHECK(unused && unused < total && unused < host, "%zu bytes of %zu", unused, total);
  CU(cuMemAlloc_v2(&some, BYTES));
  CU(cuMemGetInfo_v2(&then, &total));
  CHECK(then == unused - BYTES, "%zu bytes, not %zu", then, unused - BYTES);
  CU(cuMemFree_v2(some));
  CU(cuCtxSetCurrent(NULL));
}

/* Large allocations begin with a page of 2 MiB. */
static void test_alignment(const Made *m) {
  enum { PAGE = 2 << 20 };
  CUdeviceptr small, large;
  CU(cuCtxSetCurrent(m->context));
  CU(cuMemAlloc_v2(&small, 4));
  CU(cuMemAlloc_v2(&large, PAGE));
  CHECK(large % PAGE == 0, "it begins %llu bytes behind a page's begin", large % PAGE);
  CU(cuMemFree_v2(large));
  CU(cuMemFree_v2(small));
  CU(cuCtxSetCurrent(NULL));
}

static void test_ends(const Made *m) {
  CU(cuEventDestroy_v2(m->from));
  CU(cuEventDestroy_v2(m->to));
  CU(cuMemFree_v2(m->memory));
  CU(cuMemFreeHost(m->host));
  CU(cuMemHostUnregister(m->registered));
  CU(cuModuleUnload(m->module));
  CU(cuStreamDestroy_v2(m->stream));
}

int main(void) {
  cu_begin();
  const Made m = make();
  test_contexts(&m);
  test_attached(&m);
  test_runtime_table();
  test_attributes(&m);
  test_places();
  CU(cuCtxSetCurrent(NULL));
  test_stream(&m);
  test_handles(&m);
  test_refused(&m);
  test_free(&m);
  test_alignment(&m);
  test_ends(&m);
  return check_report("libcuda_context");
}
