/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "judge/reference/reference.h"
#include "judge/reference/sum.h"
#include "judge/value.h"

/* The number of additions between an element and the result: within its thread over the iterations;
 * in the tree of at most 1,024 threads; and the same again in the last block, over all blocks'
 * results. */
static int64_t depth_of(int64_t count, int64_t blocks, int64_t threads, int64_t items) {
  enum { TREE = 10 };
  const int64_t turns = count / (blocks * threads * items) + 1;
  return turns * (items + 1) + TREE + blocks / threads + 1 + TREE;
}

static void reduce_sum(Arena *a, const Buffer *in, Buffer *out, int64_t depth) {
  const Dtype *t = in->spec->dtype, *result = out->spec->dtype;
  Sum sum = {0};
  for (int64_t i = 0; i < in->count; i++) sum_add(&sum, t, in->in + i * t->bytes);
  sum_store(&sum, result, out->want);
  if (sum_is_integer(t)) return;
  out->bound = ARENA_ARRAY(a, double, (size_t)out->count);
  out->bound[0] = sum_bound(&sum, result, depth);
}

/* True if x < y, comparing all 64 bits, which a double cannot represent. */
static bool is_less(const Dtype *t, const unsigned char *x, const unsigned char *y) {
  if (!sum_is_integer(t) || t->bytes < 8) return value_decode(t, x, 0) < value_decode(t, y, 0);
  const uint64_t flip = t->name[0] == 'i' ? UINT64_C(1) << 63 : 0;
  uint64_t a, b;
  memcpy(&a, x, sizeof a);
  memcpy(&b, y, sizeof b);
  return (a ^ flip) < (b ^ flip);
}

/* The minimum or maximum element, written in the result's type: unchanged, or fp16 as f32. */
static void reduce_extreme(const Buffer *in, Buffer *out, bool greatest) {
  const Dtype *t = in->spec->dtype, *result = out->spec->dtype;
  const unsigned char *best = in->in;
  for (int64_t i = 1; i < in->count; i++) {
    const unsigned char *x = in->in + i * t->bytes;
    if (greatest ? is_less(t, best, x) : is_less(t, x, best)) best = x;
  }
  const float f = (float)value_decode(t, best, 0);
  if (t->bytes == result->bytes)
    memcpy(out->want, best, (size_t)t->bytes);
  else
    memcpy(out->want, &f, sizeof f);
}

void reference_reduce(Arena *a, const Problem *p) {
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  const int64_t operation = problem_value(p, "operation"), threads = problem_value(p, "threads");
  const int64_t items = problem_value(p, "vector") * problem_value(p, "unroll");
  problem_reaches(p, "out", 1, "out");
  if (problem_is_dry_run(p)) return;
  if (operation == 0)
    reduce_sum(a, in, out, depth_of(in->count, p->blocks, threads, items));
  else
    reduce_extreme(in, out, operation == 2);
}
