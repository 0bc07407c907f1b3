/* SPDX-License-Identifier: MIT */
/* Kernels that launch kernels, and that set the conditions of a graph's nodes. */
#include "libcuda/cu.h"

CUresult cuGraphCreate(CUgraph *out, unsigned flags);
CUresult cuGraphConditionalHandleCreate(uint64_t *out, CUgraph g, CUcontext context,
                                        unsigned initial, unsigned flags);
CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *dep, const void *edges,
                           size_t deps, void *params);

/* A tree of launches: every block counts itself, and launches `wide` more one level down. */
static const char tree[] =
    ".version 8.5\n.target sm_90\n.address_size 64\n"
    ".extern .func (.param .b64 result) __cudaCDP2GetParameterBufferV2(.param .b64 kernel,\n"
    "  .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);\n"
    ".extern .func (.param .b32 result) __cudaCDP2LaunchDeviceV2(.param .b64 buffer,\n"
    "  .param .b64 stream);\n"
    ".extern .func (.param .b32 result) __cudaCDP2StreamCreateWithFlags(.param .b64 out,\n"
    "  .param .b32 flags);\n"
    ".visible .entry tree(.param .u64 count, .param .u32 depth, .param .u32 wide) {\n"
    "  .local .align 8 .b8 stream[8]; .shared .b32 unused[4];\n"
    "  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p;\n"
    "  ld.param.u64 %rd1, [count]; ld.param.u32 %r1, [depth]; ld.param.u32 %r5, [wide];\n"
    "  mov.u32 %r2, %tid.x; setp.ne.u32 %p, %r2, 0; @%p ret;\n"
    "  atom.global.add.u32 %r3, [%rd1], 1;\n"
    "  setp.eq.u32 %p, %r1, 0; @%p ret; sub.u32 %r1, %r1, 1;\n"
    "  mov.u64 %rd2, stream; cvta.local.u64 %rd2, %rd2;\n"
    "  { .param .b64 a; .param .b32 b; .param .b32 c;\n"
    "    st.param.b64 [a], %rd2; st.param.b32 [b], 1;\n"
    "    call.uni (c), __cudaCDP2StreamCreateWithFlags, (a, b); }\n"
    "  ld.u64 %rd5, [%rd2];\n"
    "  mov.u64 %rd3, tree;\n"
    "  { .param .b64 a; .param .align 4 .b8 b[12]; .param .align 4 .b8 c[12]; .param .b32 d;\n"
    "    .param .b64 e;\n"
    "    st.param.b64 [a], %rd3; st.param.b32 [b], %r5; st.param.b32 [b+4], 1;\n"
    "    st.param.b32 [b+8], 1; st.param.b32 [c], 32; st.param.b32 [c+4], 1;\n"
    "    st.param.b32 [c+8], 1; st.param.b32 [d], 0;\n"
    "    call.uni (e), __cudaCDP2GetParameterBufferV2, (a, b, c, d); ld.param.b64 %rd4, [e]; }\n"
    "  st.u64 [%rd4], %rd1; st.u32 [%rd4+8], %r1; st.u32 [%rd4+12], %r5;\n"
    "  { .param .b64 a; .param .b64 b; .param .b32 c;\n"
    "    st.param.b64 [a], %rd4; st.param.b64 [b], %rd5;\n"
    "    call.uni (c), __cudaCDP2LaunchDeviceV2, (a, b); }\n"
    "  ret;\n}\n";

/* Counts down, and sets the condition while there is more to do. */
static const char steps[] =
    ".version 8.5\n.target sm_90\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
    ".visible .entry step(.param .u64 left, .param .u64 handle) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "  ld.param.u64 %rd1, [left]; ld.param.u64 %rd2, [handle];\n"
    "  ld.global.u32 %r1, [%rd1]; sub.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;\n"
    "  { .param .b64 a; .param .b32 b; st.param.b64 [a], %rd2; st.param.b32 [b], %r1;\n"
    "    call.uni cudaGraphSetConditional, (a, b); }\n"
    "  ret;\n}\n";

