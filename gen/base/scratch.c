/* SPDX-License-Identifier: MIT */
#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "base/text.h"

static const char prefix[] = ".kgen-", marker[] = ".kgen-scratch";
enum {
  FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
  MARKER_FLAGS = O_NOFOLLOW | O_CLOEXEC,
  STALE_S = 60,
  NAME_BYTES = sizeof prefix + RANDOM_NAME,
  MARK_BYTES = 64
};

/* The marker's contents: a directory that was copied or renamed is the user's. */
static size_t mark_of(const char *name, char out[MARK_BYTES]) {
  return (size_t)snprintf(out, MARK_BYTES, "scratch directory of kgen: %s\n", name);
}

/* --- removing --- */

static DIR *open_folder(int parent, const char *name) {
  const int fd = openat(parent, name, FOLDER_FLAGS);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  if (fd >= 0 && !dir) close(fd);
  return dir;
}

/* A symbolic link is removed, not followed. */
static void remove_tree(int parent, const char *name) {
  DIR *dir = open_folder(parent, name);
  for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    if (unlinkat(dirfd(dir), e->d_name, 0) != 0) remove_tree(dirfd(dir), e->d_name);
  }
  if (dir) closedir(dir);
  unlinkat(parent, name, AT_REMOVEDIR);
}

static bool is_own(int fd, mode_t type, struct stat *st) {
  return fstat(fd, st) == 0 && (st->st_mode & S_IFMT) == type && st->st_uid == geteuid();
}

/* A run that was killed early may have written only the beginning of the mark. */
static bool has_mark(int file, const char *name) {
  char want[MARK_BYTES], got[MARK_BYTES];
  const size_t whole = mark_of(name, want);
  const ssize_t n = read(file, got, sizeof got);
  return n >= 0 && (size_t)n <= whole && memcmp(got, want, (size_t)n) == 0;
}

static bool is_old(const struct stat *st) { return time(NULL) - st->st_mtime > STALE_S; }

/* The lock detects use across containers, too, where process numbers mean nothing. The age covers
 * file systems whose locks are not visible to other machines. */
static bool is_stale(int folder, const char *name) {
  struct stat st;
  const int file = openat(folder, marker, O_RDONLY | O_NONBLOCK | MARKER_FLAGS);
  if (file < 0) return false;
  const bool stale = is_own(file, S_IFREG, &st) && is_old(&st) && has_mark(file, name) &&
                     flock(file, LOCK_EX | LOCK_NB) == 0;
  close(file);
  return stale;
}

static void remove_if_stale(int parent, int folder, const char *name) {
  struct stat st;
  if (!is_own(folder, S_IFDIR, &st) || !is_old(&st)) return;
  if (is_stale(folder, name)) remove_tree(parent, name);
  unlinkat(parent, name, AT_REMOVEDIR); /* a run was killed before it wrote the marker */
}

static bool has_form(const char *name) {
  return text_begins_with(name, prefix) && random_is_name(name + sizeof prefix - 1);
}

static void remove_stale(const char *parent) {
  DIR *dir = opendir(parent);
  for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    const int folder = has_form(e->d_name) ? openat(dirfd(dir), e->d_name, FOLDER_FLAGS) : -1;
    if (folder < 0) continue;
    remove_if_stale(dirfd(dir), folder, e->d_name);
    close(folder);
  }
  if (dir) closedir(dir);
}

/* --- creating --- */

const char *scratch_parent(void) {
  const char *given = getenv("TMPDIR");
  return given && *given ? given : "/tmp";
}

static bool make_folder(const char *parent, char name[NAME_BYTES], char **folder, Arena *a) {
  char random[RANDOM_NAME + 1];
  do {
    random_name(random);
    snprintf(name, NAME_BYTES, "%s%s", prefix, random);
    *folder = arena_printf(a, "%s/%s", parent, name);
    if (mkdir(*folder, 0700) == 0) return true;
  } while (errno == EEXIST);
  return false;
}

/* On a file system without locks, only the age indicates use. */
static bool write_marker(Arena *a, Scratch *s, const char *name) {
  char mark[MARK_BYTES];
  const size_t n = mark_of(name, mark);
  const char *path = scratch_file(a, s, marker);
  s->lock = open(path, O_WRONLY | O_CREAT | O_EXCL | MARKER_FLAGS, 0600);
  if (s->lock < 0) return false;
  flock(s->lock, LOCK_EX | LOCK_NB);
  return write(s->lock, mark, n) == (ssize_t)n;
}

bool scratch_open(Arena *a, Scratch *s, const char *parent) {
  char name[NAME_BYTES], *folder;
  remove_stale(parent);
  signals_hold(&s->before);
  if (!make_folder(parent, name, &folder, a)) {
    signals_release(&s->before);
    return false;
  }
  s->folder = folder;
  if (write_marker(a, s, name)) return true;
  scratch_close(s);
  return false;
}

const char *scratch_file(Arena *a, const Scratch *s, const char *name) {
  return arena_printf(a, "%s/%s", s->folder, name);
}

void scratch_close(Scratch *s) {
  const int error = errno;
  if (s->lock >= 0) close(s->lock); /* first: removing takes a descriptor, which may be the last */
  remove_tree(AT_FDCWD, s->folder);
  signals_release(&s->before);
  errno = error;
}
