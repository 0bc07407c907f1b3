#include "judge/reference/reference.h"
#include "judge/reference/sum.h"

/* The number of additions between an element and the sum of its column: within a thread, over the
 * block's rows, and over the chunks. A narrow strip, of up to 2048 rows, has no chunks but up to
 * three shuffles; a few long rows are added by one thread each. */
static int64_t depth_of(const Problem *p) {
  const int64_t rows = problem_value(p, "rows"), by = problem_value(p, "by");
  const int64_t chunk = problem_value(p, "chunk");
  const int64_t each = problem_value(p, "threads") * problem_value(p, "vector");
  const bool few = rows < problem_value(p, "unroll") * by && problem_value(p, "cols") > 15 * each;
  if (few) return rows;
  if (rows <= 2048) return rows / by + 1 + by + 3;
  return (rows < chunk ? rows : chunk) / by + 1 + by + rows / chunk + 1;
}

/* out[c] = in[0][c] + in[1][c] + ... */
void reference_colsum(Arena *a, const Problem *p) {
  const int64_t rows = problem_value(p, "rows"), cols = problem_value(p, "cols");
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  const int64_t depth = depth_of(p);
  problem_reaches(p, "in", rows * cols, "in");
  problem_reaches(p, "out", cols, "in");
  if (problem_is_dry_run(p)) return;
  const Dtype *t = in->spec->dtype;
  out->bound = ARENA_ARRAY(a, double, (size_t)out->count);
  for (int64_t c = 0; c < cols; c++) {
    Sum sum = {0};
    for (int64_t r = 0; r < rows; r++) sum_add(&sum, t, in->in + (r * cols + c) * t->bytes);
    sum_store(&sum, t, out->want + c * t->bytes);
    out->bound[c] = sum_bound(&sum, t, depth);
  }
}
