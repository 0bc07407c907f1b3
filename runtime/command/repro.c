/* SPDX-License-Identifier: MIT */
#include "command/repro.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "command/options.h"
#include "device/inventory.h"

enum { MAX_FILE = 1 << 30, MAX_PATH = 4096 };

typedef struct {
  const char *path;  /* as the user named it */
  const char *whole; /* absolute, without . and .. */
  bool named;        /* may be on the command line */
} Input;

typedef struct {
  const char *option, *path;
} Addition;

typedef struct {
  const char *name, *text;
  size_t length;
} Output;

struct Repro {
  Arena *arena;
  const char *folder, *here;
  bool is_new; /* the directory was created by this run */
  int argc;
  char *const *argv;
  Input *input;
  Addition *added;
  Output *output;
  int inputs, input_capacity, additions, added_capacity, outputs, output_capacity;
  Text told;
};

/* --- opening --- */

static bool is_empty(const char *folder) {
  DIR *dir = opendir(folder);
  if (!dir) return false;
  int entries = 0;
  for (const struct dirent *e; (e = readdir(dir)) != NULL;) entries += e->d_name[0] != '.';
  closedir(dir);
  return entries == 0;
}

Repro *repro_open(Arena *a, const char *folder, int argc, char *const *argv, Diag *diag) {
  char here[MAX_PATH];
  Repro *r = ARENA_NEW(a, Repro);
  *r = (Repro){.arena = a, .folder = folder, .argc = argc, .argv = argv, .told = text_new(a)};
  r->is_new = access(folder, F_OK) != 0;
  if (!getcwd(here, sizeof here) || (r->is_new && !folder_make(folder, 0777)))
    diag_say(diag, DIAG_ARGUMENT, "--repro %s: %s", folder, strerror(errno));
  else if (!is_empty(folder))
    diag_say(diag, DIAG_ARGUMENT, "--repro %s: not an empty folder", folder);
  else
    r->here = arena_strndup(a, here, strlen(here));
  return r->here ? r : NULL;
}

void repro_drop(Repro *r) {
  if (r && r->is_new) rmdir(r->folder);
}

/* --- names --- */

/* Removes empty parts, . and .. from the name, without following links. */
static const char *normal(Arena *a, const char *path) {
  Text out = text_new(a);
  for (const char *at = path; *at;) {
    at += strspn(at, "/");
    const size_t n = strcspn(at, "/");
    if (n == 2 && strncmp(at, "..", 2) == 0) {
      char *slash = out.len ? strrchr(out.s, '/') : NULL;
      out.len = slash ? (size_t)(slash - out.s) : 0;
      out.s[out.len] = '\0';
    } else if (n && !(n == 1 && *at == '.')) {
      text_puts(&out, "/");
      text_add(&out, at, n);
    }
    at += n;
  }
  return out.s;
}

static const char *whole_name(const Repro *r, const char *path) {
  return normal(r->arena, *path == '/' ? path : arena_printf(r->arena, "%s/%s", r->here, path));
}

/* --- what is recorded --- */

static void reads(Repro *r, const char *path, bool named) {
  const char *whole = whole_name(r, path);
  for (int i = 0; i < r->inputs; i++)
    if (strcmp(r->input[i].path, path) == 0) return;
  r->input = arena_grow(r->arena, r->input, r->inputs, &r->input_capacity, sizeof *r->input);
  r->input[r->inputs++] = (Input){arena_strndup(r->arena, path, strlen(path)), whole, named};
}

void repro_reads(Repro *r, const char *path) {
  if (r) reads(r, path, true);
}

void repro_reads_folder(Repro *r, const char *path) {
  DIR *dir = r ? opendir(path) : NULL;
  if (!dir) return;
  reads(r, path, true);
  for (const struct dirent *e; (e = readdir(dir)) != NULL;)
    if (e->d_name[0] != '.') reads(r, arena_printf(r->arena, "%s/%s", path, e->d_name), false);
  closedir(dir);
}

void repro_adds(Repro *r, const char *option, const char *path) {
  if (!r) return;
  r->added = arena_grow(r->arena, r->added, r->additions, &r->added_capacity, sizeof *r->added);
  r->added[r->additions++] = (Addition){option, path};
}

void repro_makes(Repro *r, const char *name, const char *text, size_t length) {
  if (!r) return;
  r->output = arena_grow(r->arena, r->output, r->outputs, &r->output_capacity, sizeof *r->output);
  r->output[r->outputs++] = (Output){name, text, length};
}

void repro_record_stderr(Repro *r, const char *text, size_t length) {
  if (r) text_add(&r->told, text, length);
}

/* --- writing --- */

static bool put_file(const Repro *r, const char *name, const char *text, size_t length) {
  const char *path = arena_printf(r->arena, "%s/%s", r->folder, name);
  return folder_make(path_folder(r->arena, path), 0777) &&
         (file_create(path, text, length) || errno == EEXIST);
}

/* Copies a file, or creates an empty directory; skips anything else, such as a pipe. */
static bool put_input(const Repro *r, const Input *input) {
  struct stat st;
  size_t length;
  const char *to = arena_printf(r->arena, "files%s", input->whole);
  if (stat(input->path, &st) != 0) return true;
  if (S_ISDIR(st.st_mode)) return folder_make(arena_printf(r->arena, "%s/%s", r->folder, to), 0777);
  if (!S_ISREG(st.st_mode)) return true;
  Arena *a = arena_new();
  const char *text = file_read(a, input->path, MAX_FILE, &length);
  const bool ok = text && put_file(r, to, text, length);
  const int error = errno;
  arena_free(a);
  errno = error;
  return ok;
}

