#include <string.h>

#include "judge/reference/reference.h"

void reference_copy(Arena *a, const Problem *p) {
  (void)a;
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  if (problem_is_dry_run(p)) return;
  memcpy(out->want, in->in, in->bytes < out->bytes ? in->bytes : out->bytes);
}
