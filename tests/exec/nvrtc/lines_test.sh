# Machine code built with -lineinfo and without PTX: reports quote its sources, including headers and other units, and work
# without sources that no longer exist.
. tests/shell/check.bash
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
command -v nvcc >/dev/null || { echo "skipped: no nvcc"; exit 77; }
# A library with the sanitizers in it needs a program that has them.
! sanitized || { echo "skipped: built with sanitizers"; exit 77; }
built() { nvcc -w -lineinfo -gencode arch=compute_90,code=sm_90 "$@" || exit 1; }
quotes() { holds "$1: $(cat stderr)" grep -qE "$2" stderr; }

cat >load.h <<'CU'
__device__ __forceinline__ float load(const float *t, int i) {
  return t[i * 2];
}
CU
cat >one.cu <<'CU'
#include "load.h"
template <int N> __global__ void turn(const float *in, float *out) {
  __shared__ float t[64 * N];
  for (int i = threadIdx.x; i < 64 * N; i += 32) t[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = load(t, threadIdx.x);
}
int main() {
  float *in;
  cudaMalloc(&in, 256);
  cudaMemset(in, 0, 256);
  turn<1><<<1, 32>>>(in, in);
  return cudaFree(in);
}
CU
built one.cu -o one
expect 0 '' --exec -- ./one
quotes "the file" '^one.cu: turn<1>$'
quotes "a line" '^ +4  for \(int i = threadIdx.x; i < 64 \* N; i \+= 32\) t\[i\] = in\[i\];$'
quotes "a function that is inlined" '^ +6  out\[threadIdx.x\] = load\(t, threadIdx.x\);$'
quotes "and its own line" '^ +code of load.h:2$'
quotes "its array" '^t, 256 bytes of shared memory'
mv one.cu gone
expect 0 '' --exec -- ./one
quotes "the number of a line that is gone" '^ +6 *$'
quotes "and what it does" '2 wavefronts, ideal 1$'

cat >far.cu <<'CU'
__device__ float far(const float *t, int i) {
  return t[i * 4];
}
CU
cat >near.cu <<'CU'
extern __device__ float far(const float *t, int i);
__global__ void near(float *out) {
  __shared__ float t[128];
  for (int i = threadIdx.x; i < 128; i += 32) t[i] = i;
  __syncthreads();
  out[threadIdx.x] = far(t, threadIdx.x);
}
int main() {
  float *out;
  cudaMalloc(&out, 128);
  near<<<1, 32>>>(out);
  return cudaFree(out);
}
CU
built -rdc=true near.cu far.cu -o two
expect 0 '' --exec -- ./two
quotes "the kernel's unit" '^near.cu: near$'
quotes "and its line" '^ +4  for \(int i = threadIdx.x; i < 128; i \+= 32\) t\[i\] = i;$'
quotes "the other unit" '^ +2  return t\[i \* 4\];$'

# Texts in memory that NVRTC compiles: without a name, of one name, and headers.
cat >texts.c <<'C'
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#define MUST(call) if (call) return printf("%s\n", #call), 1
static const char *const header[] = {"#define WIDTH 32\n__device__ int half(const int *t, int i) {\n  return t[i / 2 * 32];\n}\n"};
static const char *const include[] = {"half.h"};
static const char slow[] =
    "extern \"C\" __global__ void go(int *out) {\n  __shared__ int t[1024];\n"
    "  t[threadIdx.x * 32] = 1; // slow\n  out[threadIdx.x] = t[threadIdx.x * 32];\n}\n";
static const char fast[] =
    "extern \"C\" __global__ void go(int *out) {\n  __shared__ int t[1024];\n"
    "  t[threadIdx.x * 2] = 1; // fast\n  out[threadIdx.x] = t[threadIdx.x * 2];\n}\n";
static const char halved[] =
    "#include \"half.h\"\nextern \"C\" __global__ void go(int *out) {\n  __shared__ int t[1024];\n"
    "  for (int i = 0; i < WIDTH; i++) t[threadIdx.x + 32 * i] = i; // halved\n"
    "  __syncthreads();\n  out[threadIdx.x] = half(t, threadIdx.x);\n}\n";
static int run(const char *text, const char *name, CUdeviceptr out) {
  const char *option[] = {getenv("ARCH")};
  nvrtcProgram p;
  size_t bytes;
  CUmodule m;
  CUfunction f;
  void *args[] = {&out};
  MUST(nvrtcCreateProgram(&p, text, name, 1, header, include));
  MUST(nvrtcCompileProgram(p, 1, option));
  const int machine = option[0][7] == 's';
  MUST(machine ? nvrtcGetCUBINSize(p, &bytes) : nvrtcGetPTXSize(p, &bytes));
  char *image = malloc(bytes);
  MUST(machine ? nvrtcGetCUBIN(p, image) : nvrtcGetPTX(p, image));
  nvrtcDestroyProgram(&p);
  MUST(cuModuleLoadData(&m, image));
  MUST(cuModuleGetFunction(&f, m, "go"));
  MUST(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
  free(image);
  return 0;
}
int main(void) {
  CUcontext c;
  CUdeviceptr out;
  MUST(cuInit(0) || cuDevicePrimaryCtxRetain(&c, 0) || cuCtxSetCurrent(c) || cuMemAlloc(&out, 128));
  if (run(slow, NULL, out) || run(fast, NULL, out) || run(slow, "", out)) return 2;
  if (run(fast, "own.cu", out) || run(slow, "own.cu", out) || run(halved, "third.cu", out)) return 3;
  return cuMemFree(out);
}
C
toolkit=$(dirname "$(dirname "$(command -v nvcc)")")
cc -w -I"$toolkit/include" texts.c -L"$KGEN_BUILD/exec" -L"$toolkit/lib64" -lnvrtc -l:libcuda.so.1 -o texts || exit 1
export LD_LIBRARY_PATH=$toolkit/lib64
for ARCH in -arch=sm_90 -arch=compute_90; do
  export ARCH
  expect 0 '' --exec -v -- ./texts
  holds "$ARCH: $(cat stdout)" [ ! -s stdout ]
  report() { awk -v name="$1" '/^[^ ].*: go$/ { on = $0 == name ": go" } on' stderr; }
  line() { holds "$ARCH, $1 line $2 in: $(report "$1")" grep -qE "^ +$2\$" <(report "$1"); }
  line 'default_program#1' '3  t\[threadIdx.x \* 32\] = 1; // slow'
  line 'default_program#2' '3  t\[threadIdx.x \* 2\] = 1; // fast'
  line own.cu '3  t\[threadIdx.x \* 2\] = 1; // fast'
  line 'own.cu#2' '3  t\[threadIdx.x \* 32\] = 1; // slow'
  line third.cu '4  for \(int i = 0; i < WIDTH; i\+\+\) t\[threadIdx.x \+ 32 \* i\] = i; // halved'
  line third.cu '6  out\[threadIdx.x\] = half\(t, threadIdx.x\);'
  holds "$ARCH, the header's line" grep -q 'code of half.h:3$' <(report third.cu)
done
verdict exec_lines
