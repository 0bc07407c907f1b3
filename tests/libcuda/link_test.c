/* SPDX-License-Identifier: MIT */
/* Units of PTX that use each other's functions and variables are linked; faults of kernels stay in
 * their context. */
#include "libcuda/cu.h"

#include <string.h>

static char main_unit[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
    ".extern .global .align 4 .u32 bias;\n"
    ".global .align 1 .b8 $str[2] = {77, 0};\n"
    ".weak .func (.param .b32 r) shared(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x];"
    " add.u32 %a, %a, 100; st.param.b32 [r], %a; ret; }\n"
    ".visible .entry go(.param .u64 out) {\n"
    "  .reg .b32 %r<6>; .reg .b64 %rd;\n"
    "  .loc 1 7 1\n"
    "  ld.param.u64 %rd, [out]; mov.u32 %r1, 20;\n"
    "  { .param .b32 p0; .param .b32 p1; st.param.b32 [p0], %r1;\n"
    "    call.uni (p1), twice, (p0); ld.param.b32 %r2, [p1]; }\n"
    "  ld.global.u32 %r3, [bias]; add.u32 %r2, %r2, %r3;\n"
    "  ld.global.u8 %r4, [$str]; add.u32 %r2, %r2, %r4;\n"
    "  st.global.u32 [%rd], %r2; ret;\n"
    "}\n"
    ".file 1 \"first.cu\"\n";
static char other_unit[] =
    "// a comment with { in it\n"
    ".version 8.2\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 bias = 1000;\n"
    ".global .align 1 .b8 $str[2] = {1, 0};\n"
    ".weak .func (.param .b32 r) shared(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x];"
    " add.u32 %a, %a, 200; st.param.b32 [r], %a; ret; }\n"
    ".visible .func (.param .b32 r) twice(.param .b32 x) {\n"
    "  .reg .b32 %a<4>; .reg .pred %p;\n"
    "  .loc 1 3 1\n"
    "  ld.param.b32 %a1, [x]; setp.eq.u32 %p, %a1, 0; @%p bra $L_end; shl.b32 %a1, %a1, 1;\n"
    "  ld.global.u8 %a2, [$str]; add.u32 %a1, %a1, %a2;\n"
    "$L_end:\n  st.param.b32 [r], %a1; ret;\n"
    "}\n"
    ".file 1 \"second.cu\"\n";

static const char faults[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry wild(.param .u64 p) { .reg .b64 %rd; .reg .b32 %r;\n"
    "  ld.param.u64 %rd, [p]; ld.global.u32 %r, [%rd]; st.global.u32 [%rd], %r; ret; }\n"
    ".visible .entry stop() { trap; }\n"
    ".visible .entry big() { .shared .align 4 .b8 a[40960]; .reg .b32 %r;\n"
    "  ld.shared.u32 %r, [a]; ret; }\n";

static void test_link(void) {
  CUlinkState link;
  CUmodule m;
  void *image;
  size_t bytes;
  CU(cuLinkCreate_v2(0, NULL, NULL, &link));
  CU(cuLinkAddData_v2(link, 1, main_unit, sizeof main_unit, "main", 0, NULL, NULL));
  CU(cuLinkAddData_v2(link, 1, other_unit, sizeof other_unit - 1, "other", 0, NULL, NULL));
  CU(cuLinkComplete(link, &image, &bytes));
  CHECK(strstr(image, ".target sm_80") && !strstr(image, ".target sm_75"), "the newest target");
  CHECK(strstr(image, ".file 2 \"second.cu\"") && strstr(image, ".loc 2 3 1"), "files' numbers");
  CU(cuModuleLoadData(&m, image));
  CU(cuLinkDestroy(link));
  const unsigned value = cu_go(m);
  CHECK(value == 20 * 2 + 1 + 1000 + 77, "%u", value);
  CU(cuModuleUnload(m));
}

/* A declaration that is cut off by the end of its unit is kept unchanged: the linker once read past
 * the end. */
static void test_cut_unit(void) {
  static char cut[] = ".version 8.0\n.target sm_75\n.address_size 64\n.global .u32 late ";
  CUlinkState link;
  CUmodule m;
  void *image;
  CU(cuLinkCreate_v2(0, NULL, NULL, &link));
  CU(cuLinkAddData_v2(link, 1, main_unit, sizeof main_unit, "main", 0, NULL, NULL));
  CU(cuLinkAddData_v2(link, 1, cut, sizeof cut, "cut", 0, NULL, NULL));
  CU(cuLinkComplete(link, &image, NULL));
  CHECK(strstr(image, ".global .u32 late \n"), "the cut declaration");
  CU_FAILS(cuModuleLoadData(&m, image), CUDA_ERROR_INVALID_PTX);
  CU(cuLinkDestroy(link));
}

/* A fault in a context of its own, whose error is sticky. */
static void test_fault(CUmodule m, const char *kernel, uint64_t address, CUresult want) {
  CUcontext context;
  CUfunction f;
  CUdeviceptr memory;
  CU(cuCtxCreate_v4(&context, NULL, 0, 0));
  CU(cuMemAlloc_v2(&memory, 4));
  CU(cuModuleGetFunction(&f, m, kernel));
  if (address == 1) address = memory + 1000; /* beyond the allocation, in its page */
  void *params[] = {&address};
  CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  CU_FAILS(cuCtxSynchronize(), want);
  CU_FAILS(cuMemAlloc_v2(&memory, 4), want);
  CU(cuCtxDestroy_v2(context));
}

static void test_attributes(CUmodule m) {
  CUfunction f;
  int value;
  CU(cuModuleGetFunction(&f, m, "big"));
  CU(cuFuncGetAttribute(&value, FUNCTION_SHARED_BYTES, f));
  CHECK(value == 40960, "%d", value);
  CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 256, 0));
  CHECK(value == 5, "%d blocks", value); /* 228 KiB by 41 */
  CU_FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 10000, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
  CU(cuFuncSetAttribute(f, FUNCTION_MAX_DYNAMIC_SHARED, 10000));
  CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 10000, NULL, NULL, NULL));
  CU_FAILS(cuFuncSetAttribute(f, FUNCTION_MAX_DYNAMIC_SHARED, 227 * 1024),
           CUDA_ERROR_INVALID_VALUE);
}

int main(void) {
  CUmodule m;
  cu_begin();
  test_link();
  test_cut_unit();
  CU(cuModuleLoadData(&m, faults));
  test_attributes(m);
  test_fault(m, "wild", 1, CUDA_SUCCESS);
  test_fault(m, "wild", 0, CUDA_ERROR_ILLEGAL_ADDRESS);
  test_fault(m, "stop", 0, CUDA_ERROR_LAUNCH_FAILED);
  CU(cuModuleUnload(m));
  return check_report("libcuda_link");
}
