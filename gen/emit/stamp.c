/* SPDX-License-Identifier: MIT */
#include "emit/stamp.h"

#include <string.h>

#include "base/span.h"
#include "emit/template.h"

static const char each_marker[] = "// kgen:each", define[] = "#define ", stand_in[] = "NAME_";

typedef struct {
  Text *out;
  Diag *diag;
  const Stamp *stamp;
  const Source *source;
  const PlanValue *each; /* values of the repeated line that is being written, or NULL */
} Stamping;

static const PlanValue *find(const PlanValue *value, int count, Span name) {
  for (int i = 0; value && i < count; i++)
    if (span_is(name, value[i].name)) return &value[i];
  return NULL;
}

/* --- the declarations --- */

static bool is_declared(const char *text, const char *name) {
  while (*text) {
    const Span line = span_line(&text);
    if (span_is(line, template_end)) return false;
    if (!span_starts(line, define)) continue;
    Span at = span_skip(line, strlen(define));
    at.len = span_word(at);
    if (span_is(at, name)) return true;
  }
  return false;
}

static void check_values(const Stamping *s, const PlanValue *value, int count) {
  for (int i = 0; i < count; i++)
    if (!is_declared(s->source->text, value[i].name))
      diag_error(s->diag, (Loc){s->source, 1, 1, 1}, "the template does not declare '%s'",
                 value[i].name);
}

static void check_define(const Stamping *s, Span line, int number) {
  Span name = span_skip(line, strlen(define));
  name.len = span_word(name);
  const Stamp *t = s->stamp;
  if (find(t->value, t->values, name) || find(t->each, t->each_values, name)) return;
  const Loc at = {s->source, number, (int)strlen(define) + 1, name.len ? (int)name.len : 1};
  diag_error(s->diag, at, "the plan has no value for '%.*s'", (int)name.len, name.s);
}

/* Checks the template's head and returns the text after it; NULL if the head has no end. */
static const char *skip_head(const Stamping *s) {
  const char *at = s->source->text;
  bool begun = false;
  for (int number = 1; *at; number++) {
    const Span line = span_line(&at);
    if (begun && span_is(line, template_end)) return at;
    if (span_is(line, template_begin))
      begun = true;
    else if (begun && span_starts(line, define))
      check_define(s, line, number);
    else if (begun && !span_starts(line, "//"))
      diag_error(s->diag, (Loc){s->source, number, 1, (int)line.len},
                 "only plain declarations may stand between the markers");
  }
  diag_error(s->diag, (Loc){s->source, 1, 1, 1}, "the template has no line '%s'",
             begun ? template_end : template_begin);
  return NULL;
}

/* --- the text --- */

static void put_word(Text *out, const Stamping *s, Span word) {
  const Stamp *t = s->stamp;
  const PlanValue *v = find(t->value, t->values, word);
  if (!v) v = find(s->each, t->each_values, word);
  if (v) {
    text_puts(out, v->text);
  } else if (span_starts(word, stand_in)) {
    text_puts(out, t->prefix);
    text_add(out, word.s + strlen(stand_in), word.len - strlen(stand_in));
  } else {
    text_add(out, word.s, word.len);
  }
}

static const char *substitute(const Stamping *s, Span line) {
  Text out = text_new(s->out->arena);
  while (line.len) {
    const size_t n = span_word(line);
    if (n)
      put_word(&out, s, (Span){line.s, n});
    else
      text_add(&out, line.s, 1);
    line = span_skip(line, n ? n : 1);
  }
  return out.s;
}

/* The position at which to break a long line: after the last ", " that fits. */
static size_t break_at(const char *line, size_t room) {
  for (size_t n = room; n > 1; n--)
    if (line[n - 1] == ' ' && line[n - 2] == ',') return n;
  return strlen(line);
}

/* Writes a line of code within the available columns: a function's body on lines of its own, a list
 * broken after a comma. */
static void put_line(Text *out, const char *line, size_t columns) {
  const char *body = strlen(line) > columns ? strstr(line, "{ return ") : NULL;
  if (body) {
    text_printf(out, "%.*s{\n  %.*s\n}\n", (int)(body - line), line, (int)strlen(body) - 4,
                body + 2);
    return;
  }
  const size_t indent = strspn(line, " ") + 4;
  for (size_t room = columns; strlen(line) > room; room = columns - indent) {
    const size_t n = break_at(line, room);
    if (!line[n]) break;
    text_printf(out, "%.*s\n%*s", (int)n - 1, line, (int)indent, "");
    line += n;
  }
  text_printf(out, "%s\n", line);
}

static void put_lines(Stamping *s, const char *at) {
  bool repeated = false;
  while (*at) {
    const Span line = span_line(&at);
    const bool each = span_is(line, each_marker);
    if (each || span_is(line, template_end)) {
      repeated = each;
      continue;
    }
    for (int i = 0; i < (repeated ? s->stamp->lines : 1); i++) {
      s->each = repeated ? &s->stamp->each[i * s->stamp->each_values] : NULL;
      put_line(s->out, substitute(s, line), s->stamp->columns);
    }
  }
}

bool stamp_fill(Text *out, Diag *d, Templates *templates, const char *file, const Stamp *stamp) {
  const int before = diag_met(d);
  const Source *source = template_open(d, templates, file, (Loc){NULL, 0, 0, 0});
  if (!source) return false;
  Stamping s = {.out = out, .diag = d, .stamp = stamp, .source = source};
  const char *rest = skip_head(&s);
  check_values(&s, stamp->value, stamp->values);
  check_values(&s, stamp->each, stamp->each_values);
  if (rest && diag_met(d) == before) put_lines(&s, rest);
  return diag_met(d) == before;
}
