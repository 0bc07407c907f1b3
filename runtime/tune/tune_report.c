/* SPDX-License-Identifier: MIT */
#include "tune/tune_report.h"

#include <inttypes.h>

#include "base/cells.h"
#include "tune/wisdom.h"

enum { SHOWN = 5 };

static const Choice *unchanged_values(const Tuned *t) {
  for (int i = 0; i < t->choices.count; i++)
    if (t->choices.choice[i].unchanged) return &t->choices.choice[i];
  return NULL;
}

/* --- for people --- */

static void print_counts(Text *out, const Tuned *t) {
  const Space *s = &t->space;
  text_printf(out, "%s", s->base->name);
  for (int i = 0; i < s->options->sizes; i++)
    text_printf(out, " %s=%" PRId64, s->options->size[i].name, s->options->size[i].value);
  text_printf(out, ": %d kernels of %" PRId64 " combinations", s->points, s->combinations);
  if (s->tried < s->combinations) text_printf(out, " (%d tried)", s->tried);
  text_printf(out, ": %d compiled, %d measured", t->compiled, t->measured);
  if (t->known) text_printf(out, ", %d known", t->known);
  if (t->pruned) text_printf(out, ", %d cannot be the best", t->pruned);
  if (t->invalid) text_printf(out, ", %d wrong", t->invalid);
  if (t->left) text_printf(out, ", %d not reached", t->left);
  text_printf(out, "; %.0f s\n", t->seconds);
}

static void add_row(Cells *g, const Tuned *t, const Choice *c) {
  const Choice *base = unchanged_values(t);
  const char **cell = cells_add(g);
  cell[0] = arena_printf(g->arena, "%.5g", c->median);
  cell[1] = arena_printf(g->arena, "%.2g", c->noise);
  cell[2] = arena_printf(g->arena, "%d", c->records);
  cell[3] = base && !base->invalid ? arena_printf(g->arena, "%.3f", base->median / c->median) : "";
  cell[4] = values_text(g->arena, &c->set);
  if (c == base) cell[4] = arena_printf(g->arena, "%s (as it stands)", cell[4]);
}

void tune_print(Arena *a, Text *out, const Tuned *t) {
  const CellsColumn column[] = {{"value", arena_printf(a, "  %s", unit_name[t->key.unit]), false},
                                {"noise", "noise", false},
                                {"records", "records", false},
                                {"gain", "x as it stands", false},
                                {"set", "configuration", true}};
  const Choice *base = unchanged_values(t);
  Cells g = cells_new(a, column, 5);
  if (t->space.axes == 0) {
    text_printf(out, "%s: leaves nothing open that its family declares under `tune`\n",
                t->space.base->name);
    return;
  }
  print_counts(out, t);
  bool base_shown = false;
  for (int i = 0; i < t->choices.count && i < SHOWN; i++) {
    const Choice *c = &t->choices.choice[i];
    if (!c->invalid) add_row(&g, t, c);
    base_shown = base_shown || c == base;
  }
  if (base && !base->invalid && !base_shown) add_row(&g, t, base);
  if (g.rows) cells_print(&g, out);
}

/* --- JSON --- */

void choice_json(Json *j, const Choice *c) {
  values_json(j, "set", &c->set);
  if (c->invalid) {
    json_string(j, "invalid", c->invalid);
    return;
  }
  json_string(j, "stage", c->final ? "final" : "screen");
  json_real(j, "median", c->median);
  json_real(j, "noise", c->noise);
  json_int(j, "records", c->records);
  json_int(j, "samples", c->samples);
}

static void counts_json(Json *j, const Tuned *t) {
  json_int(j, "combinations", t->space.combinations);
  json_int(j, "tried", t->space.tried);
  json_int(j, "kernels", t->space.points);
  json_int(j, "compiled", t->compiled);
  json_int(j, "measured", t->measured);
  json_int(j, "known", t->known);
  json_int(j, "pruned", t->pruned);
  json_int(j, "invalid", t->invalid);
  json_int(j, "not_reached", t->left);
  json_real(j, "seconds", t->seconds);
}

void tune_json(Json *j, const Tuned *t) {
  const Choice *base = unchanged_values(t);
  json_object(j, NULL);
  json_string(j, "name", t->space.base->name);
  json_string(j, "kernel", t->space.base->kernel ? t->space.base->kernel : "none");
  json_string(j, "device", t->key.device);
  json_string(j, "toolkit", t->key.toolkit);
  json_string(j, "unit", unit_name[t->key.unit]);
  values_json(j, "problem", &t->key.problem);
  counts_json(j, t);
  if (base) {
    json_line(j, "as_it_stands");
    choice_json(j, base);
    json_end(j);
  }
  json_array(j, "configurations");
  for (int i = 0; i < t->choices.count; i++) {
    json_line(j, NULL);
    choice_json(j, &t->choices.choice[i]);
    json_end(j);
  }
  json_ends(j, 2);
}
