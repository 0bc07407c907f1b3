#include <math.h>

#include "judge/reference/reference.h"
#include "judge/value.h"

/* out[r] = the sum of in[r][...]. In any order of addition of n numbers the error is at most (n -
 * 1) u sum |x|, where u is the roundoff (Higham, Accuracy and Stability, 4.2, first order). */
void reference_vector_read(Arena *a, const Problem *p) {
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  const int64_t cols = problem_value(p, "d1");
  const int64_t rows = problem_count(p, "out");
  problem_reaches(p, "in", rows * cols, "in");
  problem_reaches(p, "out", rows, "in");
  if (problem_is_dry_run(p)) return;
  const Dtype *type = in->spec->dtype;
  out->bound = ARENA_ARRAY(a, double, (size_t)rows);
  for (int64_t r = 0; r < rows; r++) {
    long double sum = 0, magnitude = 0;
    for (int64_t c = 0; c < cols; c++) {
      const double x = value_decode(type, in->in + (r * cols + c) * type->bytes, 0);
      sum += x;
      magnitude += fabs(x);
    }
    value_encode(type, (double)sum, 0, out->want + r * type->bytes);
    out->bound[r] = (double)((long double)cols * magnitude) * value_roundoff(type);
  }
}