static CUdeviceptr word(unsigned value) {
  CUdeviceptr p = 0;
  CU(cuMemAlloc_v2(&p, sizeof value));
  CU(cuMemsetD32_v2(p, value, 1));
  return p;
}

static unsigned take(CUdeviceptr p) {
  unsigned value = 0;
  CU(cuMemcpyDtoH_v2(&value, p, sizeof value));
  CU(cuMemFree_v2(p));
  return value;
}

static unsigned blocks_of(CUfunction f, unsigned grid, unsigned depth, unsigned wide) {
  CUdeviceptr count = word(0);
  void *params[] = {&count, &depth, &wide};
  CU(cuLaunchKernel(f, grid, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
  CU(cuCtxSynchronize());
  return take(count);
}

static void test_children(void) {
  enum { CHAIN = 60000 }; /* with a frame for each the stack would be full */
  CUmodule m;
  CUfunction f;
  CU(cuModuleLoadData(&m, tree));
  CU(cuModuleGetFunction(&f, m, "tree"));
  unsigned blocks = blocks_of(f, 3, 4, 2);
  CHECK(blocks == 3 * (1 + 2 + 4 + 8 + 16), "%u blocks", blocks);
  blocks = blocks_of(f, 1, CHAIN, 1);
  CHECK(blocks == CHAIN + 1, "a chain of %u blocks", blocks);
  CU(cuModuleUnload(m));
}

/* CUgraphNodeParams of a kernel and of a condition. */
typedef struct {
  int type, reserved[3];
  CUfunction function;
  unsigned grid[3], block[3], shared_bytes;
  void **params, **extra;
  void *kernel, *context;
  long long rest[22];
} KernelNode;

typedef struct {
  int type, reserved[3];
  uint64_t handle;
  int kind;
  unsigned count;
  CUgraph *body;
  void *context;
  long long rest[26];
} ConditionNode;

static CUgraphNode add_step(CUgraph g, CUfunction f, void **params) {
  CUgraphNode node;
  KernelNode k = {.function = f, .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = params};
  CU(cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &k));
  return node;
}

/* A graph with a condition of a kind, of whose bodies the last takes one off the word. */
static CUgraph condition_of(CUfunction f, int kind, unsigned bodies, unsigned initial,
                            CUdeviceptr at, CUgraphNode *step) {
  CUgraph g;
  CUgraphNode node;
  uint64_t handle;
  CU(cuGraphCreate(&g, 0));
  CU(cuGraphConditionalHandleCreate(&handle, g, NULL, initial, 1));
  ConditionNode c = {.type = 13, .handle = handle, .kind = kind, .count = bodies};
  CU(cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &c));
  void *params[] = {&at, &handle};
  *step = add_step(c.body[bodies - 1], f, params);
  return g;
}

/* The value that one launch of a graph with a conditional node of that kind leaves. */
static unsigned left_by(CUfunction f, int kind, unsigned bodies, unsigned initial, unsigned left) {
  CUgraphNode step;
  CUgraphExec exec;
  const CUdeviceptr at = word(left);
  const CUgraph g = condition_of(f, kind, bodies, initial, at, &step);
  CU(cuGraphInstantiateWithFlags(&exec, g, 0));
  CU(cuGraphDestroy(g)); /* the instance has what it needs */
  CU(cuGraphLaunch(exec, NULL));
  CU(cuCtxSynchronize());
  CU(cuGraphExecDestroy(exec));
  return take(at);
}

