/* SPDX-License-Identifier: MIT */
#include "command/sarif.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/span.h"
#include "command/output.h"

Sarif sarif_new(Arena *a, const char *category, const SarifRule *rule, int rules) {
  return (Sarif){.arena = a, .category = category, .rule = rule, .rules = rules};
}

void sarif_add(Sarif *s, const SarifResult *result) {
  s->result = arena_grow(s->arena, s->result, s->results, &s->capacity, sizeof *s->result);
  s->result[s->results++] = *result;
}

/* --- places --- */

/* A path as a URI reference (RFC 3986), relative if the path is. A first segment with a ':' needs a
 * prefix, or it would be taken for a scheme. */
static const char *uri_of(Arena *a, const char *path) {
  Text t = text_new(a);
  if (*path == '/') text_puts(&t, "file://");
  for (const char *c = path; *c; c++) {
    const unsigned char byte = (unsigned char)*c;
    if (isalnum(byte) || strchr("-._~/", byte))
      text_add(&t, c, 1);
    else
      text_printf(&t, "%%%02X", byte);
  }
  return t.s;
}

static void put_location(Json *j, Arena *a, const SarifPlace *p) {
  json_object(j, NULL);
  json_object(j, "physicalLocation");
  json_line(j, "artifactLocation");
  json_string(j, "uri", uri_of(a, p->file));
  json_end(j);
  if (p->line > 0) {
    json_line(j, "region");
    json_int(j, "startLine", p->line);
    if (p->col > 0) json_int(j, "startColumn", p->col);
    if (p->col > 0 && p->width > 0) json_int(j, "endColumn", p->col + p->width);
    json_end(j);
  }
  json_end(j);
  if (p->role) {
    json_line(j, "message");
    json_string(j, "text", p->role);
    json_end(j);
  }
  json_end(j);
}

/* --- results --- */

static int rule_index(const Sarif *s, const char *id) {
  for (int i = 0; i < s->rules; i++)
    if (strcmp(s->rule[i].id, id) == 0) return i;
  die("SARIF rule '%s'", id);
}

/* Hashes a string and an end mark, a byte that no UTF-8 text contains. */
static uint64_t hash(uint64_t h, const char *text) {
  return hash_bytes(hash_bytes(h, text, strlen(text)), "\xff", 1);
}

static uint64_t own_hash(const SarifResult *r) {
  const uint64_t h = hash(hash(HASH_START, r->rule), r->at.file);
  return hash(h, r->text ? r->text : r->message);
}

/* Stable if lines are added above: consists of the line's text and its number among equal lines. */
static const char *fingerprint(const Sarif *s, int result) {
  int same = 0;
  for (int i = 0; i < result; i++) same += own_hash(&s->result[i]) == own_hash(&s->result[result]);
  return arena_printf(s->arena, "%016" PRIx64 ":%d", own_hash(&s->result[result]), same + 1);
}

static void put_result(Json *j, const Sarif *s, int i) {
  const SarifResult *r = &s->result[i];
  const int rule = rule_index(s, r->rule);
  json_object(j, NULL);
  json_string(j, "ruleId", r->rule);
  json_int(j, "ruleIndex", rule);
  json_string(j, "level", r->level ? r->level : s->rule[rule].level);
  json_line(j, "message");
  json_string(j, "text", r->message);
  json_end(j);
  json_array(j, "locations");
  put_location(j, s->arena, &r->at);
  json_end(j);
  if (r->related) json_array(j, "relatedLocations");
  for (int k = 0; k < r->related; k++) put_location(j, s->arena, &r->related_at[k]);
  if (r->related) json_end(j);
  json_line(j, "partialFingerprints");
  json_string(j, "kgenLine/v1", fingerprint(s, i));
  json_end(j);
  if (r->state) json_string(j, "baselineState", r->state);
  json_end(j);
}

/* --- the log --- */

static void put_tool(Json *j, const Sarif *s) {
  json_object(j, "tool");
  json_object(j, "driver");
  json_string(j, "name", "kgen");
  json_string(j, "semanticVersion", KGEN_VERSION);
  json_array(j, "rules");
  for (int i = 0; i < s->rules; i++) {
    json_object(j, NULL);
    json_string(j, "id", s->rule[i].id);
    json_line(j, "shortDescription");
    json_string(j, "text", s->rule[i].about);
    json_end(j);
    json_line(j, "defaultConfiguration");
    json_string(j, "level", s->rule[i].level);
    json_ends(j, 2);
  }
  json_ends(j, 3);
}

static void put_notifications(Json *j, const Sarif *s) {
  json_array(j, "toolExecutionNotifications");
  for (const char *at = s->refusal; *at;) {
    const Span line = span_line(&at);
    json_object(j, NULL);
    json_string(j, "level", "error");
    json_line(j, "message");
    json_string(j, "text", arena_strndup(s->arena, line.s, line.len));
    json_ends(j, 2);
  }
  json_end(j);
}

static void put_invocation(Json *j, const Sarif *s, int exit_code) {
  json_array(j, "invocations");
  json_object(j, NULL);
  json_bool(j, "executionSuccessful", !s->refusal);
  json_int(j, "exitCode", exit_code);
  if (s->refusal) put_notifications(j, s);
  json_ends(j, 2);
}

void sarif_put(const Sarif *s, Text *out, int exit_code) {
  Json json = json_new(out), *j = &json;
  json_object(j, NULL);
  json_string(j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json_string(j, "version", "2.1.0");
  json_array(j, "runs");
  json_object(j, NULL);
  put_tool(j, s);
  put_invocation(j, s, exit_code);
  json_line(j, "automationDetails");
  json_string(j, "id", arena_printf(s->arena, "kgen/%s/", s->category));
  json_end(j);
  json_string(j, "columnKind", "unicodeCodePoints");
  json_array(j, "results");
  for (int i = 0; i < s->results; i++) put_result(j, s, i);
  json_ends(j, 4);
}

bool sarif_write(const Sarif *s, const char *path, int exit_code, Text *data, Diag *diag) {
  Text log = text_new(s->arena);
  sarif_put(s, &log, exit_code);
  return output_write(path, log.s, data, diag);
}

/* --- errors in specs --- */

static const SarifRule spec_rules[] = {
    {"bad-spec", "A spec says what the spec language does not know or what cannot be.", "error"}};

static SarifResult mistake(Arena *a, const DiagEntry *e) {
  return (SarifResult){.rule = "bad-spec",
                       .message =
                           e->hint ? arena_printf(a, "%s; hint: %s", e->text, e->hint) : e->text,
                       .at = {.file = e->loc.source ? e->loc.source->path : "kgen",
                              .line = e->loc.line,
                              .col = e->loc.col,
                              .width = e->loc.width}};
}

bool sarif_write_mistakes(Arena *a, const Diag *d, const char *path, int exit_code, Text *data,
                          Diag *diag) {
  Sarif s = sarif_new(a, "specs", spec_rules, 1);
  int count;
  const DiagEntry *list = diag_list(d, a, &count);
  for (int i = 0; i < count; i++) {
    const SarifResult r = mistake(a, &list[i]);
    sarif_add(&s, &r);
  }
  return sarif_write(&s, path, exit_code, data, diag);
}
