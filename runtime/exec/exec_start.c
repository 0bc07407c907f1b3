/* SPDX-License-Identifier: MIT */
#include "exec/exec_start.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/word_list.h"
#include "device/host_compiler.h"
#include "emu/arith/arith_resolve.h"
#include "exec/exec_compile.h"
#include "exec/exec_preload.h"

enum { LOOK_MS = 20, SIGNALLED = 128 };

extern char **environ;

/* --- the library --- */

static const char name_of_library[] = "libcuda.so.1";

const char *exec_library(Arena *a, Diag *diag) {
  static const char *const from_command[] = {"exec", KGEN_EXEC_FROM_COMMAND};
  const char *own = folder_of_command(a);
  for (size_t i = 0; own && i < sizeof from_command / sizeof *from_command; i++) {
    const char *folder = arena_printf(a, "%s/%s", own, from_command[i]);
    if (access(arena_printf(a, "%s/%s", folder, name_of_library), R_OK) == 0) return folder;
  }
  diag_say(diag, DIAG_ARGUMENT, "%s is neither in %s/%s nor in %s/%s: build the target cuda",
           name_of_library, own ? own : ".", from_command[0], own ? own : ".", from_command[1]);
  return NULL;
}

/* --- the program's environment --- */

static void set(WordList *e, const char *name, const char *value) {
  if (value) word_list_printf(e, "%s=%s", name, value);
}

static void set_number(WordList *e, const char *name, int64_t value) {
  set(e, name, arena_printf(e->arena, "%" PRId64, value));
}

/* Paths are absolute, since the program may change its directory. */
static const char *whole_path(Arena *a, const char *path) {
  char folder[PATH_MAX];
  if (!path || *path == '/' || !getcwd(folder, sizeof folder)) return path;
  return arena_printf(a, "%s/%s", folder, path);
}

static bool is_ours(const char *word) {
  static const char *const ours[] = {
      "LD_LIBRARY_PATH=", "LD_PRELOAD=", "NVCC_APPEND_FLAGS=", "KGEN_EXEC_"};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (strncmp(word, ours[i], strlen(ours[i])) == 0) return true;
  return false;
}

static const char *library_path(Arena *a, const char *library) {
  const char *old = getenv("LD_LIBRARY_PATH");
  return old && *old ? arena_printf(a, "%s:%s", library, old) : library;
}

/* A program may run nvcc, too, as PyCUDA does: line information leaves PTX in machine code. */
static const char *nvcc_flags(Arena *a) {
  const char *old = getenv("NVCC_APPEND_FLAGS");
  return old && *old ? arena_printf(a, "%s -lineinfo", old) : "-lineinfo";
}

/* Packages keep machine code that they compiled earlier, maybe without line information. */
static void leave_caches(WordList *e) {
  static const char *const setting[] = {"CUPY_CACHE_IN_MEMORY", "PYCUDA_DISABLE_CACHE"};
  for (size_t i = 0; i < sizeof setting / sizeof *setting; i++)
    if (!getenv(setting[i])) set(e, setting[i], "1");
}

static void add_folder(Text *t, const char *folder) {
  if (folder && !strchr(folder, '\n')) text_printf(t, "%s%s", t->len ? "\n" : "", folder);
}

/* The directories from which reports may quote sources: the ones that the user named, the current
 * one, and the program's. */
static const char *include_path(Arena *a, const Options *o) {
  const OptionList *include = &o->lint.include;
  const char *program = o->exec.program.item[0];
  char folder[PATH_MAX];
  Text t = text_new(a);
  for (int i = 0; i < include->count; i++) add_folder(&t, whole_path(a, include->item[i]));
  add_folder(&t, getcwd(folder, sizeof folder));
  if (strchr(program, '/')) add_folder(&t, path_folder(a, whole_path(a, program)));
  return t.s;
}

