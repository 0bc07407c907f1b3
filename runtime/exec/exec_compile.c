/* SPDX-License-Identifier: MIT */
#include "exec/exec_compile.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "device/cache.h"
#include "device/clock.h"
#include "device/host_compiler.h"
#include "device/orders.h"
#include "device/process.h"

/* AT_ONCE leaves cores to the program. MOST_MS: gcc takes some 10 seconds on a core of its own for
 * a kernel of 4,096 instructions, and over a minute if 16 processes share two cores. */
enum { AT_ONCE = 2, MOST_MS = 600000, MOST_BYTES = 16 << 20 };

/* A request that a compiler works on; arena NULL: the slot is free. */
typedef struct {
  Arena *arena;
  uint64_t number;
  size_t length;
  const char *text, *object; /* the text of the request; the file that the compiler writes */
  int compiler;              /* index of the compiler in use */
  pid_t child;
  double began;
} Job;

struct ExecCompile {
  const Scratch *session;
  const char *folder;
  const char *const *compiler;
  unsigned vectors;
  Cache cache;
  Job job[AT_ONCE];
  int failed; /* number of requests that no compiler could complete */
};

/* Creates the directory of requests. Its path is absolute, because compilers and programs run in
 * other directories. */
static const char *make_folder(Arena *a, const Scratch *session) {
  char *real = realpath(session->folder, NULL);
  const char *folder = real ? arena_printf(a, "%s/orders", real) : NULL;
  free(real);
  return folder && mkdir(folder, 0700) == 0 ? folder : NULL;
}

ExecCompile *exec_compile_open(Arena *a, const Scratch *session, unsigned vectors) {
  Text why = text_new(a);
  ExecCompile *c = ARENA_NEW(a, ExecCompile);
  *c = (ExecCompile){.session = session,
                     .folder = make_folder(a, session),
                     .compiler = host_compilers(a),
                     .vectors = vectors,
                     .cache = cache_open(a, &why)};
  return vectors && c->compiler[0] && c->folder ? c : NULL;
}

int exec_compile_failed(const ExecCompile *c) { return c ? c->failed : 0; }

const char *exec_compile_folder(const ExecCompile *c) { return c ? c->folder : NULL; }

/* --- answers --- */

/* Renames the finished object, then removes the request: a request without an answer is still
 * open. */
static void answer(const ExecCompile *c, const Job *job, bool good) {
  const char *object = orders_path(job->arena, c->folder, job->number, ORDER_OBJECT);
  if (!good || chmod(job->object, 0600) != 0 || rename(job->object, object) != 0)
    file_create(orders_path(job->arena, c->folder, job->number, ORDER_NONE), "", 0);
  unlink(orders_path(job->arena, c->folder, job->number, ORDER_TEXT));
}

static void drop(Job *job) {
  arena_free(job->arena);
  *job = (Job){0};
}

/* --- the cache, by compiler and text --- */

static const char *key_of(const ExecCompile *c, const Job *job) {
  Text key = text_new(job->arena);
  text_puts(&key, host_compiler_identity(job->arena, c->compiler[job->compiler], c->vectors));
  text_add(&key, job->text, job->length);
  return key.s;
}

static bool is_kept(const ExecCompile *c, Job *job) {
  size_t size;
  const char *object = cache_get(job->arena, &c->cache, key_of(c, job), &size);
  return object && file_create(job->object, object, size);
}

/* Caches the result if it is a shared object. */
static bool keep(const ExecCompile *c, const Job *job) {
  static const char begins[] = "\177ELF";
  size_t size;
  const char *object = file_read(job->arena, job->object, (size_t)MOST_BYTES, &size);
  const bool good = object && size > sizeof begins && memcmp(object, begins, 4) == 0;
  if (good) cache_put(job->arena, &c->cache, key_of(c, job), object, size);
  return good;
}

/* --- compilers --- */

/* Starts the next compiler; skips those that cannot be started. */
static bool start(const ExecCompile *c, Job *job) {
  const char *text = orders_path(job->arena, c->folder, job->number, ORDER_TEXT);
  unlink(job->object);
  for (; c->compiler[job->compiler]; job->compiler++) {
    job->began = clock_ms();
    if (host_compiler_start(job->arena, c->compiler[job->compiler], c->vectors, text, job->object,
                            c->session, &job->child))
      return true;
  }
  return false;
}

static void finish(ExecCompile *c, Job *job, bool good) {
  answer(c, job, good);
  c->failed += !good;
  drop(job);
}

/* Checks on a compiler. If it fails, the next one is tried; if it exceeds the time limit, none is,
 * because the next one would hang, too. */
static void look(ExecCompile *c, Job *job) {
  int status;
  const pid_t ended = waitpid(job->child, &status, WNOHANG);
  if (ended == job->child && WIFEXITED(status) && WEXITSTATUS(status) == 0 && keep(c, job)) {
    finish(c, job, true);
  } else if (ended) {
    job->compiler++;
    if (!start(c, job)) finish(c, job, false);
  } else if (clock_ms() - job->began > MOST_MS) {
    process_stop(job->child);
    finish(c, job, false);
  }
}

static void begin(ExecCompile *c, Job *job, uint64_t number) {
  Arena *a = arena_new();
  *job = (Job){.arena = a, .number = number};
  job->object = arena_printf(a, "%s/%016llx.o", c->folder, (unsigned long long)number);
  job->text =
      file_read(a, orders_path(a, c->folder, number, ORDER_TEXT), (size_t)MOST_BYTES, &job->length);
  const bool is_text = job->text && strlen(job->text) == job->length;
  const bool kept = is_text && is_kept(c, job);
  if (kept || !is_text || !start(c, job)) finish(c, job, kept);
}

/* --- orders --- */

static bool is_known(const ExecCompile *c, uint64_t number) {
  for (int i = 0; i < AT_ONCE; i++)
    if (c->job[i].arena && c->job[i].number == number) return true;
  return false;
}

static Job *free_job(ExecCompile *c) {
  for (int i = 0; i < AT_ONCE; i++)
    if (!c->job[i].arena) return &c->job[i];
  return NULL;
}

static void take_orders(ExecCompile *c) {
  DIR *dir = free_job(c) ? opendir(c->folder) : NULL;
  for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    const uint64_t number = orders_number(e->d_name);
    Job *job = number && !is_known(c, number) ? free_job(c) : NULL;
    if (job) begin(c, job, number);
  }
  if (dir) closedir(dir);
}

void exec_compile_step(ExecCompile *c) {
  for (int i = 0; c && i < AT_ONCE; i++)
    if (c->job[i].arena) look(c, &c->job[i]);
  if (c) take_orders(c);
}

void exec_compile_close(ExecCompile *c) {
  for (int i = 0; c && i < AT_ONCE; i++) {
    if (!c->job[i].arena) continue;
    process_stop(c->job[i].child);
    drop(&c->job[i]);
  }
}
