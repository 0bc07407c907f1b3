/* SPDX-License-Identifier: MIT */
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
  bool screen; /* text_printf() treats every %s as foreign */
} Text;

Text text_new(Arena *a);
/* Text for a terminal: text_printf() writes each %s as text_foreign() does, for TEXT_SCREEN. Text
 * of kgen's own that has colors or several lines goes in by text_puts(). */
Text text_screen(Arena *a);
void text_add(Text *t, const char *s, size_t n);
void text_puts(Text *t, const char *s);
void text_printf(Text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* --- foreign text: paths, names in PTX, contents of files, messages of other programs --- */

typedef enum {
  TEXT_SCREEN,   /* one line of a terminal */
  TEXT_MARKDOWN, /* a cell of GitHub's Markdown, or text on one line: nothing in it is markup */
  TEXT_CSV,      /* a whole cell, in quotes if it needs them; never a formula */
  TEXT_JSON,     /* a whole string with its quotes, in ASCII wherever YAML reads it differently */
  TEXT_XML       /* an attribute's value, or text in an element */
} TextKind;

/* The only function that writes foreign text. For a reader, '?' replaces each character that could
 * steer a terminal or deceive the eye: controls, line breaks, direction marks, malformed bytes. */
void text_foreign(Text *t, TextKind kind, const char *s, size_t n);
/* Such text for a terminal, of a string; NULL of NULL. */
const char *text_clean(Arena *a, const char *s);
/* The whole of a text for a terminal, which may have lines and colors of kgen's own: a last filter
 * for what was written by text_puts(). */
void text_show(Text *out, const char *s, size_t n);

/* --- of any string --- */

/* The number of lines in n bytes: the number of line ends plus one. */
int text_lines(const char *s, size_t n);
/* Compares two `const char *`, for qsort(). */
int text_compare(const void *a, const void *b);

static inline bool text_begins_with(const char *s, const char *start) {
  return strncmp(s, start, strlen(start)) == 0;
}

static inline bool text_ends_with(const char *s, const char *end) {
  const size_t n = strlen(s), m = strlen(end);
  return n >= m && strcmp(s + n - m, end) == 0;
}

/* True if the character may be part of a C identifier. */
static inline bool text_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

#endif
