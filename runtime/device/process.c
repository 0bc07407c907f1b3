/* SPDX-License-Identifier: MIT */
#include "device/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include "base/word_list.h"

enum { LOOK_MS = 20 };

extern char **environ;

static bool same_name(const char *entry, const char *change) {
  const size_t n = strcspn(change, "=");
  return strncmp(entry, change, n) == 0 && entry[n] == '=';
}

static bool is_changed(const char *entry, const char *const *change) {
  while (*change && !same_name(entry, *change)) change++;
  return *change != NULL;
}

char **process_environment(Arena *a, const char *const *change) {
  WordList out = {.arena = a};
  for (size_t i = 0; environ[i]; i++)
    if (!is_changed(environ[i], change)) word_list_add(&out, environ[i]);
  for (; *change; change++)
    if (strchr(*change, '=')) word_list_add(&out, *change);
  return word_list_argv(&out);
}

int process_start(Arena *a, const char *const *word, const char *log, const Scratch *scratch,
                  pid_t *child) {
  const char *const change[] = {arena_printf(a, "TMPDIR=%s", scratch->folder), NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawn_file_actions_addchdir_np(&files, scratch->folder);
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setsigmask(&how, &scratch->before);
  /* posix_spawnp takes its words as pointers to mutable data, and does not modify them. */
  const int error = posix_spawnp(child, word[0], &files, &how, (char *const *)(uintptr_t)word,
                                 process_environment(a, change));
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

void process_stop(pid_t child) {
  int status;
  kill(-child, SIGKILL);
  waitpid(child, &status, 0);
}

/* Polls for the end of the process and for signals, because a handler would need a global
 * variable. */
static bool finish(pid_t child, ProcessWait wait, int *status) {
  for (;;) {
    const pid_t ended = waitpid(child, status, WNOHANG);
    if (ended != 0) return ended == child;
    if (wait.call) wait.call(wait.context);
    const int signal = signals_wait(LOOK_MS);
    if (!signal) continue;
    kill(-child, SIGKILL);
    raise(signal); /* still blocked */
    return waitpid(child, status, 0) == child;
  }
}

int process_run(Arena *a, const char *const *word, const char *log, const Scratch *scratch,
                ProcessWait wait, Text *why) {
  pid_t child;
  int status = 0;
  const int error = process_start(a, word, log, scratch, &child);
  if (!error && finish(child, wait, &status) && WIFEXITED(status)) return WEXITSTATUS(status);
  text_printf(why, "%s: %s", word[0], error ? strerror(error) : "it was stopped");
  return -1;
}
