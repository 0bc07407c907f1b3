/* SPDX-License-Identifier: MIT */
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

static void put_error(Json *j, const DiagEntry *e) {
  static const char *const kind[] = {
      [DIAG_INPUT] = "input", [DIAG_ARGUMENT] = "argument", [DIAG_REJECTED] = "rejected"};
  json_line(j, NULL);
  json_string(j, "kind", kind[e->kind]);
  if (e->loc.source) json_string(j, "file", e->loc.source->path);
  if (e->loc.line) json_int(j, "line", e->loc.line);
  if (e->loc.col) json_int(j, "col", e->loc.col);
  json_string(j, "message", e->text);
  if (e->hint) json_string(j, "hint", e->hint);
  json_end(j);
}

void refusal_json(Text *out, int exit_code, const char *messages, const Diag *errors) {
  Json json = json_new(out), *j = &json;
  json_object(j, NULL);
  json_int(j, "version", 1);
  refusal_put(j, exit_code, messages);
  int count = 0;
  const DiagEntry *e = errors ? diag_list(errors, out->arena, &count) : NULL;
  if (count) json_array(j, "errors");
  for (int i = 0; i < count; i++) put_error(j, &e[i]);
  json_ends(j, count ? 2 : 1);
}
