#include <string.h>

#include "judge/reference/reference.h"

/* out[i] = in[i][field]. */
void reference_member(Arena *a, const Problem *p) {
  (void)a;
  const int64_t fields = problem_value(p, "fields"), field = problem_value(p, "field");
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  const int64_t count = problem_count(p, "out");
  problem_reaches(p, "in", (count - 1) * fields + field + 1, "in");
  problem_reaches(p, "out", count, "in");
  if (problem_is_dry_run(p)) return;
  const size_t bytes = (size_t)in->spec->dtype->bytes;
  for (int64_t i = 0; i < count; i++)
    memcpy(out->want + (size_t)i * bytes, in->in + (size_t)(i * fields + field) * bytes, bytes);
}
