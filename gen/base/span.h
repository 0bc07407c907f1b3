/* SPDX-License-Identifier: MIT */
/* span.h: parts of a text, which is not copied. */
#ifndef KGEN_BASE_SPAN_H
#define KGEN_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  const char *s;
  size_t len;
} Span;

/* The line at *at without its end; *at moves past it. */
Span span_line(const char **at);
bool span_starts(Span s, const char *word);
bool span_is(Span s, const char *text);
/* The number of letters, digits and underscores at its beginning. */
size_t span_word(Span s);
Span span_skip(Span s, size_t n);
Span span_skip_spaces(Span s);
bool span_is_blank(Span s);

#endif
