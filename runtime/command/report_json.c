/* SPDX-License-Identifier: MIT */
#include "command/report_json.h"

#include <inttypes.h>
#include <stdio.h>

static void json_count(Json *j, const char *key, bool known, int64_t value) {
  if (known)
    json_int(j, key, value);
  else
    json_null(j, key);
}

static void json_wavefronts(Json *j, const Variant *v) {
  json_object(j, "wavefronts");
  json_int(j, "predicted_load", v->predicted.load);
  json_count(j, "measured_load", v->counted.known, v->counted.load);
  json_int(j, "predicted_store", v->predicted.store);
  json_count(j, "measured_store", v->counted.known, v->counted.store);
  json_int(j, "predicted_copy", v->predicted.copy);
  json_count(j, "measured_copy", v->counted.known && v->counted.apart, v->counted.copy);
  json_int(j, "predicted_wgmma", v->predicted.wgmma);
  json_count(j, "measured_wgmma", v->counted.known && v->counted.apart, v->counted.wgmma);
  json_end(j);
}

static void json_checked(Json *j, const Variant *v) {
  char hex[17];
  snprintf(hex, sizeof hex, "%016" PRIx64, v->check.digest);
  json_bool(j, "correct", v->ran && v->check.correct);
  json_real(j, "max_error", v->check.max_error);
  json_string(j, "digest", hex);
  json_wavefronts(j, v);
  if (!v->timed) return;
  json_object(j, "time_ms");
  json_real(j, "median", v->timing.median);
  json_real(j, "min", v->timing.min);
  json_real(j, "noise", v->timing.noise);
  json_int(j, "samples", v->timing.samples);
  json_end(j);
}

static void json_rates(Json *j, const Run *run) {
  if (!run->solved.timed) return;
  const double gbps = run_gbps(run, &run->solved);
  json_real(j, "gbps", gbps);
  if (run->copy_gbps > 0) json_real(j, "memcpy_ratio", gbps / run->copy_gbps);
  if (run->control.timed)
    json_real(j, "speedup_vs_none", run->control.timing.median / run->solved.timing.median);
}

static void json_jit(Json *j, const Jit *jit) {
  json_object(j, "jit");
  json_int(j, "registers", jit->registers);
  json_int(j, "spill_bytes", jit->spill_bytes);
  json_int(j, "blocks_per_sm", jit->blocks_on_sm);
  json_bool(j, "cached", jit->cached);
  json_real(j, "ms", jit->ms);
  json_end(j);
}

void report_json(Json *j, int index, void *context) {
  const Report *r = context;
  const Run *run = &r->runs[index];
  if (run->jitted) json_jit(j, &run->machine);
  if (run->unfit) json_null(j, "run");
  if (!run->runs) return;
  json_object(j, "run");
  json_string(j, "backend", r->device->backend->name);
  json_string(j, "device", r->device->name);
  json_checked(j, &run->solved);
  json_rates(j, run);
  if (run->has_control) {
    json_object(j, "control");
    json_checked(j, &run->control);
    json_end(j);
  }
  json_end(j);
}
