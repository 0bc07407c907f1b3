#include <string.h>

#include "judge/reference/reference.h"

/* out[f][i] = in[i][f]; each field's array is followed by padding, which is not written. */
void reference_aos_to_soa(Arena *a, const Problem *p) {
  (void)a;
  const int64_t count = problem_value(p, "count"), fields = problem_value(p, "fields");
  const int64_t pitch = count + problem_value(p, "pad");
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  problem_reaches(p, "in", count * fields, "in");
  problem_reaches(p, "out", (fields - 1) * pitch + count, "in");
  if (problem_is_dry_run(p)) return;
  const size_t bytes = (size_t)in->spec->dtype->bytes;
  for (int64_t i = 0; i < count; i++)
    for (int64_t f = 0; f < fields; f++)
      memcpy(out->want + (size_t)(f * pitch + i) * bytes, in->in + (size_t)(i * fields + f) * bytes,
             bytes);
}
