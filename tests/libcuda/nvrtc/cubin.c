/* SPDX-License-Identifier: MIT */
/* Has NVRTC compile a kernel to machine code, or takes the file in its argument; launches it;
 * prints its output, its registers and the maximum threads per block. */
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>

static void *compile(void) {
  static const char source[] = "extern \"C\" __global__ void k(int *p) { *p = 7; }";
  const char *option = "--gpu-architecture=sm_90";
  nvrtcProgram program;
  size_t bytes = 0;
  if (nvrtcCreateProgram(&program, source, "k.cu", 0, NULL, NULL)) return NULL;
  if (nvrtcCompileProgram(program, 1, &option)) return NULL;
  nvrtcGetCUBINSize(program, &bytes);
  void *cubin = malloc(bytes);
  nvrtcGetCUBIN(program, cubin);
  nvrtcDestroyProgram(&program);
  return cubin;
}

int main(int count, char **word) {
  CUcontext context;
  CUmodule module;
  CUfunction k;
  CUdeviceptr p;
  int value = 0, registers = 0, threads = 0;
  void *params[] = {&p}, *image = NULL;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  if (count == 1) image = compile();
  const CUresult result =
      count > 1 ? cuModuleLoad(&module, word[1]) : cuModuleLoadData(&module, image);
  free(image);
  if (result) return printf("error %d\n", result), 1;
  cuModuleGetFunction(&k, module, "k");
  cuMemAlloc(&p, sizeof value);
  const CUresult launched = cuLaunchKernel(k, 1, 1, 1, 1024, 1, 1, 0, NULL, params, NULL);
  cuMemcpyDtoH(&value, p, sizeof value);
  cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, k);
  cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k);
  cuMemFree(p);
  printf("%d %d %d launched %d\n", value, registers, threads, launched);
  return 0;
}
