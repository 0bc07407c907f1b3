#include "judge/reference/reference.h"
#include "judge/reference/sum.h"

/* The number of additions between an element and a sum that includes it: up and down the rounds of
 * at most 2,048 elements, and once per part of the row. */
static int64_t depth_of(const Problem *p, int64_t cols) {
  enum { ROUNDS = 11 };
  return 2 * ROUNDS + cols / problem_value(p, "threads") + 2;
}

/* out[r][c] = in[r][0] + ... + in[r][c], without the last if exclusive. */
void reference_scan_rows(Arena *a, const Problem *p) {
  const int64_t rows = problem_value(p, "rows"), cols = problem_value(p, "cols");
  const bool exclusive = problem_value(p, "exclusive") != 0;
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  const int64_t depth = depth_of(p, cols);
  problem_reaches(p, "in", rows * cols, "in");
  problem_reaches(p, "out", rows * cols, "in");
  if (problem_is_dry_run(p)) return;
  const Dtype *t = in->spec->dtype;
  out->bound = ARENA_ARRAY(a, double, (size_t)out->count);
  for (int64_t first = 0; first < rows * cols; first += cols)
    sum_scan(t, in->in + first * t->bytes, cols, exclusive, depth, out->want + first * t->bytes,
             out->bound + first);
}
