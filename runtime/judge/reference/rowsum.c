#include "judge/reference/reference.h"
#include "judge/reference/sum.h"

/* The number of additions between an element and the sum of its row: within a lane, and over 32
 * lanes. */
static int64_t depth_of(int64_t cols, int64_t vector, int64_t unroll) {
  return cols / 32 + vector * unroll + 1 + 32;
}

/* out[r] = in[r][0] + in[r][1] + ... */
void reference_rowsum(Arena *a, const Problem *p) {
  const int64_t rows = problem_value(p, "rows"), cols = problem_value(p, "cols");
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  const int64_t depth = depth_of(cols, problem_value(p, "vector"), problem_value(p, "unroll"));
  problem_reaches(p, "in", rows * cols, "in");
  problem_reaches(p, "out", rows, "in");
  if (problem_is_dry_run(p)) return;
  const Dtype *t = in->spec->dtype;
  out->bound = ARENA_ARRAY(a, double, (size_t)out->count);
  for (int64_t r = 0; r < rows; r++) {
    Sum sum = {0};
    for (int64_t c = 0; c < cols; c++) sum_add(&sum, t, in->in + (r * cols + c) * t->bytes);
    sum_store(&sum, t, out->want + r * t->bytes);
    out->bound[r] = sum_bound(&sum, t, depth);
  }
}
