/* SPDX-License-Identifier: MIT */
#include "lint/input/template.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

enum { LONGEST = 160 };

/* --- the text without comments, literals and directives --- */

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

/* The end of the comment, literal or directive that begins at `s`; `s` if there is none. */
static char *end_of_other(char *s, bool line_begins) {
  if (strncmp(s, "//", 2) == 0 || (line_begins && *s == '#')) return end_of_line(s);
  if (*s == '"' || *s == '\'') return end_of_literal(s);
  if (strncmp(s, "/*", 2) != 0) return s;
  char *end = strstr(s + 2, "*/");
  return end ? end + 2 : s + strlen(s);
}

/* The text with comments and directives blanked out and literals replaced by quotes; line numbers
 * stay unchanged. */
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
  const char *text, *end; /* ends at its body or semicolon */
  int line;
} Declaration;

static const char *find_word(const char *s, const char *end, const char *word, size_t n) {
  for (; s + n <= end; s++) {
    const bool begins = !text_is_word(s[-1]) && memcmp(s, word, n) == 0;
    if (begins && !text_is_word(s[n])) return s;
  }
  return NULL;
}

/* Finds the next declaration of a kernel after *at, and advances *at. */
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

/* The next comma-separated argument between angle brackets, from `s` on; its length is stored in
 * *n. NULL after the last. */
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

/* Lists parameters without a default that are not given. */
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

/* --- signatures --- */

static const char *close_of(const char *open, const char *end) {
  int depth = 0;
  for (const char *s = open; s < end; s++) {
    depth += (strchr("<([{", *s) != NULL) - (strchr(">)]}", *s) != NULL);
    if (depth == 0) return s;
  }
  return NULL;
}

/* A template parameter's name, and its argument. */
typedef struct {
  const char *name, *as;
  size_t n, as_n;
} Substitute;
enum { MAX_SUBSTITUTES = 32 };

/* "typename T = float": T, and the default. */
static Substitute parameter_of(const char *s, size_t n) {
  const char *equals = memchr(s, '=', n), *end = equals ? equals : s + n;
  Substitute out = {.as = equals ? equals + 1 : NULL};
  if (equals) out.as_n = (size_t)(s + n - out.as);
  while (end > s && isspace((unsigned char)end[-1])) end--;
  out.name = end;
  while (out.name > s && text_is_word(out.name[-1])) out.name--;
  out.n = (size_t)(end - out.name);
  return out;
}

/* The template's parameters with the given arguments, else with their defaults. */
static int substitutes_of(const Declaration *d, const char *arguments, Substitute *out) {
  const char *s = is_template(d) ? memchr(d->text, '<', (size_t)(d->end - d->text)) : NULL;
  const char *given = *arguments ? arguments + 1 : arguments;
  const char *const given_end = arguments + strlen(arguments);
  int count = 0;
  for (size_t n; s && count < MAX_SUBSTITUTES && (s = next_argument(s + 1, d->end, &n)); s += n) {
    size_t given_n;
    out[count] = parameter_of(s, n);
    given = given ? next_argument(given, given_end, &given_n) : NULL;
    if (given) {
      out[count].as = given;
      out[count].as_n = given_n;
      given += given_n + (given[given_n] == ',');
    }
    count++;
    if (s[n] != ',') break;
  }
  return count;
}

static const Substitute *substitute_for(const Substitute *all, int count, const char *s, size_t n) {
  for (int i = 0; i < count; i++)
    if (all[i].n == n && memcmp(all[i].name, s, n) == 0 && all[i].as) return &all[i];
  return NULL;
}

/* One parameter without its default. */
static void put_parameter(Text *out, const char *s, size_t n, const Substitute *all, int count) {
  const char *equals = memchr(s, '=', n), *end = equals ? equals : s + n;
  Text text = text_new(out->arena);
  while (s < end) {
    size_t word = 0;
    while (s + word < end && text_is_word(s[word])) word++;
    const Substitute *by = word ? substitute_for(all, count, s, word) : NULL;
    if (by)
      text_add(&text, by->as, by->as_n);
    else
      text_add(&text, s, word ? word : 1);
    s += word ? word : 1;
  }
  while (text.len && text.s[text.len - 1] == ' ') text.s[--text.len] = '\0';
  put_collapsed(out, text.s, text.s + text.len);
}

/* Writes "(const float *in, float *out, int n)" after the name; false if there is no signature. */
static bool put_signature(Text *out, const Declaration *d, const char *name,
                          const char *arguments) {
  Substitute all[MAX_SUBSTITUTES];
  const int count = substitutes_of(d, arguments, all);
  const char *open = name + strspn(name, " \n\t"), *end = d->end;
  const char *close = open < end && *open == '(' ? close_of(open, end) : NULL;
  if (!close) return false;
  size_t n;
  const char *before = "(";
  for (const char *s = open + 1; (s = next_argument(s, close, &n)); s += n + (s[n] == ',')) {
    text_puts(out, before);
    put_parameter(out, s, n, all, count);
    before = ", ";
  }
  text_puts(out, *before == '(' ? "()" : ")");
  return true;
}

int lint_template_choices(const LintSource *s, const char *kernel, Text *out) {
  const char *text = declarations_only(s->arena, s->text), *at = text + 1;
  const char *arguments = kernel + strcspn(kernel, "<"), *stem = arguments;
  while (stem > kernel && text_is_word(stem[-1])) stem--;
  const int given = *arguments ? count_arguments(arguments + 1, kernel + strlen(kernel)) : 0;
  int choices = 0;
  for (Declaration d; next_kernel(text, &at, &d);) {
    const size_t n = (size_t)(arguments - stem), before = out->len;
    const char *name = find_word(d.text, d.end, stem, n);
    Text missing = text_new(s->arena);
    if (name && is_template(&d)) put_missing(&missing, &d, given);
    if (!name || missing.len) continue;
    text_printf(out, "  line %d: --kernel '%s", d.line, kernel);
    if (put_signature(out, &d, name + n, arguments)) {
      text_puts(out, "'\n");
      choices++;
      continue;
    }
    out->len = before;
    out->s[before] = '\0';
  }
  return choices;
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
  while (stem > kernel && text_is_word(stem[-1])) stem--;
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
