/* SPDX-License-Identifier: MIT */
#include "judge/check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "judge/value.h"

enum { SHOWN = 5 };

/* The index of the first guard byte that is no longer poison, or -1. */
static int64_t first_broken(const unsigned char *guard, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (guard[i] != PROBLEM_POISON) return (int64_t)i;
  return -1;
}

static bool check_guards(const Buffer *b, const unsigned char *image, size_t guard, Text *report) {
  const int64_t before = first_broken(image, guard);
  const int64_t after = first_broken(image + guard + b->bytes, guard);
  if (before >= 0)
    text_printf(report, "  %s: written %" PRId64 " bytes before its start\n", b->spec->name,
                (int64_t)guard - before);
  if (after >= 0)
    text_printf(report, "  %s: written %" PRId64 " bytes after its end\n", b->spec->name, after);
  return before < 0 && after < 0;
}

static bool is_poison(const unsigned char *element, size_t bytes) {
  return first_broken(element, bytes) < 0;
}

/* The largest difference between the numbers of an element; infinite if only one of them is NaN. */
static double difference(const Dtype *t, const unsigned char *got, const unsigned char *want) {
  double most = 0;
  for (int part = 0; part < value_parts(t); part++) {
    const double g = value_decode(t, got, part), w = value_decode(t, want, part);
    const double d = isnan(g) && isnan(w) ? 0 : fabs(g - w);
    if (g != w && !(d <= most)) most = isnan(d) ? INFINITY : d;
  }
  return most;
}

static void show(const Buffer *b, int64_t index, const unsigned char *got,
                 const unsigned char *want, Text *report) {
  const Dtype *t = b->spec->dtype;
  const size_t bytes = (size_t)t->bytes;
  text_printf(report, "  %s[%" PRId64 "]: ", b->spec->name, index);
  if (b->spec->output && is_poison(got, bytes))
    text_puts(report, "never written");
  else {
    text_puts(report, "got ");
    value_print(report, t, got);
  }
  if (b->spec->output && is_poison(want, bytes))
    text_puts(report, ", expected to be left alone\n");
  else {
    text_puts(report, ", expected ");
    value_print(report, t, want);
    text_puts(report, "\n");
  }
}

static Check check_elements(const Buffer *b, const unsigned char *got, const unsigned char *want,
                            Text *report) {
  const size_t bytes = (size_t)b->spec->dtype->bytes;
  Check result = {.correct = true};
  int64_t wrong = 0;
  for (int64_t i = 0; i < b->count; i++, got += bytes, want += bytes) {
    if (memcmp(got, want, bytes) == 0) continue;
    const double error = difference(b->spec->dtype, got, want);
    if (error > result.max_error) result.max_error = error;
    if (b->bound && error <= b->bound[i]) continue;
    if (wrong++ < SHOWN) show(b, i, got, want, report);
  }
  if (wrong == 0) return result;
  text_printf(report, "  %s: %" PRId64 " of %" PRId64 " elements %s\n", b->spec->name, wrong,
              b->count, b->spec->output ? "wrong" : "of an input changed");
  result.correct = false;
  return result;
}

void check_merge(Check *all, const Check *one) {
  all->correct = all->correct && one->correct;
  if (one->max_error > all->max_error) all->max_error = one->max_error;
  all->digest = all->digest * 1099511628211u ^ one->digest;
}

Check check_buffer(const Buffer *b, const unsigned char *image, size_t guard, Text *report) {
  const unsigned char *want = b->spec->output ? b->want : b->in;
  const bool intact = check_guards(b, image, guard, report);
  if (b->spec->workspace) return (Check){.correct = intact};
  Check result = check_elements(b, image + guard, want, report);
  result.correct = result.correct && intact;
  if (b->spec->output)
    result.digest =
        hash_bytes(HASH_START, image + guard, (size_t)b->count * (size_t)b->spec->dtype->bytes);
  return result;
}
