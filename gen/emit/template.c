/* SPDX-License-Identifier: MIT */
#include "emit/template.h"

#include <errno.h>
#include <string.h>

#include "base/span.h"

const char template_begin[] = "// kgen:begin", template_end[] = "// kgen:end";
static const char include_directive[] = "#include \"";

typedef struct {
  Text *out;
  Diag *diag;
  Templates *templates;
  const PlanValue *value;
  int values;
  bool *used;     /* flag per value */
  bool marked;    /* between the markers */
  int begin_line; /* line of the first begin marker */
  const Source *source;
  int line;
} Fill;

static Loc loc_at(const Fill *f, int line, int col, int width) {
  return (Loc){f->source, line, col, width > 0 ? width : 1};
}

/* The position of a declaration's name, and of the value to replace. */
typedef struct {
  Span name, value;
} Declaration;

/* #define NAME value, or #define NAME(parameters) value; the value ends before a comment. */
static bool parse_define(Span line, Declaration *out) {
  Span at = span_skip_spaces(span_skip(line, strlen("#define")));
  out->name = (Span){at.s, span_word(at)};
  at = span_skip(at, out->name.len);
  if (at.len && at.s[0] == '(') {
    const char *close = memchr(at.s, ')', at.len);
    if (!close) return false;
    at = span_skip(at, (size_t)(close + 1 - at.s));
  }
  out->value = span_skip_spaces(at);
  for (size_t i = 0; i + 1 < out->value.len; i++)
    if (out->value.s[i] == '/' && out->value.s[i + 1] == '/') out->value.len = i;
  while (out->value.len && out->value.s[out->value.len - 1] == ' ') out->value.len--;
  return out->name.len > 0;
}

/* using NAME = value;  or  constexpr TYPE NAME = value; */
static bool parse_assignment(Span line, Declaration *out) {
  const char *equals = memchr(line.s, '=', line.len);
  const char *end = memchr(line.s, ';', line.len);
  if (!equals || !end || end < equals) return false;
  const char *last = equals;
  while (last > line.s && last[-1] == ' ') last--;
  const char *first = last;
  while (first > line.s && text_is_word(first[-1])) first--;
  out->name = (Span){first, (size_t)(last - first)};
  out->value = span_skip_spaces((Span){equals + 1, (size_t)(end - equals - 1)});
  return out->name.len > 0;
}

static bool parse_declaration(Span line, Declaration *out) {
  if (span_starts(line, "#define ")) return parse_define(line, out);
  if (span_starts(line, "using ") || span_starts(line, "constexpr "))
    return parse_assignment(line, out);
  return false;
}

static int find_value(const Fill *f, Span name) {
  for (int i = 0; i < f->values; i++)
    if (strlen(f->value[i].name) == name.len && memcmp(f->value[i].name, name.s, name.len) == 0)
      return i;
  return -1;
}

/* Writes the line with its value replaced; a comment after it keeps its column if possible. */
static void put_declaration(Fill *f, Span line, const Declaration *d, const char *value) {
  const char *tail = d->value.s + d->value.len, *end = line.s + line.len;
  const size_t length = strlen(value);
  text_add(f->out, line.s, (size_t)(d->value.s - line.s));
  text_add(f->out, value, length);
  if (tail < end && *tail == ';') text_add(f->out, tail++, 1);
  const char *comment = tail;
  while (comment < end && *comment == ' ') comment++;
  if (comment == end) return;
  const long room = (long)(comment - d->value.s) - (long)length - (d->value.s[d->value.len] == ';');
  for (long i = 0; i < (room > 1 ? room : 1); i++) text_puts(f->out, " ");
  text_add(f->out, comment, (size_t)(end - comment));
}

static void fill_declaration(Fill *f, Span line) {
  Declaration d = {{NULL, 0}, {NULL, 0}};
  if (!parse_declaration(line, &d)) {
    diag_error(f->diag, loc_at(f, f->line, 1, (int)line.len),
               "only plain declarations may stand between the markers");
    return;
  }
  const int i = find_value(f, d.name);
  if (i < 0 || f->used[i]) {
    diag_error(f->diag, loc_at(f, f->line, (int)(d.name.s - line.s) + 1, (int)d.name.len),
               i < 0 ? "the plan has no value for '%.*s'" : "'%.*s' is declared twice",
               (int)d.name.len, d.name.s);
    return;
  }
  f->used[i] = true;
  put_declaration(f, line, &d, f->value[i].text);
}

static void fill_marked(Fill *f, Span line) {
  if (span_is(line, template_end))
    f->marked = false;
  else if (line.len && !span_starts(line, "//")) {
    fill_declaration(f, line);
    text_puts(f->out, "\n");
    return;
  }
  text_add(f->out, line.s, line.len);
  text_puts(f->out, "\n");
}

const Source *template_open(Diag *d, Templates *templates, const char *file, Loc from) {
  const Source *s = templates_file(templates, file);
  if (!s)
    diag_error(d, from, "cannot read template '%s/%s': %s", templates_dir(templates), file,
               strerror(errno));
  return s;
}

/* Opens the template itself: from here on errors are located in its lines. */
static const char *begin_template(Fill *f, const char *file) {
  f->source = template_open(f->diag, f->templates, file, (Loc){NULL, 0, 0, 0});
  return f->source ? f->source->text : NULL;
}

