/* SPDX-License-Identifier: MIT */
/* Error messages as a user sees them: locations, carets, windows, hints; and paths that are not
 * files. */
#include "spec/spec_read.h"

#include "check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static Arena *arena;

static const char *print(const Diag *d, bool color) {
  Text t = text_new(arena);
  diag_print(d, &t, color);
  return t.s;
}

static const char *show(const char *text, int line, int col, int width) {
  Diag *d = diag_new(arena);
  const Source s = {"f", text, strlen(text)};
  diag_error(d, (Loc){&s, line, col, width}, "x");
  return print(d, false);
}

static void check_carets(void) {
  CHECK_STR(show("abc\ndef", 2, 2, 2), "f:2:2: error: x\n  def\n   ^~\n");
  CHECK_STR(show("a\r\nb\r\nc", 3, 1, 1), "f:3:1: error: x\n  c\n  ^\n");
  CHECK_STR(show("\ta\tb", 1, 4, 1), "f:1:4: error: x\n  \ta\tb\n  \t \t^\n");
  CHECK_STR(show("\xc3\xa4\xc3\xb6 b", 1, 4, 1), "f:1:4: error: x\n  \xc3\xa4\xc3\xb6 b\n     ^\n");
  CHECK_STR(show("\xe7\x93\xa6 b", 1, 3, 1), "f:1:3: error: x\n  \xe7\x93\xa6 b\n     ^\n");
  CHECK_STR(show("\xe7\x93\xa6", 1, 1, 1), "f:1:1: error: x\n  \xe7\x93\xa6\n  ^~\n");
  CHECK_STR(show("e\xcc\x81 b", 1, 4, 1), "f:1:4: error: x\n  e\xcc\x81 b\n    ^\n");
  CHECK_STR(show("a\x1b[31m\xff"
                 "b",
                 1, 1, 1),
            "f:1:1: error: x\n  a?[31m?b\n  ^\n");
  CHECK_STR(show("abc", 1, 3, 99), "f:1:3: error: x\n  abc\n    ^\n");
  CHECK_STR(show("abc", 1, 9, 1), "f:1:9: error: x\n  abc\n          ^\n");
  CHECK_STR(show("abc", 7, 1, 1), "f:7:1: error: x\n  \n  ^\n");
  CHECK_STR(show("", 1, 1, 1), "f:1:1: error: x\n  \n  ^\n");
  CHECK_STR(show("abc", 0, 0, 1), "f: error: x\n");
}

/* A long line is shown in part, with the caret below the column that it points to. */
static void check_window(void) {
  Text t = text_new(arena);
  for (int i = 0; i < 5000; i++) text_puts(&t, "\xc3\xa4");
  text_puts(&t, "!");
  for (int i = 0; i < 5000; i++) text_puts(&t, "b");
  const char *out = show(t.s, 1, 5001, 1), *line = strchr(out, '\n') + 1;
  const char *second = strchr(line, '\n') + 1;
  const char *mark = strchr(line, '!'), *caret = strchr(second, '^');
  CHECK(mark && caret && mark < second, "both are shown: %s", out);
  int cells = 0;
  for (const char *s = line; s < mark; s++) cells += ((unsigned char)*s & 0xc0) != 0x80;
  CHECK(cells == caret - second, "%d cells before the mark, %d before the caret", cells,
        (int)(caret - second));
  CHECK(strlen(out) < 400, "the line is cut: %s", out);
}

