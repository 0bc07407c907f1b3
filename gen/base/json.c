/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

Json json_new(Text *out) { return (Json){.out = out, .first = {true}}; }

static void indent(const Json *j) {
  text_puts(j->out, "\n");
  for (int i = 0; i < j->depth; i++) text_puts(j->out, "  ");
}

/* Writes what precedes any value: the comma, the line break with indentation, the key. */
static void begin_value(Json *j, const char *key) {
  const bool inside = j->depth > 0, row = inside && j->inline_array[j->depth];
  if (!j->first[j->depth]) text_puts(j->out, row ? ", " : ",");
  if (inside && !row) indent(j);
  j->first[j->depth] = false;
  if (!key) return;
  text_foreign(j->out, TEXT_JSON, key, strlen(key));
  text_puts(j->out, ": ");
}

/* Everything inside a row is written on the row's line. */
static void open_level(Json *j, const char *key, const char *bracket, char close, bool row) {
  begin_value(j, key);
  text_puts(j->out, bracket);
  if (j->depth + 1 >= JSON_MAX_DEPTH) die("JSON nested more than %d deep", JSON_MAX_DEPTH);
  const bool inherited = j->inline_array[j->depth];
  j->depth++;
  j->first[j->depth] = true;
  j->close[j->depth] = close;
  j->inline_array[j->depth] = row || inherited;
}

void json_object(Json *j, const char *key) { open_level(j, key, "{", '}', false); }
void json_array(Json *j, const char *key) { open_level(j, key, "[", ']', false); }
void json_row(Json *j, const char *key) { open_level(j, key, "[", ']', true); }
void json_line(Json *j, const char *key) { open_level(j, key, "{", '}', true); }

void json_end(Json *j) {
  const int level = j->depth--;
  if (!j->first[level] && !j->inline_array[level]) indent(j);
  text_add(j->out, &j->close[level], 1);
  if (j->depth == 0) text_puts(j->out, "\n");
}

void json_ends(Json *j, int count) {
  while (count-- > 0) json_end(j);
}

void json_string(Json *j, const char *key, const char *value) {
  begin_value(j, key);
  if (value)
    text_foreign(j->out, TEXT_JSON, value, strlen(value));
  else
    text_puts(j->out, "null");
}

void json_int(Json *j, const char *key, int64_t value) {
  begin_value(j, key);
  text_printf(j->out, "%" PRId64, value);
}

void json_real(Json *j, const char *key, double value) {
  begin_value(j, key);
  if (isfinite(value))
    text_printf(j->out, "%.9g", value);
  else
    text_puts(j->out, "null");
}

void json_bool(Json *j, const char *key, bool value) {
  begin_value(j, key);
  text_puts(j->out, value ? "true" : "false");
}

void json_null(Json *j, const char *key) { json_string(j, key, NULL); }

void json_raw(Json *j, const char *key, const char *value) {
  begin_value(j, key);
  text_puts(j->out, value);
}
