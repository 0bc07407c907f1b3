/* SPDX-License-Identifier: MIT */
/* Streams do their work in order; captured, it is a graph that runs again with new data. */
#include "libcuda/cu.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry add(.param .u64 to, .param .u32 n) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "  ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
    "  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "  ld.global.u32 %r3, [%rd3]; add.u32 %r3, %r3, %r1; st.global.u32 [%rd3], %r3; ret;\n"
    "}\n";

enum { COUNT = 32 };

typedef struct {
  CUfunction add;
  CUdeviceptr data;
  CUstream one, two;
  CUevent forked, joined;
  unsigned value[COUNT];
  unsigned seen; /* by the program's own function */
} Run;

static void look(void *run) {
  Run *r = run;
  r->seen = r->value[COUNT - 1];
}

static void add(Run *r, unsigned n, CUstream s) {
  void *params[] = {&r->data, &n};
  CU(cuLaunchKernel(r->add, 1, 1, 1, COUNT, 1, 1, 0, s, params, NULL));
}

/* Sets a word to 10, adds 1 in the other stream, adds 2 after both; then copies it to the host,
 * whose function reads it. */
static void work(Run *r) {
  CU(cuMemsetD32Async(r->data, 10, COUNT, r->one));
  CU(cuEventRecord(r->forked, r->one));
  CU(cuStreamWaitEvent(r->two, r->forked, 0));
  add(r, 1, r->two);
  CU(cuEventRecord(r->joined, r->two));
  CU(cuStreamWaitEvent(r->one, r->joined, 0));
  add(r, 2, r->one);
  CU(cuMemcpyDtoHAsync_v2(r->value, r->data, sizeof r->value, r->one));
  CU(cuLaunchHostFunc(r->one, look, r));
}

static void test_order(Run *r) {
  float ms = -1;
  work(r);
  CHECK(r->seen == 13, "%u", r->seen);
  CU(cuEventElapsedTime(&ms, r->forked, r->joined));
  CHECK(ms >= 0, "%f ms", (double)ms);
}

