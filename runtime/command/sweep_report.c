/* SPDX-License-Identifier: MIT */
#include "command/sweep_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/cells.h"
#include "command/report.h"
#include "emit/offset.h"
#include "emit/plan_json.h"

typedef struct {
  const Candidate *candidate;
  const BatchItem *item; /* NULL: inadmissible */
  const Run *run;        /* NULL: nothing was compiled */
} Line;

static Line line_of(const Sweep *s, const Batch *b, const Run *runs, int i) {
  const Candidate *c = &s->candidate[i];
  if (c->reason) return (Line){.candidate = c};
  return (Line){c, &b->item[c->item], runs ? &runs[c->item] : NULL};
}

static const int *value_of(const Candidate *c, const char *axis) {
  for (int i = 0; i < c->settings; i++)
    if (strcmp(c->setting[i].name, axis) == 0) return &c->setting[i].value;
  return NULL;
}

/* --- cells of the table for people --- */

static void print_mark(Text *o, const Line *l) {
  if (l->candidate->chosen) text_puts(o, "*");
}

static void print_bytes(Text *o, const Line *l) {
  text_printf(o, "%" PRId64, l->item->plan->bytes);
}

static void print_worst(Text *o, const Line *l) {
  int worst = 0;
  for (int t = 0; t < l->item->plan->tiles; t++) {
    const PlanTile *tile = &l->item->plan->tile[t];
    for (int a = 0; a < tile->set->accesses; a++)
      if (tile->solution->cost[a].worst > worst) worst = tile->solution->cost[a].worst;
  }
  text_printf(o, "%d", worst);
}

static PlanWavefronts block_of(const Line *l) {
  PlanWavefronts sum = {0};
  for (int t = 0; t < l->item->plan->tiles; t++) {
    const PlanWavefronts one = plan_wavefronts(&l->item->plan->tile[t], NULL);
    plan_add_wavefronts(&sum, &one, 1);
  }
  return sum;
}

static void print_loads(Text *o, const Line *l) { text_printf(o, "%" PRId64, block_of(l).load); }
static void print_stores(Text *o, const Line *l) { text_printf(o, "%" PRId64, block_of(l).store); }

static void print_copies(Text *o, const Line *l) { text_printf(o, "%" PRId64, block_of(l).copy); }

static void print_ideal(Text *o, const Line *l) {
  int64_t ideal = 0;
  for (int t = 0; t < l->item->plan->tiles; t++) {
    const PlanTile *tile = &l->item->plan->tile[t];
    for (int a = 0; a < tile->set->accesses; a++) ideal += tile->solution->cost[a].ideal;
  }
  text_printf(o, "%" PRId64, ideal);
}

static void print_free(Text *o, const Line *l) {
  text_puts(o, l->item->plan->conflict_free ? "yes" : "no");
}

static void print_correct(Text *o, const Line *l) {
  text_puts(o, l->run->solved.ran && l->run->solved.check.correct ? "yes" : "no");
}

/* "64 = 64": the predicted and the counted number. */
static void print_pair(Text *o, const Line *l, int64_t predicted, int64_t counted) {
  text_printf(o, "%" PRId64, predicted);
  if (!l->run->solved.counted.known) return;
  text_printf(o, " %s %" PRId64, predicted == counted ? "=" : "!", counted);
}

static void print_load_pair(Text *o, const Line *l) {
  print_pair(o, l, l->run->solved.predicted.load, l->run->solved.counted.load);
}

static void print_store_pair(Text *o, const Line *l) {
  print_pair(o, l, l->run->solved.predicted.store, l->run->solved.counted.store);
}

static void print_copy_pair(Text *o, const Line *l) {
  print_pair(o, l, l->run->solved.predicted.copy, l->run->solved.counted.copy);
}

static void print_registers(Text *o, const Line *l) {
  text_printf(o, "%d", l->run->machine.registers);
}

static void print_time(Text *o, const Line *l) {
  text_printf(o, "%.4f", l->run->solved.timing.median);
}

