#include <string.h>

#include "judge/reference/reference.h"

/* out[i][f] = in[f][i]; each field's array is followed by padding, which is not read. */
void reference_soa_to_aos(Arena *a, const Problem *p) {
  (void)a;
  const int64_t count = problem_value(p, "count"), fields = problem_value(p, "fields");
  const int64_t pitch = count + problem_value(p, "pad");
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  problem_reaches(p, "in", (fields - 1) * pitch + count, "in");
  problem_reaches(p, "out", count * fields, "in");
  if (problem_is_dry_run(p)) return;
  const size_t bytes = (size_t)in->spec->dtype->bytes;
  for (int64_t i = 0; i < count; i++)
    for (int64_t f = 0; f < fields; f++)
      memcpy(out->want + (size_t)(i * fields + f) * bytes, in->in + (size_t)(f * pitch + i) * bytes,
             bytes);
}