static void test_capture(Run *r) {
  CUgraph graph;
  CUgraphExec exec;
  size_t nodes = 0, edges = 0;
  r->seen = 0;
  CU(cuStreamBeginCapture_v2(r->one, 0));
  work(r);
  CU_FAILS(cuStreamEndCapture(r->two, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  CU(cuStreamEndCapture(r->one, &graph));
  CHECK(r->seen == 0, "it has run");
  CU(cuGraphGetNodes(graph, NULL, &nodes));
  CU(cuGraphGetEdges(graph, NULL, NULL, &edges));
  /* The second kernel waits for the first, and for what its own stream did before. */
  CHECK(nodes == 5 && edges == 5, "%zu nodes, %zu edges", nodes, edges);
  CU(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU(cuGraphDestroy(graph));
  for (int i = 0; i < 2; i++) {
    r->seen = 0;
    CU(cuGraphLaunch(exec, r->two));
    CHECK(r->seen == 13, "%u", r->seen);
  }
  CU(cuGraphExecDestroy(exec));
}

/* --- what must not be done while a stream is captured: it fails, and so does the capture --- */

enum { GLOBAL, THREAD_LOCAL, RELAXED };

static CUresult sync_stream(Run *r) { return cuStreamSynchronize(r->one); }
static CUresult query_stream(Run *r) { return cuStreamQuery(r->one); }
static CUresult sync_device(Run *r) { return (void)r, cuCtxSynchronize(); }
static CUresult sync_event(Run *r) {
  CU(cuEventRecord(r->forked, r->one));
  return cuEventSynchronize(r->forked);
}
static CUresult copy_now(Run *r) { return cuMemcpyDtoH_v2(r->value, r->data, 4); }
static CUresult launch_legacy(Run *r) { return cuMemsetD32Async(r->data, 0, 1, NULL); }
static CUresult allocate(Run *r) {
  CUdeviceptr memory;
  (void)r;
  return cuMemAlloc_v2(&memory, 4);
}
static CUresult wait_outside(Run *r) {
  CU(cuEventRecord(r->joined, r->two));
  return cuStreamWaitEvent(r->one, r->joined, 0);
}

static void test_misuse(Run *r) {
  static const struct {
    CUresult (*call)(Run *);
    CUresult error;
    int mode;
  } misuse[] = {{sync_stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, RELAXED},
                {query_stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, RELAXED},
                {sync_device, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, RELAXED},
                {sync_event, CUDA_ERROR_CAPTURED_EVENT, RELAXED},
                {copy_now, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, RELAXED},
                {launch_legacy, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, RELAXED},
                {allocate, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, GLOBAL},
                {allocate, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, THREAD_LOCAL},
                {wait_outside, CUDA_ERROR_STREAM_CAPTURE_ISOLATION, RELAXED}};
  CUgraph graph;
  int status;
  for (size_t i = 0; i < sizeof misuse / sizeof *misuse; i++) {
    CU(cuStreamBeginCapture_v2(r->one, misuse[i].mode));
    CU_FAILS(misuse[i].call(r), misuse[i].error);
    CU(cuStreamIsCapturing(r->one, &status));
    CHECK(status == 2, "misuse %zu: %d", i, status);
    CU_FAILS(cuMemsetD32Async(r->data, 0, 1, r->one), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CU_FAILS(cuStreamEndCapture(r->one, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(!graph, "misuse %zu: a graph", i);
  }
  CU_FAILS(cuStreamEndCapture(r->one, &graph), CUDA_ERROR_ILLEGAL_STATE);
}

static void allocate_captured(Run *r, int mode) {
  CUdeviceptr memory;
  CUgraph graph;
  CU(cuStreamBeginCapture_v2(r->one, mode));
  CU(cuMemAlloc_v2(&memory, 4));
  CU(cuMemFree_v2(memory));
  CU(cuStreamEndCapture(r->one, &graph));
  CU(cuGraphDestroy(graph));
}

/* Memory may be allocated in a relaxed capture, or once the thread has exchanged its mode. */
static void test_relaxed(Run *r) {
  int mode = RELAXED;
  allocate_captured(r, RELAXED);
  CU(cuThreadExchangeStreamCaptureMode(&mode));
  allocate_captured(r, GLOBAL);
  CU(cuThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == RELAXED, "%d", mode);
}

/* Allocates as a thread of its own, whose mode is `mode`. */
static void *allocate_apart(void *mode) {
  CUdeviceptr memory = 0;
  int *result = mode, own = *result;
  cu_begin();
  CU(cuThreadExchangeStreamCaptureMode(&own));
  *result = (int)cuMemAlloc_v2(&memory, 4);
  if (!*result) CU(cuMemFree_v2(memory));
  return NULL;
}

/* Another thread may allocate unless its mode and the capture's are both global. */
static void test_threads(Run *r) {
  for (int capture = GLOBAL; capture <= RELAXED; capture++) {
    for (int own = GLOBAL; own <= RELAXED; own++) {
      const bool refused = capture == GLOBAL && own == GLOBAL;
      int result = own;
      CUgraph graph;
      pthread_t thread;
      CU(cuStreamBeginCapture_v2(r->one, capture));
      CHECK(pthread_create(&thread, NULL, allocate_apart, &result) == 0, "no thread");
      pthread_join(thread, NULL);
      CHECK(result == (refused ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS),
            "a capture of mode %d, a thread of mode %d: %d", capture, own, result);
      CU_FAILS(cuStreamEndCapture(r->one, &graph),
               refused ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS);
      if (!refused) CU(cuGraphDestroy(graph));
    }
  }
}

/* A capture that ends without waiting for a stream that joined it fails. */
static void test_unjoined(Run *r) {
  CUgraph graph;
  CU(cuStreamBeginCapture_v2(r->one, GLOBAL));
  CU(cuEventRecord(r->forked, r->one));
  CU(cuStreamWaitEvent(r->two, r->forked, 0));
  add(r, 1, r->two);
  CU_FAILS(cuStreamEndCapture(r->one, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  CU(cuStreamSynchronize(r->two));
  CU_FAILS(cuStreamWaitEvent(r->two, r->forked, 0), CUDA_ERROR_CAPTURED_EVENT);
}

/* Destroying a stream that joined a capture, or began it, leaves nothing behind. */
static void test_destroyed(Run *r) {
  CUgraph graph;
  for (int joins = 0; joins < 2; joins++) {
    CUstream s;
    CU(cuStreamCreate(&s, 0));
    CU(cuStreamBeginCapture_v2(joins ? r->one : s, GLOBAL));
    CU(cuEventRecord(r->forked, joins ? r->one : s));
    CU(cuStreamWaitEvent(joins ? s : r->one, r->forked, 0));
    CU(cuStreamDestroy_v2(s));
    if (joins) CU(cuStreamEndCapture(r->one, &graph));
    if (joins) CU(cuGraphDestroy(graph));
    CU(cuStreamSynchronize(r->one));
  }
}

static void test_words(Run *r) {
  enum { AT_LEAST, EQUAL, AND, NOR };
  CUgraph graph;
  CUgraphExec exec;
  CU(cuMemsetD32_v2(r->data, 0, 2));
  CU(cuStreamBeginCapture_v2(r->one, 0));
  CU(cuStreamWriteValue32_v2(r->one, r->data, 12, 0));
  CU(cuStreamWaitValue32_v2(r->one, r->data, 12, EQUAL));
  CU(cuStreamEndCapture(r->one, &graph));
  CU(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU(cuGraphLaunch(exec, r->one));
  CU(cuStreamWaitValue32_v2(r->two, r->data, UINT32_MAX, AT_LEAST)); /* 12 - -1 */
  CU(cuStreamWaitValue64_v2(r->two, r->data, 8, AND));
  CU(cuStreamWaitValue64_v2(r->two, r->data, 8, NOR));
  CU(cuGraphExecDestroy(exec));
  CU(cuGraphDestroy(graph));
}

static void test_pool(Run *r) {
  CUgraph graph;
  CUgraphExec exec;
  CUdeviceptr memory;
  CU(cuMemAllocAsync(&memory, 64, r->one));
  CU(cuMemFreeAsync(memory, r->one));
  CU_FAILS(cuMemFreeAsync(memory, r->one), CUDA_ERROR_INVALID_VALUE);
  CU(cuStreamBeginCapture_v2(r->one, 0));
  CU(cuMemAllocAsync(&memory, 64, r->one));
  CU(cuMemsetD32Async(memory, 21, 16, r->one));
  CU(cuMemcpyDtoHAsync_v2(r->value, memory, 64, r->one));
  CU(cuMemFreeAsync(memory, r->one));
  CU(cuStreamEndCapture(r->one, &graph));
  CU(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU_FAILS(cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE);
  for (int i = 0; i < 2; i++) {
    memset(r->value, 0, sizeof r->value);
    CU(cuGraphLaunch(exec, r->one));
    CHECK(r->value[15] == 21, "%u", r->value[15]);
  }
  CU(cuGraphExecDestroy(exec));
  CU(cuGraphDestroy(graph));
}

/* CUDA_MEMCPY3D: two rows of two slices, from the second column on. */
static void test_box(Run *r) {
  enum { ROW = 8, ROWS = 3, SLICES = 2 };
  unsigned char from[SLICES][ROWS][ROW], to[SLICES][2][4] = {{{0}}};
  struct {
    size_t x, y, z, level;
    int type;
    void *host;
    CUdeviceptr device;
    void *array, *context;
    size_t pitch, height;
  } side[2] = {{.x = 2, .y = 1, .type = MEMORY_HOST, .host = from, .pitch = ROW, .height = ROWS},
               {.type = MEMORY_DEVICE, .device = r->data, .pitch = 4, .height = 2}};
  struct {
    char side[sizeof side];
    size_t width, height, depth;
  } box = {.width = 4, .height = 2, .depth = SLICES};
  for (size_t i = 0; i < sizeof from; i++) (&from[0][0][0])[i] = (unsigned char)i;
  memcpy(box.side, side, sizeof side);
  CU(cuMemcpy3D_v2(&box));
  CU(cuMemcpyDtoH_v2(to, r->data, sizeof to));
  CHECK(to[0][0][0] == ROW + 2 && to[1][1][3] == ROW * (ROWS + 2) + 5, "%d %d", to[0][0][0],
        to[1][1][3]);
  box.depth = 100;
  CU_FAILS(cuMemcpy3D_v2(&box), CUDA_ERROR_INVALID_VALUE);
}

/* Rows of words, `pitch` apart, all of which must be in the allocation. */
static void test_rows(void) {
  enum { PITCH = 48, ROWS = 4, WIDTH = 5, LAST = (ROWS - 1) * PITCH, BYTES = LAST + WIDTH * 4 };
  unsigned char got[BYTES];
  CUdeviceptr memory;
  CU(cuMemAlloc_v2(&memory, BYTES));
  CU(cuMemsetD2D8_v2(memory, PITCH, 1, PITCH, ROWS - 1));
  CU(cuMemsetD2D32_v2(memory, PITCH, 0x02020202, WIDTH, ROWS));
  CU(cuMemcpyDtoH_v2(got, memory, BYTES));
  for (int i = 0; i < BYTES; i++)
    CHECK(got[i] == (i % PITCH < WIDTH * 4 ? 2 : 1), "byte %d: %d", i, got[i]);
  CU_FAILS(cuMemsetD2D32_v2(memory, PITCH, 3, WIDTH, ROWS + 1), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuMemsetD2D32_v2(memory, PITCH, 3, WIDTH + 1, ROWS), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuMemsetD2D32_v2(memory + 4, PITCH, 3, WIDTH, ROWS), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuMemsetD2D8_v2(memory, PITCH, 3, WIDTH * 4 + 1, ROWS), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuMemsetD2D8_v2(memory, (size_t)1 << 63, 3, WIDTH, 3), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuMemsetD2D32_v2(memory, PITCH, 3, (size_t)1 << 62, 1), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemcpyDtoH_v2(got, memory, BYTES));
  CHECK(got[0] == 2 && got[LAST] == 2, "what is refused writes");
  CU(cuMemFree_v2(memory));
}

/* --- a graph's references to the program's objects --- */

enum { MOVE = 1 };

static void count_up(void *calls) { ++*(int *)calls; }

/* An object lives until the last of its references is released, whichever calls took them. */
static void test_references(void) {
  int destroyed = 0;
  CUgraph graph;
  CUuserObject object;
  CU(cuGraphCreate(&graph, 0));
  CU(cuUserObjectCreate(&object, &destroyed, count_up, 3, 0));
  CU(cuGraphRetainUserObject(graph, object, 2, MOVE));
  CU(cuGraphRetainUserObject(graph, object, 1, MOVE));
  CU(cuGraphReleaseUserObject(graph, object, 1));
  CU(cuGraphReleaseUserObject(graph, object, 1));
  CHECK(!destroyed, "with a reference left");
  CU_FAILS(cuGraphReleaseUserObject(graph, object, 2), CUDA_ERROR_INVALID_VALUE);
  CU(cuGraphReleaseUserObject(graph, object, 1));
  CHECK(destroyed == 1, "%d calls", destroyed);
  CU(cuGraphDestroy(graph));
}

/* Copies and instances hold references of their own [CUDA C++ Programming Guide, user objects]. */
static void test_copied_references(Run *r) {
  int destroyed = 0;
  CUgraph graph, copy;
  CUgraphExec exec;
  CUuserObject object;
  CU(cuGraphCreate(&graph, 0));
  CU(cuUserObjectCreate(&object, &destroyed, count_up, 1, 0));
  CU(cuGraphRetainUserObject(graph, object, 1, MOVE));
  CU(cuGraphClone(&copy, graph));
  CU(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU(cuGraphDestroy(graph));
  CU(cuGraphDestroy(copy));
  CHECK(!destroyed, "under an instance");
  CU(cuGraphLaunch(exec, r->one));
  CU(cuStreamSynchronize(r->one));
  CU(cuGraphExecDestroy(exec));
  CHECK(destroyed == 1, "%d calls", destroyed);
}

/* Neighbours are listed in the order of the edges, and of the nodes; a NULL list only returns the
 * length. */
static void test_neighbours(void) {
  enum { NODES = 3 };
  CUgraph graph;
  CUgraphNode node[NODES], found[NODES];
  size_t count = NODES;
  CU(cuGraphCreate(&graph, 0));
  for (int i = 0; i < NODES; i++) CU(cuGraphAddEmptyNode(&node[i], graph, NULL, 0));
  const CUgraphNode from[] = {node[1], node[0]}, to[] = {node[2], node[2]};
  CU(cuGraphAddDependencies(graph, from, to, 2));
  CU(cuGraphNodeGetDependencies(node[2], found, &count));
  CHECK(count == 2 && found[0] == node[1] && found[1] == node[0] && !found[2], "%zu", count);
  CU(cuGraphNodeGetDependentNodes(node[0], found, &count));
  CHECK(count == 1 && found[0] == node[2] && !found[1], "%zu", count);
  CU_FAILS(cuGraphAddDependencies(graph, NULL, to, 1), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuGraphRemoveDependencies(graph, from, NULL, 1), CUDA_ERROR_INVALID_VALUE);
  CU(cuGraphAddDependencies(graph, NULL, NULL, 0));
  CU(cuGraphDestroy(graph));
}

/* A graph whose child sets a word; returns the child's node in it. */
static CUgraphNode nested(const Run *r, unsigned value, CUgraph *out) {
  const struct {
    CUdeviceptr to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
  } fill = {r->data, 0, value, 4, 1, 1};
  CUgraph child, inside;
  CUgraphNode node, inner;
  size_t count = 1;
  CU(cuGraphCreate(&child, 0));
  CU(cuGraphAddMemsetNode(&inner, child, NULL, 0, &fill, NULL));
  CU(cuGraphCreate(out, 0));
  CU(cuGraphAddChildGraphNode(&node, *out, NULL, 0, child));
  CU(cuGraphDestroy(child));
  CU(cuGraphChildGraphNodeGetGraph(node, &inside));
  CU(cuGraphGetNodes(inside, &inner, &count));
  return inner;
}

static unsigned word_after(const Run *r, CUgraphExec exec) {
  unsigned word;
  CU(cuGraphLaunch(exec, r->one));
  CU(cuStreamSynchronize(r->one));
  CU(cuMemcpyDtoH_v2(&word, r->data, sizeof word));
  return word;
}

/* After an update of an instance, calls still refer to the nodes of its first graph, including
 * nodes of child graphs. */
static void test_update(const Run *r) {
  CUgraph first, second;
  CUgraphExec exec;
  struct {
    int result;
    CUgraphNode node, from;
  } info;
  const CUgraphNode inner = nested(r, 1, &first);
  nested(r, 2, &second);
  CU(cuGraphInstantiateWithFlags(&exec, first, 0));
  CHECK(word_after(r, exec) == 1, "%u", word_after(r, exec));
  CU(cuGraphExecUpdate_v2(exec, second, &info));
  CHECK(word_after(r, exec) == 2, "%u", word_after(r, exec));
  CU(cuMemsetD32_v2(r->data, 3, 1));
  CU(cuGraphNodeSetEnabled(exec, inner, 0));
  CHECK(word_after(r, exec) == 3, "%u", word_after(r, exec));
  CU(cuGraphExecUpdate_v2(exec, second, &info));
  CHECK(word_after(r, exec) == 3, "%u", word_after(r, exec));
  CU(cuGraphExecDestroy(exec));
  CU(cuGraphDestroy(first));
  CU(cuGraphDestroy(second));
}

/* --- memory that is mapped --- */

/* An allocation keeps what it holds while it is mapped nowhere, and may move. */
static void test_remap(void) {
  enum { BYTES = 2 << 20 };
  static const unsigned char properties[40];
  static const size_t part[] = {0, BYTES / 2, SIZE_MAX - BYTES + 1}; /* or no range at all */
  CUdeviceptr here, there;
  unsigned value = 0;
  void *block;
  CU(cuMemAddressReserve(&here, BYTES, 0, 0, 0));
  CU(cuMemAddressReserve(&there, BYTES, 0, 0, 0));
  CU_FAILS(cuMemCreate(&block, BYTES / 2, properties, 0), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuMemCreate(&block, (size_t)BYTES << 20, properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
  CU(cuMemCreate(&block, BYTES, properties, 0));
  CU(cuMemMap(here, BYTES, 0, block, 0));
  for (size_t i = 0; i < sizeof part / sizeof *part; i++)
    CU_FAILS(cuMemUnmap(here, part[i]), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemsetD32_v2(here + BYTES - 4, 35, 1));
  CU(cuMemUnmap(here, BYTES));
  CU_FAILS(cuMemMap(there, BYTES, BYTES, block, 0), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemMap(there, BYTES, 0, block, 0));
  CU(cuMemcpyDtoH_v2(&value, there + BYTES - 4, sizeof value));
  CHECK(value == 35, "%u", value);
  CU(cuMemRelease(block));
  CU(cuMemcpyDtoH_v2(&value, there, sizeof value));
  CU(cuMemUnmap(there, BYTES));
}

/* Sizes that no address space holds are no sizes of something smaller. */
static void test_huge(void) {
  CUdeviceptr memory;
  size_t pitch;
  void *host;
  CU_FAILS(cuMemHostAlloc(&host, SIZE_MAX, 0), CUDA_ERROR_OUT_OF_MEMORY);
  CU_FAILS(cuMemAllocManaged(&memory, SIZE_MAX - 1, 1), CUDA_ERROR_OUT_OF_MEMORY);
  CU_FAILS(cuMemAllocPitch_v2(&memory, &pitch, 512, SIZE_MAX / 512 + 2, 4),
           CUDA_ERROR_OUT_OF_MEMORY);
}

int main(void) {
  CUmodule m;
  Run r = {0};
  cu_begin();
  CU(cuModuleLoadData(&m, ptx));
  CU(cuModuleGetFunction(&r.add, m, "add"));
  CU(cuMemAlloc_v2(&r.data, sizeof r.value));
  CU(cuStreamCreate(&r.one, 0));
  CU(cuStreamCreate(&r.two, 1));
  CU(cuEventCreate(&r.forked, 0));
  CU(cuEventCreate(&r.joined, 0));
  test_order(&r);
  test_capture(&r);
  test_misuse(&r);
  test_relaxed(&r);
  test_threads(&r);
  test_unjoined(&r);
  test_destroyed(&r);
  test_words(&r);
  test_pool(&r);
  test_box(&r);
  test_rows();
  test_references();
  test_copied_references(&r);
  test_neighbours();
  test_update(&r);
  test_remap();
  test_huge();
  CU(cuEventDestroy_v2(r.forked));
  CU(cuEventDestroy_v2(r.joined));
  CU(cuStreamDestroy_v2(r.one));
  CU(cuStreamDestroy_v2(r.two));
  CU(cuMemFree_v2(r.data));
  CU(cuModuleUnload(m));
  return check_report("libcuda_stream");
}
