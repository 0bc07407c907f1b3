/* SPDX-License-Identifier: MIT */
#include "device/tally.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static Tally *map(int file) {
  void *at = mmap(NULL, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? NULL : at;
}

static Tally *map_and_close(int file, bool whole) {
  Tally *t = whole ? map(file) : NULL;
  const int error = errno;
  close(file);
  errno = error;
  return t;
}

/* The bytes are written, so that a full disk is seen here and not as a fault at a later access. */
Tally *tally_create(const char *path) {
  static const Tally zero;
  const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return NULL;
  return map_and_close(file, file_put(file, (const char *)&zero, sizeof zero));
}

Tally *tally_open(const char *path) {
  struct stat st;
  const int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return NULL;
  errno = EINVAL;
  return map_and_close(file, fstat(file, &st) == 0 && st.st_size == (off_t)sizeof(Tally));
}

void tally_close(Tally *t) {
  if (t) munmap(t, sizeof *t);
}
