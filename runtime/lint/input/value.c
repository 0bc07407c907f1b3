/* SPDX-License-Identifier: MIT */
#include "lint/input/value.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "judge/value.h"
#include "lint/input/map.h"

enum { MAX_DEPTH = 16, MAX_RAW = 1 << 30 };

typedef struct {
  Arena *arena;
  const char *option, *whole; /* for messages; option NULL: in a file */
  Diag *why;
  Loc loc;      /* location of a value in a file */
  bool untyped; /* a number may lack its type */
  int depth;
} Reader;

static bool fail(const Reader *r, const char *what) {
  if (r->option)
    diag_say(r->why, DIAG_ARGUMENT, "--%s %s: %s", r->option, r->whole, what);
  else
    diag_error(r->why, r->loc, "%s", what);
  return false;
}

void lint_value_fail(Arena *a, Diag *why, const char *option, const LintValue *v, const char *fmt,
                     ...) {
  va_list args;
  va_start(args, fmt);
  const char *what = arena_vprintf(a, fmt, args);
  va_end(args);
  if (v->loc.source)
    diag_error(why, v->loc, "%s", what);
  else
    diag_say(why, DIAG_ARGUMENT, "--%s %s: %s", option, v->text, what);
}

/* --- numbers --- */

/* The integer fits if either the signed or the unsigned type of that size can represent it. */
static bool read_integer(LintValue *v, const char *s) {
  char *end;
  errno = 0;
  const int spare = 64 - 8 * v->dtype->bytes;
  if (!*s || strchr(" \t\n+", *s)) return false;
  if (*s == '-') {
    const long long n = strtoll(s, &end, 0);
    memcpy(&v->value, &n, sizeof v->value);
    return errno == 0 && end > s + 1 && !*end && n >= INT64_MIN >> spare;
  }
  v->value = strtoull(s, &end, 0);
  return errno == 0 && end > s && !*end && v->value <= UINT64_MAX >> spare;
}

static bool read_real(LintValue *v, const char *s) {
  char *end;
  if (!*s || strchr(" \t\n", *s)) return false;
  const double real = strtod(s, &end);
  value_encode(v->dtype, real, 0, &v->value);
  return end > s && !*end;
}

bool lint_value_number(const Dtype *dtype, const char *text, LintValue *out) {
  out->kind = LINT_NUMBER;
  out->dtype = dtype;
  const bool integer = dtype->name[0] == 'i' || dtype->name[0] == 'u';
  return integer ? read_integer(out, text) : read_real(out, text);
}

/* --- buffers and raw bytes --- */

static bool read_members(Reader *r, LintValue *v, const char *s);

/* Reads BYTES or COUNTxDTYPE; *end is the text after it. */
static bool read_size(LintValue *v, const char *s, const char **end) {
  char name[8] = {0};
  if (!lint_number_count(s, &v->value, end) || v->value == 0) return false;
  if (**end != 'x') return true;
  const size_t n = strcspn(*end + 1, ":");
  if (n >= sizeof name) return false;
  memcpy(name, *end + 1, n);
  *end += 1 + n;
  v->fill.dtype = dtype_find(name);
  return v->fill.dtype && !__builtin_mul_overflow(v->value, v->fill.dtype->bytes, &v->value);
}

static bool read_buffer(Reader *r, LintValue *v, const char *s) {
  const char *end;
  if (*s == '{') {
    if (!read_members(r, v, s)) return false;
    if (!v->members) return fail(r, "a buffer that holds nothing");
    v->value = lint_value_offsets(v, NULL);
    return true;
  }
  if (!read_size(v, s, &end) || (*end && *end != ':'))
    return fail(r, "not a buf:BYTES or buf:COUNTxDTYPE, from 1 on");
  if (!*end) return true;
  if (!lint_fill_read(r->arena, end + 1, &v->fill))
    return fail(r, "not a buf:SIZE:FILL with zero, random[=LOW..HIGH], constant=V, "
                   "iota[=START[..STEP]], permutation or a file");
  const char *why = lint_fill_refusal(r->arena, &v->fill, v->value);
  return !why || fail(r, why);
}

