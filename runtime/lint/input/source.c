/* SPDX-License-Identifier: MIT */
#include "lint/input/source.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "lint/input/file.h"

enum { MAX_SOURCE = 64 << 20 };

#define DEFAULT_ARCH "sm_90"

/* File name for a line that exists only in PTX. */
static const char in_ptx[] = "PTX";

/* --- loading --- */

/* Skips blanks and comments. */
static const char *skip_space(const char *s) {
  for (;;) {
    s += strspn(s, " \t\r\n");
    if (strncmp(s, "//", 2) == 0)
      s += strcspn(s, "\n");
    else if (strncmp(s, "/*", 2) == 0 && strstr(s, "*/"))
      s = strstr(s, "*/") + 2;
    else
      return s;
  }
}

/* The architecture of PTX: its .target follows its .version. */
static const char *target_of(const LintSource *s) {
  enum { LONGEST = 16 };
  const char *at = skip_space(s->text);
  if (!s->is_ptx || strncmp(at, ".version", 8) != 0) return DEFAULT_ARCH;
  at = skip_space(at + 8);
  at = skip_space(at + strspn(at, "0123456789."));
  if (strncmp(at, ".target", 7) != 0) return DEFAULT_ARCH;
  at = skip_space(at + 7);
  const size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
  if (strncmp(at, "sm_", 3) != 0 || n > LONGEST) return DEFAULT_ARCH;
  return arena_strndup(s->arena, at, n);
}

/* The limits of an architecture. For one that is not in the table: the limits of the nearest older
 * one, else of the oldest. */
static const Arch *limits_of(const char *arch) {
  const Arch *found = arch_find(arch), *oldest = &arch_table[0];
  const long number = strtol(strchr(arch, '_') + 1, NULL, 10);
  for (int i = 0; !found && i < arch_count; i++)
    if (strtol(arch_table[i].name + 3, NULL, 10) <= number) oldest = &arch_table[i];
  return found ? found : oldest;
}

/* Hints at the launches in a directory that was given instead of a file. */
static void hint_folder(const LintSource *s, Diag *why) {
  const char *first = lint_file_within(s->arena, s->path);
  if (first)
    diag_hint(why, "it holds directories of launches: name one, such as %s", first);
  else
    diag_hint(why, "a directory is read by its " LINT_FILE_NAME ", which this one lacks");
}

int lint_source_load(Arena *a, const Options *o, LintSource *out, Diag *why) {
  size_t size = o->lint.text ? strlen(o->lint.text) : 0;
  *out = (LintSource){.arena = a, .path = o->lint.file};
  const char *text = o->lint.text ? o->lint.text : file_read(a, o->lint.file, MAX_SOURCE, &size);
  if (!text) {
    const bool folder = errno == EISDIR;
    diag_say(why, DIAG_ARGUMENT, "cannot read %s: %s", o->lint.file, strerror(errno));
    if (folder) hint_folder(out, why);
    return EXIT_USAGE;
  }
  out->text = text;
  out->is_ptx = text_ends_with(o->lint.file, ".ptx");
  out->ptx = text;
  out->ptx_size = size;
  if (!out->is_ptx && strlen(text) != size) {
    diag_say(why, DIAG_ARGUMENT, "%s: not text: it contains a NUL byte", o->lint.file);
    return EXIT_REJECTED;
  }
  out->arch = o->arch ? o->arch->name : target_of(out);
  out->limits = limits_of(out->arch);
  out->files = lint_files_new(a, out->path, true, o->lint.include.item, o->lint.include.count);
  return 0;
}

/* --- lines --- */

/* NVRTC prepends the working directory to the name of its source. */
static bool is_main(const LintSource *s, const char *file) {
  const size_t n = strlen(file), m = strlen(s->path);
  if (n < m || strcmp(file + n - m, s->path) != 0) return false;
  return n == m || s->path[0] == '/' || file[n - m - 1] == '/';
}

static LintLocation place_of(const LintSource *s, const char *file, int line) {
  return (LintLocation){!s->is_ptx && is_main(s, file) ? NULL : file, line};
}

/* Selects the innermost location in the main file, else in the user's directories, else the
 * innermost of all. With PTX as the source, ownership is unknown, so the emulator's file and line
 * are used. */
static int choose_place(const LintSource *s, const EmuLocation *at, int count, const char *file,
                        int line) {
  for (int i = 0; i < count && !s->is_ptx; i++)
    if (is_main(s, at[i].file)) return i;
  for (int i = 0; i < count && !s->is_ptx; i++)
    if (lint_files_own(s->files, at[i].file)) return i;
  for (int i = 0; i < count && s->is_ptx; i++)
    if (at[i].line == line && strcmp(at[i].file, file) == 0) return i;
  return 0;
}

static int inlined(const LintSource *s, int ptx_line, EmuLocation at[LINT_MAX_STACK]) {
  int count = s->module ? emu_inlined(s->module, ptx_line, at, LINT_MAX_STACK) : 0;
  for (int i = 0; i < count; i++)
    if (!at[i].file) count = i;
  return count;
}