static void check_order(void) {
  Diag *d = diag_new(arena);
  const Source a = {"a", "1\n2\n3", 5}, b = {"b", "1", 1}, again = {"a", "1\n2\n3", 5};
  diag_error(d, (Loc){&a, 3, 1, 1}, "third");
  diag_error(d, (Loc){&b, 1, 1, 1}, "other file");
  diag_error(d, (Loc){&a, 1, 1, 1}, "first");
  diag_hint(d, "a hint of %s", "the first");
  diag_error(d, (Loc){&again, 1, 1, 1}, "first");
  diag_hint(d, "a lost hint");
  diag_error(d, (Loc){NULL, 0, 0, 0}, "nowhere");
  CHECK(diag_count(d) == 4, "a repeated error counts once: %d", diag_count(d));
  CHECK(diag_met(d) == 5, "it is met twice: %d", diag_met(d));
  CHECK_STR(print(d, false), "a:1:1: error: first\n  1\n  ^\n  hint: a hint of the first\n"
                             "a:3:1: error: third\n  3\n  ^\n"
                             "b:1:1: error: other file\n  1\n  ^\n"
                             "kgen: error: nowhere\n");
  CHECK(strstr(print(d, true), "\033[1;31merror: \033[0m"), "colours");
  for (int i = 0; i < 2 * DIAG_MAX_PER_FILE; i++) diag_error(d, (Loc){&b, 1, 1, 1}, "%d", i);
  CHECK(strstr(print(d, false), "b: error: 101 more errors\n"), "a flood is cut off");
}

static void check_nearest(void) {
  static const char *const names[] = {"access", "tile", "tx", "block", "y32", "x32"};
  static const char *const want[][2] = {
      {"acess", "access"}, {"acecss", "access"}, {"tiles", "tile"},  {"ty", "tx"},
      {"zz", NULL},        {"t", NULL},          {"blokc", "block"}, {"", NULL},
      {"xyzzy", NULL},     {"ACCESS", "access"}, {"X32", "x32"},     {"Tx", "tx"}};
  for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
    const char *got = diag_nearest(want[i][0], names, 6);
    CHECK(got == want[i][1] || (got && want[i][1] && strcmp(got, want[i][1]) == 0), "%s: %s",
          want[i][0], got ? got : "nothing");
  }
}

static const char *read_errors(const char *path) {
  const SpecOptions options = {.templates = templates_open(arena, "tests/spec/bad/families")};
  Diag *d = diag_new(arena);
  CHECK(!spec_read(arena, d, path, &options), "%s is not a spec", path);
  return print(d, false);
}

static void check_error(const char *path, const char *want) {
  const char *got = read_errors(path);
  CHECK(strstr(got, want), "%s: got %s, want %s", path, got, want);
}

static void write_text(const char *path, const char *part, int count) {
  FILE *f = fopen(path, "w");
  CHECK(f, "cannot write %s", path);
  for (int i = 0; f && i < count; i++) fputs(part, f);
  if (f) fclose(f);
}

/* Paths that are no regular files: none may hang or crash the reader, or be taken for a spec. */
static void check_files(void) {
  char folder[] = "/tmp/kgen_diag_XXXXXX";
  CHECK(mkdtemp(folder), "a folder to write in");
  const char *fifo = arena_printf(arena, "%s/fifo", folder);
  const char *file = arena_printf(arena, "%s/file.yaml", folder);
  CHECK(mkfifo(fifo, 0600) == 0, "a pipe");
  check_error(fifo, ":1:1: error: the file is empty\n");
  check_error("/dev/zero", "/dev/zero: error: cannot read the file: larger than 1 MiB\n");
  check_error(folder, "cannot read the file: Is a directory\n");
  check_error("/nowhere/x.yaml",
              "/nowhere/x.yaml: error: cannot read the file: No such file or directory\n");
  write_text(file, "[", 100000);
  check_error(file, ":1:65: error: nested more than 64 deep\n");
  write_text(file, "[ ", 600000);
  check_error(file, "cannot read the file: larger than 1 MiB\n");
  write_text(file, "- 1\n", 200000);
  check_error(file, "error: more than 100000 nodes\n");
  write_text(file, "", 0);
  Text keys = text_new(arena);
  for (int i = 0; i < 2000; i++) text_printf(&keys, "k%d: 1\n", i);
  write_text(file, keys.s, 1);
  check_error(file, "error: a map of more than 1000 keys\n");
  if (geteuid() != 0 && chmod(file, 0) == 0)
    check_error(file, "cannot read the file: Permission denied\n");
  unlink(file);
  unlink(fifo);
  rmdir(folder);
}

int main(void) {
  arena = arena_new();
  check_carets();
  check_window();
  check_order();
  check_nearest();
  check_files();
  arena_free(arena);
  return check_report("diag_test");
}