static char **environment(Arena *a, const Options *o, const Scratch *session, const char *library,
                          const ExecCompile *compile) {
  WordList e = {.arena = a};
  for (int i = 0; environ[i]; i++)
    if (!is_ours(environ[i])) word_list_add(&e, environ[i]);
  set(&e, "LD_LIBRARY_PATH", library_path(a, library));
  set(&e, "LD_PRELOAD", exec_preload(a, o->exec.program.item[0], library));
  set(&e, "NVCC_APPEND_FLAGS", nvcc_flags(a));
  leave_caches(&e);
  set(&e, "KGEN_EXEC_SESSION", whole_path(a, session->folder));
  set(&e, "KGEN_EXEC_ORDERS", exec_compile_folder(compile));
  set(&e, "KGEN_EXEC_AS", o->exec.as->name);
  set(&e, "KGEN_EXEC_KERNELS", o->exec.kernels);
  set_number(&e, "KGEN_EXEC_SKIP", (int64_t)o->exec.skip);
  set_number(&e, "KGEN_EXEC_LAUNCHES", o->exec.launches);
  if (o->lint.max_steps) set_number(&e, "KGEN_EXEC_MAX_STEPS", (int64_t)o->lint.max_steps);
  if (o->lint.schedule[1]) {
    set_number(&e, "KGEN_EXEC_FIRST_SCHEDULE", o->lint.schedule[0]);
    set_number(&e, "KGEN_EXEC_LAST_SCHEDULE", o->lint.schedule[1]);
  }
  set(&e, "KGEN_EXEC_INCLUDE", include_path(a, o));
  set(&e, "KGEN_EXEC_SAVE", whole_path(a, o->exec.save));
  set(&e, "KGEN_EXEC_PICTURES", o->html ? "1" : NULL);
  return word_list_argv(&e);
}

/* --- starting and waiting --- */

static int spawn(Arena *a, const Options *o, const Scratch *session, const char *library,
                 const ExecCompile *compile, pid_t *child) {
  const OptionList *program = &o->exec.program;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  WordList words = {.arena = a};
  for (int i = 0; i < program->count; i++) word_list_add(&words, program->item[i]);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&how, &session->before);
  sigset_t restored;
  sigemptyset(&restored);
  sigaddset(&restored, SIGXFSZ); /* kgen ignores it */
  posix_spawnattr_setsigdefault(&how, &restored);
  if (o->format != FORMAT_TABLE)
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  const int error = posix_spawnp(child, words.word[0], &files, &how, word_list_argv(&words),
                                 environment(a, o, session, library, compile));
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/* True for signals that the terminal sends to the whole group, including the program. */
static bool is_of_terminal(int signal) {
  const int terminal = signal == SIGINT ? open("/dev/tty", O_RDONLY | O_CLOEXEC) : -1;
  const bool foreground = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();
  if (terminal >= 0) close(terminal);
  return foreground;
}

static int status_of(int status) {
  return WIFSIGNALED(status) ? SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Polls for the program's end and for signals: a handler would need a global variable. */
static int finish(pid_t child, ExecCompile *compile) {
  for (int status;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    exec_compile_step(compile);
    if (ended != 0) return ended == child ? status_of(status) : -1;
    const int signal = signals_wait(LOOK_MS);
    if (signal && !is_of_terminal(signal)) kill(child, signal);
  }
}

int exec_start(Arena *a, const Options *o, const Scratch *session, const char *library,
               Diag *diag) {
  pid_t child;
  ExecCompile *compile =
      o->exec.no_native ? NULL : exec_compile_open(a, session, arith_most_vectors());
  const int error = spawn(a, o, session, library, compile, &child);
  const int status = error ? -1 : finish(child, compile);
  const int failed = exec_compile_failed(compile);
  exec_compile_close(compile);
  if (failed && !o->quiet)
    diag_note(diag,
              "note: kernels that stay interpreted, since the C compiler failed or needs "
              "more than %d MiB or %d s: %d",
              HOST_COMPILER_KIB >> 10, HOST_COMPILER_S, failed);
  if (!error) return status;
  diag_say(diag, DIAG_ARGUMENT, "cannot start %s: %s", o->exec.program.item[0], strerror(error));
  return -1;
}
