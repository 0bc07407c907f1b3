#define _POSIX_C_SOURCE 200809L /* fchmod, mkstemp, O_CLOEXEC */

#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void die(const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fputs("kgen: internal error: ", stderr);
  vfprintf(stderr, fmt, args);
  fputc('\n', stderr);
  va_end(args);
  abort();
}

/* --- arena --- */

typedef struct Chunk {
  struct Chunk *next;
  size_t used, size;
  max_align_t data[];
} Chunk;

struct Arena {
  Chunk *chunk;
};

/* Under AddressSanitizer every allocation is a chunk of its own, so that an overrun is seen. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHUNK_SIZE 0
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define CHUNK_SIZE 0
#endif
#if !defined(CHUNK_SIZE)
#define CHUNK_SIZE ((size_t)64 << 10)
#endif

static void *or_die(void *p) {
  if (p) return p;
  fputs("kgen: out of memory\n", stderr);
  abort();
}

Arena *arena_new(void) { return or_die(calloc(1, sizeof(Arena))); }

void arena_free(Arena *a) {
  for (Chunk *c = a->chunk, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  free(a);
}

static void chunk_push(Arena *a, size_t size) {
  Chunk *c = or_die(calloc(1, sizeof(Chunk) + size));
  c->size = size;
  c->next = a->chunk;
  a->chunk = c;
}

void *arena_alloc(Arena *a, size_t size) {
  const size_t unit = sizeof(max_align_t);
  if (size > SIZE_MAX / 2) or_die(NULL);
  size = (size + unit - 1) / unit * unit;
  if (!a->chunk || a->chunk->size - a->chunk->used < size)
    chunk_push(a, size > CHUNK_SIZE ? size : CHUNK_SIZE);
  void *p = (char *)a->chunk->data + a->chunk->used;
  a->chunk->used += size;
  return p;
}

void *arena_array(Arena *a, size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) or_die(NULL);
  return arena_alloc(a, count * size);
}

char *arena_strndup(Arena *a, const char *s, size_t n) {
  char *copy = arena_alloc(a, n + 1);
  if (n) memcpy(copy, s, n);
  return copy;
}

char *arena_vprintf(Arena *a, const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  const int n = vsnprintf(NULL, 0, fmt, again);
  va_end(again);
  if (n < 0) die("format '%s'", fmt);
  char *s = arena_alloc(a, (size_t)n + 1);
  vsnprintf(s, (size_t)n + 1, fmt, args);
  return s;
}

char *arena_printf(Arena *a, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  char *s = arena_vprintf(a, fmt, args);
  va_end(args);
  return s;
}

void *arena_grow(Arena *a, void *old, int count, int *capacity, size_t size) {
  if (count < *capacity) return old;
  *capacity = *capacity ? 2 * *capacity : 16;
  void *bigger = arena_array(a, (size_t)*capacity, size);
  if (count) memcpy(bigger, old, (size_t)count * size);
  return bigger;
}

/* --- text --- */

Text text_new(Arena *a) {
  const size_t cap = 256;
  return (Text){.arena = a, .s = arena_alloc(a, cap), .len = 0, .cap = cap};
}

/* Room for n more bytes and the NUL. */
static void text_reserve(Text *t, size_t n) {
  if (n < t->cap - t->len) return;
  size_t cap = t->cap;
  while (cap - t->len <= n) cap *= 2;
  char *s = arena_alloc(t->arena, cap);
  memcpy(s, t->s, t->len);
  t->s = s;
  t->cap = cap;
}

void text_add(Text *t, const char *s, size_t n) {
  text_reserve(t, n);
  if (n) memcpy(t->s + t->len, s, n);
  t->len += n;
  t->s[t->len] = '\0';
}

void text_puts(Text *t, const char *s) { text_add(t, s, strlen(s)); }

void text_printf(Text *t, const char *fmt, ...) {
  va_list args, again;
  va_start(args, fmt);
  va_copy(again, args);
  const int n = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  if (n < 0) die("format '%s'", fmt);
  text_reserve(t, (size_t)n);
  vsnprintf(t->s + t->len, (size_t)n + 1, fmt, again);
  va_end(again);
  t->len += (size_t)n;
}

/* --- files --- */

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
  struct stat st;
  Text text = text_new(a);
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size <= max)
    text_reserve(&text, (size_t)st.st_size);
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
