/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "judge/reference/reference.h"
#include "judge/value.h"

typedef struct {
  double re, im;
} Complex;

/* root[k] = exp(sign 2 pi i k / n). */
static const Complex *make_roots(Arena *a, int64_t n, int sign) {
  Complex *root = ARENA_ARRAY(a, Complex, (size_t)n);
  for (int64_t k = 0; k < n; k++) {
    const double angle = 2 * acos(-1) * (double)k / (double)n;
    root[k] = (Complex){cos(angle), sign * sin(angle)};
  }
  return root;
}

/* By definition, term by term. */
static Complex transform(const Complex *x, const Complex *root, int64_t n, int64_t k) {
  Complex sum = {0, 0};
  for (int64_t j = 0, turn = 0; j < n; j++, turn = (turn + k) & (n - 1)) { /* n is a power of two */
    const Complex w = root[turn];
    sum.re += x[j].re * w.re - x[j].im * w.im;
    sum.im += x[j].re * w.im + x[j].im * w.re;
  }
  return sum;
}

/* Each of the log2 n halvings rounds a sum, a root and a product: at most 5 u, where u is the
 * roundoff. A stage of radix 8 or 16 (one per three or four halvings) multiplies by a product of up
 * to 4 roots. With the roundings between them these have 3 u each: at most 20 u. The total is below
 * 10 u log2 n times the largest possible result, sum |x|. */
static const double roundings_per_halving = 10;

/* Reads a transform's points; returns the sum of their magnitudes. */
static double read_points(const Buffer *in, int64_t first, int64_t n, Complex *x) {
  const Dtype *type = in->spec->dtype;
  double magnitude = 0;
  for (int64_t j = 0; j < n; j++) {
    const unsigned char *element = in->in + (first + j) * type->bytes;
    x[j] = (Complex){value_decode(type, element, 0), value_decode(type, element, 1)};
    magnitude += hypot(x[j].re, x[j].im);
  }
  return magnitude;
}

void reference_fft(Arena *a, const Problem *p) {
  const int64_t n = problem_value(p, "points"), batch = problem_value(p, "batch");
  const int sign = problem_value(p, "inverse") ? 1 : -1;
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  problem_reaches(p, "in", batch * n, "in");
  problem_reaches(p, "out", batch * n, "out");
  if (problem_is_dry_run(p)) return;
  const Dtype *type = out->spec->dtype;
  const Complex *root = make_roots(a, n, sign);
  Complex *x = ARENA_ARRAY(a, Complex, (size_t)n);
  out->bound = ARENA_ARRAY(a, double, (size_t)out->count);
  for (int64_t first = 0; first < batch * n; first += n) {
    const double magnitude = read_points(in, first, n, x);
    for (int64_t k = 0; k < n; k++) {
      const Complex sum = transform(x, root, n, k);
      value_encode(type, sum.re, 0, out->want + (first + k) * type->bytes);
      value_encode(type, sum.im, 1, out->want + (first + k) * type->bytes);
      out->bound[first + k] =
          roundings_per_halving * log2((double)n) * value_roundoff(type) * magnitude;
    }
  }
}
