/* SPDX-License-Identifier: MIT */
#include "lint/input/map.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { UNIT = 16 };
#define MOST (UINT64_C(1) << 41)

/* Parses AxBxC; returns their number, or 0. */
static int read_list(const char *text, uint64_t out[TENSOR_MAX_RANK]) {
  for (int n = 0; n < TENSOR_MAX_RANK; n++) {
    char *end;
    errno = 0;
    out[n] = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)*text) || errno || out[n] > MOST) return 0;
    if (!*end) return n + 1;
    if (*end != 'x') return 0;
    text = end + 1;
  }
  return 0;
}

static const char *read_dims(LintMap *m, const char *text) {
  m->map.rank = read_list(text, m->map.dim);
  return m->map.rank ? NULL : "dims=AxB..., 1 to 5 numbers, the innermost first";
}

static const char *read_small(const LintMap *m, const char *text, uint32_t out[TENSOR_MAX_RANK],
                              const char *what) {
  uint64_t list[TENSOR_MAX_RANK];
  if (read_list(text, list) != m->map.rank) return what;
  for (int i = 0; i < m->map.rank; i++)
    out[i] = list[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)list[i];
  return NULL;
}

static const char *read_strides(LintMap *m, const char *text) {
  uint64_t list[TENSOR_MAX_RANK];
  const int count = read_list(text, list);
  for (int i = 0; i < count && i + 1 < TENSOR_MAX_RANK; i++) m->map.stride[i + 1] = list[i];
  if (count == m->map.rank - 1) return NULL;
  return "strides=AxB..., in bytes, of all dimensions but the innermost";
}

static const char *read_swizzle(LintMap *m, const char *text) {
  uint64_t list[TENSOR_MAX_RANK];
  if (read_list(text, list) != 1 || list[0] > 128) return "swizzle=0, 32, 64 or 128";
  m->map.swizzle = (int)list[0];
  return NULL;
}

/* Parses one KEY=VALUE after the type; dims must precede lists with one entry per dimension. */
static const char *read_key(LintMap *m, const char *key) {
  if (strncmp(key, "dims=", 5) == 0) return read_dims(m, key + 5);
  if (strncmp(key, "box=", 4) == 0)
    return read_small(m, key + 4, m->map.box, "box=AxB..., as many as dims, which come first");
  if (strncmp(key, "steps=", 6) == 0)
    return read_small(m, key + 6, m->map.step, "steps=AxB..., as many as dims, which come first");
  if (strncmp(key, "strides=", 8) == 0) return read_strides(m, key + 8);
  if (strncmp(key, "swizzle=", 8) == 0) return read_swizzle(m, key + 8);
  if (strncmp(key, "at=", 3) == 0 && key[3]) {
    m->at = key + 3;
    return NULL;
  }
  m->zero |= strcmp(key, "zero") == 0;
  m->map.fill_nan |= strcmp(key, "fill=nan") == 0;
  const bool known = strcmp(key, "zero") == 0 || strcmp(key, "fill=nan") == 0;
  return known ? NULL : "dims=, box=, strides=, steps=, swizzle=, fill=nan, zero or at=BUFFER";
}

/* Fills in missing steps with 1, and missing strides densely. */
static void complete(TensorMap *m) {
  uint64_t dense = m->dim[0] * (uint64_t)tensor_type_bytes(m->type);
  for (int i = 0; i < m->rank; i++) {
    if (!m->step[i]) m->step[i] = 1;
    if (i && !m->stride[i]) m->stride[i] = number_up_bytes(dense, UNIT);
    if (i) dense = m->stride[i] * m->dim[i];
  }
}

static bool read_type(const char *name, TensorType *out) {
  const Dtype *dtype = dtype_find(name);
  return dtype && tensor_type_of(dtype, out);
}

bool lint_map_read(Arena *a, const char *text, LintMap *out, const char **why) {
  char *rest = arena_strndup(a, text, strlen(text)), *key = strchr(rest, ':');
  *out = (LintMap){.map = {.rank = 0}};
  if (key) *key++ = '\0';
  *why = read_type(rest, &out->map.type) ? NULL : "tmap:DTYPE:dims=...:box=..., DTYPE as in specs";
  while (key && !*why) {
    char *next = strchr(key, ':');
    if (next) *next++ = '\0';
    *why = read_key(out, key);
    key = next;
  }
  if (!*why) complete(&out->map);
  if (!*why) *why = out->map.rank ? tensor_map_refusal(&out->map) : "a tensor map without dims=";
  return !*why;
}

uint64_t lint_map_bytes(const TensorMap *m) {
  uint64_t bytes = m->dim[0] * (uint64_t)tensor_type_bytes(m->type);
  for (int i = 1; i < m->rank; i++) bytes += m->stride[i] * (m->dim[i] - 1);
  return number_up_bytes(bytes, UNIT);
}
