/* SPDX-License-Identifier: MIT */
/* References of templates that add the elements of rows, columns and prefixes. */
#include <math.h>

#include "judge/reference/reference.h"
#include "judge/reference/sum.h"
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

/* The number of additions between an element and a sum that includes it: in its thread, its warp
 * and its block; and, for each tile through which the sum propagates by a window of 32, one for the
 * tile and one for the sum before it. */
static int64_t scan_depth(const Problem *p) {
  enum { WARP_AND_BLOCK = 14, TILE = 7 };
  return problem_value(p, "vector") + problem_value(p, "unroll") + WARP_AND_BLOCK +
         TILE * p->blocks;
}

/* out[i] = in[0] + ... + in[i], without the last if exclusive. */
void reference_scan(Arena *a, const Problem *p) {
  const bool exclusive = problem_value(p, "exclusive") != 0;
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  const int64_t depth = scan_depth(p);
  const int64_t count = problem_count(p, "out");
  problem_reaches(p, "in", count, "in");
  problem_reaches(p, "out", count, "in");
  if (problem_is_dry_run(p)) return;
  out->bound = ARENA_ARRAY(a, double, (size_t)count);
  sum_scan(in->spec->dtype, in->in, count, exclusive, depth, out->want, out->bound);
}

/* The number of additions between an element and a sum that includes it: up and down the rounds of
 * at most 2,048 elements, and once per part of the row. */
static int64_t scan_rows_depth(const Problem *p, int64_t cols) {
  enum { ROUNDS = 11 };
  return 2 * ROUNDS + cols / problem_value(p, "threads") + 2;
}

/* out[r][c] = in[r][0] + ... + in[r][c], without the last if exclusive. */
void reference_scan_rows(Arena *a, const Problem *p) {
  const int64_t rows = problem_value(p, "rows"), cols = problem_value(p, "cols");
  const bool exclusive = problem_value(p, "exclusive") != 0;
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  const int64_t depth = scan_rows_depth(p, cols);
  problem_reaches(p, "in", rows * cols, "in");
  problem_reaches(p, "out", rows * cols, "in");
  if (problem_is_dry_run(p)) return;
  const Dtype *t = in->spec->dtype;
  out->bound = ARENA_ARRAY(a, double, (size_t)out->count);
  for (int64_t first = 0; first < rows * cols; first += cols)
    sum_scan(t, in->in + first * t->bytes, cols, exclusive, depth, out->want + first * t->bytes,
             out->bound + first);
}

/* The number of additions between an element and the sum of its row: within a lane, and over 32
 * lanes. */
static int64_t rowsum_depth(int64_t cols, int64_t vector, int64_t unroll) {
  return cols / 32 + vector * unroll + 1 + 32;
}

/* out[r] = in[r][0] + in[r][1] + ... */
void reference_rowsum(Arena *a, const Problem *p) {
  const int64_t rows = problem_value(p, "rows"), cols = problem_value(p, "cols");
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  const int64_t depth = rowsum_depth(cols, problem_value(p, "vector"), problem_value(p, "unroll"));
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

/* The number of additions between an element and the sum of its column: within a thread, over the
 * block's rows, and over the chunks. A narrow strip, of up to 2048 rows, has no chunks but up to
 * three shuffles; a few long rows are added by one thread each. */
static int64_t colsum_depth(const Problem *p) {
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
  const int64_t depth = colsum_depth(p);
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
