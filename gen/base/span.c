/* SPDX-License-Identifier: MIT */
#include "base/span.h"

#include <string.h>

#include "base/text.h"

Span span_line(const char **at) {
  const char *end = strchr(*at, '\n');
  const Span line = {*at, end ? (size_t)(end - *at) : strlen(*at)};
  *at += line.len + (end != NULL);
  return line;
}

bool span_starts(Span s, const char *word) {
  const size_t n = strlen(word);
  return s.len >= n && memcmp(s.s, word, n) == 0;
}

bool span_is(Span s, const char *text) { return span_starts(s, text) && s.len == strlen(text); }

size_t span_word(Span s) {
  size_t n = 0;
  while (n < s.len && text_is_word(s.s[n])) n++;
  return n;
}

Span span_skip(Span s, size_t n) { return (Span){s.s + n, s.len - n}; }

Span span_skip_spaces(Span s) {
  while (s.len && s.s[0] == ' ') s = span_skip(s, 1);
  return s;
}

bool span_is_blank(Span s) { return span_skip_spaces(s).len == 0; }