LintLocation lint_source_location(const LintSource *s, const char *file, int line, int ptx_line) {
  EmuLocation at[LINT_MAX_STACK];
  if (!file || line <= 0) return (LintLocation){s->is_ptx ? NULL : in_ptx, ptx_line};
  const int count = inlined(s, ptx_line, at);
  if (!count) return place_of(s, file, line);
  const int i = choose_place(s, at, count, file, line);
  return place_of(s, at[i].file, at[i].line);
}

/* Adds a call; a template that calls itself is listed once. */
static void trail_add(LintLocation *place, int *count, LintLocation at) {
  if (!*count || lint_location_compare(place[*count - 1], at) != 0) place[(*count)++] = at;
}

/* Leaves out locations in the toolkit's headers, which do not help the user. */
LintTrail lint_source_trail(const LintSource *s, const char *file, int line, int ptx_line) {
  EmuLocation at[LINT_MAX_STACK];
  const int count = file && line > 0 ? inlined(s, ptx_line, at) : 0;
  const int own = count ? choose_place(s, at, count, file, line) : 0;
  LintLocation *inner = ARENA_ARRAY(s->arena, LintLocation, (size_t)own + 1);
  LintLocation *caller = ARENA_ARRAY(s->arena, LintLocation, (size_t)count + 1);
  LintTrail t = {.caller = caller, .inner = inner};
  for (int i = 0; i < own; i++)
    if (lint_files_own(s->files, at[i].file))
      trail_add(inner, &t.inners, place_of(s, at[i].file, at[i].line));
  for (int i = own + 1; i < count; i++)
    trail_add(caller, &t.callers, place_of(s, at[i].file, at[i].line));
  return t;
}

void lint_source_trail_calls(const LintSource *s, LintTrail *t, const EmuCall *call, int calls) {
  const size_t most = (size_t)t->callers + (size_t)calls * (LINT_MAX_STACK + 1);
  int count = 0;
  if (!calls) return;
  LintLocation *caller = ARENA_ARRAY(s->arena, LintLocation, most);
  for (int i = 0; i < t->callers; i++) trail_add(caller, &count, t->caller[i]);
  for (int i = 0; i < calls; i++) {
    const EmuCall *c = &call[i];
    const LintTrail outer = lint_source_trail(s, c->file, c->line, c->ptx_line);
    trail_add(caller, &count, lint_source_location(s, c->file, c->line, c->ptx_line));
    for (int k = 0; k < outer.callers; k++) trail_add(caller, &count, outer.caller[k]);
  }
  t->caller = caller;
  t->callers = count;
}

/* The innermost call that differs between two trails; NULL: there is none. */
static const LintLocation *parting(const LintTrail *t, const LintTrail *more) {
  for (int i = 0; i < more->callers; i++)
    if (i == t->callers || lint_location_compare(t->caller[i], more->caller[i]) != 0)
      return &more->caller[i];
  return NULL;
}

void lint_source_trail_add(Arena *a, LintTrail *t, const LintTrail *more) {
  const LintLocation *at = parting(t, more);
  if (!at || t->others == LINT_MAX_STACK) return;
  for (int i = 0; i < t->others; i++)
    if (lint_location_compare(t->other[i], *at) == 0) return;
  LintLocation *other = ARENA_ARRAY(a, LintLocation, (size_t)t->others + 1);
  if (t->others) memcpy(other, t->other, (size_t)t->others * sizeof *other);
  other[t->others++] = *at;
  t->other = other;
}

int lint_location_compare(LintLocation a, LintLocation b) {
  if (!a.file != !b.file) return a.file ? 1 : -1;
  const int order = a.file ? strcmp(a.file, b.file) : 0;
  return order ? order : a.line - b.line;
}

/* A line for a terminal; truncated text ends with "...". */
static const char *printable(Arena *a, const char *s, const char *end, int width) {
  Text t = text_new(a);
  const bool cut = utf8_count(s, end) > width;
  if (cut) end = utf8_skip(s, end, width - 3);
  text_foreign(&t, TEXT_SCREEN, s, (size_t)(end - s));
  for (char *c = t.s; *c; c++)
    if (*c == '\t') *c = ' ';
  if (cut) text_puts(&t, "...");
  return t.s;
}

static const char *quoted(const LintSource *s, LintLocation at) {
  for (int i = 0; i < s->quotes; i++)
    if (lint_location_compare(s->quote[i].at, at) == 0) return s->quote[i].text;
  return NULL;
}

const char *lint_source_line(LintSource *s, LintLocation at, int width) {
  if (s->quotes) {
    const char *quote = quoted(s, at);
    return quote ? printable(s->arena, quote, quote + strlen(quote), width) : NULL;
  }
  const char *text = !at.file            ? s->text
                     : at.file == in_ptx ? s->ptx
                                         : lint_files_text(s->files, at.file);
  for (int line = 1; text && line < at.line; line++) {
    text = strchr(text, '\n');
    if (text) text++;
  }
  if (!text || at.line <= 0) return NULL;
  const char *end = text + strcspn(text, "\n");
  while (text < end && (*text == ' ' || *text == '\t')) text++;
  while (end > text && (end[-1] == '\r' || end[-1] == ' ')) end--;
  return printable(s->arena, text, end, width);
}
