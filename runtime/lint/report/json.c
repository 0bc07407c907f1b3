/* SPDX-License-Identifier: MIT */
#include "lint/report/json.h"

#include <stdlib.h>

#include "command/refusal.h"

static void put_triple(Json *j, const char *key, const uint32_t v[3]) {
  json_row(j, key);
  for (int d = 0; d < 3; d++) json_int(j, NULL, v[d]);
  json_end(j);
}

/* Writes `file` only if it is not the checked file. */
static void put_place(Json *j, LintLocation at) {
  json_int(j, "line", at.line);
  if (at.file) json_string(j, "file", at.file);
}

static void put_places(Json *j, const char *key, const LintLocation *place, int count) {
  if (!count) return;
  json_array(j, key);
  for (int i = 0; i < count; i++) {
    json_line(j, NULL);
    put_place(j, place[i]);
    json_end(j);
  }
  json_end(j);
}

static void put_trail(Json *j, const LintTrail *t) {
  put_places(j, "called_from", t->caller, t->callers);
  put_places(j, "also_called_from", t->other, t->others);
  put_places(j, "inlined", t->inner, t->inners);
}

static void put_launch(Json *j, const LintReport *r) {
  json_string(j, "arch", r->source->arch);
  put_triple(j, "grid", r->grid);
  put_triple(j, "block", r->block);
  if (r->cluster[0]) put_triple(j, "cluster", r->cluster);
  json_int(j, "shared_bytes", r->shared_bytes);
  json_int(j, "launches", (int64_t)r->launches);
  json_int(j, "warp_instructions", (int64_t)r->warp_instructions);
}

static void put_minimum(Json *j, const LintShared *s) {
  json_int(j, "minimum", (int64_t)s->minimum);
  if (s->op == OP_ATOMIC) json_int(j, "same_word", (int64_t)(s->ideal - s->minimum));
  if (s->op == OP_ATOMIC) json_int(j, "same_word_lanes", s->same_word);
  if (s->lock) json_bool(j, "lock", true);
  if (s->by_cg) json_int(j, "worst_with_cg", s->by_cg);
  if (s->by_order) json_int(j, "worst_in_source_order", s->by_order);
  json_string(j, "remedy", lint_report_remedy(j->out->arena, s));
}

static void put_hot(Json *j, const LintHot *h) {
  json_line(j, NULL);
  put_place(j, h->at);
  json_string(j, "buffer", h->buffer);
  json_int(j, "offset", (int64_t)h->offset);
  json_int(j, "address", (int64_t)h->address);
  json_int(j, "updates", (int64_t)h->updates);
  json_int(j, "all_updates", (int64_t)h->all);
  json_bool(j, "lock", h->lock);
  json_end(j);
}

static void put_access(Json *j, const LintShared *s) {
  json_object(j, NULL);
  put_place(j, s->at);
  json_string(j, "op", op_name[s->op]);
  json_int(j, "bytes_per_lane", s->bytes);
  json_int(j, "instructions", (int64_t)s->instructions);
  json_int(j, "wavefronts", (int64_t)s->wavefronts);
  json_int(j, "ideal", (int64_t)s->ideal);
  json_row(j, "worst_lanes");
  for (int i = 0; s->wavefronts > s->ideal && i < s->worst_lanes; i++)
    json_int(j, NULL, s->worst_lane[i]);
  json_end(j);
  json_string(j, "fix", s->fix ? s->fix->fix : NULL);
  if (s->wavefronts > s->ideal && s->stride) json_int(j, "stride", s->stride);
  if (lint_report_why(j->out->arena, s)) json_string(j, "why", lint_report_why(j->out->arena, s));
  if (s->minimum) put_minimum(j, s);
  put_trail(j, &s->trail);
  json_end(j);
}

static void put_wheres(Json *j, const LintFinding *f) {
  if (f->wheres) json_array(j, "where");
  for (int i = 0; i < f->wheres; i++) {
    const LintWhere *w = &f->where[i];
    json_line(j, NULL);
    if (w->at.line) put_place(j, w->at);
    json_string(j, "text", w->text);
    json_end(j);
  }
  if (f->wheres) json_end(j);
}

