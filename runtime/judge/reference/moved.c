/* SPDX-License-Identifier: MIT */
/* References of templates that move elements. */
#include <string.h>

#include "judge/reference/reference.h"

void reference_copy(Arena *a, const Problem *p) {
  (void)a;
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  if (problem_is_dry_run(p)) return;
  memcpy(out->want, in->in, in->bytes < out->bytes ? in->bytes : out->bytes);
}

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
