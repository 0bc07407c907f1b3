/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <string.h>

/* The length of a sequence, from its first byte, or 0; *least: the first code point that needs this
 * many bytes. */
static int sequence_length(unsigned char first, uint32_t *bits, uint32_t *least) {
  static const struct {
    unsigned char mask, head;
    uint32_t least;
  } form[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
  for (int i = 0; i < 4; i++)
    if ((first & form[i].mask) == form[i].head) {
      *bits = first & (unsigned char)~form[i].mask;
      *least = form[i].least;
      return i + 1;
    }
  return 0;
}

uint32_t utf8_decode(const char *s, const char *end, int *bytes) {
  uint32_t c = 0, least = 0;
  const int n = sequence_length((unsigned char)*s, &c, &least);
  *bytes = 1;
  if (n == 0 || end - s < n) return UTF8_BAD;
  for (int i = 1; i < n; i++) {
    const unsigned char b = (unsigned char)s[i];
    if ((b & 0xc0) != 0x80) return UTF8_BAD;
    c = c << 6 | (b & 0x3f);
  }
  if (c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return UTF8_BAD;
  *bytes = n;
  return c;
}

const char *utf8_skip(const char *s, const char *end, int count) {
  for (int bytes; count > 0 && s < end; count--, s += bytes) utf8_decode(s, end, &bytes);
  return s;
}

int utf8_count(const char *s, const char *end) {
  int n = 0;
  for (int bytes; s < end; n++, s += bytes) utf8_decode(s, end, &bytes);
  return n;
}

typedef struct {
  uint32_t first, last;
} Range;

static bool in_ranges(uint32_t c, const Range *r, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (c >= r[i].first && c <= r[i].last) return true;
  return false;
}

bool utf8_printable(uint32_t c) {
  static const Range hidden[] = {
      {0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},   {0x2028, 0x202e},
      {0x2066, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xffff}, {0xe0000, 0xe007f},
  };
  return c < UTF8_BAD && !in_ranges(c, hidden, sizeof(hidden) / sizeof(*hidden));
}

/* Source: Unicode's EastAsianWidth W and F, and the general category Mn, by block. */
int utf8_width(uint32_t c) {
  static const Range none[] = {
      {0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}};
  static const Range wide[] = {
      {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xac00, 0xd7a3},
      {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
      {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
  };
  if (c < 0x300) return 1;
  if (in_ranges(c, none, sizeof(none) / sizeof(*none))) return 0;
  return in_ranges(c, wide, sizeof(wide) / sizeof(*wide)) ? 2 : 1;
}

/* The length of the line break at s; 0 if there is none. */
static int break_length(const char *s, const char *end) {
  if (*s == '\n') return 1;
  if (*s == '\r') return end - s > 1 && s[1] == '\n' ? 2 : 1;
  if (end - s > 1 && memcmp(s, "\xc2\x85", 2) == 0) return 2;
  if (end - s > 2 && memcmp(s, "\xe2\x80", 2) == 0 && (s[2] == '\xa8' || s[2] == '\xa9')) return 3;
  return 0;
}

const char *utf8_line_end(const char *s, const char *end) {
  while (s < end && break_length(s, end) == 0) s++;
  return s;
}

const char *utf8_next_line(const char *s, const char *end) {
  s = utf8_line_end(s, end);
  return s < end ? s + break_length(s, end) : s;
}
