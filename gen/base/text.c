/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/utf8.h"

Text text_new(Arena *a) {
  const size_t cap = 256;
  return (Text){.arena = a, .s = arena_alloc(a, cap), .len = 0, .cap = cap};
}

/* Makes room for n more bytes and the NUL. */
static void text_reserve(Text *t, size_t n) {
  if (n < t->cap - t->len) return;
  size_t cap = t->cap;
  while (cap - t->len <= n) cap *= 2;
  char *s = arena_alloc(t->arena, cap);
  memcpy(s, t->s, t->len);
  t->s = s;
  t->cap = cap;
}

void text_add(Text *t, const char *s, size_t n) {
  text_reserve(t, n);
  if (n) memcpy(t->s + t->len, s, n);
  t->len += n;
  t->s[t->len] = '\0';
}

void text_puts(Text *t, const char *s) { text_add(t, s, strlen(s)); }

Text text_screen(Arena *a) {
  Text t = text_new(a);
  t.screen = true;
  return t;
}

/* --- foreign text --- */

typedef struct {
  uint32_t c;
  const char *as;
} Escape;

/* The escape of a character in one kind of output; NULL if it needs none. */
static const char *escape_of(TextKind kind, uint32_t c) {
  static const Escape json[] = {{'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}, {'\t', "\\t"}, {0}};
  static const Escape xml[] = {{'<', "&lt;"},
                               {'>', "&gt;"},
                               {'&', "&amp;"},
                               {'"', "&quot;"},
                               {'\n', "\n"},
                               {'\t', "\t"},
                               {0}};
  static const Escape markdown[] = {
      {'\n', "<br>"}, {'\t', "\t"}, {'\\', "\\\\"}, {'`', "\\`"}, {'*', "\\*"},
      {'_', "\\_"},   {'[', "\\["}, {']', "\\]"},   {'<', "\\<"}, {'>', "\\>"},
      {'|', "\\|"},   {'&', "\\&"}, {'~', "\\~"},   {'#', "\\#"}, {0}};
  static const Escape csv[] = {{'"', "\"\""}, {'\n', "\n"}, {'\t', "\t"}, {0}};
  static const Escape screen[] = {{'\t', "\t"}, {0}};
  static const Escape *const of[] = {[TEXT_SCREEN] = screen,
                                     [TEXT_MARKDOWN] = markdown,
                                     [TEXT_CSV] = csv,
                                     [TEXT_JSON] = json,
                                     [TEXT_XML] = xml};
  for (const Escape *e = of[kind]; e->as; e++)
    if (e->c == c) return e->as;
  return NULL;
}

/* A number alone begins with a sign and is no formula. */
static bool is_formula(const char *s, size_t n) {
  char *end;
  if (n == 0 || !strchr("=+-@\t\r", *s)) return false;
  strtod(s, &end);
  return *s == '=' || *s == '@' || end != s + n;
}

static const char *quote_of(TextKind kind, const char *s, size_t n) {
  if (kind == TEXT_JSON) return "\"";
  if (kind != TEXT_CSV) return "";
  for (size_t i = 0; i < n; i++)
    if (strchr(",\"\n", s[i]) && s[i]) return "\"";
  return is_formula(s, n) ? "\"" : "";
}

/* JSON keeps each character; beyond 16 bits an escape is a surrogate pair. */
static void put_hidden(Text *t, TextKind kind, uint32_t c) {
  if (kind != TEXT_JSON)
    text_puts(t, "?");
  else if (c == UTF8_BAD)
    text_puts(t, "\\ufffd");
  else if (c < 0x10000)
    text_printf(t, "\\u%04x", (unsigned)c);
  else
    text_printf(t, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (c >> 10)),
                (unsigned)(0xdc00 + (c & 0x3ff)));
}

void text_foreign(Text *t, TextKind kind, const char *s, size_t n) {
  const char *end = s + n, *quote = quote_of(kind, s, n);
  text_puts(t, quote);
  if (kind == TEXT_CSV && is_formula(s, n)) text_puts(t, "'");
  for (int bytes; s < end; s += bytes) {
    const uint32_t c = utf8_decode(s, end, &bytes);
    const char *as = escape_of(kind, c);
    if (as)
      text_puts(t, as);
    else if (utf8_printable(c))
      text_add(t, s, (size_t)bytes);
    else
      put_hidden(t, kind, c);
  }
  text_puts(t, quote);
}

const char *text_clean(Arena *a, const char *s) {
  if (!s) return NULL;
  Text t = text_new(a);
  text_foreign(&t, TEXT_SCREEN, s, strlen(s));
  return t.s;
}

/* The length of a color's escape sequence at s, else 0. */
static size_t color_length(const char *s, const char *end) {
  if (end - s < 3 || s[0] != '\033' || s[1] != '[') return 0;
  const size_t n = 2 + strspn(s + 2, "0123456789;");
  return s + n < end && s[n] == 'm' ? n + 1 : 0;
}

void text_show(Text *out, const char *s, size_t n) {
  const char *end = s + n;
  while (s < end) {
    const char *line = s;
    while (s < end && *s != '\n' && !color_length(s, end)) s++;
    text_foreign(out, TEXT_SCREEN, line, (size_t)(s - line));
    const size_t kept = s == end ? 0 : *s == '\n' ? 1 : color_length(s, end);
    text_add(out, s, kept);
    s += kept;
  }
}

/* --- formats --- */

static void format_any(Text *t, const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  const int n = vsnprintf(NULL, 0, fmt, again);
  va_end(again);
  if (n < 0) die("format '%s'", fmt);
  text_reserve(t, (size_t)n);
  vsnprintf(t->s + t->len, (size_t)n + 1, fmt, args);
  t->len += (size_t)n;
}

static void PRINTF_LIKE(2, 3) format(Text *t, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  format_any(t, fmt, args);
  va_end(args);
}

/* The arguments of a call, which functions share: a va_list may be passed on only inside. */
typedef struct {
  va_list list;
} Arguments;

/* A conversion as "%-*.3lld": stars are replaced by their numbers. */
typedef struct {
  char flags[8];
  int width, precision; /* -1: none */
  char length[3];
  char letter;
} Conversion;

static int read_number(const char **at, Arguments *args) {
  if (**at == '*') {
    ++*at;
    return va_arg(args->list, int);
  }
  char *end;
  const int n = (int)strtol(*at, &end, 10);
  const bool any = end != *at;
  *at = end;
  return any ? n : -1;
}

static void read_letters(const char **at, const char *of, char *out, size_t room) {
  const size_t n = strspn(*at, of);
  if (n >= room) die("format '%s'", *at);
  memcpy(out, *at, n);
  out[n] = '\0';
  *at += n;
}

/* `at` is after the percent sign, and then after the conversion. */
static Conversion read_conversion(const char **at, Arguments *args) {
  Conversion c = {.precision = -1};
  read_letters(at, "-+ #0", c.flags, sizeof c.flags);
  c.width = read_number(at, args);
  if (c.width < -1) { /* a star's: to the left */
    if (strlen(c.flags) + 1 < sizeof c.flags) strcat(c.flags, "-");
    c.width = -c.width;
  }
  if (**at == '.') {
    ++*at;
    c.precision = read_number(at, args);
    if (c.precision < 0) c.precision = 0;
  }
  read_letters(at, "hlzjt", c.length, sizeof c.length);
  c.letter = *(*at)++;
  return c;
}

static intmax_t read_signed(const char *length, Arguments *args) {
  switch (*length) {
  case 'l': return length[1] ? va_arg(args->list, long long) : va_arg(args->list, long);
  case 'z': return va_arg(args->list, ssize_t);
  case 't': return va_arg(args->list, ptrdiff_t);
  case 'j': return va_arg(args->list, intmax_t);
  default: return va_arg(args->list, int);
  }
}

static uintmax_t read_unsigned(const char *length, Arguments *args) {
  switch (*length) {
  case 'l':
    return length[1] ? va_arg(args->list, unsigned long long) : va_arg(args->list, unsigned long);
  case 'z': return va_arg(args->list, size_t);
  case 't': return (uintmax_t)va_arg(args->list, ptrdiff_t);
  case 'j': return va_arg(args->list, uintmax_t);
  default: return va_arg(args->list, unsigned);
  }
}

/* Returns the format of the one value, in `out`. */
static const char *spell(const Conversion *c, const char *length, char out[48]) {
  int n = snprintf(out, 48, "%%%s", c->flags);
  if (c->width >= 0) n += snprintf(out + n, 48 - (size_t)n, "%d", c->width);
  if (c->precision >= 0) n += snprintf(out + n, 48 - (size_t)n, ".%d", c->precision);
  snprintf(out + n, 48 - (size_t)n, "%s%c", length, c->letter);
  return out;
}

/* Fields are as wide as a terminal shows them. */
static void put_word(Text *t, const Conversion *c, const char *s) {
  const size_t start = t->len;
  if (!s) s = "(null)";
  text_foreign(t, TEXT_SCREEN, s, c->precision < 0 ? strlen(s) : strnlen(s, (size_t)c->precision));
  const int pad = c->width - utf8_count(t->s + start, t->s + t->len);
  if (pad <= 0) return;
  const bool left = strchr(c->flags, '-') != NULL;
  for (int i = 0; i < pad; i++) text_add(t, " ", 1);
  if (left) return;
  memmove(t->s + start + pad, t->s + start, t->len - (size_t)pad - start);
  memset(t->s + start, ' ', (size_t)pad);
}

static void put_conversion(Text *t, const Conversion *c, Arguments *args) {
  char spec[48];
  switch (c->letter) {
  case '%': text_add(t, "%", 1); break;
  case 's': put_word(t, c, va_arg(args->list, const char *)); break;
  case 'c': {
    const char one[2] = {(char)va_arg(args->list, int), '\0'};
    put_word(t, c, one);
    break;
  }
  case 'd':
  case 'i': format(t, spell(c, "j", spec), read_signed(c->length, args)); break;
  case 'u':
  case 'x':
  case 'X':
  case 'o': format(t, spell(c, "j", spec), read_unsigned(c->length, args)); break;
  case 'f':
  case 'g':
  case 'e': format(t, spell(c, "", spec), va_arg(args->list, double)); break;
  default: die("conversion '%c'", c->letter);
  }
}

static void format_screen(Text *t, const char *fmt, Arguments *args) {
  for (const char *at = fmt; *at;) {
    const size_t n = strcspn(at, "%");
    text_add(t, at, n);
    at += n;
    if (!*at++) break;
    const Conversion c = read_conversion(&at, args);
    put_conversion(t, &c, args);
  }
}

void text_printf(Text *t, const char *fmt, ...) {
  Arguments args;
  va_start(args.list, fmt);
  if (t->screen)
    format_screen(t, fmt, &args);
  else
    format_any(t, fmt, args.list);
  va_end(args.list);
}

int text_lines(const char *s, size_t n) {
  int lines = 1;
  for (size_t i = 0; i < n; i++) lines += s[i] == '\n';
  return lines;
}

int text_compare(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}