/* The input with the longest absolute path that the word contains at `at`; its length in *n. */
static const Input *named_here(const Repro *r, const char *word, const char *at, size_t *n) {
  const Input *found = NULL;
  if (*at != '/' || (at > word && !strchr("=:,{", at[-1]) && at != word + 2)) return NULL;
  for (int i = 0; i < r->inputs; i++) {
    const size_t length = strlen(r->input[i].path);
    if (!r->input[i].named || strncmp(at, r->input[i].path, length) != 0) continue;
    if ((at[length] && !strchr(",}", at[length])) || (found && length <= *n)) continue;
    found = &r->input[i];
    *n = length;
  }
  return found;
}

/* Writes a word of the command line; absolute paths of inputs become paths in this directory. */
static void put_word(const Repro *r, Text *out, const char *word) {
  size_t n = 0;
  text_puts(out, " '");
  for (const char *at = word; *at; at += n) {
    const Input *input = named_here(r, word, at, &n);
    if (!input) n = 1;
    text_puts(out, input ? "'\"$here\"'/files" : "");
    if (input)
      options_quote(out, input->whole, strlen(input->whole));
    else
      options_quote(out, at, 1);
  }
  text_puts(out, "'");
}

/* The number of words of the option --repro at word i; 0 if it is another word. */
static int own_words(const Repro *r, int i) {
  static const char own[] = "--repro";
  const char *word = r->argv[i];
  if (strncmp(word, own, sizeof own - 1) != 0) return 0;
  return word[sizeof own - 1] == '=' ? 1 : word[sizeof own - 1] ? 0 : 2;
}

static const char *command_of(const Repro *r) {
  Text out = text_new(r->arena);
  bool options_end = false;
  for (int i = 1; i < r->argc; i++) {
    const int own = options_end ? 0 : own_words(r, i);
    if (own) {
      i += own - 1;
      continue;
    }
    if (strcmp(r->argv[i], "--") == 0) options_end = true;
    put_word(r, &out, r->argv[i]);
  }
  /* Additions come first: after --, they would be taken for specs. */
  Text added = text_new(r->arena);
  for (int i = 0; i < r->additions; i++) {
    if (r->added[i].option) put_word(r, &added, r->added[i].option);
    put_word(r, &added, r->added[i].path);
  }
  return arena_printf(r->arena, "%s%s", added.s, out.s);
}

static bool put_script(const Repro *r) {
  Text out = text_new(r->arena);
  text_puts(&out, "#!/bin/sh\n# What `kgen --repro` saw, again: facts.txt says where and how. "
                  "$KGEN is the command.\n"
                  "here=$(cd \"$(dirname \"$0\")\" && pwd) || exit\ncd \"$here\"'/files");
  options_quote(&out, r->here, strlen(r->here));
  text_printf(&out, "' || exit\nexec \"${KGEN:-kgen}\"%s\n", command_of(r));
  const char *here = arena_printf(r->arena, "%s/files%s", r->folder, whole_name(r, "."));
  return folder_make(here, 0777) && put_file(r, "run.sh", out.s, out.len) &&
         chmod(arena_printf(r->arena, "%s/run.sh", r->folder), 0777) == 0;
}

static bool put_facts(const Repro *r, int exit_code) {
  Text out = text_new(r->arena);
  struct utsname machine;
  text_printf(&out, "kgen " KGEN_VERSION ", exit %d\n\nin %s:\n  kgen", exit_code, r->here);
  for (int i = 1; i < r->argc; i++) text_printf(&out, " %s", r->argv[i]);
  text_puts(&out, "\n\n");
  inventory_print(r->arena, &out);
  if (uname(&machine) == 0)
    text_printf(&out, "system: %s %s %s\n", machine.sysname, machine.release, machine.machine);
  for (int i = 0; i < r->inputs; i++) {
    struct stat st;
    if (stat(r->input[i].path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
      text_printf(&out, "not here, for it was read from a pipe: %s\n", r->input[i].path);
  }
  text_puts(&out, "\nRandom inputs come from --seed, 1 where it is not given.\n");
  return put_file(r, "facts.txt", out.s, out.len);
}

static bool put_all(const Repro *r, int exit_code, const Text *data) {
  bool ok = put_script(r) && put_facts(r, exit_code);
  for (int i = 0; ok && i < r->inputs; i++) ok = put_input(r, &r->input[i]);
  for (int i = 0; ok && i < r->outputs; i++)
    ok = put_file(r, arena_printf(r->arena, "made/%s", r->output[i].name), r->output[i].text,
                  r->output[i].length);
  return ok && put_file(r, "stdout.txt", data->s, data->len) &&
         put_file(r, "stderr.txt", r->told.s, r->told.len);
}

void repro_write(Repro *r, int exit_code, const Text *data, Diag *diag) {
  if (put_all(r, exit_code, data))
    diag_note(diag, "%s/run.sh shows it again", r->folder);
  else
    diag_say(diag, DIAG_ARGUMENT, "--repro %s: %s", r->folder, strerror(errno));
}
