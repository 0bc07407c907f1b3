/* SPDX-License-Identifier: MIT */
#include "lint/input/dims.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MAX_DEPTH = 8 };

static const char *skip_blanks(const char *s) {
  while (isspace((unsigned char)*s)) s++;
  return s;
}

/* The next whole-word occurrence of `word` from s on. */
static const char *find_word(const char *text, const char *s, const char *word) {
  const size_t n = strlen(word);
  for (; (s = strstr(s, word)) != NULL; s += n)
    if ((s == text || !text_is_word(s[-1])) && !text_is_word(s[n])) return s;
  return NULL;
}

/* --- constant expressions: numbers, names of them, + - * / and parentheses --- */

typedef struct {
  Arena *arena;
  const char *text, *at;
  int depth;
} Reader;

static bool read_sum(Reader *r, int64_t *out);

/* Reads a name that is defined as `#define NAME EXPRESSION` or NAME = EXPRESSION. */
static bool read_name(Reader *r, int64_t *out) {
  const char *start = r->at;
  while (text_is_word(*r->at)) r->at++;
  const char *name = arena_strndup(r->arena, start, (size_t)(r->at - start));
  if (++r->depth > MAX_DEPTH) return false;
  for (const char *s = r->text; (s = find_word(r->text, s, name)) != NULL; s++) {
    const char *line = s;
    while (line > r->text && !strchr("\n;{", line[-1])) line--;
    line = skip_blanks(line);
    const char *value = skip_blanks(s + strlen(name));
    const bool macro = strncmp(line, "#define", 7) == 0 && skip_blanks(line + 7) == s;
    const char *constant = strstr(line, "const");
    if (!macro && (*value != '=' || !constant || constant > s)) continue;
    Reader inner = {r->arena, r->text, macro ? value : value + 1, r->depth};
    if (read_sum(&inner, out)) return true;
  }
  return false;
}

static bool read_factor(Reader *r, int64_t *out) {
  char *end;
  r->at = skip_blanks(r->at);
  if (*r->at == '(') {
    r->at++;
    if (!read_sum(r, out) || *skip_blanks(r->at) != ')') return false;
    r->at = skip_blanks(r->at) + 1;
    return true;
  }
  if (!isdigit((unsigned char)*r->at)) return text_is_word(*r->at) && read_name(r, out);
  *out = strtol(r->at, &end, 0);
  r->at = end + strspn(end, "uUlL");
  return *out <= INT32_MAX;
}

static bool read_product(Reader *r, int64_t *out) {
  if (!read_factor(r, out)) return false;
  for (r->at = skip_blanks(r->at); *r->at == '*' || *r->at == '/'; r->at = skip_blanks(r->at)) {
    const char op = *r->at++;
    int64_t next;
    if (!read_factor(r, &next) || (op == '/' && next == 0)) return false;
    *out = op == '*' ? *out * next : *out / next;
    if (*out > INT32_MAX || *out < 0) return false;
  }
  return true;
}

static bool read_sum(Reader *r, int64_t *out) {
  if (!read_product(r, out)) return false;
  for (r->at = skip_blanks(r->at); *r->at == '+' || *r->at == '-'; r->at = skip_blanks(r->at)) {
    const char op = *r->at++;
    int64_t next;
    if (!read_product(r, &next)) return false;
    *out = op == '+' ? *out + next : *out - next;
  }
  return *out <= INT32_MAX;
}

/* --- declarations --- */

typedef struct {
  const char *name;
  uint32_t bytes;
} TypeSize;

static const TypeSize types[] = {
    {"char", 1},     {"int8_t", 1},   {"uint8_t", 1}, {"short", 2},    {"half", 2},
    {"__half", 2},   {"half2", 4},    {"__half2", 4}, {"int16_t", 2},  {"bool", 1},
    {"uint16_t", 2}, {"int", 4},      {"float", 4},   {"unsigned", 4}, {"int32_t", 4},
    {"double", 8},   {"uint32_t", 4}, {"float2", 8},  {"int2", 8},     {"float4", 16},
    {"int4", 16},    {"uint4", 16},   {"int64_t", 8}, {"uint64_t", 8}, {"__nv_bfloat16", 2}};

/* The size of the type of a declaration that ends at `end`; 0: unknown. */
static uint32_t type_bytes(Arena *a, const char *start, const char *end) {
  const char *text = arena_strndup(a, start, (size_t)(end - start));
  if (find_word(text, text, "long")) return 8;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (find_word(text, text, types[i].name)) return types[i].bytes;
  return 0;
}

/* Reads the dimensions after the name, -1 for an unknown one; returns their number. */
static int read_dims(Arena *a, const char *text, const char *s, int64_t dim[LINT_MAX_DIMS]) {
  int count = 0;
  for (s = skip_blanks(s); *s == '[' && count < LINT_MAX_DIMS; s = skip_blanks(s + 1)) {
    Reader r = {a, text, s + 1, 0};
    if (!read_sum(&r, &dim[count]) || *skip_blanks(r.at) != ']' || dim[count] <= 0) dim[count] = -1;
    count++;
    while (*s && *s != ']') s++;
    if (!*s) return 0;
  }
  return count;
}

/* The last dimension in bytes; computed from the others if it is unknown. */
static uint32_t row_bytes(const int64_t *dim, int count, uint32_t bytes, uint32_t element) {
  int64_t rows = 1;
  if (count < 2) return 0;
  for (int d = 0; d < count - 1; d++) {
    rows = dim[d] < 0 || rows < 0 ? -1 : rows * dim[d];
    if (rows > INT32_MAX) return 0;
  }
  const int64_t last = dim[count - 1];
  if (rows > 0) {
    const int64_t row = bytes / rows;
    if (last > 0 && element && row != last * element) return 0;
    return row * rows == bytes && (last < 0 || row % last == 0) ? (uint32_t)row : 0;
  }
  if (last < 0 || !element) return 0;
  return bytes % (uint32_t)(last * element) == 0 ? (uint32_t)(last * element) : 0;
}

/* The dimensions, if all are known and their product is the array's size; the element size follows
 * from them. */
static LintDims known_dims(const int64_t *dim, int count, uint32_t bytes, uint32_t row,
                           uint32_t element) {
  LintDims out = {.row = row, .element = element};
  uint64_t all = 1;
  for (int d = 0; d < count; d++) {
    if (dim[d] <= 0 || all > bytes) return out;
    all *= (uint64_t)dim[d];
  }
  if (!all || bytes % all || (element && bytes / all != element)) return out;
  out.element = (uint32_t)(bytes / all);
  out.dims = count;
  memcpy(out.dim, dim, (size_t)count * sizeof *dim);
  return out;
}

/* Several kernels may declare arrays with one name: the declarations that fit must agree. */
LintDims lint_dims_find(Arena *a, const char *text, const char *name, uint32_t bytes) {
  LintDims found = {0};
  for (const char *s = text; (s = find_word(text, s, name)) != NULL; s++) {
    int64_t dim[LINT_MAX_DIMS];
    const char *start = s;
    while (start > text && !strchr(";{}", start[-1])) start--;
    const char *shared = find_word(start, start, "__shared__");
    if (!shared || shared > s) continue;
    const int count = read_dims(a, text, s + strlen(name), dim);
    const uint32_t element = type_bytes(a, shared, s);
    const uint32_t row = row_bytes(dim, count, bytes, element);
    if (count == 1 && element && dim[0] == (int64_t)(bytes / element))
      return (LintDims){.element = element};
    if (row && found.row && row != found.row) return (LintDims){0};
    if (row) found = known_dims(dim, count, bytes, row, element);
  }
  return found;
}
