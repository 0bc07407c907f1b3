/* SPDX-License-Identifier: MIT */
#include "tune/self.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include "device/process.h"
#include "tune/wisdom.h"

enum { LOOK_MS = 20, PATIENCE = 100 };

void self_add_option(WordList *words, const char *option, const char *value) {
  word_list_add(words, option);
  word_list_add(words, value);
}

WordList self_command(Arena *a, const Tuning *t) {
  const Options *o = t->options;
  WordList w = {.arena = a};
  word_list_add(&w, "kgen");
  word_list_add(&w, "--tune");
  word_list_add(&w, "--quiet");
  self_add_option(&w, "--device", t->runner->device ? t->runner->device->backend->name : o->device);
  self_add_option(&w, "--templates", templates_dir(t->spec_options->templates));
  self_add_option(&w, "--seed", arena_printf(a, "%llu", (unsigned long long)o->seed));
  if (o->tune.free) word_list_add(&w, "--free");
  if (o->no_cache) word_list_add(&w, "--no-cache");
  if (o->arch) self_add_option(&w, "--arch", o->arch->name);
  const Values now = {t->spec_options->sizes, t->spec_options->size};
  if (now.count) self_add_option(&w, "--sizes", values_text(a, &now));
  for (int i = 0; i < o->tune.sizes.count && !now.count; i++)
    self_add_option(&w, "--sizes", o->tune.sizes.item[i]);
  return w;
}

/* --- environment: this process's, except for two variables --- */

static char **environment(Arena *a, const char *file, const char *gpu) {
  const char *const change[] = {arena_printf(a, "KGEN_WISDOM=%s", file),
                                gpu ? arena_printf(a, "CUDA_VISIBLE_DEVICES=%s", gpu) : NULL, NULL};
  return process_environment(a, change);
}

bool self_start(const Tuning *t, const WordList *words, const char *file, const char *gpu,
                pid_t *child) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&how, &t->held);
  const int error = posix_spawn(child, "/proc/self/exe", &files, &how, word_list_argv(words),
                                environment(words->arena, file, gpu));
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  errno = error;
  return error == 0;
}

/* A process that waits for a hung kernel reacts only to SIGKILL. */
static void end_child(pid_t child) {
  kill(child, SIGTERM);
  for (int i = 0; i < PATIENCE; i++) {
    if (waitpid(child, NULL, WNOHANG) != 0) return;
    poll(NULL, 0, LOOK_MS);
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

bool self_finish(Tuning *t, pid_t child) {
  int status;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended != 0) return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!t->signal) t->signal = signals_wait(LOOK_MS);
    if (!t->signal) continue;
    end_child(child);
    return false;
  }
}