static void print_noise(Text *o, const Line *l) {
  text_printf(o, "%.4f", l->run->solved.timing.noise);
}

static void print_gbps(Text *o, const Line *l) {
  text_printf(o, "%.0f", run_gbps(l->run, &l->run->solved));
}

static void print_copy(Text *o, const Line *l) {
  if (l->run->copy_gbps > 0)
    text_printf(o, "%.3f", run_gbps(l->run, &l->run->solved) / l->run->copy_gbps);
}

/* The offset of element (c0, c1, ...), or the reason why there is none. */
static void print_offset(Text *o, const Line *l) {
  const Candidate *c = l->candidate;
  if (c->reason) text_printf(o, "%s%s", c->left_out ? "" : "inadmissible: ", c->reason);
  for (int t = 0; l->item && t < l->item->plan->tiles; t++) {
    const PlanTile *tile = &l->item->plan->tile[t];
    if (tile->set->tile->name) text_printf(o, "%s%s: ", t ? "; " : "", tile->set->tile->name);
    text_puts(o, offset_spell_tile(o->arena, tile));
  }
}

/* --- columns --- */

/* The stage that a candidate must have reached for a cell to be filled. */
typedef enum { NAMED, PLANNED, COMPILED, CHECKED, TIMED } ColumnStage;

typedef struct {
  const char *title;
  bool text;
  ColumnStage stage;
  void (*print)(Text *out, const Line *l);
} Column;

/* The columns after the mark and the axes. */
static const Column columns[] = {
    {"bytes", false, PLANNED, print_bytes},
    {"worst", false, PLANNED, print_worst},
    {"loads", false, PLANNED, print_loads},
    {"stores", false, PLANNED, print_stores},
    {"copies", false, PLANNED, print_copies},
    {"ideal", false, PLANNED, print_ideal},
    {"free", true, PLANNED, print_free},
    {"registers", false, COMPILED, print_registers},
    {"correct", true, CHECKED, print_correct},
    {"loads = counted", false, CHECKED, print_load_pair},
    {"stores = counted", false, CHECKED, print_store_pair},
    {"copies = counted", false, CHECKED, print_copy_pair},
    {"median ms", false, TIMED, print_time},
    {"noise ms", false, TIMED, print_noise},
    {"GB/s", false, TIMED, print_gbps},
    {"x memcpy", false, TIMED, print_copy},
    {"offset", true, NAMED, print_offset},
};
enum { COLUMNS = sizeof columns / sizeof *columns, MAX_CELLS = COLUMNS + SWEEP_MAX_AXES + 1 };

/* Columns that are omitted if no candidate copies by cp.async. */
static bool is_of_copies(const Column *c) {
  return c->print == print_copies || c->print == print_copy_pair;
}

static ColumnStage stage_of(const Line *l) {
  if (!l->item) return NAMED;
  if (!l->run || !l->run->jitted) return PLANNED;
  if (!l->run->runs) return COMPILED;
  return l->run->solved.timed ? TIMED : CHECKED;
}

/* --- the table --- */

static const char *cell_text(Arena *a, void (*print)(Text *, const Line *), const Line *l) {
  Text t = text_new(a);
  print(&t, l);
  return t.s;
}

static void fill_row(const Sweep *s, const Line *l, const char **cell) {
  *cell++ = cell_text(s->arena, print_mark, l);
  for (int x = 0; x < s->axes; x++) {
    const int *value = value_of(l->candidate, s->axis[x].name);
    *cell++ = value ? arena_printf(s->arena, "%d", *value) : "solver";
  }
  for (int c = 0; c < COLUMNS; c++)
    if (stage_of(l) >= columns[c].stage) cell[c] = cell_text(s->arena, columns[c].print, l);
}

