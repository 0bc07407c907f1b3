#include "lint/lint_value.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lint/lint_map.h"

enum { MAX_DEPTH = 16 };

typedef struct {
  Arena *arena;
  const char *option, *whole; /* for messages */
  Text *why;
  int depth;
} Reader;

static const char *const kind_name[LINT_VALUE_KINDS] = {"buf", "at",  "i32",  "i64",
                                                        "f32", "f64", "tmap", "{"};
static const char *const kind_form[LINT_VALUE_KINDS] = {"buf:BYTES with BYTES from 1 on",
                                                        "at:BUFFER or at:BUFFER+BYTES",
                                                        "number of 32 bits",
                                                        "number of 64 bits",
                                                        "number",
                                                        "number",
                                                        "tensor map",
                                                        "{MEMBER,...}"};

static bool fail(const Reader *r, const char *what) {
  text_printf(r->why, "kgen: --%s %s: not a %s\n", r->option, r->whole, what);
  return false;
}

/* --- numbers --- */

/* Digits in any C base; *end is what follows. */
static bool read_count(const char *s, uint64_t *out, const char **end) {
  char *after;
  errno = 0;
  *out = strtoull(s, &after, 0);
  *end = after;
  return after != s && errno == 0 && isdigit((unsigned char)*s);
}

/* 32 bits take what either int or unsigned holds. */
static bool read_integer(LintValue *v, const char *s) {
  char *end;
  errno = 0;
  const bool negative = *s == '-', wide = v->kind == LINT_I64;
  const long long least = wide ? INT64_MIN : INT32_MIN;
  const unsigned long long most = wide ? UINT64_MAX : UINT32_MAX;
  if (!*s || strchr(" \t\n+", *s)) return false;
  if (negative) {
    const long long n = strtoll(s, &end, 0);
    memcpy(&v->value, &n, sizeof v->value);
    return errno == 0 && end > s + 1 && !*end && n >= least;
  }
  v->value = strtoull(s, &end, 0);
  return errno == 0 && end > s && !*end && v->value <= most;
}

static bool read_real(LintValue *v, const char *s) {
  char *end;
  if (!*s || strchr(" \t\n", *s)) return false;
  const double real = strtod(s, &end);
  const float single = (float)real;
  if (v->kind == LINT_F32)
    memcpy(&v->value, &single, sizeof single);
  else
    memcpy(&v->value, &real, sizeof real);
  return end > s && !*end;
}

/* --- buffers --- */

static bool read_members(Reader *r, LintValue *v, const char *s);

static bool read_buffer(Reader *r, LintValue *v, const char *s) {
  const char *end;
  if (*s == '{') {
    if (!read_members(r, v, s)) return false;
    v->value = lint_value_offsets(v, NULL);
    return true;
  }
  if (!read_count(s, &v->value, &end) || v->value == 0) return false;
  if (*end == ':' && end[1]) {
    v->zero = strcmp(end + 1, "zero") == 0;
    if (!v->zero) v->file = end + 1;
    return true;
  }
  return *end == '\0';
}

/* NAME or N, and the offset. */
static bool read_place(const Reader *r, LintValue *v, const char *s) {
  const char *plus = strchr(s, '+'), *end = plus;
  v->name = arena_strndup(r->arena, s, plus ? (size_t)(plus - s) : strlen(s));
  return *v->name && (!plus || (read_count(plus + 1, &v->value, &end) && !*end));
}

/* --- tensor maps --- */

/* A new buffer unless it is in another one, which a member names. */
static bool read_map(Reader *r, LintValue *v, const char *s) {
  LintMap *m = ARENA_NEW(r->arena, LintMap);
  const char *why;
  if (!lint_map_read(r->arena, s, m, &why)) {
    text_printf(r->why, "kgen: --%s %s: %s\n", r->option, r->whole, why);
    return false;
  }
  v->map = &m->map;
  v->zero = m->zero;
  if (!m->at) {
    v->value = lint_map_bytes(&m->map);
    return true;
  }
  v->member = ARENA_NEW(r->arena, LintValue);
  v->members = 1;
  v->member[0] = (LintValue){.kind = LINT_AT, .text = v->text};
  return read_place(r, &v->member[0], m->at) || fail(r, kind_form[LINT_AT]);
}

/* --- structures --- */

/* The member that begins here ends at a comma outside braces, or at the last brace: a file's name
 * may hold braces, but no comma. */
