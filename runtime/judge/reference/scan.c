#include "judge/reference/reference.h"
#include "judge/reference/sum.h"

/* The number of additions between an element and a sum that includes it: in its thread, its warp
 * and its block; and, for each tile through which the sum propagates by a window of 32, one for the
 * tile and one for the sum before it. */
static int64_t depth_of(const Problem *p) {
  enum { WARP_AND_BLOCK = 14, TILE = 7 };
  return problem_value(p, "vector") + problem_value(p, "unroll") + WARP_AND_BLOCK +
         TILE * p->blocks;
}

/* out[i] = in[0] + ... + in[i], without the last if exclusive. */
void reference_scan(Arena *a, const Problem *p) {
  const bool exclusive = problem_value(p, "exclusive") != 0;
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  const int64_t depth = depth_of(p);
  const int64_t count = problem_count(p, "out");
  problem_reaches(p, "in", count, "in");
  problem_reaches(p, "out", count, "in");
  if (problem_is_dry_run(p)) return;
  out->bound = ARENA_ARRAY(a, double, (size_t)count);
  sum_scan(in->spec->dtype, in->in, count, exclusive, depth, out->want, out->bound);
}
