/* SPDX-License-Identifier: MIT */
#include "command/report.h"

#include <inttypes.h>
#include <string.h>

#include "base/cells.h"
#include "emit/offset.h"

/* --- columns: one table serves people and CSV --- */

typedef enum { LAYOUT, COMPILED, CHECKED, COPIED, TIMED, GROUPS } Group;

typedef struct {
  const BatchItem *item;
  const Run *run; /* NULL: not compiled */
} Line;

typedef struct {
  CellsColumn head;
  Group group;
  void (*print)(Text *out, const Line *l);
} Column;

static const Spec *spec_of(const Line *l) { return l->item->spec; }
static const Plan *plan_of(const Line *l) { return l->item->plan; }
static const Variant *solved(const Line *l) { return &l->run->solved; }

static void print_name(Text *o, const Line *l) { text_puts(o, spec_of(l)->name); }

static void print_kernel(Text *o, const Line *l) {
  text_puts(o, spec_of(l)->kernel ? spec_of(l)->kernel : "none");
}

static void print_tile(Text *o, const Line *l) {
  for (int t = 0; t < spec_of(l)->tiles; t++) {
    const Tile *tile = &spec_of(l)->tile[t].tile;
    text_printf(o, "%s%s ", t ? " + " : "", tile->dtype->name);
    for (int d = 0; d < tile->rank; d++) text_printf(o, "%s%d", d ? "x" : "", tile->extent[d]);
  }
}

static void print_one_layout(Text *o, const PlanTile *t) {
  const KgenLayout *k = &t->solution->layout;
  if (t->solution->map) {
    text_printf(o, "expr %s", t->solution->map->text);
    return;
  }
  text_puts(o, layout_kind(k));
  const bool padded = strstr(layout_kind(k), "pad") != NULL;
  const int strides = k->rank == 1 ? 1 : k->rank - 1;
  for (int d = 0; padded && d < strides; d++) text_printf(o, "%s%d", d ? "," : " ", k->stride[d]);
  if (k->period) text_printf(o, " period %d", k->period);
  if (!k->terms) return;
  if (!layout_is_within_rows(k)) {
    text_printf(o, " %s", offset_spell_formula(o->arena, k));
    return;
  }
  const Tile *tile = t->set->tile;
  const int last = k->rank - 1;
  const bool named = k->rank == 2 && strcmp(tile->dim[last], tile_default_dim(k->rank, last)) != 0;
  text_printf(o, " %s ^ %s", named ? tile->dim[last] : "col",
              offset_spell_swizzle(o->arena, k, named ? tile->dim[0] : "row"));
}

static void print_layout(Text *o, const Line *l) {
  for (int t = 0; t < plan_of(l)->tiles; t++) {
    if (t) text_puts(o, " + ");
    print_one_layout(o, &plan_of(l)->tile[t]);
  }
}

static void print_bytes(Text *o, const Line *l) { text_printf(o, "%" PRId64, plan_of(l)->bytes); }

static void print_pad(Text *o, const Line *l) {
  int64_t sum = 0;
  for (int t = 0; t < plan_of(l)->tiles; t++) sum += plan_of(l)->tile[t].pad_bytes;
  text_printf(o, "%" PRId64, sum);
}

typedef struct {
  int64_t plain, now, ideal;
} Totals;

static Totals totals(const Line *l) {
  Totals sum = {0};
  for (int t = 0; t < plan_of(l)->tiles; t++) {
    const PlanTile *tile = &plan_of(l)->tile[t];
    for (int a = 0; a < tile->set->accesses; a++) {
      if (tile->solution->unswizzled) sum.plain += tile->solution->unswizzled[a].wavefronts;
      sum.now += tile->solution->cost[a].wavefronts;
      sum.ideal += tile->solution->cost[a].ideal;
    }
  }
  return sum;
}

/* True if the unpadded tile can run: it does not misalign vectors. */
static bool plain_runs(const Line *l) {
  bool runs = true;
  for (int t = 0; t < plan_of(l)->tiles; t++)
    runs = runs && plan_of(l)->tile[t].solution->unswizzled;
  return runs;
}

static void print_plain(Text *o, const Line *l) {
  if (plain_runs(l))
    text_printf(o, "%" PRId64, totals(l).plain);
  else
    text_puts(o, "-");
}

static void print_now(Text *o, const Line *l) { text_printf(o, "%" PRId64, totals(l).now); }
static void print_ideal(Text *o, const Line *l) { text_printf(o, "%" PRId64, totals(l).ideal); }

static void print_bool(Text *o, bool b) { text_puts(o, b ? "yes" : "no"); }
static void print_free(Text *o, const Line *l) { print_bool(o, plan_of(l)->conflict_free); }
static void print_minimal(Text *o, const Line *l) { print_bool(o, plan_of(l)->minimal); }

