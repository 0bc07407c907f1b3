# Programs whose kernels begin early: by the attribute of a launch in a stream, and by programmatic edges of a graph.
. tests/shell/check.bash
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
command -v nvcc >/dev/null || { echo "skipped: no nvcc"; exit 77; }
# A library with the sanitizers in it needs a program that has them.
! sanitized || { echo "skipped: built with sanitizers"; exit 77; }
cat >early.cu <<'CU'
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
__global__ void produce(int *data) {
  cudaTriggerProgrammaticLaunchCompletion();
  data[threadIdx.x] = 1;
}
template <bool waits> __global__ void take(const int *data, int *out) {
  if (waits) cudaGridDependencySynchronize();
  out[threadIdx.x] = data[threadIdx.x];
}
__global__ void other(int *out) {
  cudaTriggerProgrammaticLaunchCompletion();
  out[threadIdx.x] = 2;
}
int *data, *out, *more;
template <class... P> void launch(cudaStream_t s, bool early, void (*k)(P...), P... p) {
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  a.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t c = {};
  c.gridDim = 1, c.blockDim = 64, c.stream = s, c.attrs = &a, c.numAttrs = early;
  cudaLaunchKernelEx(&c, k, p...);
}
void add(cudaGraph_t g, cudaGraphNode_t *node, void *k, void **args) {
  cudaKernelNodeParams p = {};
  p.func = k, p.gridDim = 1, p.blockDim = 64, p.kernelParams = args;
  cudaGraphAddKernelNode(node, g, nullptr, 0, &p);
}
void join(cudaGraph_t g, cudaGraphNode_t from, cudaGraphNode_t to, bool early) {
  cudaGraphEdgeData e = {};
  if (early) e.from_port = cudaGraphKernelNodePortProgrammatic, e.type = cudaGraphDependencyTypeProgrammatic;
#if CUDART_VERSION >= 13000
  cudaGraphAddDependencies(g, &from, &to, &e, 1);
#else
  cudaGraphAddDependencies_v2(g, &from, &to, &e, 1);
#endif
}
int run(cudaGraph_t g, cudaStream_t s) {
  cudaGraphExec_t exec;
  if (cudaGraphInstantiate(&exec, g, 0) || cudaGraphLaunch(exec, s) || cudaStreamSynchronize(s)) return 2;
  cudaGraphExecDestroy(exec);
  return cudaGraphDestroy(g) != 0;
}
int main(int, char **argv) {
  const char *how = argv[1];
  auto is = [&](const char *name) { return strcmp(how, name) == 0; };
  cudaStream_t s, t;
  cudaEvent_t e;
  cudaMalloc(&data, 256), cudaMalloc(&out, 256), cudaMalloc(&more, 256);
  cudaMemset(more, 0, 256);
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaStreamCreate(&t), cudaEventCreate(&e);
  const int *in = data;
  if (strncmp(how, "nodes", 5) == 0) {
    cudaGraph_t g;
    cudaGraphNode_t a, b, c;
    void *first[] = {&data}, *second[] = {&data, &out}, *third[] = {&more};
    cudaGraphCreate(&g, 0);
    add(g, &a, (void *)produce, first), add(g, &b, (void *)take<false>, second), add(g, &c, (void *)other, third);
    join(g, a, b, !is("nodes_full"));
    if (is("nodes_both")) join(g, a, c, false), join(g, c, b, false);
    return run(g, s);
  }
  if (strncmp(how, "capture", 7) == 0) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    launch(s, false, produce, data);
    launch(s, !is("capture_full"), take<false>, in, out);
    cudaStreamEndCapture(s, &g);
    return run(g, s);
  }
  if (is("default")) s = nullptr;
  launch(s, false, produce, data);
  if (is("synchronized")) cudaStreamSynchronize(s);
  if (is("event")) cudaEventRecord(e, s);
  if (is("copied")) cudaMemcpyAsync(more, more + 32, 128, cudaMemcpyDeviceToDevice, s);
  if (is("elsewhere")) launch(t, false, other, more);
  if (is("third")) launch(s, true, other, more);
  launch(is("stream") ? t : s, !is("full"), is("waits") || is("third") ? take<true> : take<false>, in, out);
  return cudaDeviceSynchronize() || cudaFree(data) || cudaFree(out) || cudaFree(more);
}
CU
nvcc -std=c++17 -w -lineinfo -cudart shared -arch=sm_90 -o early early.cu || exit 1
holds "it is built" test -x early
# races HOW MESSAGE: one race in the kernel `take`.
races() {
  "$KGEN" --exec --no-leaks --json -- ./early "$1" >stdout 2>stderr
  check "$([ $? = 1 ]; echo $?)" "$1: $(tail -n 3 stderr)"
  got=$(python3 -c "
import json
f = [x for l in json.load(open('stdout'))['lint'] for x in l['findings']]
assert len(f) == 1 and f[0]['kind'] == 'race' and f[0]['line'] == 10, f
print(f[0]['message'])")
  holds "$1: $got" grep -qE -- "$2" <<<"$got"
}
clean() { expect 0 '' --exec --no-leaks -- ./early "$1"; }
wait='kernel produce writes at line 6, after its launch_dependents at .*: no griddepcontrol.wait'
races early "$wait"
races default "$wait"
races elsewhere "$wait"
races capture "$wait"
races nodes "$wait"
races third 'kernel produce writes at line 6, .*: other, launched between, has no griddepcontrol.wait'
for how in waits full synchronized event copied stream capture_full nodes_full nodes_both; do clean $how; done
verdict exec_overlap
