#define _POSIX_C_SOURCE 200809L /* fchmod, mkstemp, O_CLOEXEC */

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_PART = 1 << 14, PIPE_WAIT_MS = 1000 };

/* What read() gives next. A pipe that is opened without waiting is at its end until its writer
 * comes: `early` waits for one, but not forever. */
static ssize_t read_part(int fd, char *part, bool early) {
  for (;;) {
    const ssize_t n = read(fd, part, READ_PART);
    if (n > 0 || (n == 0 && !early) || (n < 0 && errno != EINTR && errno != EAGAIN)) return n;
    early = false;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    poll(&wait, 1, n == 0 ? PIPE_WAIT_MS : -1);
  }
}

static bool read_whole(int fd, size_t max, Text *out) {
  char part[READ_PART];
  for (ssize_t n; (n = read_part(fd, part, out->len == 0)) != 0;) {
    if (n < 0) return false;
    text_add(out, part, (size_t)n);
    if (out->len > max) return errno = EFBIG, false;
  }
  return true;
}

char *file_read(Arena *a, const char *path, size_t max, size_t *len) {
  /* O_NONBLOCK: opening a pipe that nobody writes must not hang. */
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return NULL;
  Text text = text_new(a);
  const bool ok = read_whole(fd, max, &text);
  const int error = errno;
  close(fd);
  errno = error;
  *len = text.len;
  return ok ? text.s : NULL;
}

static bool write_whole(int fd, const char *data, size_t len) {
  while (len > 0) {
    const ssize_t n = write(fd, data, len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    data += n;
    len -= (size_t)n;
  }
  return true;
}

/* mkstemp makes files that only their owner reads; what a compiler is fed is as public as any. */
static bool fill_temporary(int fd, const char *data, size_t len) {
  const mode_t mask = umask(0);
  umask(mask);
  const bool ok = write_whole(fd, data, len) && fchmod(fd, 0666 & ~mask) == 0;
  return close(fd) == 0 && ok;
}

bool folder_make(const char *path, unsigned mode) {
  Arena *a = arena_new();
  char *part = arena_strndup(a, path, strlen(path));
  bool ok = true;
  for (char *p = part; ok && *p; p++) {
    if (*p != '/' || p == part) continue;
    *p = '\0';
    ok = mkdir(part, mode) == 0 || errno == EEXIST;
    *p = '/';
  }
  ok = ok && (mkdir(part, mode) == 0 || errno == EEXIST);
  const int error = errno;
  arena_free(a);
  errno = error;
  return ok;
}

bool file_write(const char *path, const char *data, size_t len) {
  Arena *a = arena_new();
  char *temporary = arena_printf(a, "%s.XXXXXX", path);
  const int fd = mkstemp(temporary);
  bool ok = fd >= 0;
  if (ok && !(fill_temporary(fd, data, len) && rename(temporary, path) == 0)) {
    const int error = errno;
    unlink(temporary);
    errno = error;
    ok = false;
  }
  const int error = errno;
  arena_free(a);
  errno = error;
  return ok;
}
