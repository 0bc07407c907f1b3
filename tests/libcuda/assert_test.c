/* SPDX-License-Identifier: MIT */
/* A failed assertion is printed as CUDA prints it, from the arguments of the assertion; a character
 * that could steer a terminal is replaced. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libcuda/cu.h"

enum { NAME = 300 }; /* a length that names of templates have */

/* "sm", an escape, "ll", "k.cu", and the name's bytes */
static const char ptx_of_name[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d,\n"
    "  .param .b64 e);\n"
    ".global .align 1 .b8 text[6] = {115, 109, 27, 108, 108, 0};\n"
    ".global .align 1 .b8 file[5] = {107, 46, 99, 117, 0};\n"
    ".global .align 1 .b8 name[%d] = {%s0};\n"
    ".visible .entry k() {\n  .reg .b64 %%rd<4>;\n"
    "  .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
    "  mov.u64 %%rd1, text; mov.u64 %%rd2, file; mov.u64 %%rd3, name;\n"
    "  st.param.b64 [a], %%rd1; st.param.b64 [b], %%rd2; st.param.b32 [c], 17;\n"
    "  st.param.b64 [d], %%rd3; st.param.b64 [e], 1;\n"
    "  call.uni __assertfail, (a, b, c, d, e); ret;\n}\n";

static void launch_it(void) {
  char bytes[4 * NAME + 1], ptx[sizeof ptx_of_name + sizeof bytes];
  CUmodule m;
  CUfunction f;
  for (int i = 0; i < NAME; i++) memcpy(bytes + 4 * i, "107,", 5);
  snprintf(ptx, sizeof ptx, ptx_of_name, NAME + 1, bytes);
  CU(cuModuleLoadData(&m, ptx));
  CU(cuModuleGetFunction(&f, m, "k"));
  CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  CU_FAILS(cuCtxSynchronize(), CUDA_ERROR_ASSERT);
}

/* Captures the text written to stderr. */
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
  char said[600], want[600], name[NAME + 1] = {0};
  memset(name, 'k', NAME);
  snprintf(want, sizeof want,
           "k.cu:17: %s: block: [0,0,0], thread: [0,0,0] Assertion `sm?ll` failed.\n", name);
  cu_begin();
  read_said(said, sizeof said);
  CHECK(strcmp(said, want) == 0, "%s", said);
  return check_report("libcuda_assert");
}
