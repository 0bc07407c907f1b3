/* SPDX-License-Identifier: MIT */
/* Kernels whose block and parameters are set one by one, as CUDA 3 had it. What calls return was
 * compared with an H200. */
#include "libcuda/cu.h"

#include <string.h>

CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z);
CUresult cuFuncSetSharedSize(CUfunction f, unsigned bytes);
CUresult cuParamSetSize(CUfunction f, unsigned bytes);
CUresult cuParamSetv(CUfunction f, int offset, void *value, unsigned bytes);
CUresult cuParamSeti(CUfunction f, int offset, unsigned value);
CUresult cuParamSetf(CUfunction f, int offset, float value);
CUresult cuLaunch(CUfunction f);
CUresult cuLaunchGrid(CUfunction f, int width, int height);
CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream stream);

/* Writes down its parameters and sizes. */
static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry tell(.param .u64 out, .param .u32 a, .param .f32 b) {\n"
    "  .reg .b32 %r<8>; .reg .b64 %d<2>;\n"
    "  ld.param.u64 %d1, [out]; ld.param.u32 %r0, [a]; ld.param.b32 %r1, [b];\n"
    "  mov.u32 %r2, %ntid.x; mov.u32 %r3, %ntid.y; mov.u32 %r4, %nctaid.x;\n"
    "  mov.u32 %r5, %nctaid.y; mov.u32 %r6, %dynamic_smem_size;\n"
    "  st.global.u32 [%d1], %r0; st.global.u32 [%d1+4], %r1; st.global.u32 [%d1+8], %r2;\n"
    "  st.global.u32 [%d1+12], %r3; st.global.u32 [%d1+16], %r4; st.global.u32 [%d1+20], %r5;\n"
    "  st.global.u32 [%d1+24], %r6; ret;\n}\n";

enum { WORDS = 7, HALF = 0x3f000000 };

static void check(CUdeviceptr out, const uint32_t want[WORDS]) {
  uint32_t got[WORDS];
  CU(cuMemcpyDtoH_v2(got, out, sizeof got));
  for (int i = 0; i < WORDS; i++)
    CHECK(got[i] == want[i], "word %d: %u, not %u", i, got[i], want[i]);
}

static void set_all(CUfunction f, CUdeviceptr out) {
  CU(cuParamSetSize(f, 16));
  CU(cuParamSetv(f, 0, &out, sizeof out));
  CU(cuParamSeti(f, 8, 1234));
  CU(cuParamSetf(f, 12, 0.5f));
}

static void test_launches(CUfunction f, CUdeviceptr out) {
  CUstream s;
  set_all(f, out);
  CU(cuFuncSetBlockShape(f, 32, 2, 1));
  CU(cuFuncSetSharedSize(f, 100));
  CU(cuLaunchGrid(f, 3, 2));
  check(out, (const uint32_t[]){1234, HALF, 32, 2, 3, 2, 100});
  CU(cuParamSeti(f, 8, 5)); /* the rest stays */
  CU(cuLaunch(f));
  check(out, (const uint32_t[]){5, HALF, 32, 2, 1, 1, 100});
  CU(cuStreamCreate(&s, 0));
  CU(cuLaunchGridAsync(f, 4, 1, s));
  CU(cuStreamSynchronize(s));
  check(out, (const uint32_t[]){5, HALF, 32, 2, 4, 1, 100});
  CU(cuStreamDestroy_v2(s));
}

static void test_refused(CUfunction f, CUdeviceptr out) {
  CU_FAILS(cuFuncSetBlockShape(f, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuFuncSetBlockShape(f, 1025, 1, 1), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuFuncSetBlockShape(f, 32, 64, 1), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuFuncSetBlockShape(f, 1, 1, 65), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuFuncSetBlockShape(NULL, 1, 1, 1), CUDA_ERROR_INVALID_HANDLE);
  CU_FAILS(cuFuncSetSharedSize(f, 300000), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuParamSetSize(f, 40000), CUDA_ERROR_INVALID_VALUE);
  CU(cuParamSeti(f, 9, 0x5678)); /* anywhere */
  set_all(f, out);
  CU(cuFuncSetBlockShape(f, 8, 1, 1));
  CU_FAILS(cuLaunchGrid(f, 0, 1), CUDA_ERROR_INVALID_VALUE);
  CU_FAILS(cuLaunchGrid(f, 1, 65536), CUDA_ERROR_INVALID_VALUE);
  CU(cuParamSetSize(f, 20));
  CU_FAILS(cuLaunchGrid(f, 1, 1), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}

int main(void) {
  CUmodule m;
  CUfunction f;
  CUdeviceptr out;
  cu_begin();
  CU(cuModuleLoadData(&m, ptx));
  CU(cuModuleGetFunction(&f, m, "tell"));
  CU(cuMemAlloc_v2(&out, WORDS * 4));
  test_refused(f, out);
  test_launches(f, out);
  CU(cuMemFree_v2(out));
  CU(cuModuleUnload(m));
  return check_report("libcuda_preset");
}