static void test_conditions(void) {
  enum { IF, WHILE, SWITCH };
  CUmodule m;
  CUfunction f;
  CU(cuModuleLoadData(&m, steps));
  CU(cuModuleGetFunction(&f, m, "step"));
  unsigned left = left_by(f, IF, 1, 1, 9);
  CHECK(left == 8, "if: %u left", left);
  left = left_by(f, IF, 1, 0, 9);
  CHECK(left == 9, "if not: %u left", left);
  left = left_by(f, IF, 2, 0, 9);
  CHECK(left == 8, "else: %u left", left);
  left = left_by(f, WHILE, 1, 1, 9);
  CHECK(left == 0, "while: %u left", left);
  left = left_by(f, SWITCH, 3, 2, 9);
  CHECK(left == 8, "switch: %u left", left);
  left = left_by(f, SWITCH, 3, 3, 9);
  CHECK(left == 9, "switch to none: %u left", left);
  CU(cuModuleUnload(m));
}

/* Bodies are updated with their graph, and later calls still refer to the nodes that they were made
 * from. Bodies with another shape or another number are errors, like other nodes. */
static void test_updated_conditions(void) {
  enum { SWITCH = 2, TOPOLOGY = 2, PARAMETERS = 5 };
  CUmodule m;
  CUfunction f;
  CUgraphExec exec;
  CUgraphNode step, other;
  struct {
    int result;
    CUgraphNode node, from;
  } info;
  CU(cuModuleLoadData(&m, steps));
  CU(cuModuleGetFunction(&f, m, "step"));
  const CUdeviceptr first = word(9), second = word(9);
  const CUgraph old = condition_of(f, SWITCH, 2, 1, first, &step);
  const CUgraph new = condition_of(f, SWITCH, 2, 1, second, &other);
  const CUgraph more = condition_of(f, SWITCH, 3, 1, second, &other);
  CU(cuGraphInstantiateWithFlags(&exec, old, 0));
  CU(cuGraphExecUpdate_v2(exec, new, &info));
  CU(cuGraphNodeSetEnabled(exec, step, 0));
  CU(cuGraphLaunch(exec, NULL));
  CU(cuGraphNodeSetEnabled(exec, step, 1));
  CU(cuGraphLaunch(exec, NULL));
  CU_FAILS(cuGraphExecUpdate_v2(exec, more, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  CHECK(info.result == PARAMETERS && info.node, "other bodies: %d", info.result);
  CU(cuGraphDestroyNode(step));
  CU_FAILS(cuGraphExecUpdate_v2(exec, old, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  CHECK(info.result == TOPOLOGY, "a body without its node: %d", info.result);
  const unsigned left = take(first), left_now = take(second);
  CHECK(left == 9 && left_now == 8, "%u and %u left", left, left_now);
  CU(cuGraphExecDestroy(exec));
  CU(cuGraphDestroy(old));
  CU(cuGraphDestroy(new));
  CU(cuGraphDestroy(more));
  CU(cuModuleUnload(m));
}

/* A node without a required parameter is an error when it is added, not when the graph runs. */
static void test_incomplete_nodes(void) {
  enum { HOST = 3, GRAPH = 4, CONDITION = 13 };
  static const int type[] = {HOST, GRAPH};
  CUgraph g;
  CUgraphNode node;
  uint64_t handle;
  CU(cuGraphCreate(&g, 0));
  for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
    KernelNode n = {.type = type[i]};
    const CUresult result = cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &n);
    CHECK(result == CUDA_ERROR_INVALID_VALUE, "a node of kind %d without its member: %d", type[i],
          result);
  }
  CU(cuGraphConditionalHandleCreate(&handle, g, NULL, 0, 1));
  ConditionNode c = {.type = CONDITION, .handle = handle, .kind = -1, .count = 1};
  const CUresult result = cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &c);
  CHECK(result == CUDA_ERROR_INVALID_VALUE, "a condition of kind -1: %d", result);
  CU(cuGraphDestroy(g));
}

int main(void) {
  cu_begin();
  test_children();
  test_conditions();
  test_updated_conditions();
  test_incomplete_nodes();
  return check_report("libcuda_device_runtime");
}
