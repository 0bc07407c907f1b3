#include <string.h>

#include "judge/reference/reference.h"

/* out[b][c][r] = in[b][r][c], rows of both followed by their padding, which is not written. */
void reference_transpose(Arena *a, const Problem *p) {
  (void)a;
  const int64_t rows = problem_value(p, "rows"), cols = problem_value(p, "cols");
  const int64_t batch = problem_value(p, "batch");
  const int64_t in_pitch = cols + problem_value(p, "in_pad");
  const int64_t out_pitch = rows + problem_value(p, "out_pad");
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  problem_reaches(p, "in", (batch * rows - 1) * in_pitch + cols, "in");
  problem_reaches(p, "out", (batch * cols - 1) * out_pitch + rows, "in");
  if (problem_is_dry_run(p)) return;
  const size_t bytes = (size_t)in->spec->dtype->bytes;
  for (int64_t b = 0; b < batch; b++)
    for (int64_t r = 0; r < rows; r++)
      for (int64_t c = 0; c < cols; c++) {
        const int64_t from = (b * rows + r) * in_pitch + c;
        const int64_t to = (b * cols + c) * out_pitch + r;
        memcpy(out->want + (size_t)to * bytes, in->in + (size_t)from * bytes, bytes);
      }
}
