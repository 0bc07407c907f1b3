/* SPDX-License-Identifier: MIT */
#include "exec/exec_preload.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* True if a program names a sanitizer's library among those that it needs. */
static bool holds_sanitizer(const void *all, size_t bytes) {
  static const char *const name[] = {"libasan.so", "libtsan.so", "libclang_rt.asan",
                                     "libclang_rt.tsan"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++)
    if (memmem(all, bytes, name[i], strlen(name[i]))) return true;
  return false;
}

static bool holds(int file) {
  struct stat s;
  if (fstat(file, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size <= 0) return false;
  void *all = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (all == MAP_FAILED) return false;
  const bool found = holds_sanitizer(all, (size_t)s.st_size);
  munmap(all, (size_t)s.st_size);
  return found;
}

static bool has_sanitizer(const char *path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  const bool found = holds(file);
  close(file);
  return found;
}

/* Looks for the program where the shell would. */
static const char *find_program(Arena *a, const char *name) {
  const char *found = strchr(name, '/') ? NULL : file_in_path(a, name, false);
  return found ? found : name;
}

const char *exec_preload(Arena *a, const char *program, const char *folder) {
  const char *old = getenv("LD_PRELOAD"), *own = arena_printf(a, "%s/libkgen_preload.so", folder);
  if (access(own, R_OK) != 0 || has_sanitizer(find_program(a, program))) return old;
  return old && *old ? arena_printf(a, "%s:%s", own, old) : own;
}
