/* SPDX-License-Identifier: MIT */
#include "lint/input/flag.h"

#include <ctype.h>
#include <string.h>

/* --- flags that would break kgen's own call, and what to use instead --- */

typedef struct {
  const char *name;
  const char *instead;
} Refusal;

static const char arch[] = "--arch chooses the architecture", ptx[] = "kgen asks for PTX",
                  files[] = "kgen reads and writes the compiler's files itself",
                  answers[] = "it compiles nothing", macro[] = "give --define",
                  folder[] = "give --include", programs[] = "$CUDA_HOME and $PATH choose them";

/* Names in nvcc and NVRTC, long and short. */
static const Refusal refusals[] = {
    {"gpu-architecture", arch},
    {"arch", arch},
    {"gpu-code", arch},
    {"code", arch},
    {"generate-code", arch},
    {"gencode", arch},
    {"std", "give --std"},
    {"include-path", folder},
    {"I", folder},
    {"system-include", folder},
    {"isystem", folder},
    {"define-macro", macro},
    {"D", macro},
    {"ptx", ptx},
    {"cubin", ptx},
    {"fatbin", ptx},
    {"optix-ir", ptx},
    {"ltoir", ptx},
    {"lto", ptx},
    {"dlto", ptx},
    {"dlink-time-opt", ptx},
    {"cuda", ptx},
    {"compile", ptx},
    {"c", ptx},
    {"device-c", ptx},
    {"dc", ptx},
    {"device-w", ptx},
    {"dw", ptx},
    {"device-link", ptx},
    {"dlink", ptx},
    {"link", ptx},
    {"lib", ptx},
    {"run", ptx},
    {"preprocess", ptx},
    {"E", ptx},
    {"x", files},
    {"output-file", files},
    {"o", files},
    {"output-directory", files},
    {"odir", files},
    {"options-file", files},
    {"optf", files},
    {"keep", files},
    {"save-temps", files},
    {"keep-dir", files},
    {"generate-dependencies", files},
    {"M", files},
    {"MM", files},
    {"MD", files},
    {"MMD", files},
    {"MF", files},
    {"compiler-bindir", programs},
    {"ccbin", programs},
    {"help", answers},
    {"h", answers},
    {"version", answers},
    {"V", answers},
    {"dryrun", answers},
    {"list-gpu-arch", answers},
    {"list-gpu-code", answers},
};

/* A directory or macro may directly follow its letter, as in -Idir and -DNAME. */
static bool is_named(const char *flag, size_t length, const char *name) {
  const size_t n = strlen(name);
  if (length == n && strncmp(flag, name, n) == 0) return true;
  return n == 1 && strchr("ID", *name) && flag[0] == *name;
}

static const char *refusal_of(const char *flag) {
  while (*flag == '-') flag++;
  const size_t length = strcspn(flag, "=");
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    if (is_named(flag, length, refusals[i].name)) return refusals[i].instead;
  return NULL;
}

/* True if a shell does not interpret the flag: nvcc starts its own compilers through a shell. */
static bool is_plain(const char *flag) {
  for (; *flag; flag++)
    if (!isalnum((unsigned char)*flag) && !strchr("_=.+-,:/", *flag)) return false;
  return true;
}

/* --- for others --- */

const char *lint_flag_word(Arena *a, const char *flag) {
  return *flag == '-' ? flag : arena_printf(a, "--%s", flag);
}

bool lint_flag_check(const Options *o, Diag *why) {
  const int before = diag_met(why);
  for (int i = 0; i < o->lint.flag.count; i++) {
    const char *flag = o->lint.flag.item[i], *instead = refusal_of(flag);
    if (instead)
      diag_say(why, DIAG_ARGUMENT, "--flag %s is not passed on: %s", flag, instead);
    else if (!is_plain(flag))
      diag_say(why, DIAG_ARGUMENT,
               "--flag %s is not passed on: one flag of letters, digits and _=.+-,:/, "
               "for nvcc passes it through a shell",
               flag);
  }
  return diag_met(why) == before;
}
