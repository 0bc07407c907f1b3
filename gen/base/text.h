/* text.h: a growing, always NUL-terminated string in an arena. */
#ifndef KGEN_TEXT_H
#define KGEN_TEXT_H

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

#endif
