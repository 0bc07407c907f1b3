/* SPDX-License-Identifier: MIT */
#include "command/front.h"

#include <inttypes.h>

#include "base/cells.h"
#include "emit/offset.h"
#include "emit/plan_json.h"
#include "model/occupancy.h"
#include "trade/front.h"
#include "trade/what_if.h"

/* The number of points up to which all are printed; beyond it only the Pareto front is. JSON and
 * CSV always contain all. */
enum { SHOWN = 24, SHOWN_CHANGES = 8 };

/* The trade-off of one tile. */
typedef struct {
  Arena *arena;
  const Plan *plan;
  const PlanTile *tile;
  Front front;
  WhatIf what_if;
  int64_t ideal; /* wavefronts */
} Trade;

/* Each tile gets its share of what is left of the spec's budget: half of it for the front, the rest
 * for changes. */
static Trade trade_of(Arena *a, const Plan *plan, int tile) {
  const PlanTile *t = &plan->tile[tile];
  Trade out = {.arena = a, .plan = plan, .tile = t};
  Budget own = budget_part(plan->spec->budget, 1, plan->tiles - tile);
  Budget half = budget_part(&own, 1, 2);
  out.front = front_list(a, t->set, t->solution, &half);
  out.what_if = what_if_list(a, t->set, t->solution, &own);
  for (int i = 0; i < t->set->accesses; i++) out.ideal += t->solution->cost[i].ideal;
  return out;
}

/* Blocks per SM with the other tiles unchanged. Registers are unknown until a compiler has seen the
 * kernel, and not counted. */
static int blocks_of(const Trade *t, int64_t bytes) {
  const Spec *s = t->plan->spec;
  const int64_t shared = t->plan->shared_bytes - tile_align(t->tile->bytes) + tile_align(bytes);
  return occupancy_blocks(s->arch, spec_threads(s), 0, shared);
}

static const char *name_of(const Trade *t) {
  const char *tile = t->tile->set->tile->name;
  return tile ? arena_printf(t->arena, "%s, tile %s", t->plan->spec->name, tile)
              : t->plan->spec->name;
}

static const char *number(const Trade *t, int64_t n) {
  return arena_printf(t->arena, "%" PRId64, n);
}

/* expr: the expression of a layout that is one; else NULL. */
static const char *offset_of(const Trade *t, const KgenLayout *l, const char *expr) {
  return expr ? expr : offset_spell(t->arena, l, t->tile->set->tile->dim);
}

static const char *expr_of(const Solution *s) { return s->map ? s->map->text : NULL; }

static const char *point_expr(const Trade *t, const FrontPoint *p) {
  return p->chosen ? expr_of(t->tile->solution) : NULL;
}

/* --- tables --- */

static bool is_plain(const Trade *t, const FrontPoint *p) {
  return !p->layout.terms && p->bytes == t->tile->bytes - t->tile->pad_bytes;
}

static bool is_shown(const Trade *t, const FrontPoint *p) {
  return p->best || p->chosen || is_plain(t, p) || t->front.points <= SHOWN;
}

/* "*": on the Pareto front. */
static const char *mark_of(const Trade *t, const FrontPoint *p) {
  if (p->chosen) return p->best ? "* chosen" : "  chosen";
  if (is_plain(t, p)) return p->best ? "* plain" : "  plain";
  return p->best ? "*" : "";
}

static Cells front_cells(Arena *a) {
  static const CellsColumn head[] = {{"name", NULL, true},
                                     {NULL, "", true},
                                     {"bytes", "bytes", false},
                                     {"wavefronts", "wavefronts", false},
                                     {"weighted", "weighted", false},
                                     {"blocks_per_sm", "blocks/SM", false},
                                     {"layouts", "layouts", false},
                                     {"offset", "offset", true},
                                     {"best", NULL, true},
                                     {"chosen", NULL, true}};
  return cells_new(a, head, sizeof head / sizeof *head);
}

static void add_point(const Trade *t, const FrontPoint *p, Cells *g) {
  const char **cell = cells_add(g);
  cell[0] = name_of(t);
  cell[1] = mark_of(t, p);
  cell[2] = number(t, p->bytes);
  cell[3] = number(t, p->wavefronts);
  cell[4] = arena_printf(t->arena, "%.10g", (double)p->total / WEIGHT_ONE);
  cell[5] = number(t, blocks_of(t, p->bytes));
  cell[6] = number(t, p->layouts);
  cell[7] = offset_of(t, &p->layout, point_expr(t, p));
  cell[8] = p->best ? "yes" : "no";
  cell[9] = p->chosen ? "yes" : "no";
}

static void add_points(const Trade *t, bool all, Cells *g) {
  for (int i = 0; i < t->front.points; i++)
    if (all || is_shown(t, &t->front.point[i])) add_point(t, &t->front.point[i], g);
}

static Cells change_cells(const Trade *t) {
  static const CellsColumn head[] = {{NULL, "if in access", true}, {NULL, "", true},
                                     {NULL, "wavefronts", false},  {NULL, "bytes", false},
                                     {NULL, "blocks/SM", false},   {NULL, "with offset", true}};
  Cells g = cells_new(t->arena, head, 6);
  for (int i = 0; i < t->what_if.count && i < SHOWN_CHANGES; i++) {
    const Alteration *c = &t->what_if.change[i];
    const char **cell = cells_add(&g);
    cell[0] = t->tile->set->access[c->access].name;
    cell[1] = what_if_spell(t->arena, t->tile->set, c);
    cell[2] = arena_printf(t->arena, "%" PRId64 "%s", c->wavefronts, c->ideal ? ", ideal" : "");
    cell[3] = number(t, c->bytes);
    cell[4] = number(t, blocks_of(t, c->bytes));
    cell[5] = offset_of(t, &c->solution->layout, expr_of(c->solution));
  }
  return g;
}

