/* SPDX-License-Identifier: MIT */
#include "libcuda/image/link.h"

#include "base/text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A statement at file scope of a unit. */
typedef struct {
  const char *start, *end;
  const char *name; /* name of a function or variable; else NULL */
  size_t name_bytes;
  bool is_function, is_section, defines, header, file;
} Statement;

/* --- reading --- */

static bool is_word(char c) { return isalnum((unsigned char)c) || strchr("_$%.", c); }

static const char *skip_word(const char *s) {
  while (*s && is_word(*s)) s++;
  return s;
}

static const char *skip_line(const char *s) {
  while (*s && *s != '\n') s++;
  return s;
}

static const char *skip_string(const char *s) {
  for (s++; *s && *s != '"'; s++)
    if (*s == '\\' && s[1]) s++;
  return *s ? s + 1 : s;
}

static const char *skip_comment(const char *s) {
  const char *end = s[1] == '/' ? strchr(s, '\n') : strstr(s + 2, "*/");
  if (!end) return s + strlen(s);
  return s[1] == '/' ? end : end + 2;
}

static bool is_comment(const char *s) { return s[0] == '/' && (s[1] == '/' || s[1] == '*'); }

static const char *skip_space(const char *s) {
  for (;;) {
    while (isspace((unsigned char)*s)) s++;
    if (!is_comment(s)) return s;
    s = skip_comment(s);
  }
}

/* Skips one character, string or comment. */
static const char *skip_one(const char *s) {
  if (*s == '"') return skip_string(s);
  return is_comment(s) ? skip_comment(s) : s + 1;
}

/* Returns the position after the bracket that closes the one at s. */
static const char *skip_bracket(const char *s) {
  int depth = 0;
  do {
    if (strchr("({[", *s)) depth++;
    if (strchr(")}]", *s)) depth--;
    s = skip_one(s);
  } while (*s && depth);
  return s;
}

static bool is(const char *word, const char *end, const char *want) {
  return (size_t)(end - word) == strlen(want) && memcmp(word, want, strlen(want)) == 0;
}

/* Reads a function's name, after its return value if it has one. */
static const char *name_function(const char *s, Statement *out) {
  s = skip_space(s);
  if (*s == '(') s = skip_space(skip_bracket(s));
  out->name = s;
  s = skip_word(s);
  out->name_bytes = (size_t)(s - out->name);
  out->is_function = true;
  return s;
}

/* Reads one directive of a declaration; returns the position after it. */
static const char *take_directive(const char *word, const char *end, Statement *out) {
  if (is(word, end, ".section")) out->is_section = true;
  if (is(word, end, ".extern")) out->defines = false;
  if (is(word, end, ".shared")) out->defines = true; /* .extern: has dynamic size */
  const bool function = is(word, end, ".func") || is(word, end, ".entry");
  return function ? name_function(end, out) : end;
}

/* Reads a variable's name: the word before a bracket, = or ;. */
static void take_variable(const char *word, const char *end, Statement *out) {
  if (out->is_function || out->is_section || out->name) return;
  if (isdigit((unsigned char)*word) || !strchr("[=;", *skip_space(end))) return;
  out->name = word;
  out->name_bytes = (size_t)(end - word);
}

static const char *take_word(const char *word, const char *end, Statement *out) {
  if (*word == '.') return take_directive(word, end, out);
  take_variable(word, end, out);
  return end;
}

/* Reads a declaration up to its end: a semicolon, or the end of a function's or section's body. */
static void read_declaration(const char *s, Statement *out) {
  for (s = skip_space(s); *s && *s != ';'; s = skip_space(s)) {
    const char *end = skip_word(s);
    if (end > s) {
      s = take_word(s, end, out);
    } else if (*s == '{' && (out->is_function || out->is_section)) {
      out->end = skip_bracket(s);
      return;
    } else {
      s = strchr("({[", *s) ? skip_bracket(s) : skip_one(s);
    }
  }
  if (out->is_function) out->defines = false; /* a prototype */
  out->end = *s ? s + 1 : s;
}

/* False at the end of the text. */
static bool read_statement(const char **at, Statement *out) {
  const char *s = skip_space(*at), *end = skip_word(s);
  if (!*s) return false;
  *out = (Statement){.start = s, .defines = true};
  out->header = is(s, end, ".version") || is(s, end, ".target") || is(s, end, ".address_size");
  out->file = is(s, end, ".file");
  if (out->header || out->file)
    out->end = skip_line(s);
  else
    read_declaration(s, out);
  *at = out->end;
  return true;
}

