/* SPDX-License-Identifier: MIT */
#include "judge/reference/sum.h"

#include <math.h>
#include <string.h>

#include "judge/value.h"

bool sum_is_integer(const Dtype *t) { return t->name[0] == 'i' || t->name[0] == 'u'; }

/* The low bits of a sum do not depend on the sign. */
static uint64_t low_bits(const Dtype *t, const void *element) {
  uint64_t bits = 0;
  memcpy(&bits, element, (size_t)t->bytes);
  return bits;
}

void sum_add(Sum *s, const Dtype *t, const void *element) {
  if (sum_is_integer(t)) {
    s->bits += low_bits(t, element);
    return;
  }
  const double x = value_decode(t, element, 0), sum = s->high + x;
  s->low += fabs(s->high) >= fabs(x) ? (s->high - sum) + x : (x - sum) + s->high;
  s->high = sum;
  s->magnitude += fabs(x);
}

void sum_store(const Sum *s, const Dtype *t, void *element) {
  if (sum_is_integer(t))
    memcpy(element, &s->bits, (size_t)t->bytes);
  else
    value_encode(t, s->high + s->low, 0, element);
}

double sum_bound(const Sum *s, const Dtype *t, int64_t depth) {
  if (sum_is_integer(t)) return 0;
  const double factor = (double)(depth + 1) * value_roundoff(t);
  return factor / (1 - factor) * s->magnitude;
}

void sum_scan(const Dtype *t, const unsigned char *in, int64_t count, bool exclusive, int64_t depth,
              unsigned char *want, double *bound) {
  Sum sum = {0};
  for (int64_t i = 0; i < count; i++, in += t->bytes, want += t->bytes) {
    if (!exclusive) sum_add(&sum, t, in);
    sum_store(&sum, t, want);
    bound[i] = sum_bound(&sum, t, depth);
    if (exclusive) sum_add(&sum, t, in);
  }
}
