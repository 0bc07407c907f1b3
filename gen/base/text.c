#include "base/text.h"

#include <stdio.h>
#include <string.h>

Text text_new(Arena *a) {
  const size_t cap = 256;
  return (Text){.arena = a, .s = arena_alloc(a, cap), .len = 0, .cap = cap};
}

/* Room for n more bytes and the NUL. */
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

void text_printf(Text *t, const char *fmt, ...) {
  va_list args, again;
  va_start(args, fmt);
  va_copy(again, args);
  const int n = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  if (n < 0) die("format '%s'", fmt);
  text_reserve(t, (size_t)n);
  vsnprintf(t->s + t->len, (size_t)n + 1, fmt, again);
  va_end(again);
  t->len += (size_t)n;
}

int text_lines(const char *s, size_t n) {
  int lines = 1;
  for (size_t i = 0; i < n; i++) lines += s[i] == '\n';
  return lines;
}

int text_compare(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}
