/* SPDX-License-Identifier: MIT */
#include "device/object.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { MOST_BYTES = 64 << 20 };

static bool is_own(int fd) {
  struct stat s;
  return fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
         !(s.st_mode & (S_IWGRP | S_IWOTH)) && s.st_size <= MOST_BYTES;
}

/* Copies it to an anonymous file, because directories for temporary files may forbid execution; -1
 * if it is not an object that belongs to this user. */
static int copy_of(Arena *a, const char *path) {
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const int copy = file >= 0 && is_own(file) ? memfd_create("kgen", MFD_CLOEXEC) : -1;
  size_t size = 0;
  const char *object =
      copy >= 0 ? file_read(a, arena_printf(a, "/proc/self/fd/%d", file), MOST_BYTES, &size) : NULL;
  if (file >= 0) close(file);
  if (object && file_put(copy, object, size)) return copy;
  if (copy >= 0) close(copy);
  return -1;
}

/* The loader identifies objects by name, and the number of a closed file is reused; therefore each
 * name has a different number of slashes. */
const void *object_load(Arena *a, const char *path) {
  static atomic_int loads;
  const int fd = copy_of(a, path), slashes = 1 + atomic_fetch_add(&loads, 1);
  if (fd < 0) return NULL;
  Text name = text_new(a);
  text_puts(&name, "/proc/self/fd");
  for (int i = 0; i < slashes; i++) text_puts(&name, "/");
  text_printf(&name, "%d", fd);
  void *loaded = dlopen(name.s, RTLD_NOW | RTLD_LOCAL);
  close(fd);
  return loaded ? dlsym(loaded, "native_runs") : NULL;
}