/* --- names that are already defined --- */

typedef struct {
  Arena *arena;
  Text out;
  int count, capacity;
  Statement *known; /* definitions of all units, in the order of output */
  int unit, files, most_file;
} Linker;

static bool is_same(const Statement *a, const Statement *b) {
  return a->name_bytes == b->name_bytes && memcmp(a->name, b->name, a->name_bytes) == 0;
}

static bool is_known(const Linker *l, const Statement *s) {
  for (int i = 0; i < l->count; i++)
    if (is_same(&l->known[i], s)) return true;
  return false;
}

static void note(Linker *l, const Statement *s) {
  l->known = arena_grow(l->arena, l->known, l->count, &l->capacity, sizeof *l->known);
  l->known[l->count++] = *s;
}

/* --- writing --- */

/* Renumbers the file index after .file, .loc and inlined_at. */
static const char *put_file(Linker *l, const char *s) {
  const char *digits = s;
  while (isspace((unsigned char)*digits)) digits++;
  char *end;
  const long number = strtol(digits, &end, 10);
  if (end == digits) return s;
  if (number > l->most_file) l->most_file = (int)number;
  text_printf(&l->out, " %ld", number + l->files);
  return end;
}

static const char *put_word(Linker *l, const char *s) {
  const char *end = skip_word(s);
  text_add(&l->out, s, (size_t)(end - s));
  if (*s == '$' && l->unit) text_printf(&l->out, "$u%d", l->unit);
  if (is(s, end, ".file") || is(s, end, ".loc") || is(s, end, "inlined_at"))
    return put_file(l, end);
  return end;
}

static void put(Linker *l, const Statement *statement) {
  for (const char *s = statement->start; s < statement->end;) {
    const char *next = skip_one(s);
    if (is_word(*s))
      next = put_word(l, s);
    else
      text_add(&l->out, s, (size_t)(next - s));
    s = next;
  }
  text_puts(&l->out, "\n");
}

/* Returns the unit with the newest version and target. */
static int by_header(const PtxUnit *unit, int count) {
  int best = 0;
  double newest = 0;
  for (int i = 0; i < count; i++) {
    const char *version = strstr(unit[i].ptx, ".version"), *target = strstr(unit[i].ptx, ".target");
    const char *sm = target ? strstr(target, "sm_") : NULL;
    const double rank = (sm ? atof(sm + 3) * 1000 : 0) + (version ? atof(version + 8) : 0);
    if (rank <= newest) continue;
    newest = rank;
    best = i;
  }
  return best;
}

static void put_headers(Linker *l, const PtxUnit *unit) {
  Statement s;
  for (const char *at = unit->ptx; read_statement(&at, &s);)
    if (s.header) put(l, &s);
}

/* The order of output: prototypes and variables first, because a unit may use a later unit's
 * definition. */
typedef enum { PROTOTYPES, VARIABLES, BODIES, PHASES } Phase;

static Phase phase_of(const Statement *s) {
  if (s->is_function) return s->defines ? BODIES : PROTOTYPES;
  return s->name ? VARIABLES : BODIES;
}

static void put_unit(Linker *l, const PtxUnit *unit, Phase phase) {
  Statement s;
  for (const char *at = unit->ptx; read_statement(&at, &s);) {
    if (s.header || phase_of(&s) != phase) continue;
    const bool shared = s.name && *s.name != '$';
    if (shared && (is_known(l, &s) || (phase == VARIABLES && !s.defines))) continue;
    if (shared) note(l, &s);
    put(l, &s);
  }
  l->files += l->most_file;
  l->most_file = 0;
}

PtxUnit link_units(Arena *a, const PtxUnit *unit, int count) {
  if (count == 1) return *unit;
  Linker l = {.arena = a, .out = text_new(a)};
  put_headers(&l, &unit[by_header(unit, count)]);
  for (Phase phase = PROTOTYPES; phase < PHASES; phase++) {
    l.count = 0;
    for (l.unit = 0; l.unit < count; l.unit++) put_unit(&l, &unit[l.unit], phase);
  }
  return (PtxUnit){.ptx = l.out.s, .bytes = l.out.len};
}