static void put_finding(Json *j, const LintFinding *f) {
  json_object(j, NULL);
  json_string(j, "kind", emu_finding_kind_name[f->kind]);
  if (f->kind >= EMU_TMEM_READ && f->kind <= EMU_INSTRUCTION)
    json_string(j, "basis", "ISA, not measured");
  if (f->space < EMU_SPACES) json_string(j, "space", emu_space_name[f->space]);
  put_place(j, f->at);
  put_triple(j, "thread", f->thread);
  put_triple(j, "block", f->block);
  json_string(j, "message", f->message);
  json_int(j, "count", (int64_t)f->count);
  if (f->others) {
    json_array(j, "other_lines");
    for (int i = 0; i < f->others; i++) json_int(j, NULL, f->other[i].line);
    json_end(j);
  }
  put_places(j, "other_places", f->other, f->others);
  put_wheres(j, f);
  put_places(j, "other_inlined", f->other_trail.inner, f->other_trail.inners);
  put_places(j, "other_called_from", f->other_trail.caller, f->other_trail.callers);
  put_trail(j, &f->trail);
  json_end(j);
}

static void put_global(Json *j, const LintGlobal *g) {
  json_line(j, NULL);
  put_place(j, g->at);
  json_string(j, "op", op_name[g->op]);
  json_int(j, "bytes_per_lane", g->bytes);
  json_int(j, "requests", (int64_t)g->requests);
  json_int(j, "sectors", (int64_t)g->sectors);
  json_int(j, "ideal_sectors", (int64_t)g->ideal);
  json_real(j, "used_share", lint_report_used_share(g));
  put_trail(j, &g->trail);
  json_end(j);
}

static void put_wgmma(Json *j, const LintWgmma *w) {
  json_line(j, NULL);
  put_place(j, w->at);
  json_int(j, "instructions", (int64_t)w->products);
  json_int(j, "wavefronts", (int64_t)w->wavefronts);
  if (w->tcgen05) json_string(j, "basis", "ISA, not measured");
  put_trail(j, &w->trail);
  json_end(j);
}

static void put_array(Json *j, const LintFix *f) {
  json_object(j, NULL);
  json_string(j, "name", f->array->name);
  json_int(j, "bytes", f->array->bytes);
  json_int(j, "wavefronts", (int64_t)f->before);
  json_int(j, "ideal", (int64_t)f->ideal);
  json_int(j, "fixed_wavefronts", (int64_t)(f->fix ? f->after : f->before));
  if (f->sampled) json_bool(j, "sampled", true);
  json_string(j, "fix", f->fix);
  json_string(j, "alternative", f->alternative);
  json_string(j, "why_none", f->why_none);
  if (f->joined) json_int(j, "joined_wavefronts", (int64_t)f->joined);
  json_end(j);
}

/* --- the text of every source line that is named --- */

enum { LINE = 200 };

static void add_line(LintLocation *all, int *count, LintLocation at) {
  for (int i = 0; i < *count; i++)
    if (lint_location_compare(all[i], at) == 0) return;
  all[(*count)++] = at;
}

static void add_lines(LintLocation *all, int *count, const LintFinding *f) {
  add_line(all, count, f->at);
  for (int i = 0; i < f->others; i++) add_line(all, count, f->other[i]);
}

static int by_place(const void *a, const void *b) {
  return lint_location_compare(*(const LintLocation *)a, *(const LintLocation *)b);
}

static LintLocation *lines_of(Arena *a, const LintReport *r, int *count) {
  const int most = r->shared_count + r->global_count + r->wgmma_count +
                   (1 + EMU_OTHERS) * (r->finding_count + r->note_count);
  LintLocation *all = ARENA_ARRAY(a, LintLocation, (size_t)most + 1);
  *count = 0;
  for (int i = 0; i < r->shared_count; i++) add_line(all, count, r->shared[i].at);
  for (int i = 0; i < r->global_count; i++) add_line(all, count, r->global[i].at);
  for (int i = 0; i < r->wgmma_count; i++) add_line(all, count, r->wgmma[i].at);
  for (int i = 0; i < r->finding_count; i++) add_lines(all, count, &r->finding[i]);
  for (int i = 0; i < r->note_count; i++) add_lines(all, count, &r->note[i]);
  qsort(all, (size_t)*count, sizeof *all, by_place);
  return all;
}

/* Writes the source lines, so that a later report can be compared line by line even if lines have
 * moved. */
