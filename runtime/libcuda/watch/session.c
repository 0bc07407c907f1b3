#include "libcuda/watch/session.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "device/orders.h"

enum { MAX_STEPS_LOG2 = 30 };

/* --- the environment, as exec/exec_start.c sets it --- */

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
  for (size_t n; *path; path += n + (path[n] == ':')) {
    n = strcspn(path, ":");
    s->include[s->includes++] = arena_strndup(s->arena, path, n);
  }
}

static void read_environment(Session *s) {
  const char *kernels = word(s->arena, "KGEN_EXEC_KERNELS");
  s->folder = word(s->arena, "KGEN_EXEC_SESSION");
  s->save = word(s->arena, "KGEN_EXEC_SAVE");
  const char *orders = word(s->arena, "KGEN_EXEC_ORDERS");
  if (orders) s->translator = orders_translator(orders);
  s->translator.after =
      (uint64_t)number("KGEN_EXEC_AFTER", (int64_t)s->translator.after); /* tests */
  s->filtered = kernels && regcomp(&s->kernels, kernels, REG_EXTENDED | REG_NOSUB) == 0;
  s->skip = number("KGEN_EXEC_SKIP", 0);
  s->launches = number("KGEN_EXEC_LAUNCHES", -1);
  s->max_steps = (uint64_t)number("KGEN_EXEC_MAX_STEPS", 0);
  if (!s->max_steps) s->max_steps = UINT64_C(1) << MAX_STEPS_LOG2;
  s->pictures = getenv("KGEN_EXEC_PICTURES") != NULL;
  read_includes(s, word(s->arena, "KGEN_EXEC_INCLUDE"));
}

/* "FOLDER/PID"; "FOLDER/PID+N" after N programs that this process was before, since exec leaves its
 * number. Each has written its file when it began. */
static const char *name_files(const Session *s) {
  const char *name = arena_printf(s->arena, "%s/%ld", s->folder, (long)s->process);
  for (int before = 1; access(arena_printf(s->arena, "%s.json", name), F_OK) == 0; before++)
    name = arena_printf(s->arena, "%s/%ld+%d", s->folder, (long)s->process, before);
  return name;
}

/* Of a process, like the driver itself. */
Session *session(void) {
  static Session one;
  if (!one.arena) {
    one.arena = arena_new();
    one.process = getpid();
    read_environment(&one);
    if (one.folder) one.name = name_files(&one);
  }
  return one.folder && one.process == getpid() ? &one : NULL;
}

/* --- files --- */

/* The file is renamed when it is complete, so readers never see a part of it. */
void session_write(const Session *s, int n, const Text *text) {
  Arena *a = arena_new();
  const char *of = n < 0 ? "" : arena_printf(a, "-%d", n);
  const char *path = arena_printf(a, "%s%s.json", s->name, of);
  const char *part = arena_printf(a, "%s.part", s->name);
  const int file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file >= 0) {
    const bool whole = file_put(file, text->s, text->len);
    if (close(file) == 0 && whole) rename(part, path);
  }
  arena_free(a);
}