static void print_registers(Text *o, const Line *l) {
  text_printf(o, "%d", l->run->machine.registers);
}

static void print_spills(Text *o, const Line *l) {
  text_printf(o, "%d", l->run->machine.spill_bytes);
}

static void print_blocks(Text *o, const Line *l) {
  text_printf(o, "%d", l->run->machine.blocks_on_sm);
}

static void print_cached(Text *o, const Line *l) {
  text_puts(o, l->run->machine.cached ? "hit" : "miss");
}

static void print_jit_ms(Text *o, const Line *l) { text_printf(o, "%.2f", l->run->machine.ms); }

static void print_correct(Text *o, const Line *l) {
  const bool all =
      solved(l)->check.correct && (!l->run->has_control || l->run->control.check.correct);
  print_bool(o, solved(l)->ran && all);
}

static void print_error(Text *o, const Line *l) {
  text_printf(o, "%.3g", solved(l)->check.max_error);
}

static void print_predicted_load(Text *o, const Line *l) {
  text_printf(o, "%" PRId64, solved(l)->predicted.load);
}

static void print_predicted_store(Text *o, const Line *l) {
  text_printf(o, "%" PRId64, solved(l)->predicted.store);
}

static void print_measured_load(Text *o, const Line *l) {
  if (solved(l)->counted.known) text_printf(o, "%" PRId64, solved(l)->counted.load);
}

static void print_measured_store(Text *o, const Line *l) {
  if (solved(l)->counted.known) text_printf(o, "%" PRId64, solved(l)->counted.store);
}

static void print_none_load(Text *o, const Line *l) {
  if (l->run->control.counted.known) text_printf(o, "%" PRId64, l->run->control.counted.load);
}

static void print_none_store(Text *o, const Line *l) {
  if (l->run->control.counted.known) text_printf(o, "%" PRId64, l->run->control.counted.store);
}

/* Predicted wavefronts of cp.async copies and of wgmma operands; printed only for kernels that have
 * them. */
static void print_predicted_copy(Text *o, const Line *l) {
  text_printf(o, "%" PRId64, solved(l)->predicted.copy);
}

static void print_measured_copy(Text *o, const Line *l) {
  if (solved(l)->counted.apart) text_printf(o, "%" PRId64, solved(l)->counted.copy);
}

static void print_none_copy(Text *o, const Line *l) {
  if (l->run->control.counted.apart) text_printf(o, "%" PRId64, l->run->control.counted.copy);
}

static void print_predicted_wgmma(Text *o, const Line *l) {
  text_printf(o, "%" PRId64, solved(l)->predicted.wgmma);
}

static void print_measured_wgmma(Text *o, const Line *l) {
  if (solved(l)->counted.apart) text_printf(o, "%" PRId64, solved(l)->counted.wgmma);
}

static void print_time(Text *o, const Line *l) { text_printf(o, "%.4f", solved(l)->timing.median); }
static void print_min(Text *o, const Line *l) { text_printf(o, "%.4f", solved(l)->timing.min); }
static void print_noise(Text *o, const Line *l) { text_printf(o, "%.4f", solved(l)->timing.noise); }
static void print_samples(Text *o, const Line *l) {
  text_printf(o, "%d", solved(l)->timing.samples);
}
static void print_gbps(Text *o, const Line *l) {
  text_printf(o, "%.0f", run_gbps(l->run, solved(l)));
}

static void print_ratio(Text *o, const Line *l) {
  if (l->run->copy_gbps > 0)
    text_printf(o, "%.3f", run_gbps(l->run, solved(l)) / l->run->copy_gbps);
}

static void print_speedup(Text *o, const Line *l) {
  if (l->run->control.timed)
    text_printf(o, "%.3f", l->run->control.timing.median / solved(l)->timing.median);
}