static void put_notes(const Trade *t, Text *out, int shown) {
  const Front *f = &t->front;
  if (shown < f->points)
    text_printf(out, "%d more have more wavefronts, more bytes or both: --json\n",
                f->points - shown);
  if (!f->complete) text_puts(out, "not every pad and XOR was listed: the budget ended\n");
  if (!f->exact) text_puts(out, "those on the front are not proven to be the best\n");
}

static void put_trade(const Trade *t, Text *out, CellsPrinter *print) {
  const Cells changes = change_cells(t);
  const WhatIf *w = &t->what_if;
  Cells g = front_cells(t->arena);
  add_points(t, false, &g);
  text_printf(out, "%s: ideal %" PRId64 " wavefronts; *: no other has fewer without more bytes\n\n",
              name_of(t), t->ideal);
  print(&g, out);
  put_notes(t, out, g.rows);
  if (!w->most) return;
  text_puts(out, "\n");
  if (w->count) print(&changes, out);
  if (w->count > changes.rows)
    text_printf(out, "%d more changes help less: --json\n", w->count - changes.rows);
  text_printf(out, "%d of %d single changes to an access were solved for%s\n", w->tried, w->most,
              w->count || !w->tried ? "" : ": none helps");
  if (w->tried < w->most) text_puts(out, "the others were not tried: the budget ended\n");
}

/* --- JSON --- */

static void put_layout(Json *j, const Trade *t, const KgenLayout *l, const char *expr) {
  json_string(j, "offset", offset_of(t, l, expr));
  if (!expr) {
    layout_json(j, l);
    return;
  }
  json_string(j, "expr", expr);
  json_null(j, "strides");
  json_null(j, "period");
  json_row(j, "swizzle");
  json_end(j);
}

static void put_points(Json *j, const Trade *t) {
  json_array(j, "points");
  for (int i = 0; i < t->front.points; i++) {
    const FrontPoint *p = &t->front.point[i];
    json_line(j, NULL);
    json_int(j, "bytes", p->bytes);
    json_int(j, "wavefronts", p->wavefronts);
    json_int(j, "total_thousandths", p->total);
    json_int(j, "blocks_per_sm", blocks_of(t, p->bytes));
    json_int(j, "layouts", p->layouts);
    json_bool(j, "best", p->best);
    json_bool(j, "chosen", p->chosen);
    put_layout(j, t, &p->layout, point_expr(t, p));
    json_end(j);
  }
  json_end(j);
}

static void put_what_if(Json *j, const Trade *t) {
  static const char *const kind[] = {"split", "lanes", "turns"};
  json_array(j, "what_if");
  for (int i = 0; i < t->what_if.count; i++) {
    const Alteration *c = &t->what_if.change[i];
    json_line(j, NULL);
    json_string(j, "access", t->tile->set->access[c->access].name);
    json_string(j, "kind", kind[c->kind]);
    json_string(j, "change", what_if_spell(t->arena, t->tile->set, c));
    json_int(j, "bytes", c->bytes);
    json_int(j, "wavefronts", c->wavefronts);
    json_int(j, "total_thousandths", c->total);
    json_bool(j, "reaches_ideal", c->ideal);
    json_bool(j, "minimal", c->solution->minimal);
    json_int(j, "blocks_per_sm", blocks_of(t, c->bytes));
    put_layout(j, t, &c->solution->layout, expr_of(c->solution));
    json_end(j);
  }
  json_end(j);
}

static void put_json(Json *j, const Trade *t) {
  json_object(j, NULL);
  json_string(j, "name", t->plan->spec->name);
  json_string(j, "tile", t->tile->set->tile->name);
  json_int(j, "ideal", t->ideal);
  json_bool(j, "exact", t->front.exact);
  json_bool(j, "complete", t->front.complete);
  put_points(j, t);
  put_what_if(j, t);
  json_int(j, "changes_tried", t->what_if.tried);
  json_int(j, "changes", t->what_if.most);
  json_end(j);
}

/* --- all tiles --- */

void front_print(Text *out, const Batch *b, Format format) {
  Json j = json_new(out);
  Cells csv = front_cells(b->arena);
  int printed = 0;
  if (format == FORMAT_JSON) {
    json_object(&j, NULL);
    json_int(&j, "version", 1);
    json_array(&j, "front");
  }
  for (int i = 0; i < b->count; i++)
    for (int t = 0; t < b->item[i].plan->tiles; t++) {
      const Trade trade = trade_of(b->arena, b->item[i].plan, t);
      if (format == FORMAT_JSON)
        put_json(&j, &trade);
      else if (format == FORMAT_CSV)
        add_points(&trade, true, &csv);
      else {
        if (printed++) text_puts(out, "\n");
        put_trade(&trade, out, format == FORMAT_MARKDOWN ? cells_markdown : cells_print);
      }
    }
  if (format == FORMAT_CSV) cells_csv(&csv, out);
  if (format == FORMAT_JSON) json_ends(&j, 2);
}
