/* SPDX-License-Identifier: MIT */
#include "libcuda/watch/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "device/orders.h"
#include "libcuda/driver.h"

enum { MAX_STEPS_LOG2 = 30 };

/* --- the environment, which exec/exec_start.c sets --- */

static const char *word(Arena *a, const char *name) {
  const char *value = getenv(name);
  return value && *value ? arena_strndup(a, value, strlen(value)) : NULL;
}

static int64_t number(const char *name, int64_t otherwise) {
  const char *value = getenv(name);
  return value && *value ? strtoll(value, NULL, 10) : otherwise;
}

static void read_includes(Session *s, const char *path) {
  if (!path) return;
  s->include = ARENA_ARRAY(s->arena, const char *, strlen(path) + 1);
  for (size_t n; *path; path += n + (path[n] == '\n')) {
    n = strcspn(path, "\n");
    s->include[s->includes++] = arena_strndup(s->arena, path, n);
  }
}

static void read_environment(Session *s) {
  const char *kernels = word(s->arena, "KGEN_EXEC_KERNELS");
  s->save = word(s->arena, "KGEN_EXEC_SAVE");
  const char *orders = word(s->arena, "KGEN_EXEC_ORDERS");
  if (orders) s->translator = orders_translator(orders);
  s->translator.after =
      (uint64_t)number("KGEN_EXEC_AFTER", (int64_t)s->translator.after); /* set by tests */
  s->filtered = kernels && regcomp(&s->kernels, kernels, REG_EXTENDED | REG_NOSUB) == 0;
  s->skip = number("KGEN_EXEC_SKIP", 0);
  s->launches = number("KGEN_EXEC_LAUNCHES", -1);
  s->max_steps = (uint64_t)number("KGEN_EXEC_MAX_STEPS", 0);
  if (!s->max_steps) s->max_steps = UINT64_C(1) << MAX_STEPS_LOG2;
  s->schedules.first = (int)number("KGEN_EXEC_FIRST_SCHEDULE", 0);
  s->schedules.last = (int)number("KGEN_EXEC_LAST_SCHEDULE", 0);
  s->pictures = getenv("KGEN_EXEC_PICTURES") != NULL;
  read_includes(s, word(s->arena, "KGEN_EXEC_INCLUDE"));
}

/* --- the directory, as kgen passed it --- */

/* The session's directory. It is opened when this library is loaded: later the program may change
 * its root directory or its user, or run out of descriptors. */
typedef struct {
  Arena *arena;     /* owns the path; kept until the process ends */
  const char *path; /* NULL: the library runs without kgen, and checks nothing */
  int folder;       /* its descriptor, which the program may close */
  dev_t device;
  ino_t inode;
  Tally *tally;
  int error;
} Place;

static void look_up(Place *p) {
  struct stat st;
  const char *path = getenv("KGEN_EXEC_SESSION");
  if (!path || !*path) return;
  Arena *a = p->arena = arena_new();
  p->path = arena_strndup(a, path, strlen(path));
  p->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (p->folder >= 0 && fstat(p->folder, &st) == 0) {
    p->device = st.st_dev;
    p->inode = st.st_ino;
  }
  p->tally = tally_open(arena_printf(a, "%s/" TALLY_FILE, path));
  p->error = p->tally ? 0 : errno;
}

static Place *place(void) {
  static bool known;
  static Place one = {.folder = -1};
  if (!known) look_up(&one);
  known = true;
  return &one;
}

__attribute__((constructor)) static void begin(void) { place(); }

/* --- a process --- */

/* The start time of a process, which distinguishes it from a later process with the same number. */
static const char *start_time(Arena *a) {
  size_t size;
  const char *stat = file_read(a, "/proc/self/stat", 1 << 16, &size);
  const char *at = stat ? strrchr(stat, ')') : NULL;
  for (int field = 2; at && field < 22; field++) {
    at = strchr(at, ' ');
    if (at) at++;
  }
  return at ? arena_strndup(a, at, strspn(at, "0123456789")) : "";
}

/* Includes the PID namespace, because process numbers repeat in others. */
static const char *identity_of(Arena *a) {
  struct stat st = {0};
  const bool known = stat("/proc/self/ns/pid", &st) == 0;
  return arena_printf(a, "%llu/%ld/%s", known ? (unsigned long long)st.st_ino : 0, (long)getpid(),
                      start_time(a));
}