/* Lines of an included file are not filled, so an include in it would remain in the output. */
static bool includes_another(const char *text) {
  while (*text)
    if (span_starts(span_line(&text), include_directive)) return true;
  return false;
}

/* An included file starts after an empty line. */
static void put_apart(Text *out, const char *text) {
  if (out->len >= 2 && out->s[out->len - 2] != '\n') text_puts(out, "\n");
  text_puts(out, text);
}

/* #include "x" with x in the template directory: its text replaces the line. */
static bool put_include(Fill *f, Span line) {
  if (!span_starts(line, include_directive)) return false;
  const int col = (int)strlen(include_directive);
  const Span name = span_skip(line, (size_t)col);
  const char *quote = memchr(name.s, '"', name.len);
  if (!quote) return false;
  const char *file = arena_strndup(f->out->arena, name.s, (size_t)(quote - name.s));
  const Loc at = loc_at(f, f->line, col, (int)strlen(file) + 2);
  const Source *included = template_open(f->diag, f->templates, file, at);
  if (included && includes_another(included->text))
    diag_error(f->diag, at, "'%s' includes a file itself: include that in the template", file);
  else if (included)
    put_apart(f->out, included->text);
  return true;
}

/* The number of the line that equals `marker`, counted from 1 at `*at`, which moves after it; 0:
 * none. */
static int find_marker(const char **at, const char *marker) {
  for (int line = 1; **at; line++)
    if (span_is(span_line(at), marker)) return line;
  return 0;
}

/* Checked before anything is filled: without an end marker, all the rest would be declarations. */
static bool check_markers(Fill *f, const char *at) {
  f->begin_line = find_marker(&at, template_begin);
  const char *missing = !f->begin_line                    ? template_begin
                        : !find_marker(&at, template_end) ? template_end
                                                          : NULL;
  const int line = f->begin_line ? f->begin_line : 1;
  if (missing) diag_error(f->diag, loc_at(f, line, 1, 1), "the template has no line '%s'", missing);
  return !missing;
}

static void check_used(const Fill *f) {
  for (int i = 0; i < f->values; i++)
    if (!f->used[i])
      diag_error(f->diag, loc_at(f, f->begin_line, 1, (int)strlen(template_begin)),
                 "the template does not declare '%s'", f->value[i].name);
}

static void fill_lines(Fill *f, const char *at) {
  while (*at) {
    const Span line = span_line(&at);
    f->line++;
    if (f->marked) {
      fill_marked(f, line);
    } else if (!put_include(f, line)) {
      f->marked = span_is(line, template_begin);
      text_add(f->out, line.s, line.len);
      text_puts(f->out, "\n");
    }
  }
}

/* Copies the template's text with its includes; from the marked declarations, only the names. */
static void copy_names(Fill *f, const char *at) {
  while (*at) {
    Span line = span_line(&at);
    f->line++;
    if (!f->marked && put_include(f, line)) continue;
    if (span_is(line, template_begin)) f->marked = true;
    if (span_is(line, template_end)) f->marked = false;
    Declaration d = {{NULL, 0}, {NULL, 0}};
    if (f->marked && parse_declaration(line, &d)) line = d.name;
    text_add(f->out, line.s, line.len);
    text_puts(f->out, "\n");
  }
}

/* Skips a comment or a string that begins at s; returns s if there is none. */
static const char *skip_prose(const char *s) {
  const char *end = s;
  if (strncmp(s, "//", 2) == 0) return s + strcspn(s, "\n");
  if (strncmp(s, "/*", 2) == 0) return (end = strstr(s + 2, "*/")) ? end + 2 : s + strlen(s);
  if (*s != '"') return s;
  for (end++; *end && *end != '"' && *end != '\n'; end++)
    if (*end == '\\' && end[1]) end++;
  return *end ? end + 1 : end;
}

static bool has_word(const char *s, const char *word) {
  while (*s) {
    const char *after = skip_prose(s);
    const size_t n = after > s ? 0 : span_word((Span){s, SIZE_MAX});
    if (n && n == strlen(word) && memcmp(s, word, n) == 0) return true;
    s = after > s ? after : s + (n ? n : 1);
  }
  return false;
}

bool template_uses(Templates *templates, const char *file, const char *word) {
  Arena *a = arena_new();
  Text text = text_new(a);
  Fill *f = ARENA_NEW(a, Fill);
  *f = (Fill){
      .out = &text, .diag = diag_new(a), .templates = templates}; /* filling it reports the error */
  const char *own = begin_template(f, file);
  if (own) copy_names(f, own);
  const bool uses = own && has_word(text.s, word);
  arena_free(a);
  return uses;
}

bool template_fill(Text *out, Diag *d, Templates *templates, const char *file,
                   const PlanValue *value, int values) {
  Arena *a = out->arena;
  const int before = diag_met(d);
  Text filled = text_new(a);
  Fill *f = ARENA_NEW(a, Fill);
  *f = (Fill){.out = &filled, .diag = d, .templates = templates, .value = value, .values = values};
  f->used = ARENA_ARRAY(a, bool, (size_t)values);
  const char *text = begin_template(f, file);
  if (!text || !check_markers(f, text)) return false;
  fill_lines(f, text);
  check_used(f);
  text_puts(out, filled.s);
  return diag_met(d) == before;
}
