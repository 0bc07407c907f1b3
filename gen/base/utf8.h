/* SPDX-License-Identifier: MIT */
/* utf8.h: text as a terminal shows it: characters, their width in cells, and lines as YAML counts
 * them. Every function stops at `end` and counts each malformed byte as one character. */
#ifndef KGEN_BASE_UTF8_H
#define KGEN_BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

enum { UTF8_BAD = 0x110000 }; /* result of decoding a malformed byte */

/* Decodes the character at s < end; *bytes: its length, at least 1. */
uint32_t utf8_decode(const char *s, const char *end, int *bytes);
int utf8_count(const char *s, const char *end);
const char *utf8_skip(const char *s, const char *end, int count);
/* No control character, line break, direction mark or invisible tag; not malformed. */
bool utf8_printable(uint32_t c);
/* The number of terminal cells: 0 for combining marks, 2 for East Asian wide characters, else 1. */
int utf8_width(uint32_t c);
/* Lines end at LF, CR, CR LF, U+0085, U+2028 and U+2029, as in YAML 1.1. */
const char *utf8_line_end(const char *s, const char *end);
const char *utf8_next_line(const char *s, const char *end);

#endif