/* Without a file, the bytes are 0. */
static bool read_raw(Reader *r, LintValue *v, const char *s) {
  const char *end;
  const bool sized = lint_number_count(s, &v->value, &end) && v->value && v->value <= MAX_RAW;
  v->fill.kind = FILL_ZERO;
  if (sized && !*end) return true;
  if (!sized || *end != ':' || !end[1]) return fail(r, "not a raw:BYTES or raw:BYTES:FILE");
  v->fill.kind = FILL_FILE;
  v->fill.file = arena_strndup(r->arena, end + 1, strlen(end + 1));
  return true;
}

/* Reads NAME or N, and the offset. */
static bool read_place(Reader *r, LintValue *v, const char *s) {
  const char *plus = strchr(s, '+'), *end = plus;
  v->name = arena_strndup(r->arena, s, plus ? (size_t)(plus - s) : strlen(s));
  const bool ok = *v->name && (!plus || (lint_number_count(plus + 1, &v->value, &end) && !*end));
  return ok || fail(r, "not an at:BUFFER or at:BUFFER+BYTES");
}

/* --- tensor maps --- */

/* Makes a new buffer, unless a member names the buffer that contains the tensor. */
static bool read_map(Reader *r, LintValue *v, const char *s) {
  LintMap *m = ARENA_NEW(r->arena, LintMap);
  const char *why;
  if (!lint_map_read(r->arena, s, m, &why)) return fail(r, why);
  v->map = &m->map;
  v->fill.kind = m->zero ? FILL_ZERO : FILL_RANDOM;
  if (!m->at) {
    v->value = lint_map_bytes(&m->map);
    return true;
  }
  v->member = ARENA_NEW(r->arena, LintValue);
  v->members = 1;
  v->member[0] = (LintValue){.kind = LINT_AT, .text = v->text};
  return read_place(r, &v->member[0], m->at);
}

static bool read_image(Reader *r, LintValue *v, const char *s, bool is_surface) {
  LintImage *m = ARENA_NEW(r->arena, LintImage);
  const char *why;
  if (!lint_image_read(r->arena, s, is_surface, m, &why)) return fail(r, why);
  v->image = m;
  v->fill.kind = m->zero ? FILL_ZERO : FILL_RANDOM;
  v->fill.dtype = m->dtype;
  why = emu_image_refusal(&m->image);
  if (why) return fail(r, why);
  if (!m->at) {
    v->value = emu_image_bytes(&m->image);
    return true;
  }
  v->member = ARENA_NEW(r->arena, LintValue);
  v->members = 1;
  v->member[0] = (LintValue){.kind = LINT_AT, .text = v->text};
  return read_place(r, &v->member[0], m->at);
}

static bool read_texture(Reader *r, LintValue *v, const char *s) {
  return read_image(r, v, s, false);
}

static bool read_surface(Reader *r, LintValue *v, const char *s) {
  return read_image(r, v, s, true);
}

/* --- structures --- */

/* The end of the member that begins at s: a comma outside braces, or the last brace. A file name
 * may contain braces, but no comma. */
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
  if (*last != '}' || ++r->depth > MAX_DEPTH) return fail(r, "not a {MEMBER,...}");
  v->member = ARENA_ARRAY(r->arena, LintValue, (size_t)count_commas(s) + 1);
  for (const char *at = s + 1, *end; at <= last && last > s + 1; at = end + 1) {
    end = end_of_member(at, last);
    const char *text = arena_strndup(r->arena, at, (size_t)(end - at));
    if (!read_any(r, text, &v->member[v->members++])) return false;
  }
  r->depth--;
  return true;
}

/* --- values of any kind --- */

typedef bool KindReader(Reader *r, LintValue *v, const char *s);

