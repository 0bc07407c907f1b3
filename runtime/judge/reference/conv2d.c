/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "judge/reference/reference.h"
#include "judge/value.h"

typedef struct {
  int64_t rows, cols, radius;
  const double *in, *filter;
} Image;

static const double *decode(Arena *a, const Buffer *b) {
  double *out = ARENA_ARRAY(a, double, (size_t)b->count);
  for (int64_t i = 0; i < b->count; i++)
    out[i] = value_decode(b->spec->dtype, b->in + i * b->spec->dtype->bytes, 0);
  return out;
}

/* One output, and in *magnitude the sum of its terms' magnitudes. */
static long double convolve(const Image *m, int64_t y, int64_t x, long double *magnitude) {
  const int64_t size = 2 * m->radius + 1;
  long double sum = 0;
  *magnitude = 0;
  for (int64_t i = 0; i < size; i++)
    for (int64_t j = 0; j < size; j++) {
      const int64_t row = y + i - m->radius, col = x + j - m->radius;
      if (row < 0 || row >= m->rows || col < 0 || col >= m->cols) continue;
      const long double term = (long double)m->filter[i * size + j] * m->in[row * m->cols + col];
      sum += term;
      *magnitude += fabsl(term);
    }
  return sum;
}

/* out[y][x] = the sum over i, j of filter[i][j] * in[y + i - radius][x + j - radius]. n fused
 * multiply-adds in any order have an error of at most n u sum |terms|, where u is the roundoff
 * (Higham, Accuracy and Stability, 3.1, first order); plus one for rounding the reference. */
void reference_conv2d(Arena *a, const Problem *p) {
  Image m = {problem_value(p, "rows"), problem_value(p, "cols"), problem_value(p, "radius"), NULL,
             NULL};
  const int64_t terms = (2 * m.radius + 1) * (2 * m.radius + 1);
  const Buffer *in = problem_buffer(p, "in"), *filter = problem_buffer(p, "filter");
  Buffer *out = problem_buffer(p, "out");
  problem_reaches(p, "in", m.rows * m.cols, "in");
  problem_reaches(p, "filter", terms, "filter");
  problem_reaches(p, "out", m.rows * m.cols, "out");
  if (problem_is_dry_run(p)) return;
  m.in = decode(a, in);
  m.filter = decode(a, filter);
  const Dtype *type = out->spec->dtype;
  out->bound = ARENA_ARRAY(a, double, (size_t)out->count);
  for (int64_t y = 0; y < m.rows; y++)
    for (int64_t x = 0; x < m.cols; x++) {
      const int64_t i = y * m.cols + x;
      long double magnitude;
      value_encode(type, (double)convolve(&m, y, x, &magnitude), 0, out->want + i * type->bytes);
      out->bound[i] = (double)magnitude * (double)(terms + 1) * value_roundoff(type);
    }
}