/* Prints the candidates first..last-1, which belong to one spec. */
static void print_one(const Sweep *s, Text *out, const Batch *b, const Run *runs, int first,
                      int last) {
  CellsColumn head[MAX_CELLS] = {{NULL, "", true}};
  ColumnStage most = NAMED;
  bool copies = false;
  for (int i = first; i < last; i++) {
    const Line l = line_of(s, b, runs, i);
    if (stage_of(&l) > most) most = stage_of(&l);
    copies = copies || (l.item && block_of(&l).copy > 0);
  }
  for (int x = 0; x < s->axes; x++) head[1 + x].title = s->axis[x].name;
  for (int c = 0; c < COLUMNS; c++) {
    const bool shown = columns[c].stage <= most && (copies || !is_of_copies(&columns[c]));
    head[1 + s->axes + c] = (CellsColumn){NULL, shown ? columns[c].title : NULL, columns[c].text};
  }
  Cells g = cells_new(s->arena, head, 1 + s->axes + COLUMNS);
  for (int i = first; i < last; i++) {
    const Line l = line_of(s, b, runs, i);
    fill_row(s, &l, cells_add(&g));
  }
  text_printf(out, "%s: wavefronts of one block; worst: of one lane group%s\n",
              s->candidate[first].name, s->pads ? "; *: the solver's layout" : "");
  cells_print(&g, out);
}

void sweep_table(const Sweep *s, Text *out, const Batch *b, const Run *runs) {
  for (int first = 0, last; first < s->candidates; first = last) {
    const char *name = s->candidate[first].name;
    for (last = first; last < s->candidates; last++)
      if (strcmp(s->candidate[last].name, name) != 0) break;
    if (first) text_puts(out, "\n");
    print_one(s, out, b, runs, first, last);
  }
}

/* --- CSV and JSON --- */

static void csv_axes(const Sweep *s, Text *out, const Candidate *c) {
  for (int x = 0; x < s->axes; x++) {
    const int *value = value_of(c, s->axis[x].name);
    if (value) text_printf(out, "%d", *value);
    text_puts(out, ",");
  }
}

/* Writes the name, and leaves the other columns of `names` empty. */
static void csv_name_alone(Text *out, const char *name, const char *names) {
  text_foreign(out, TEXT_CSV, name, strlen(name));
  for (; *names; names++)
    if (*names == ',') text_puts(out, ",");
}

void sweep_csv(const Sweep *s, Text *out, const Batch *b, const Run *runs) {
  Text names = text_new(s->arena);
  report_csv_names(&names);
  for (int x = 0; x < s->axes; x++) text_printf(out, "%s,", s->axis[x].name);
  text_printf(out, "chosen,reason,%s\n", names.s);
  for (int i = 0; i < s->candidates; i++) {
    const Candidate *c = &s->candidate[i];
    csv_axes(s, out, c);
    text_puts(out, c->chosen ? "yes," : "no,");
    if (c->reason) text_foreign(out, TEXT_CSV, c->reason, strlen(c->reason));
    text_puts(out, ",");
    if (c->reason)
      csv_name_alone(out, c->name, names.s);
    else
      report_csv_cells(out, b, runs, c->item);
    text_puts(out, "\n");
  }
}

static void json_candidate(Json *j, const Candidate *c, const Batch *b, BatchKeys *keys,
                           void *context) {
  if (c->reason) {
    json_object(j, NULL);
    json_string(j, "name", c->name);
  } else {
    plan_json(j, b->item[c->item].plan, NULL, 0);
    if (keys) keys(j, c->item, context);
  }
  json_object(j, "set");
  for (int i = 0; i < c->settings; i++) json_int(j, c->setting[i].name, c->setting[i].value);
  json_end(j);
  if (c->reason)
    json_string(j, "reason", c->reason);
  else
    json_bool(j, "chosen", c->chosen);
  json_end(j);
}

void sweep_json(const Sweep *s, Text *out, const Batch *b, BatchKeys *keys, void *context) {
  Json j = json_new(out);
  j.most = b->json_most;
  json_object(&j, NULL);
  json_int(&j, "version", 1);
  json_array(&j, "sweep");
  for (int i = 0; i < s->candidates; i++) json_candidate(&j, &s->candidate[i], b, keys, context);
  json_ends(&j, 2);
}