static void open_session(Session *s) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  s->process = getpid();
  s->identity = identity_of(s->arena);
  s->began = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
  s->judged = 0;
  random_name(s->name);
  atomic_fetch_add(&s->tally->processes, 1);
}

/* One per process, like the driver itself. */
static Session *only(void) {
  static Session one;
  return &one;
}

bool session_is_of_this_process(void) { return only()->process == getpid(); }

Session *session(void) {
  Session *one = only();
  const Place *p = place();
  if (!p->tally) return NULL;
  if (!one->arena) {
    one->arena = arena_new();
    one->folder = p->path;
    one->tally = p->tally;
    read_environment(one);
  }
  if (one->process != getpid() && !driver()->forked) open_session(one);
  return one->process == getpid() ? one : NULL;
}

bool session_works(void) {
  static bool said;
  const Place *p = place();
  if (!p->path || p->tally) return true;
  if (said) return false;
  said = true;
  Arena *a = arena_new();
  fprintf(stderr, "kgen: error: the session's directory %s cannot be used: %s\n",
          text_clean(a, p->path), strerror(p->error));
  arena_free(a);
  return false;
}

/* --- files --- */

/* True if the descriptor still refers to the directory. */
static bool is_open(const Place *p) {
  struct stat st;
  return p->folder >= 0 && fstat(p->folder, &st) == 0 && st.st_dev == p->device &&
         st.st_ino == p->inode;
}

/* The name relative to the directory, or the whole path if the directory's descriptor is closed. */
static const char *name_in(Arena *a, const Place *p, const char *name) {
  return is_open(p) ? name : arena_printf(a, "%s/%s", p->path, name);
}

static int open_new(Arena *a, Place *p, const char *name) {
  enum { FLAGS = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC };
  const int file = openat(p->folder, name_in(a, p, name), FLAGS, 0600);
  if (file >= 0 || errno != EMFILE || !is_open(p)) return file;
  /* No descriptor is left: closes the directory's own. */
  close(p->folder);
  p->folder = -1;
  return openat(AT_FDCWD, name_in(a, p, name), FLAGS, 0600);
}

/* Sets the mode, so that kgen can read the file whatever the program's umask. */
static bool put(int file, const Text *text) {
  const bool whole = fchmod(file, 0600) == 0 && file_put(file, text->s, text->len);
  const int error = errno;
  if (close(file) != 0) return false;
  errno = error;
  return whole;
}

static bool write_whole(Arena *a, Place *p, const char *part, const char *name, const Text *text) {
  const int file = open_new(a, p, part);
  if (file < 0 || !put(file, text)) return false;
  return renameat(p->folder, name_in(a, p, part), p->folder, name_in(a, p, name)) == 0;
}

static void open_again(Place *p) {
  if (p->folder >= 0) return;
  p->folder = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat st;
  if (p->folder < 0 || (fstat(p->folder, &st) == 0 && st.st_ino == p->inode)) return;
  close(p->folder);
  p->folder = -1;
}

void session_failed(const Session *s, const char *where) {
  static bool said;
  const int error = errno;
  if (!s) return;
  atomic_store(&s->tally->error, error);
  atomic_fetch_add(&s->tally->failures, 1);
  if (said) return;
  said = true;
  Arena *a = arena_new();
  fprintf(stderr, "kgen: error: cannot record a launch in %s: %s\n", text_clean(a, where),
          strerror(error));
  arena_free(a);
}

/* Records a failure to write a file; a later success cancels it. */
static void note(Session *s, int number, bool lost) {
  if (number >= s->lost_room && !lost) return;
  while (number >= s->lost_room) {
    const int before = s->lost_room;
    s->lost = arena_grow(s->arena, s->lost, before, &s->lost_room, sizeof *s->lost);
    memset(s->lost + before, 0, (size_t)(s->lost_room - before) * sizeof *s->lost);
  }
  if (lost && !s->lost[number]) session_failed(s, s->folder);
  if (!lost && s->lost[number]) atomic_fetch_sub(&s->tally->failures, 1);
  s->lost[number] = lost;
}

/* Renames the file once it is complete, so that readers never see a part of it. */
bool session_write(Session *s, int n, const Text *text) {
  Arena *a = arena_new();
  Place *p = place();
  const char *of = n < 0 ? "" : arena_printf(a, "-%d", n);
  const char *name = arena_printf(a, "%s%s.json", s->name, of);
  const bool written = write_whole(a, p, arena_printf(a, "%s.part", s->name), name, text);
  note(s, n + 1, !written);
  open_again(p);
  arena_free(a);
  return written;
}
