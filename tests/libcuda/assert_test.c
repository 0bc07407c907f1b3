/* A failed assertion is said as CUDA says it, by the assertion's own arguments. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libcuda/cu.h"

/* "small", "k.cu", "void k(int)" */
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d,\n"
    "  .param .b64 e);\n"
    ".global .align 1 .b8 text[6] = {115, 109, 97, 108, 108, 0};\n"
    ".global .align 1 .b8 file[5] = {107, 46, 99, 117, 0};\n"
    ".global .align 1 .b8 name[12] = {118, 111, 105, 100, 32, 107, 40, 105, 110, 116, 41, 0};\n"
    ".visible .entry k() {\n  .reg .b64 %rd<4>;\n"
    "  .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
    "  mov.u64 %rd1, text; mov.u64 %rd2, file; mov.u64 %rd3, name;\n"
    "  st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; st.param.b32 [c], 17;\n"
    "  st.param.b64 [d], %rd3; st.param.b64 [e], 1;\n"
    "  call.uni __assertfail, (a, b, c, d, e); ret;\n}\n";

static void launch_it(void) {
  CUmodule m;
  CUfunction f;
  CU(cuModuleLoadData(&m, ptx));
  CU(cuModuleGetFunction(&f, m, "k"));
  CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  CU_FAILS(cuCtxSynchronize(), CUDA_ERROR_ASSERT);
}

/* What goes to stderr meanwhile. */
static void read_said(char *out, int size) {
  FILE *kept = tmpfile();
  const int own = dup(STDERR_FILENO);
  dup2(fileno(kept), STDERR_FILENO);
  launch_it();
  fflush(stderr);
  dup2(own, STDERR_FILENO);
  close(own);
  rewind(kept);
  if (!fgets(out, size, kept)) out[0] = '\0';
  fclose(kept);
}

int main(void) {
  static const char want[] = "k.cu:17: void k(int): block: [0,0,0], thread: [0,0,0] "
                             "Assertion `small` failed.\n";
  char said[300];
  cu_begin();
  read_said(said, sizeof said);
  CHECK(strcmp(said, want) == 0, "%s", said);
  return check_report("libcuda_assert");
}