static const Column columns[] = {
    {{"name", "spec", true}, LAYOUT, print_name},
    {{"kernel", NULL, true}, LAYOUT, print_kernel},
    {{"tile", "tile", true}, LAYOUT, print_tile},
    {{"bytes", "bytes", false}, LAYOUT, print_bytes},
    {{"pad_bytes", "padding", false}, LAYOUT, print_pad},
    {{"wavefronts_none", "wavefronts plain", false}, LAYOUT, print_plain},
    {{"wavefronts", "with layout", false}, LAYOUT, print_now},
    {{"ideal", "ideal", false}, LAYOUT, print_ideal},
    {{"conflict_free", "conflict-free", true}, LAYOUT, print_free},
    {{"minimal", "minimal", true}, LAYOUT, print_minimal},
    {{"layout", "layout", true}, LAYOUT, print_layout},
    {{"registers", "registers", false}, COMPILED, print_registers},
    {{"spill_bytes", "spilled bytes", false}, COMPILED, print_spills},
    {{"blocks_per_sm", "blocks/SM", false}, COMPILED, print_blocks},
    {{"cache", "cache", true}, COMPILED, print_cached},
    {{"jit_ms", "compile ms", false}, COMPILED, print_jit_ms},
    {{"correct", "correct", true}, CHECKED, print_correct},
    {{"max_error", "max error", false}, CHECKED, print_error},
    {{"predicted_load", "loads predicted", false}, CHECKED, print_predicted_load},
    {{"measured_load", "measured", false}, CHECKED, print_measured_load},
    {{"none_load", "none", false}, CHECKED, print_none_load},
    {{"predicted_store", "stores predicted", false}, CHECKED, print_predicted_store},
    {{"measured_store", "measured", false}, CHECKED, print_measured_store},
    {{"none_store", "none", false}, CHECKED, print_none_store},
    {{"predicted_copy", "copies predicted", false}, COPIED, print_predicted_copy},
    {{"measured_copy", "measured", false}, COPIED, print_measured_copy},
    {{"none_copy", "none", false}, COPIED, print_none_copy},
    {{"predicted_wgmma", "wgmma predicted", false}, COPIED, print_predicted_wgmma},
    {{"measured_wgmma", "measured", false}, COPIED, print_measured_wgmma},
    {{"median_ms", "median ms", false}, TIMED, print_time},
    {{"min_ms", "min ms", false}, TIMED, print_min},
    {{"noise_ms", "noise ms", false}, TIMED, print_noise},
    {{"samples", "samples", false}, TIMED, print_samples},
    {{"gbps", "GB/s", false}, TIMED, print_gbps},
    {{"memcpy_ratio", "x memcpy", false}, TIMED, print_ratio},
    {{"speedup_vs_none", "x none", false}, TIMED, print_speedup},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static bool has_copies(const Variant *v) {
  return v->predicted.copy || v->predicted.wgmma || v->counted.copy || v->counted.wgmma;
}

/* True if a spec has a value in any column of the group. */
static bool has(const Line *l, Group g) {
  switch (g) {
  case LAYOUT: return true;
  case COMPILED: return l->run && l->run->jitted;
  case CHECKED: return l->run && l->run->runs;
  case COPIED: return l->run && l->run->runs && has_copies(solved(l));
  case TIMED: return l->run && l->run->solved.timed;
  default: return false;
  }
}

static Line line_of(const Batch *b, const Run *runs, int i) {
  return (Line){&b->item[i], runs ? &runs[i] : NULL};
}

/* --- the table --- */

static const char *cell_text(Arena *a, const Column *c, const Line *l) {
  Text t = text_new(a);
  c->print(&t, l);
  return t.s;
}

/* Every group's table starts with the name. */
static void print_group(Text *out, const Batch *b, const Run *runs, Group g, CellsPrinter *print) {
  CellsColumn head[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) {
    head[c] = columns[c].head;
    if (c > 0 && columns[c].group != g) head[c].title = NULL;
  }
  Cells cells = cells_new(b->arena, head, COLUMNS);
  for (int i = 0; i < b->count; i++) {
    const Line l = line_of(b, runs, i);
    if (!has(&l, g)) continue;
    const char **cell = cells_add(&cells);
    for (int c = 0; c < COLUMNS; c++)
      if (head[c].title) cell[c] = cell_text(b->arena, &columns[c], &l);
  }
  if (cells.rows == 0) return;
  if (out->len) text_puts(out, "\n");
  print(&cells, out);
}

void report_table(Text *out, const Batch *b, const Run *runs) {
  for (Group g = LAYOUT; g < GROUPS; g++) print_group(out, b, runs, g, cells_print);
}

void report_markdown(Text *out, const Batch *b, const Run *runs) {
  for (Group g = LAYOUT; g < GROUPS; g++) print_group(out, b, runs, g, cells_markdown);
}

/* --- CSV --- */

void report_csv_names(Text *out) {
  for (int c = 0; c < COLUMNS; c++) text_printf(out, "%s%s", c ? "," : "", columns[c].head.name);
}

void report_csv_cells(Text *out, const Batch *b, const Run *runs, int i) {
  const Line l = line_of(b, runs, i);
  for (int c = 0; c < COLUMNS; c++) {
    if (c) text_puts(out, ",");
    if (!has(&l, columns[c].group)) continue;
    const char *cell = cell_text(b->arena, &columns[c], &l);
    text_foreign(out, TEXT_CSV, cell, strlen(cell));
  }
}

void report_csv(Text *out, const Batch *b, const Run *runs) {
  report_csv_names(out);
  text_puts(out, "\n");
  for (int i = 0; i < b->count; i++) {
    report_csv_cells(out, b, runs, i);
    text_puts(out, "\n");
  }
}