static const char *end_of_member(const char *s, const char *last) {
  int depth = 0;
  for (; s < last; s++) {
    if (*s == ',' && depth == 0) break;
    if (*s == '{') depth++;
    if (*s == '}' && depth > 0) depth--;
  }
  return s;
}

static bool read_any(Reader *r, const char *text, LintValue *out);

static int count_commas(const char *s) {
  int count = 0;
  for (; *s; s++) count += *s == ',';
  return count;
}

static bool read_members(Reader *r, LintValue *v, const char *s) {
  const char *const last = s + strlen(s) - 1;
  if (last <= s + 1 || *last != '}' || ++r->depth > MAX_DEPTH) return fail(r, "{MEMBER,...}");
  v->member = ARENA_ARRAY(r->arena, LintValue, (size_t)count_commas(s) + 1);
  for (const char *at = s + 1, *end; at <= last; at = end + 1) {
    end = end_of_member(at, last);
    const char *text = arena_strndup(r->arena, at, (size_t)(end - at));
    if (!read_any(r, text, &v->member[v->members++])) return false;
  }
  r->depth--;
  return true;
}

/* --- any value --- */

/* The NAME of NAME=buf:..., which is skipped. */
static const char *take_name(const Reader *r, const char **text) {
  size_t n = 0;
  while (isalnum((unsigned char)(*text)[n]) || (*text)[n] == '_') n++;
  if (n == 0 || isdigit((unsigned char)**text) ||
      (strncmp(*text + n, "=buf:", 5) != 0 && strncmp(*text + n, "=tmap:", 6) != 0))
    return NULL;
  const char *name = arena_strndup(r->arena, *text, n);
  *text += n + 1;
  return name;
}

static bool read_kind(Reader *r, LintValue *v, const char *s) {
  switch (v->kind) {
  case LINT_BUF: return read_buffer(r, v, s);
  case LINT_AT: return read_place(r, v, s);
  case LINT_TMAP: return read_map(r, v, s);
  case LINT_I32:
  case LINT_I64: return read_integer(v, s);
  default: return read_real(v, s);
  }
}

static bool read_any(Reader *r, const char *text, LintValue *out) {
  const size_t told = r->why->len;
  *out = (LintValue){.kind = LINT_STRUCT, .text = text};
  if (*text == '{') return read_members(r, out, text);
  out->name = take_name(r, &text);
  for (int k = 0; k < LINT_STRUCT; k++) {
    const size_t n = strlen(kind_name[k]);
    if (strncmp(text, kind_name[k], n) != 0 || text[n] != ':') continue;
    out->kind = (LintValueKind)k;
    return read_kind(r, out, text + n + 1) || (r->why->len == told && fail(r, kind_form[k]));
  }
  text_printf(r->why,
              "kgen: --%s %s is none of buf:BYTES, buf:BYTES:zero, buf:BYTES:FILE, "
              "buf:{VALUE,...}, at:BUFFER+BYTES, i32:V, i64:V, f32:V, f64:V, "
              "tmap:DTYPE:dims=AxB:box=AxB and "
              "{MEMBER,...}\n",
              r->option, text);
  return false;
}

bool lint_value_read(Arena *a, const char *option, const char *text, LintValue *out, Text *why) {
  Reader r = {.arena = a, .option = option, .whole = text, .why = why};
  return read_any(&r, text, out);
}

/* --- bytes --- */

LintSize lint_value_size(const LintValue *v) {
  LintSize size = {8, 8};
  if (v->kind == LINT_I32 || v->kind == LINT_F32) size = (LintSize){4, 4};
  if (v->kind == LINT_TMAP) return (LintSize){TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN};
  if (v->kind != LINT_STRUCT) return size;
  size = (LintSize){lint_value_offsets(v, NULL), 1};
  for (int i = 0; i < v->members; i++) {
    const LintSize member = lint_value_size(&v->member[i]);
    if (member.align > size.align) size.align = member.align;
  }
  return size;
}

uint32_t lint_value_offsets(const LintValue *v, uint32_t *offset) {
  uint32_t at = 0, align = 1;
  for (int i = 0; i < v->members; i++) {
    const LintSize size = lint_value_size(&v->member[i]);
    at = (at + size.align - 1) & ~(size.align - 1);
    if (offset) offset[i] = at;
    at += size.bytes;
    if (size.align > align) align = size.align;
  }
  return (at + align - 1) & ~(align - 1);
}
