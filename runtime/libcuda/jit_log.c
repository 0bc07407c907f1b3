#include "libcuda/jit_log.h"

#include <stdint.h>
#include <string.h>

/* CUjit_option: a buffer's size comes after it. */
enum { INFO_BUFFER = 3, INFO_BYTES, ERROR_BUFFER, ERROR_BYTES };

static void put(JitBuffer *b, const char *line) {
  if (!b->text || !b->room) return;
  const size_t old = strlen(b->text), left = b->room - 1 - old, more = strlen(line);
  const size_t n = more < left ? more : left;
  memcpy(b->text + old, line, n);
  b->text[old + n] = '\0';
  if (b->used) *b->used = (void *)(uintptr_t)(old + n);
}

static void begin(JitBuffer *b) {
  if (!b->text || !b->room) return;
  *b->text = '\0';
  put(b, "");
}

JitLog jit_log_new(unsigned options, const int *option, void **value) {
  JitLog log = {0};
  for (unsigned i = 0; option && value && i < options; i++) {
    JitBuffer *b = option[i] <= INFO_BYTES ? &log.info : &log.error;
    if (option[i] == INFO_BUFFER || option[i] == ERROR_BUFFER) b->text = value[i];
    if (option[i] != INFO_BYTES && option[i] != ERROR_BYTES) continue;
    b->room = (uint32_t)(uintptr_t)value[i];
    b->used = &value[i];
  }
  begin(&log.info);
  begin(&log.error);
  return log;
}

void jit_log_error(JitLog *log, const char *line) {
  if (!log) return;
  put(&log->error, line);
  put(&log->error, "\n");
}
