/* SPDX-License-Identifier: MIT */
#include "tune/t4.h"

#include <string.h>
#include <time.h>

#include "base/json.h"

static const int64_t last_second = INT64_C(253402300799); /* 9999-12-31T23:59:59 */

static void put_text(Json *j, const char *name, const char *value) {
  json_line(j, NULL);
  json_string(j, "name", name);
  json_string(j, "value", value);
  json_string(j, "unit", "");
  json_end(j);
}

static void put_number(Json *j, const char *name, double value, const char *unit) {
  json_line(j, NULL);
  json_string(j, "name", name);
  json_real(j, "value", value);
  json_string(j, "unit", unit);
  json_end(j);
}

static const char *objective_of(const WisdomRecord *r) {
  return r->key.unit == UNIT_MS ? "time" : "counts";
}

/* A missing measurement is represented by a word instead of a number, which readers recognize. */
static void put_measurements(Json *j, const WisdomRecord *r) {
  Arena *a = j->out->arena;
  json_array(j, "measurements");
  if (r->invalid) {
    put_text(j, objective_of(r), r->invalid);
  } else {
    put_number(j, objective_of(r), r->median, unit_name[r->key.unit]);
    put_number(j, "noise", r->noise, unit_name[r->key.unit]);
    put_number(j, "samples", r->samples, "");
    put_text(j, "place", r->place);
  }
  put_text(j, "kernel", r->key.kernel);
  put_text(j, "spec", r->name);
  put_text(j, "problem", values_text(a, &r->key.problem));
  put_text(j, "device", r->key.device);
  put_text(j, "toolkit", r->key.toolkit);
  put_text(j, "stage", r->final ? "final" : "screen");
  json_end(j);
}

/* Milliseconds. Times that were not measured separately are 0. The schema's name for the compile
 * time differs from Kernel Tuner's; readers use the latter. */
static void put_times(Json *j, const WisdomRecord *r) {
  json_line(j, "times");
  json_real(j, "compilation_time", 0);
  json_real(j, "compilation", 0);
  json_real(j, "benchmark", 0);
  json_row(j, "runtimes");
  if (!r->invalid && r->key.unit == UNIT_MS) json_real(j, NULL, r->median);
  json_end(j);
  json_real(j, "framework", 0);
  json_real(j, "search_algorithm", 0);
  json_real(j, "validation", 0);
  json_end(j);
}

/* A damaged record may have an impossible year: 1970 is written then. */
static void put_timestamp(Json *j, int64_t at) {
  char text[32];
  const time_t seconds = at >= 0 && at <= last_second ? (time_t)at : 0;
  struct tm tm;
  gmtime_r(&seconds, &tm);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &tm);
  json_string(j, "timestamp", text);
}

static void put_result(Json *j, const WisdomRecord *r) {
  json_object(j, NULL);
  put_timestamp(j, r->at);
  json_line(j, "configuration");
  for (int i = 0; i < r->set.count; i++) json_int(j, r->set.param[i].name, r->set.param[i].value);
  json_end(j);
  json_row(j, "objectives");
  json_string(j, NULL, objective_of(r));
  json_end(j);
  put_times(j, r);
  json_string(j, "invalidity", r->invalid ? r->invalid : "correct");
  json_int(j, "correctness", r->invalid && strcmp(r->invalid, "correctness") == 0 ? 0 : 1);
  put_measurements(j, r);
  json_end(j);
}

void t4_put(Text *out, const WisdomRecord *const *record, int records) {
  Json j = json_new(out);
  json_object(&j, NULL);
  json_string(&j, "schema_version", "1.0.0");
  json_line(&j, "metadata"); /* without it readers assume seconds */
  json_string(&j, "timeunit", "milliseconds");
  json_end(&j);
  json_array(&j, "results");
  for (int i = 0; i < records; i++) put_result(&j, record[i]);
  json_ends(&j, 2);
}
