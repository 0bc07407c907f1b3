/* SPDX-License-Identifier: MIT */
#include "libcuda/image/jit_log.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* CUjit_option: a buffer is followed by its size. */
enum { INFO_BUFFER = 3, INFO_BYTES, ERROR_BUFFER, ERROR_BYTES };

/* *used includes the terminating NUL only if the text was truncated. The buffer is never read: the
 * program owns it and may have overwritten it. */
static void put(JitBuffer *b, const char *text) {
  const size_t left = b->room - 1 - b->filled, more = strlen(text);
  const size_t n = more < left ? more : left;
  memcpy(b->text + b->filled, text, n);
  b->filled += n;
  b->text[b->filled] = '\0';
  *b->used = (void *)(uintptr_t)(b->filled + (more > left));
}

static bool begin(JitBuffer *b) {
  if (!b->text) return true;
  if (!b->room) return false;
  put(b, "");
  return true;
}

CUresult jit_log_new(unsigned options, const int *option, void **value, JitLog *out) {
  *out = (JitLog){0};
  for (unsigned i = 0; option && value && i < options; i++) {
    JitBuffer *b = option[i] <= INFO_BYTES ? &out->info : &out->error;
    if (option[i] == INFO_BUFFER || option[i] == ERROR_BUFFER) b->text = value[i];
    if (option[i] != INFO_BYTES && option[i] != ERROR_BYTES) continue;
    b->room = (uint32_t)(uintptr_t)value[i];
    b->used = &value[i];
  }
  return begin(&out->info) && begin(&out->error) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void jit_log_error(JitLog *log, const char *line) {
  JitBuffer *b = log ? &log->error : NULL;
  if (!b || !b->text) return;
  if (b->filled) put(b, "\n");
  put(b, line);
}
