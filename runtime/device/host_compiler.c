/* SPDX-License-Identifier: MIT */
#include "device/host_compiler.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "device/process.h"

/* -ffp-contract=off keeps the two roundings of a multiply and an add; the last flags are for the
 * vectors in the generated text. */
static const char *const flags[] = {
    "-x",        "c",          "-std=gnu11", "-O1",        "-fexpensive-optimizations",
    "-w",        "-fPIC",      "-shared",    "-pipe",      "-ffp-contract=off",
    "-mavx2",    "-mfma",      "-mf16c",     "-mbmi2",     "-mpopcnt",
    "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512"};
enum { FLAGS = sizeof flags / sizeof *flags, FLAGS_OF_AVX512 = 5, AVX512 = 2 };

static int flags_for(unsigned vectors) {
  return vectors >= AVX512 ? FLAGS : FLAGS - FLAGS_OF_AVX512;
}

/* --- finding compilers --- */

/* The compiler runs in another directory: only absolute paths keep their meaning. */
static const char *find(Arena *a, const char *name) {
  if (*name == '/') return file_is_program(name) ? arena_printf(a, "%s", name) : NULL;
  return strchr(name, '/') ? NULL : file_in_path(a, name, true);
}

static bool same_file(const char *x, const char *y) {
  struct stat a, b;
  return stat(x, &a) == 0 && stat(y, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

const char *const *host_compilers(Arena *a) {
  const char *const name[] = {getenv("CC"), "cc", "gcc", "clang"};
  enum { NAMES = sizeof name / sizeof *name };
  const char **out = ARENA_ARRAY(a, const char *, NAMES + 1);
  int count = 0;
  for (int i = 0; i < NAMES; i++) {
    const char *path = name[i] && *name[i] ? find(a, name[i]) : NULL;
    bool known = !path;
    for (int k = 0; k < count && !known; k++) known = same_file(path, out[k]);
    if (!known) out[count++] = path;
  }
  return out;
}

const char *host_compiler_identity(Arena *a, const char *compiler, unsigned vectors) {
  Text t = text_new(a);
  struct stat s = {0};
  stat(compiler, &s);
  text_printf(&t, "kgen %s\n%s %lld %lld.%09ld\n", KGEN_VERSION, compiler, (long long)s.st_size,
              (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
  for (int i = 0; i < flags_for(vectors); i++) text_printf(&t, "%s ", flags[i]);
  text_puts(&t, "\n");
  return t.s;
}

/* --- compiling --- */

bool host_compiler_start(Arena *a, const char *compiler, unsigned vectors, const char *text,
                         const char *object, const Scratch *scratch, pid_t *child) {
  /* The shell sets the limits before the compiler starts processes of its own. */
  static const char limits[] = "ulimit -v \"$1\" && ulimit -t \"$2\" && shift 2 && exec \"$@\"";
  const char *word[FLAGS + 12] = {"/bin/sh", "-c", limits, "sh"};
  const int n = flags_for(vectors);
  int count = 4;
  word[count++] = arena_printf(a, "%d", HOST_COMPILER_KIB);
  word[count++] = arena_printf(a, "%d", HOST_COMPILER_S);
  word[count++] = compiler;
  for (int i = 0; i < n; i++) word[count++] = flags[i];
  word[count++] = "-o";
  word[count++] = object;
  word[count++] = text;
  return process_start(a, word, "/dev/null", scratch, child) == 0;
}
