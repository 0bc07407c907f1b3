#include "lint/lint_source.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/utf8.h"
#include "lint/lint_compile.h"
#include "lint/lint_name.h"

enum { MAX_SOURCE = 64 << 20, EXIT_REJECTED = 5 };

/* The file of a line that only PTX has. */
static const char in_ptx[] = "PTX";

/* A file that a line was quoted from. */
struct LintFile {
  LintFile *next;
  const char *path, *text; /* text NULL: unreadable */
};

/* --- loading --- */

static bool ends_with(const char *s, const char *end) {
  const size_t n = strlen(s), m = strlen(end);
  return n >= m && strcmp(s + n - m, end) == 0;
}

int lint_source_load(Arena *a, const Options *o, LintSource *out, Text *why) {
  size_t size;
  *out = (LintSource){.arena = a, .path = o->lint, .arch = o->arch ? o->arch : "sm_90"};
  const char *text = file_read(a, o->lint, MAX_SOURCE, &size);
  if (!text) {
    text_printf(why, "kgen: %s: %s\n", o->lint, strerror(errno));
    return EXIT_USAGE;
  }
  out->text = text;
  out->is_ptx = ends_with(o->lint, ".ptx");
  out->ptx = text;
  out->ptx_size = size;
  if (!out->is_ptx && strlen(text) != size) {
    text_printf(why, "kgen: %s: not a text: it holds a NUL byte\n", o->lint);
    return EXIT_REJECTED;
  }
  return out->is_ptx ? 0 : lint_compile(o, out, why);
}

/* --- kernels --- */

/* A declaration that begins with "template" and says __global__. */
static bool has_kernel_template(const char *text) {
  for (const char *t = strstr(text, "template"); t; t = strstr(t + 1, "template")) {
    const char *global = strstr(t, "__global__");
    if (global && global < t + strcspn(t, ";{")) return true;
  }
  return false;
}

static void list_kernels(const LintSource *s, const EmuKernel *k, int count, Text *why) {
  for (int i = 0; i < count; i++) {
    text_printf(why, "  %s(", lint_name_plain(s->arena, k[i].name));
    for (int p = 0; p < k[i].params; p++) {
      const EmuParam *param = &k[i].param[p];
      text_printf(why, "%s%s", p ? ", " : "", param->type);
      if (param->type[0] == 'b') text_printf(why, "[%u]", param->bytes);
    }
    text_printf(why, "), %u bytes of shared memory", k[i].static_shared);
    if (k[i].line > 0) text_printf(why, ", line %d", k[i].line);
    text_puts(why, "\n");
  }
  if (!s->is_ptx && has_kernel_template(s->text))
    text_puts(why,
              "kgen: a template has no kernel until it is named: --kernel 'NAME<ARGUMENTS>'\n");
}

static void suggest(const LintSource *s, const EmuKernel *k, int count, const char *name,
                    Text *why) {
  const char **names = ARENA_ARRAY(s->arena, const char *, (size_t)count + 1);
  for (int i = 0; i < count; i++) names[i] = lint_name_plain(s->arena, k[i].name);
  const char *near = diag_nearest(name, names, count);
  text_printf(why, "kgen: %s has no kernel %s", s->path, name);
  if (near) text_printf(why, "; did you mean %s?", near);
  text_puts(why, count ? "\n" : " in its PTX\n");
}

/* Whether kernel k is the one asked for: by its PTX name, or by its name in C++. */
static bool is_meant(const LintSource *s, const EmuKernel *k, const char *name) {
  if (s->instance) return strcmp(k->name, s->instance) == 0;
  return strcmp(k->name, name) == 0 || lint_name_is(name, lint_name_plain(s->arena, k->name));
}

static const EmuKernel *find(const LintSource *s, const EmuKernel *k, int count, const char *name,
                             int *matches) {
  const EmuKernel *found = NULL;
  *matches = 0;
  for (int i = 0; i < count; i++) {
    if (!is_meant(s, &k[i], name)) continue;
    found = &k[i];
    ++*matches;
    if (strcmp(k[i].name, name) == 0) break;
  }
  return found;
}

const EmuKernel *lint_source_kernel(const LintSource *s, const EmuModule *m, const Options *o,
                                    Text *why) {
  int count, matches;
  const char *name = o->kernel;
  const EmuKernel *k = emu_kernels(m, &count);
  if (!name && o->grid && count == 1) return k;
  if (!name) {
    text_printf(why, "kgen: %s has %d kernel%s: choose with --kernel\n", s->path, count,
                count == 1 ? "" : "s");
  } else {
    const EmuKernel *found = find(s, k, count, name, &matches);
    if (matches == 1 || (found && strcmp(found->name, name) == 0)) return found;
    if (matches > 1)
      text_printf(why, "kgen: %d kernels of %s are called %s: give the PTX name\n", matches,
                  s->path, name);
    else
      suggest(s, k, count, name, why);
  }
  list_kernels(s, k, count, why);
  return NULL;
}

/* --- lines --- */

/* NVRTC puts the working folder before the name of its source. */
static bool is_main(const LintSource *s, const char *file) {
  const size_t n = strlen(file), m = strlen(s->path);
  if (n < m || strcmp(file + n - m, s->path) != 0) return false;
  return n == m || s->path[0] == '/' || file[n - m - 1] == '/';
}

LintPlace lint_source_place(const LintSource *s, const char *file, int line, int ptx_line) {
  if (!file || line <= 0) return (LintPlace){s->is_ptx ? NULL : in_ptx, ptx_line};
  return (LintPlace){!s->is_ptx && is_main(s, file) ? NULL : file, line};
}

static const char *text_of(LintSource *s, const char *path) {
  if (path == in_ptx) return s->ptx;
  for (const LintFile *f = s->files; f; f = f->next)
    if (strcmp(f->path, path) == 0) return f->text;
  size_t size;
  LintFile *f = ARENA_NEW(s->arena, LintFile);
  *f = (LintFile){s->files, path, NULL};
  f->text = file_read(s->arena, path, MAX_SOURCE, &size);
  s->files = f;
  return f->text;
}

/* The line as a terminal can show it; "..." if it is cut. */
static const char *printable(Arena *a, const char *s, const char *end, int width) {
  Text t = text_new(a);
  const bool cut = utf8_count(s, end) > width;
  if (cut) width -= 3;
  for (int bytes, cells = 0; s < end && cells < width; s += bytes, cells++) {
    const uint32_t c = utf8_decode(s, end, &bytes);
    if (c == '\t')
      text_puts(&t, " ");
    else if (utf8_printable(c))
      text_add(&t, s, (size_t)bytes);
    else
      text_puts(&t, "?");
  }
  if (cut) text_puts(&t, "...");
  return t.s;
}

const char *lint_source_line(LintSource *s, LintPlace at, int width) {
  const char *text = at.file ? text_of(s, at.file) : s->text;
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
