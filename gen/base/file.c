/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scratch.h"

enum { READ_PART = 1 << 14, PIPE_WAIT_MS = 1000 };

/* Reads the next bytes. A pipe opened without blocking reads as ended until a writer opens it. With
 * `early` set, waits for a writer for a limited time. */
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
    if (out->len <= max) continue;
    errno = EFBIG;
    return false;
  }
  return true;
}

char *file_read(Arena *a, const char *path, size_t max, size_t *len) {
  /* O_NONBLOCK: opening a pipe that has no writer must not hang. */
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return NULL;
  Arena *scratch = arena_new();
  Text text = text_new(scratch);
  const bool ok = read_whole(fd, max, &text);
  const int error = errno;
  close(fd);
  char *copy = ok ? arena_strndup(a, text.s, text.len) : NULL;
  *len = text.len;
  arena_free(scratch);
  errno = error;
  return copy;
}

/* Reads on past `skip` bytes, which a pipe cannot skip otherwise. */
static bool read_after(int fd, uint64_t skip, uint64_t bytes, Text *out) {
  char part[READ_PART];
  while (out->len < bytes) {
    const ssize_t n = read_part(fd, part, out->len == 0);
    if (n <= 0) return n == 0;
    const uint64_t skipped = skip < (uint64_t)n ? skip : (uint64_t)n;
    const uint64_t left = (uint64_t)n - skipped, room = bytes - out->len;
    text_add(out, part + skipped, (size_t)(left < room ? left : room));
    skip -= skipped;
  }
  return true;
}

char *file_read_part(Arena *a, const char *path, uint64_t offset, uint64_t bytes, size_t *len) {
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return NULL;
  Text text = text_new(a);
  const bool seekable = offset <= INT64_MAX && lseek(fd, (off_t)offset, SEEK_SET) >= 0;
  const bool ok = read_after(fd, seekable ? 0 : offset, bytes, &text);
  const int error = errno;
  close(fd);
  errno = error;
  *len = text.len;
  return ok ? text.s : NULL;
}

bool file_put(int fd, const char *data, size_t len) {
  while (len > 0) {
    const ssize_t n = write(fd, data, len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    data += n;
    len -= (size_t)n;
  }
  return true;
}

/* `flags`: additional flags for open(). */
static bool write_new(const char *path, int flags, const char *data, size_t len) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  if (fd < 0) return false;
  const bool whole = file_put(fd, data, len);
  const int error = errno;
  if (close(fd) != 0) return false;
  errno = error;
  return whole;
}

bool file_create(const char *path, const char *data, size_t len) {
  return write_new(path, O_EXCL, data, len);
}

bool file_holds(const char *path, const char *data, size_t len) {
  struct stat st;
  if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || (uintmax_t)st.st_size != len) return false;
  Arena *a = arena_new();
  size_t n;
  const char *old = file_read(a, path, len, &n);
  const bool same = old && n == len && memcmp(old, data, len) == 0;
  arena_free(a);
  return same;
}

bool folder_exists(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
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

const char *path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char *path_folder(Arena *a, const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) return ".";
  return slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
}

const char *path_below(const char *folder, const char *path) {
  const size_t n = folder ? strlen(folder) : 0;
  return n && strncmp(path, folder, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

const char *path_beside(Arena *a, const char *file, const char *name) {
  const size_t folder = *name == '/' ? 0 : (size_t)(path_name(file) - file);
  return arena_printf(a, "%.*s%s", (int)folder, file, name);
}

const char *folder_of_command(Arena *a) {
  char exe[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
  if (n <= 0) return NULL;
  exe[n] = '\0';
  return path_folder(a, exe);
}

bool file_is_plain(const char *path) {
  struct stat st;
  return lstat(path, &st) != 0 || S_ISREG(st.st_mode);
}

bool file_replace(const char *temporary, const char *path) {
  struct stat st;
  if (stat(path, &st) == 0 && chmod(temporary, st.st_mode & 07777) != 0) return false;
  return rename(temporary, path) == 0;
}

static bool write_beside(const char *path, const char *data, size_t len) {
  Arena *a = arena_new();
  Scratch s;
  bool ok = scratch_open(a, &s, path_folder(a, path));
  if (ok) {
    const char *temporary = scratch_file(a, &s, "file");
    ok = file_create(temporary, data, len) && file_replace(temporary, path);
    scratch_close(&s);
  }
  const int error = errno;
  arena_free(a);
  errno = error;
  return ok;
}

bool file_write(const char *path, const char *data, size_t len) {
  struct stat st;
  if (file_is_plain(path)) return write_beside(path, data, len);
  /* Handles a pipe, a device, or a dangling link. */
  if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return write_new(path, 0, data, len);
  char *target = realpath(path, NULL);
  const bool ok = target && write_beside(target, data, len);
  const int error = errno;
  free(target);
  errno = error;
  return ok;
}

bool file_is_regular(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool file_is_program(const char *path) { return file_is_regular(path) && access(path, X_OK) == 0; }

const char *file_in_path(Arena *a, const char *name, bool absolute) {
  const char *path = getenv("PATH");
  for (size_t n; path && *path; path += n + (path[n] == ':')) {
    n = strcspn(path, ":");
    const char *file = arena_printf(a, "%.*s/%s", (int)n, path, name);
    if (n && (!absolute || *path == '/') && file_is_program(file)) return file;
  }
  return NULL;
}
