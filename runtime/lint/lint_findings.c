#include "lint/lint_findings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* One finding for what a compiler made of one line: an unrolled loop that lacks a barrier has a
 * hundred instructions at fault, and one cause. */
typedef struct {
  LintPlace at;
  int order; /* in the text of the PTX */
  EmuFinding finding;
} Found;

/* Behind a number, hexadecimal ones included. */
static const char *skip_number(const char *s) {
  while (isxdigit((unsigned char)*s) || *s == 'x') s++;
  return s;
}

static bool names_line(const char *message, const char *at) {
  static const char word[] = "line ";
  const size_t n = sizeof word - 1;
  return (size_t)(at - message) >= n && memcmp(at - n, word, n) == 0;
}

/* Equal but for addresses, threads and sizes; the other side's line counts. */
static bool says_the_same(const char *a, const char *b) {
  const char *const message = a;
  while (*a && *b) {
    const bool number = isdigit((unsigned char)*a) && isdigit((unsigned char)*b);
    if (number && !names_line(message, a)) {
      a = skip_number(a);
      b = skip_number(b);
    } else if (*a++ != *b++) {
      return false;
    }
  }
  return *a == *b;
}

static bool is_same(const Found *a, const Found *b) {
  return lint_place_compare(a->at, b->at) == 0 && a->finding.kind == b->finding.kind &&
         says_the_same(a->finding.message, b->finding.message);
}

/* Blocks run in the order of z, y, x. */
static bool is_earlier(const EmuFinding *a, const EmuFinding *b) {
  for (int d = 2; d >= 0; d--)
    if (a->block[d] != b->block[d]) return a->block[d] < b->block[d];
  return false;
}

static void merge(Found *into, const Found *more) {
  const uint64_t count = into->finding.count + more->finding.count;
  if (is_earlier(&more->finding, &into->finding)) into->finding = more->finding;
  into->finding.count = count;
}

static int by_place(const void *a, const void *b) {
  const Found *x = a, *y = b;
  const int order = lint_place_compare(x->at, y->at);
  return order ? order : x->order - y->order;
}

static void add(LintSource *s, Found *all, int *count, const EmuFinding *f) {
  const Found new = {lint_source_place(s, f->file, f->line, f->ptx_line), *count, *f};
  for (int i = 0; i < *count; i++) {
    if (!is_same(&all[i], &new)) continue;
    merge(&all[i], &new);
    return;
  }
  all[(*count)++] = new;
}

EmuFinding *lint_findings(Arena *a, LintSource *s, const EmuResult *result, int *count) {
  Found *all = ARENA_ARRAY(a, Found, (size_t)result->findings + 1);
  EmuFinding *merged = ARENA_ARRAY(a, EmuFinding, (size_t)result->findings + 1);
  *count = 0;
  for (int i = 0; i < result->findings; i++) add(s, all, count, &result->finding[i]);
  qsort(all, (size_t)*count, sizeof *all, by_place);
  for (int i = 0; i < *count; i++) merged[i] = all[i].finding;
  return merged;
}
