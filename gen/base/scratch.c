#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char prefix[] = ".kgen-";
enum { FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, STALE_S = 60 };

static DIR *open_folder(int parent, const char *name) {
  const int fd = openat(parent, name, FOLDER_FLAGS);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  if (fd >= 0 && !dir) close(fd);
  return dir;
}

/* A folder inside was made by another program. A symbolic link is removed, not followed. */
static void remove_tree(int parent, const char *name) {
  DIR *dir = open_folder(parent, name);
  for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    if (unlinkat(dirfd(dir), e->d_name, 0) != 0) remove_tree(dirfd(dir), e->d_name);
  }
  if (dir) closedir(dir);
  unlinkat(parent, name, AT_REMOVEDIR);
}

/* A folder in use is locked, which shows across containers, too, where its owner's process number
 * means nothing. The age covers file systems whose locks other machines do not see. */
static bool is_stale(int folder) {
  struct stat st;
  return fstat(folder, &st) == 0 && st.st_uid == geteuid() && time(NULL) - st.st_mtime > STALE_S &&
         flock(folder, LOCK_EX | LOCK_NB) == 0;
}

static void remove_stale(const char *parent) {
  DIR *dir = opendir(parent);
  for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    if (strncmp(e->d_name, prefix, sizeof prefix - 1) != 0) continue;
    const int folder = openat(dirfd(dir), e->d_name, FOLDER_FLAGS);
    if (folder < 0) continue;
    if (is_stale(folder)) remove_tree(dirfd(dir), e->d_name);
    close(folder);
  }
  if (dir) closedir(dir);
}

const char *scratch_parent(void) {
  const char *given = getenv("TMPDIR");
  return given && *given ? given : "/tmp";
}

bool scratch_open(Arena *a, Scratch *s, const char *parent) {
  char *folder = arena_printf(a, "%s/%sXXXXXX", parent, prefix);
  remove_stale(parent);
  signals_hold(&s->before);
  if (!mkdtemp(folder)) {
    signals_release(&s->before);
    return false;
  }
  s->folder = folder;
  s->lock = open(folder, FOLDER_FLAGS);
  if (s->lock >= 0) flock(s->lock, LOCK_EX | LOCK_NB);
  return true;
}

const char *scratch_file(Arena *a, const Scratch *s, const char *name) {
  return arena_printf(a, "%s/%s", s->folder, name);
}

void scratch_close(Scratch *s) {
  const int error = errno;
  remove_tree(AT_FDCWD, s->folder);
  if (s->lock >= 0) close(s->lock);
  signals_release(&s->before);
  errno = error;
}
