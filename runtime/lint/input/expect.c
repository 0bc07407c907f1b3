/* SPDX-License-Identifier: MIT */
#include "lint/input/expect.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "judge/value.h"

/* The error of one part of an element; 0 if the two are equal within the tolerance. */
static double part_error(const Dtype *t, const char *got, const char *want, int part) {
  const double g = value_decode(t, got, part), w = value_decode(t, want, part);
  if (g == w || (isnan(g) && isnan(w))) return 0;
  const double error = fabs(g - w) / fmax(1, fabs(w));
  return isnan(error) ? INFINITY : error;
}

static double element_error(const Dtype *t, const char *got, const char *want) {
  double worst = 0;
  for (int part = 0; part < value_parts(t); part++)
    worst = fmax(worst, part_error(t, got, want, part));
  return worst;
}

static const char *text_of(Arena *a, const Dtype *t, const char *element) {
  Text out = text_new(a);
  if (t)
    value_print(&out, t, element);
  else
    text_printf(&out, "0x%02x", (unsigned)(unsigned char)*element);
  return out.s;
}

LintOutput lint_output_compare(Arena *a, const Dtype *dtype, double tolerance, const void *got,
                               const void *want, uint64_t bytes) {
  const uint64_t size = dtype ? (uint64_t)dtype->bytes : 1;
  LintOutput o = {.dtype = dtype, .count = bytes / size};
  for (uint64_t i = 0; i < o.count; i++) {
    const char *g = (const char *)got + i * size, *w = (const char *)want + i * size;
    if (memcmp(g, w, size) == 0) continue;
    const double error = dtype ? element_error(dtype, g, w) : 0;
    if (error > o.error) o.error = error;
    if (dtype && tolerance > 0 && error <= tolerance) continue;
    if (o.different++) continue;
    o.first = i;
    o.got = text_of(a, dtype, g);
    o.want = text_of(a, dtype, w);
  }
  return o;
}

const char *lint_output_text(Arena *a, const LintOutput *o, const char *expected) {
  const char *what = o->dtype ? o->dtype->name : "bytes";
  if (!o->different && o->error > 0)
    return arena_printf(a, "%" PRIu64 " %s within the tolerance, the largest error %.2g", o->count,
                        what, o->error);
  if (!o->different) return arena_printf(a, "%" PRIu64 " %s equal", o->count, what);
  return arena_printf(a,
                      "%" PRIu64 " of %" PRIu64 " %s differ, the first at %" PRIu64 ": %s, %s %s",
                      o->different, o->count, what, o->first, o->got, expected, o->want);
}

void lint_output_json(Json *j, const LintOutput *o, const char *got, const char *want) {
  json_line(j, NULL);
  json_string(j, "name", o->name);
  json_string(j, "dtype", o->dtype ? o->dtype->name : NULL);
  json_int(j, "count", (int64_t)o->count);
  json_int(j, "different", (int64_t)o->different);
  if (o->different) {
    json_int(j, "first", (int64_t)o->first);
    json_string(j, got, o->got);
    json_string(j, want, o->want);
  }
  json_real(j, "error", o->error);
  json_end(j);
}
