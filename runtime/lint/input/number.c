/* SPDX-License-Identifier: MIT */
#include "lint/input/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool lint_number_count(const char *s, uint64_t *out, const char **end) {
  char *stop;
  errno = 0;
  *out = strtoull(s, &stop, 0);
  *end = stop;
  return stop != s && errno == 0 && *s >= '0' && *s <= '9';
}

LintNumber lint_number_of(uint64_t n) { return (LintNumber){(double)n, true, false, n}; }

/* Reads -digits or -0xdigits, up to `end`; as in strtod, a leading 0 does not mean octal. */
static bool read_whole(const char *s, const char *end, LintNumber *out) {
  char *stop;
  out->negative = *s == '-';
  if (*s == '-' || *s == '+') s++;
  if (*s < '0' || *s > '9') return false;
  errno = 0;
  out->size = strtoull(s, &stop, s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10);
  return errno == 0 && stop == end;
}

/* Recognizes whole numbers in other forms, such as 1e3. */
static bool whole_of_real(LintNumber *out) {
  if (!(fabs(out->real) < 0x1p64) || out->real != trunc(out->real)) return false;
  out->negative = out->real < 0;
  out->size = (uint64_t)fabs(out->real);
  return true;
}

bool lint_number_read(const char *s, const char **end, LintNumber *out) {
  char *stop;
  *end = s;
  if (!*s || strchr(" \t\n", *s)) return false;
  *out = (LintNumber){.real = strtod(s, &stop)};
  if (strncmp(stop, ".", 1) == 0 && stop[-1] == '.')
    stop--; /* "1..2" is 1 and 2, not "1." and ".2" */
  *end = stop;
  out->whole = read_whole(s, stop, out) || whole_of_real(out);
  return stop > s;
}

LintNumber lint_number_after(LintNumber a, LintNumber b, uint64_t n) {
  LintNumber sum = {.real = a.real + b.real * (double)n}, by = b;
  if (!a.whole || !b.whole || __builtin_mul_overflow(b.size, n, &by.size)) return sum;
  sum.negative = a.negative;
  sum.whole = true;
  if (a.negative == b.negative) {
    sum.whole = !__builtin_add_overflow(a.size, by.size, &sum.size);
  } else {
    sum.size = a.size >= by.size ? a.size - by.size : by.size - a.size;
    if (a.size < by.size) sum.negative = b.negative;
  }
  return sum;
}

bool lint_number_less(LintNumber a, LintNumber b) {
  const bool below = a.negative && a.size, under = b.negative && b.size;
  if (below != under) return below;
  return below ? a.size > b.size : a.size < b.size;
}

bool lint_number_fits(LintNumber n, const Dtype *t) {
  const int bits = 8 * t->bytes;
  if (!n.whole) return false;
  if (t->name[0] == 'u') return n.size <= UINT64_MAX >> (64 - bits) && !(n.negative && n.size);
  return n.size <= (UINT64_C(1) << (bits - 1)) - !n.negative;
}

uint64_t lint_number_bits(LintNumber n) { return n.negative ? 0 - n.size : n.size; }

const char *lint_number_text(Arena *a, LintNumber n) {
  if (!n.whole) return arena_printf(a, "%.17g", n.real);
  return arena_printf(a, "%s%" PRIu64, n.negative ? "-" : "", n.size);
}
