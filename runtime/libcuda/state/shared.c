/* SPDX-License-Identifier: MIT */
#include "libcuda/state/shared.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maps the file, and stores its identity. */
static Shared *map(int file, size_t bytes) {
  struct stat about;
  Shared *s = fstat(file, &about) == 0 ? calloc(1, sizeof *s) : NULL;
  if (!s) return NULL;
  *s = (Shared){.bytes = bytes, .file = file, .inode = about.st_ino};
  s->host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (s->host != MAP_FAILED && (size_t)about.st_size == bytes) return s;
  if (s->host != MAP_FAILED) munmap(s->host, bytes);
  free(s);
  return NULL;
}

Shared *shared_new(size_t bytes) {
  const int file = memfd_create("kgen", MFD_CLOEXEC);
  if (file < 0) return NULL;
  Shared *s = ftruncate(file, (off_t)bytes) == 0 ? map(file, bytes) : NULL;
  if (!s) close(file);
  return s;
}

Shared *shared_open(const SharedHandle *h) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)h->process, (int)h->file);
  const int file = h->process > 0 ? open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK) : -1;
  if (file < 0) return NULL;
  Shared *s = map(file, (size_t)h->bytes);
  close(file);
  if (!s) return NULL;
  s->file = -1;
  s->opens = 1;
  if (shared_is(s, h)) return s;
  shared_drop(s);
  return NULL;
}

void shared_drop(Shared *s) {
  if (!s) return;
  munmap(s->host, s->bytes);
  if (s->file >= 0) close(s->file);
  free(s);
}

SharedHandle shared_handle(const Shared *s, SharedKind kind) {
  return (SharedHandle){.kind = kind,
                        .process = (int32_t)getpid(),
                        .file = s->file,
                        .inode = s->inode,
                        .bytes = s->bytes};
}

bool shared_is(const Shared *s, const SharedHandle *h) {
  return s->opens && s->inode == h->inode && s->bytes == h->bytes;
}
