/* SPDX-License-Identifier: MIT */
#include "command/page.h"

#include "command/output.h"
#include "command/paths.h"
#include "command/repro.h"
#include "command/sweep_report.h"
#include "emit/page.h"
#include "emit/page_tile.h"
#include "emit/picture.h"

typedef struct {
  const Batch *batch;
  const Report *report;
  Arena *arena;
  bool fronts; /* include Pareto fronts; a sweep's candidates are themselves the trade-off */
} Keys;

/* --- the keys "page" of a spec --- */

static void put_source(Json *j, const Spec *s) {
  json_object(j, "source");
  json_string(j, "path", s->source->path);
  json_string(j, "text", s->source->text);
  json_end(j);
}

static void put_params(Json *j, const Spec *s) {
  json_line(j, "params");
  for (int i = 0; i < s->params; i++) json_int(j, s->param[i].name, s->param[i].value);
  for (int i = 0; i < s->sizes; i++) json_int(j, s->size[i].name, s->size[i].value);
  json_end(j);
}

static void put_tile(const Keys *k, Json *j, const Plan *p, const PlanTile *t) {
  const PageTile tile = {.set = t->set, .plan = t};
  json_object(j, NULL);
  json_string(j, "name", t->set->tile->name);
  page_tile(j, k->arena, &tile);
  if (k->fronts) {
    Budget part = budget_part(p->spec->budget, 1, p->tiles - (int)(t - p->tile));
    const Front f = front_list(k->arena, t->set, t->solution, &part);
    page_front(j, &f,
               &(PageBlock){.arch = p->spec->arch,
                            .threads = spec_threads(p->spec),
                            .other_bytes = p->shared_bytes - tile_align(t->bytes),
                            .mapped = t->solution->map != NULL});
  }
  json_end(j);
}

/* The reference values for the bars of a timed run. */
static void put_rates(Json *j, const Run *run) {
  if (!run->solved.timed) return;
  json_line(j, "rates");
  json_int(j, "bytes", run->bytes);
  if (run->control.timed) json_real(j, "none_gbps", run_gbps(run, &run->control));
  if (run->copy_gbps > 0) json_real(j, "copy_gbps", run->copy_gbps);
  json_end(j);
}

static void put_page(Json *j, int index, void *context) {
  const Keys *k = context;
  const Plan *p = k->batch->item[index].plan;
  if (k->report->runs) report_json(j, index, (void *)(uintptr_t)k->report);
  json_object(j, "page");
  json_string(j, "arch", p->spec->arch->name);
  put_source(j, p->spec);
  put_params(j, p->spec);
  if (k->report->runs) put_rates(j, &k->report->runs[index]);
  json_array(j, "tiles");
  for (int t = 0; t < p->tiles; t++) put_tile(k, j, p, &p->tile[t]);
  json_ends(j, 2);
}

/* --- the whole --- */

Json page_begin(Text *out, const Options *o, const char *kind) {
  Json j = json_new(out);
  json_object(&j, NULL);
  json_int(&j, "version", 1);
  json_string(&j, "kgen", KGEN_VERSION);
  json_string(&j, "command", o->command_line);
  json_string(&j, "kind", kind);
  return j;
}

static const char *with_report(Arena *a, const Options *o, const char *kind, const Text *report) {
  Text out = text_new(a);
  Json j = page_begin(&out, o, kind);
  json_raw(&j, "report", report->s);
  json_end(&j);
  return out.s;
}

const char *page_specs(Arena *a, const Options *o, const Batch *b, const Report *report) {
  Text text = text_new(a);
  Keys k = {b, report, a, true};
  batch_json(b, &text, NULL, put_page, &k);
  return with_report(a, o, "specs", &text);
}

const char *page_sweep(Arena *a, const Options *o, const Sweep *s, const Batch *b,
                       const Report *report) {
  Text text = text_new(a);
  Keys k = {b, report, a, false};
  sweep_json(s, &text, b, put_page, &k);
  return with_report(a, o, "sweep", &text);
}

/* The directory of the templates. Adds the files of pages and pictures to --repro. */
static const char *page_templates(Arena *a, const Options *o, Diag *diag) {
  const char *templates = paths_templates(a, o->templates, diag);
  if (templates) repro_reads_folder(o->repro, arena_printf(a, "%s/page", templates));
  return templates;
}

bool page_write(Arena *a, const Options *o, const char *json, Text *data, Diag *diag) {
  const char *templates = page_templates(a, o, diag);
  Text why = text_new(a);
  const char *page = templates ? page_fill(a, templates, json, &why) : NULL;
  if (templates && !page) diag_say(diag, DIAG_ARGUMENT, "%s", why.s);
  return page && output_write(o->html, page, data, diag);
}

bool page_write_picture(Arena *a, const Options *o, const Batch *b, Text *data, Diag *diag) {
  const Plan *plan = b->item[0].plan;
  if (b->count != 1) {
    diag_say(diag, DIAG_ARGUMENT, "--svg is for one spec, not %d", b->count);
    return false;
  }
  const PlanTile *tile = picture_tile(plan, o->tile);
  if (!tile) {
    diag_say(diag, DIAG_ARGUMENT, "%s has no tile %s", plan->spec->name, o->tile);
    return false;
  }
  const char *templates = page_templates(a, o, diag);
  Text why = text_new(a);
  const char *svg = templates ? picture_svg(a, plan, tile, templates, &why) : NULL;
  if (templates && !svg) diag_say(diag, DIAG_ARGUMENT, "%s", why.s);
  return svg && output_write(o->svg, svg, data, diag);
}
