/* text.h: a growing, always NUL-terminated string in an arena. */
#ifndef KGEN_BASE_TEXT_H
#define KGEN_BASE_TEXT_H

#include <ctype.h>
#include <string.h>

#include "base/arena.h"

typedef struct {
  Arena *arena;
  char *s;
  size_t len, cap;
} Text;

Text text_new(Arena *a);
void text_add(Text *t, const char *s, size_t n);
void text_puts(Text *t, const char *s);
void text_printf(Text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* --- of any string --- */

/* How many lines n bytes are: one more than they have line ends. */
int text_lines(const char *s, size_t n);
/* The order of two `const char *`, for qsort. */
int text_compare(const void *a, const void *b);

static inline bool text_begins_with(const char *s, const char *start) {
  return strncmp(s, start, strlen(start)) == 0;
}

static inline bool text_ends_with(const char *s, const char *end) {
  const size_t n = strlen(s), m = strlen(end);
  return n >= m && strcmp(s + n - m, end) == 0;
}

/* Whether C's names may hold it. */
static inline bool text_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

#endif
