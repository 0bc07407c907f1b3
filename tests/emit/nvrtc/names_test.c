/* SPDX-License-Identifier: MIT */
/* names_test.c: the names that a spec emits, whatever its name, together with everything that CUDA
 * declares: nvcc and NVRTC accept every header, and kernels and launchers with the emitted names.
 * The rest of a kernel's file does not depend on its name (emit/names_test.c). */
#include <sys/wait.h>
#include <unistd.h>

#include "../nasty_names.h"
#include "base/file.h"
#include "check.h"
#include "device/nvrtc.h"

enum { MAX_FAMILIES = 64 };

/* The value of `#define WORD` in a generated kernel. */
static const char *define_of(Arena *a, const char *text, const char *word) {
  const char *at = strstr(text, arena_printf(a, "#define %s ", word));
  if (!at) die("no %s", word);
  at += strlen("#define ") + strlen(word) + 1;
  return arena_strndup(a, at, strcspn(at, "\n"));
}

static void add_names(Arena *a, const char *name, void *data) {
  const char *header = nasty_render(a, name, nasty_none).text;
  const char *kernel = nasty_render(a, name, nasty_copy).text;
  CHECK(header && kernel, "%s is refused", name);
  if (!header || !kernel) return;
  text_printf(data,
              "%s\nextern \"C\" __global__ void %s(float *out) { *out = %s_bytes; }\n"
              "HOST(extern \"C\" cudaError_t %s(float *, cudaStream_t))\n",
              header, define_of(a, kernel, "KERNEL"), name, define_of(a, kernel, "LAUNCH"));
}

/* Adds launchers' names for families: a spec may be named as its family, or that and an underscore
 * and more. */
static void add_families(Arena *a, Text *t) {
  char *path[MAX_FAMILIES];
  const int count = shipped_files(a, TEMPLATE_DIR, ".cu", path, MAX_FAMILIES);
  for (int i = 0; i < count; i++) {
    const char *name = strrchr(path[i], '/') + 1;
    const int n = (int)strlen(name) - 3;
    text_printf(t, "extern \"C\" __global__ void %.*s(float *out) { *out = 1; }\n", n, name);
    text_printf(t, "extern \"C\" __global__ void %.*s_x(float *out) { *out = 1; }\n", n, name);
  }
}

static const char *program(Arena *a) {
  static const char *const host[] = {
      "cmath",     "climits",  "cstdio",       "cstdlib",    "ctime",  "unistd.h",
      "pthread.h", "signal.h", "sys/socket.h", "sys/stat.h", "cuda.h", "cooperative_groups.h"};
  Text t = text_new(a);
  text_puts(&t, "#ifdef __CUDACC_RTC__\n#define HOST(declaration)\n#else\n"
                "#define HOST(declaration) declaration;\n");
  for (size_t i = 0; i < sizeof host / sizeof *host; i++)
    text_printf(&t, "#include <%s>\n", host[i]);
  text_puts(&t, "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <math_constants.h>\n"
                "#endif\n");
  nasty_each(a, add_names, &t);
  add_families(a, &t);
  return t.s;
}

static void check_nvrtc(Arena *a, const char *text) {
  static const char *const option[] = {"-arch=sm_90", "-std=c++17"};
  const NvrtcSource source = {.name = "names.cu", .text = text, .option = option, .options = 2};
  NvrtcResult result = {.accepted = false};
  Text why = text_new(a);
  const bool ran = nvrtc_compile(a, &source, &result, &why);
  CHECK(ran && result.accepted, "%s%.2000s", why.s, result.log ? result.log : "");
}

static void check_nvcc(Arena *a, const char *text) {
  char folder[] = "/tmp/kgen-names-XXXXXX";
  if (system("command -v nvcc >/dev/null || test -x /usr/local/cuda/bin/nvcc") != 0) {
    puts("names_test: no nvcc, NVRTC alone");
    return;
  }
  if (!mkdtemp(folder)) die("no temporary folder");
  file_write(arena_printf(a, "%s/names.cu", folder), text, strlen(text));
  const int status = system(arena_printf(
      a,
      "cd %s && PATH=$PATH:/usr/local/cuda/bin nvcc -std=c++17 -arch=sm_90 -c names.cu -o o "
      ">log 2>&1",
      folder));
  size_t length;
  const char *log = file_read(a, arena_printf(a, "%s/log", folder), 1 << 22, &length);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%.2000s", log ? log : "?");
  CHECK(system(arena_printf(a, "rm -r %s", folder)) == 0, "%s stays", folder);
}

int main(void) {
  Arena *a = arena_new();
  Text why = text_new(a);
  if (!nvrtc_identity(a, &why)) return check_skip("emit_names_nvrtc", why.s);
  const char *text = program(a);
  check_nvrtc(a, text);
  check_nvcc(a, text);
  arena_free(a);
  return check_report("emit_names_nvrtc");
}
