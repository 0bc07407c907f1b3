#include "lint/lint_template.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 160 };

/* --- the text without what is no declaration --- */

static void blank(char *s, const char *end) {
  for (; s < end; s++)
    if (*s != '\n') *s = ' ';
}

static char *end_of_literal(char *s) {
  const char quote = *s++;
  while (*s && *s != quote && *s != '\n') s += *s == '\\' && s[1] ? 2 : 1;
  return *s == quote ? s + 1 : s;
}

static char *end_of_line(char *s) {
  while (*s && *s != '\n') s += *s == '\\' && s[1] ? 2 : 1;
  return s;
}

/* Behind the comment, the literal or the directive that begins here; `s` if none does. */
static char *end_of_other(char *s, bool line_begins) {
  if (strncmp(s, "//", 2) == 0 || (line_begins && *s == '#')) return end_of_line(s);
  if (*s == '"' || *s == '\'') return end_of_literal(s);
  if (strncmp(s, "/*", 2) != 0) return s;
  char *end = strstr(s + 2, "*/");
  return end ? end + 2 : s + strlen(s);
}

/* Behind a blank; lines stay where they are, and quotes where literals were. */
static const char *declarations_only(Arena *a, const char *text) {
  char *copy = arena_printf(a, " %s", text);
  bool line_begins = true;
  for (char *s = copy, *end; *s; s = end > s ? end : s + 1) {
    end = end_of_other(s, line_begins);
    line_begins = *s == '\n' || (line_begins && isspace((unsigned char)*s));
    if (end > s && strchr("\"'", *s))
      blank(s + 1, end - 1);
    else
      blank(s, end);
  }
  return copy;
}

/* --- one declaration --- */

typedef struct {
  const char *text, *end; /* up to its body or semicolon */
  int line;
} Declaration;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char *find_word(const char *s, const char *end, const char *word, size_t n) {
  for (; s + n <= end; s++) {
    const bool begins = !is_word(s[-1]) && memcmp(s, word, n) == 0;
    if (begins && !is_word(s[n])) return s;
  }
  return NULL;
}

/* The next declaration of a kernel behind *at, which moves on. */
static bool next_kernel(const char *text, const char **at, Declaration *out) {
  static const char word[] = "__global__";
  const char *global = find_word(*at, *at + strlen(*at), word, sizeof word - 1);
  if (!global) return false;
  const char *start = global;
  while (start > text && !strchr(";{}", start[-1])) start--;
  while (isspace((unsigned char)*start)) start++;
  *out = (Declaration){start, global + strcspn(global, ";{"), 1};
  for (const char *s = text; s < start; s++) out->line += *s == '\n';
  *at = out->end;
  return true;
}

static bool is_template(const Declaration *d) { return strncmp(d->text, "template", 8) == 0; }

/* The next of the arguments that commas separate between angle brackets, from `s` on; its length in
 * *n. NULL behind the last. */
static const char *next_argument(const char *s, const char *end, size_t *n) {
  int depth = 0;
  while (s < end && isspace((unsigned char)*s)) s++;
  if (s >= end || *s == '>') return NULL;
  const char *e = s;
  for (; e < end; e++) {
    if (depth == 0 && (*e == ',' || *e == '>')) break;
    depth += (strchr("<([{", *e) != NULL) - (strchr(">)]}", *e) != NULL);
  }
  *n = (size_t)(e - s);
  return s;
}

static int count_arguments(const char *s, const char *end) {
  int count = 0;
  size_t n;
  while ((s = next_argument(s, end, &n)) != NULL) {
    count++;
    s += n + (s[n] == ',');
  }
  return count;
}

/* --- in words --- */

static void put_collapsed(Text *out, const char *s, const char *end) {
  bool blank_before = false;
  int shown = 0;
  for (; s < end && shown < LONGEST; s++) {
    const bool space = isspace((unsigned char)*s);
    if (blank_before && !space) text_puts(out, " ");
    if (!space) text_add(out, s, 1);
    blank_before = space;
    shown++;
  }
  if (s < end) text_puts(out, "...");
}

/* Parameters without a default that lie behind the arguments given. */
static void put_missing(Text *out, const Declaration *d, int given) {
  const char *s = memchr(d->text, '<', (size_t)(d->end - d->text));
  const char *separator = ": it lacks ";
  size_t n;
  for (int i = 0; s && (s = next_argument(s + 1, d->end, &n)) != NULL; i++, s += n) {
    if (i >= given && !memchr(s, '=', n) && !strstr(arena_strndup(out->arena, s, n), "...")) {
      text_puts(out, separator);
      put_collapsed(out, s, s + n);
      separator = ", ";
    }
    if (s[n] != ',') break;
  }
}

bool lint_template_any(const LintSource *s) {
  const char *text = declarations_only(s->arena, s->text), *at = text + 1;
  Declaration d;
  while (next_kernel(text, &at, &d))
    if (is_template(&d)) return true;
  return false;
}

bool lint_template_list(const LintSource *s, const char *kernel, Text *out) {
  const char *text = declarations_only(s->arena, s->text), *at = text + 1;
  const char *arguments = kernel + strcspn(kernel, "<"), *stem = arguments;
  while (stem > kernel && is_word(stem[-1])) stem--;
  const int given = *arguments ? count_arguments(arguments + 1, kernel + strlen(kernel)) : 0;
  bool any = false;
  for (Declaration d; next_kernel(text, &at, &d);) {
    if (!find_word(d.text, d.end, stem, (size_t)(arguments - stem))) continue;
    text_printf(out, "  line %d: ", d.line);
    put_collapsed(out, d.text, d.end);
    if (is_template(&d)) put_missing(out, &d, given);
    text_puts(out, "\n");
    any = true;
  }
  return any;
}
