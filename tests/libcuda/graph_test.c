/* SPDX-License-Identifier: MIT */
/* Errors while graphs are built, and properties of their nodes, as on an H200. */
#include "libcuda/cu.h"

typedef struct Library *Lib;
CUresult cuLibraryLoadData(Lib *out, const void *image, int *jit, void **jit_value, unsigned jits,
                           int *option, void **value, unsigned options);
CUresult cuLibraryGetKernel(CUkernel *out, Lib library, const char *name);
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode n, void *out);
CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph g, CUgraphNode const *dep, size_t deps,
                            const void *params);
CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph g, CUgraphNode const *dep, size_t deps,
                                void *params);
CUresult cuGraphNodeGetEnabled(CUgraphExec e, CUgraphNode n, unsigned *enabled);

typedef struct {
  CUfunction function;
  unsigned grid[3], block[3], shared_bytes;
  void **params, **extra;
  CUkernel kernel;
  CUcontext context;
} Kernel;

static const char ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k(.param .u64 a) { ret; }\n";

/* The runtime finds a program's kernel by the library's, and so fails without. */
static void check_kernel(CUgraph g, Kernel k, CUfunction function, CUkernel kernel) {
  CUgraphNode node;
  CUdeviceptr a = 0;
  void *params[] = {&a};
  Kernel told = {.function = NULL};
  k.params = params;
  CU(cuGraphAddKernelNode_v2(&node, g, NULL, 0, &k));
  CU(cuGraphKernelNodeGetParams_v2(node, &told));
  CHECK(told.function == function && told.kernel == kernel, "%p, %p", (void *)told.function,
        (void *)told.kernel);
  CHECK(told.context && told.block[0] == 32, "%p, %u", (void *)told.context, told.block[0]);
}

static void test_kernels(void) {
  Lib library;
  CUmodule module;
  CUkernel kernel;
  CUfunction function;
  CUgraph g;
  const Kernel plain = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
  CU(cuGraphCreate(&g, 0));
  CU(cuModuleLoadData(&module, ptx));
  CU(cuModuleGetFunction(&function, module, "k"));
  CU(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
  CU(cuLibraryGetKernel(&kernel, library, "k"));
  Kernel k = plain;
  k.function = function;
  check_kernel(g, k, function, NULL);
  k.function = NULL;
  k.kernel = kernel;
  check_kernel(g, k, kernel, kernel);
  CU(cuGraphDestroy(g));
  CU(cuModuleUnload(module));
}

/* Errors: an edge from a node to itself, and an edge that exists; a cycle when the graph is
 * instantiated. */
static void test_edges(void) {
  CUgraph g;
  CUgraphNode a, b;
  CUgraphExec e;
  CU(cuGraphCreate(&g, 0));
  CU(cuGraphAddEmptyNode(&a, g, NULL, 0));
  CU(cuGraphAddEmptyNode(&b, g, &a, 1));
  CU_FAILS(cuGraphAddDependencies(g, &a, &a, 1), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuGraphAddDependencies(g, &a, &b, 1), CUDA_ERROR_INVALID_VALUE);
  const CUgraphNode twice[] = {a, a};
  CUgraphNode c;
  CU_FAILS(cuGraphAddEmptyNode(&c, g, twice, 2), CUDA_ERROR_INVALID_VALUE);
  CU(cuGraphAddDependencies(g, &b, &a, 1));
  CU_FAILS(cuGraphInstantiateWithFlags(&e, g, 0), CUDA_ERROR_INVALID_VALUE);
  CU(cuGraphRemoveDependencies(g, &b, &a, 1));
  CU(cuGraphInstantiateWithFlags(&e, g, 0));
  CU(cuGraphExecDestroy(e));
  CU(cuGraphDestroy(g));
}

static void count(void *data) { ++*(int *)data; }

/* Nodes of host functions cannot be disabled: they run. */
static void test_enabled(void) {
  int calls = 0;
  unsigned enabled;
  struct {
    void (*call)(void *);
    void *data;
  } host = {count, &calls};
  CUgraph g;
  CUgraphNode node;
  CUgraphExec e;
  CU(cuGraphCreate(&g, 0));
  CU(cuGraphAddHostNode(&node, g, NULL, 0, &host));
  CU(cuGraphInstantiateWithFlags(&e, g, 0));
  CU_FAILS(cuGraphNodeSetEnabled(e, node, 0), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuGraphNodeGetEnabled(e, node, &enabled), CUDA_ERROR_INVALID_VALUE);
  CU(cuGraphLaunch(e, NULL));
  CU(cuCtxSynchronize());
  CHECK(calls == 1, "%d calls", calls);
  CU(cuGraphExecDestroy(e));
  CU(cuGraphDestroy(g));
}

/* Memory that a graph's launch allocates is that graph's alone. */
static void test_copy_of_memory(void) {
  struct {
    int type, handles, location, device;
    long long rest[9];
    void *descriptors;
    size_t count, bytes;
    CUdeviceptr address;
  } memory = {.type = 1, .location = 1, .bytes = 64};
  CUgraph g, copy;
  CUgraphNode node;
  CU(cuGraphCreate(&g, 0));
  CU(cuGraphAddMemAllocNode(&node, g, NULL, 0, &memory));
  CU_FAILS(cuGraphClone(&copy, g), CUDA_ERROR_NOT_SUPPORTED);
  CU_FAILS(cuGraphDestroyNode(node), CUDA_ERROR_NOT_SUPPORTED);
  CU(cuGraphCreate(&copy, 0));
  CU_FAILS(cuGraphAddChildGraphNode(&node, copy, NULL, 0, g), CUDA_ERROR_NOT_SUPPORTED);
  CU(cuGraphDestroy(copy));
  CU(cuGraphDestroy(g));
}

/* A set with an unknown element size, or beyond its memory, is an error when it is added, not when
 * it runs. */
static void test_sets(void) {
  struct {
    CUdeviceptr to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
  } set = {.element = 3, .width = 4, .height = 1};
  CUgraph g;
  CUgraphNode node;
  CU(cuGraphCreate(&g, 0));
  CU(cuMemAlloc_v2(&set.to, 64));
  CU_FAILS(cuGraphAddMemsetNode(&node, g, NULL, 0, &set, NULL), CUDA_ERROR_INVALID_VALUE);
  set.element = 4;
  set.width = 400;
  CU_FAILS(cuGraphAddMemsetNode(&node, g, NULL, 0, &set, NULL), CUDA_ERROR_INVALID_VALUE);
  set.width = 4;
  CU(cuGraphAddMemsetNode(&node, g, NULL, 0, &set, NULL));
  CU(cuMemFree_v2(set.to));
  CU(cuGraphDestroy(g));
}

int main(void) {
  cu_begin();
  test_kernels();
  test_edges();
  test_enabled();
  test_copy_of_memory();
  test_sets();
  return check_report("libcuda_graph");
}
