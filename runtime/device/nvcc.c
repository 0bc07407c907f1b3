#include "device/nvcc.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "device/library.h"

enum { MAX_OUTPUT = 256 << 20 };

extern char **environ;

/* A folder of one call, and what lies in it. */
typedef struct {
  char *folder;
  const char *source, *ptx, *log;
} Scratch;

static bool scratch_open(Arena *a, Scratch *s, Text *why) {
  const char *parent = getenv("TMPDIR");
  s->folder = arena_printf(a, "%s/kgen-XXXXXX", parent && *parent ? parent : "/tmp");
  if (!mkdtemp(s->folder)) {
    text_printf(why, "%s: %s", s->folder, strerror(errno));
    return false;
  }
  s->source = arena_printf(a, "%s/source.cu", s->folder);
  s->ptx = arena_printf(a, "%s/ptx", s->folder);
  s->log = arena_printf(a, "%s/log", s->folder);
  return true;
}

static void scratch_close(const Scratch *s) {
  unlink(s->source);
  unlink(s->ptx);
  unlink(s->log);
  rmdir(s->folder);
}

static bool write_text(const char *path, const char *text, Text *why) {
  FILE *f = fopen(path, "w");
  const bool ok = f && fputs(text, f) >= 0;
  if (f && fclose(f) == 0 && ok) return true;
  text_printf(why, "%s: %s", path, strerror(errno));
  return false;
}

static const char **command(Arena *a, const char *nvcc, const Scratch *s, const char *const *option,
                            int options) {
  const char **word = ARENA_ARRAY(a, const char *, (size_t)options + 6);
  int n = 0;
  word[n++] = nvcc;
  word[n++] = "-ptx";
  for (int i = 0; i < options; i++) word[n++] = option[i];
  word[n++] = "-o";
  word[n++] = s->ptx;
  word[n++] = s->source;
  return word;
}

/* Its exit status; -1, with the reason in *why, if it did not run. */
static int run(const char *const *word, const char *log, Text *why) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t child;
  int status = 0;
  /* posix_spawnp takes its words as pointers to mutable, and does not write them. */
  const int error =
      posix_spawnp(&child, word[0], &files, NULL, (char *const *)(uintptr_t)word, environ);
  posix_spawn_file_actions_destroy(&files);
  if (!error && waitpid(child, &status, 0) == child && WIFEXITED(status))
    return WEXITSTATUS(status);
  text_printf(why, "%s: %s", word[0], error ? strerror(error) : "it was stopped");
  return -1;
}

bool nvcc_compile(Arena *a, const char *text, const char *const *option, int options,
                  NvccResult *out, Text *why) {
  Scratch s;
  const char *nvcc = library_toolkit_file(a, "bin/nvcc");
  if (!scratch_open(a, &s, why)) return false;
  int status = -1;
  if (write_text(s.source, text, why))
    status = run(command(a, nvcc ? nvcc : "nvcc", &s, option, options), s.log, why);
  size_t length;
  const char *log = file_read(a, s.log, MAX_OUTPUT, &length);
  *out = (NvccResult){.log = log ? log : ""};
  if (status == 0) out->ptx = file_read(a, s.ptx, MAX_OUTPUT, &out->size);
  out->accepted = out->ptx != NULL;
  scratch_close(&s);
  return status >= 0;
}