static const struct {
  const char *name;
  LintValueKind kind;
  KindReader *read;
} kinds[] = {
    {"buf:", LINT_BUF, read_buffer},     {"at:", LINT_AT, read_place},
    {"tmap:", LINT_TMAP, read_map},      {"tex:", LINT_IMAGE, read_texture},
    {"surf:", LINT_IMAGE, read_surface}, {"raw:", LINT_RAW, read_raw},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Reads and skips the NAME of NAME=buf:... */
static const char *take_name(const Reader *r, const char **text) {
  size_t n = 0;
  while (text_is_word((*text)[n])) n++;
  if (n == 0 || isdigit((unsigned char)**text) ||
      (strncmp(*text + n, "=buf:", 5) != 0 && strncmp(*text + n, "=tmap:", 6) != 0 &&
       strncmp(*text + n, "=tex:", 5) != 0 && strncmp(*text + n, "=surf:", 6) != 0))
    return NULL;
  const char *name = arena_strndup(r->arena, *text, n);
  *text += n + 1;
  return name;
}

/* DTYPE:V. */
static bool read_number(Reader *r, const Dtype *dtype, const char *text, LintValue *out) {
  if (lint_value_number(dtype, text, out)) return true;
  return fail(r, arena_printf(r->arena, "not a number of type %s", dtype->name));
}

static const Dtype *number_type(const char *text) {
  for (int i = 0; i < dtype_count; i++) {
    const size_t n = strlen(dtype_table[i].name);
    if (strncmp(dtype_table[i].name, text, n) == 0 && text[n] == ':' &&
        lint_fill_counts(&dtype_table[i]))
      return &dtype_table[i];
  }
  return NULL;
}

static bool read_any(Reader *r, const char *text, LintValue *out) {
  *out = (LintValue){.kind = LINT_STRUCT, .text = text};
  if (*text == '{') return read_members(r, out, text);
  out->name = take_name(r, &text);
  for (int k = 0; k < KINDS; k++) {
    const size_t n = strlen(kinds[k].name);
    if (strncmp(text, kinds[k].name, n) != 0) continue;
    out->kind = kinds[k].kind;
    return kinds[k].read(r, out, text + n);
  }
  const Dtype *dtype = number_type(text);
  if (dtype) return read_number(r, dtype, text + strlen(dtype->name) + 1, out);
  const bool bare = lint_value_number(dtype_find("f64"), text, out);
  out->dtype = NULL;
  if (bare && r->untyped && r->depth == 0) return true;
  if (bare)
    return fail(r, arena_printf(r->arena, "a number needs its type: i32:%s or f32:%s", text, text));
  return fail(r, "not one of buf:SIZE, buf:SIZE:FILL, buf:{VALUE,...}, at:BUFFER+BYTES, "
                 "TYPE:VALUE such as i32:5 or f32:0.5, {MEMBER,...}, raw:BYTES[:FILE], "
                 "tmap:DTYPE:dims=AxB:box=AxB, tex:TYPE:dims=AxB, surf:TYPE:dims=AxB");
}

bool lint_value_read(Arena *a, const char *option, const char *whole, const char *text,
                     LintValue *out, Diag *why) {
  Reader r = {.arena = a,
              .option = option,
              .whole = whole,
              .why = why,
              .untyped = strcmp(option, "arg") == 0};
  const bool ok = read_any(&r, text, out);
  out->text = whole;
  return ok;
}

bool lint_value_read_at(Arena *a, Loc loc, const char *text, LintValue *out, Diag *why) {
  Reader r = {.arena = a, .whole = text, .why = why, .loc = loc};
  const bool ok = read_any(&r, text, out);
  out->text = text;
  return ok;
}

/* --- bytes --- */

LintSize lint_value_size(const LintValue *v) {
  if (v->kind == LINT_TMAP) return (LintSize){TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN};
  if (v->kind == LINT_RAW) return (LintSize){(uint32_t)v->value, 1};
  if (v->kind == LINT_NUMBER)
    return (LintSize){(uint32_t)v->dtype->bytes, (uint32_t)v->dtype->bytes};
  if (v->kind != LINT_STRUCT) return (LintSize){8, 8}; /* a pointer */
  LintSize size = {lint_value_offsets(v, NULL), 1};
  for (int i = 0; i < v->members; i++) {
    const LintSize member = lint_value_size(&v->member[i]);
    if (member.align > size.align) size.align = member.align;
  }
  return size;
}

uint32_t lint_value_offsets(const LintValue *v, uint32_t *offset) {
  uint32_t at = 0, align = 1;
  if (!v->members) return 1; /* as in C++ */
  for (int i = 0; i < v->members; i++) {
    const LintSize size = lint_value_size(&v->member[i]);
    at = (at + size.align - 1) & ~(size.align - 1);
    if (offset) offset[i] = at;
    at += size.bytes;
    if (size.align > align) align = size.align;
  }
  return (at + align - 1) & ~(align - 1);
}
