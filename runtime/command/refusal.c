#include "command/refusal.h"

#include <string.h>

#include "base/span.h"

/* Removes colours. All escapes are kgen's own: a user's control characters appear as '?'. */
static const char *without_colors(Arena *a, const char *s, size_t n) {
  char *plain = ARENA_ARRAY(a, char, n + 1);
  size_t length = 0;
  for (size_t i = 0; i < n; i++) {
    if (s[i] != '\033')
      plain[length++] = s[i];
    else
      i += strcspn(s + i, "m");
  }
  return plain;
}

void refusal_put(Json *j, int exit_code, const char *messages) {
  json_object(j, "error");
  json_int(j, "exit", exit_code);
  json_array(j, "messages");
  while (*messages) {
    const Span line = span_line(&messages);
    json_string(j, NULL, without_colors(j->out->arena, line.s, line.len));
  }
  json_ends(j, 2);
}

void refusal_json(Text *out, int exit_code, const char *messages) {
  Json json = json_new(out), *j = &json;
  json_object(j, NULL);
  json_int(j, "version", 1);
  refusal_put(j, exit_code, messages);
  json_end(j);
}
