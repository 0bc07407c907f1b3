#include <string.h>

#include "judge/reference/reference.h"

/* out[i] = in[i * stride] */
void reference_banks(Arena *a, const Problem *p) {
  (void)a;
  const int64_t stride = problem_value(p, "stride");
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  const int64_t count = problem_count(p, "out");
  problem_reaches(p, "in", (count - 1) * stride + 1, "in");
  problem_reaches(p, "out", count, "in");
  if (problem_is_dry_run(p)) return;
  const int bytes = in->spec->dtype->bytes;
  for (int64_t i = 0; i < count; i++)
    memcpy(out->want + i * bytes, in->in + i * stride * bytes, (size_t)bytes);
}