static void put_lines(Json *j, const LintReport *r) {
  int count;
  const LintLocation *all = lines_of(j->out->arena, r, &count);
  json_array(j, "lines");
  for (int i = 0; i < count; i++) {
    const char *text = lint_source_line(r->source, all[i], LINE);
    if (!text) continue;
    json_line(j, NULL);
    put_place(j, all[i]);
    json_string(j, "text", text);
    json_end(j);
  }
  json_end(j);
}

static void put_outputs(Json *j, const LintReport *r) {
  if (!r->output_count) return;
  json_array(j, "outputs");
  for (int i = 0; i < r->output_count; i++) lint_output_json(j, &r->output[i], "got", "want");
  json_end(j);
}

static void put_rows(Json *j, const LintReport *r) {
  json_array(j, "accesses");
  for (int i = 0; i < r->shared_count; i++) put_access(j, &r->shared[i]);
  json_end(j);
  json_array(j, "findings");
  for (int i = 0; i < r->finding_count; i++) put_finding(j, &r->finding[i]);
  json_end(j);
  json_array(j, "notes");
  for (int i = 0; i < r->note_count; i++) put_finding(j, &r->note[i]);
  json_end(j);
  put_outputs(j, r);
  json_array(j, "global");
  for (int i = 0; i < r->global_count; i++) put_global(j, &r->global[i]);
  json_end(j);
  json_array(j, "contended");
  for (int i = 0; i < r->hot_count; i++) put_hot(j, &r->hot[i]);
  json_end(j);
  json_array(j, "wgmma");
  for (int i = 0; i < r->wgmma_count; i++) put_wgmma(j, &r->wgmma[i]);
  json_end(j);
  json_array(j, "arrays");
  for (int i = 0; i < r->fix_count; i++) put_array(j, &r->fix[i]);
  json_end(j);
}

void lint_json_put_keys(Json *j, const LintReport *r) {
  if (r->name) json_string(j, "name", r->name);
  json_string(j, "file", r->source->path);
  json_string(j, "kernel", r->kernel);
  put_launch(j, r);
  put_rows(j, r);
  put_lines(j, r);
  json_int(j, "conflicts", (int64_t)r->conflicts);
  json_int(j, "blocks_run", (int64_t)r->blocks);
  if (r->cut) json_bool(j, "time_limit", true);
  json_int(j, "mbarrier_operations", (int64_t)r->mbarriers);
  json_int(j, "bulk_copies", (int64_t)r->bulk_copies);
  json_int(j, "bulk_wavefronts", (int64_t)r->bulk_wavefronts);
}

void lint_json_put(Text *out, const LintReport *r) {
  Json json = json_new(out), *j = &json;
  json_object(j, NULL);
  json_int(j, "version", 1);
  json_object(j, "lint");
  lint_json_put_keys(j, r);
  json_ends(j, 2);
}

void lint_json_refused(Json *j, const char *key, const char *name, const char *file,
                       const char *kernel, int exit_code, const char *messages) {
  json_object(j, key);
  if (name) json_string(j, "name", name);
  json_string(j, "file", file);
  json_string(j, "kernel", kernel);
  refusal_put(j, exit_code, messages);
  json_end(j);
}

/* --- values that only kgen reads --- */

static void put_access_more(Json *j, const LintShared *s) {
  const LintJoin *join = &s->join;
  json_line(j, NULL);
  json_int(j, "worst_wavefronts", s->worst_cost);
  json_int(j, "worst_bank", s->worst_bank);
  json_int(j, "join_instructions", join->insns);
  json_int(j, "join_joined", join->joined);
  json_int(j, "join_bytes", join->bytes);
  json_int(j, "join_before", join->before);
  json_int(j, "join_after", join->after);
  json_end(j);
}

void lint_json_put_more(Json *j, const LintReport *r) {
  json_array(j, "accesses");
  for (int i = 0; i < r->shared_count; i++) put_access_more(j, &r->shared[i]);
  json_end(j);
  json_row(j, "global_bytes_used");
  for (int i = 0; i < r->global_count; i++) json_int(j, NULL, (int64_t)r->global[i].bytes_used);
  json_end(j);
}

void lint_json_refusal(Text *out, const char *key, const char *file, const char *kernel,
                       int exit_code, const char *messages) {
  Json json = json_new(out), *j = &json;
  json_object(j, NULL);
  json_int(j, "version", 1);
  lint_json_refused(j, key, NULL, file, kernel, exit_code, messages);
  json_end(j);
}
