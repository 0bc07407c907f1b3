/* nvrtc.c: adds line information to NVRTC's compilations, since ptxas then embeds the PTX in the
 * cubin that a program gets from NVRTC and loads. The call is interposed: kgen --exec has this
 * library loaded before NVRTC. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "libcuda/api.h"

typedef int Compile(void *program, int count, const char *const *option);

static bool has_lines(int count, const char *const *option) {
  static const char *const known[] = {"-lineinfo", "--generate-line-info", "-G", "--device-debug",
                                      "-dlto",     "--dlink-time-opt"};
  for (int i = 0; i < count; i++)
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
      if (strcmp(option[i], known[k]) == 0) return true;
  return false;
}

static int compile_with_lines(Compile *compile, void *program, int count,
                              const char *const *option) {
  const char **more = malloc(((size_t)count + 1) * sizeof *more);
  if (!more) return compile(program, count, option);
  for (int i = 0; i < count; i++) more[i] = option[i];
  more[count] = "--generate-line-info";
  const int result = compile(program, count + 1, more);
  free(more);
  return result;
}

CU_API int nvrtcCompileProgram(void *program, int count, const char *const *option) {
  enum { INTERNAL_ERROR = 11 };
  Compile *compile;
  void *next = dlsym(RTLD_NEXT, __func__);
  if (!next) return INTERNAL_ERROR;
  memcpy(&compile, &next, sizeof compile); /* C has no conversion of one to the other */
  if (count < 0 || (count && !option) || has_lines(count, option))
    return compile(program, count, option);
  return compile_with_lines(compile, program, count, option);
}
