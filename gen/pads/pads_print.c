/* SPDX-License-Identifier: MIT */
#include "pads/pads_print.h"

#include <stdlib.h>
#include <string.h>

#include "base/cells.h"
#include "base/json.h"

static const char *number(Arena *a, int n) { return arena_printf(a, "%d", n); }

/* --- for people --- */

/* Prints one row per element, one column per width. */
static void print_minimal(const Pads *p, Text *out) {
  Arena *a = out->arena;
  CellsColumn head[1 + PADS_WIDTHS] = {{NULL, "row width:", true}};
  for (int i = 0; i < PADS_WIDTHS; i++) head[1 + i].title = number(a, pads_width[i]);
  Cells g = cells_new(a, head, 1 + PADS_WIDTHS);
  for (int e = 0; e < PADS_ELEMENTS; e++) {
    const char **cell = cells_add(&g);
    cell[0] = pads_element[e].name;
    for (int i = 0; i < PADS_WIDTHS; i++) {
      const MinimalPad *m = &p->minimal[e][i];
      cell[1 + i] = m->pad ? arena_printf(a, "%d (%d)", m->pad, m->unpadded) : "-";
    }
  }
  cells_print(&g, out);
  text_puts(out, "\nA column read without conflict takes 1 wavefront, of 8-byte elements 2, of "
                 "16-byte elements 4,\nof 3 floats 1 a float.\n");
}

/* The declaration to write instead of one with a wrong pad. */
static const char *fix_of(Arena *a, const KnownPad *k) {
  if (k->right) return "";
  const int name = (int)strcspn(k->text, " ");
  if (k->right_pad >= 0)
    return arena_printf(a, "%.*s [%d][%d]", name, k->text, k->rows, k->width + k->right_pad);
  if (!k->swizzle) return "nothing";
  return arena_printf(a, "no pad; %.*s [%d][%d] with col ^ %s", name, k->text, k->rows, k->width,
                      k->swizzle);
}

static void print_known(const Pads *p, Text *out) {
  static const CellsColumn head[] = {
      {NULL, "well-known", true}, {NULL, "row store", false}, {NULL, "column read", false},
      {NULL, "ideal", false},     {NULL, "", true},           {NULL, "instead", true}};
  Arena *a = out->arena;
  Cells g = cells_new(a, head, 6);
  for (int i = 0; i < p->known; i++) {
    const KnownPad *k = &p->known_pad[i];
    const char **cell = cells_add(&g);
    cell[0] = k->text;
    cell[1] = number(a, k->store);
    cell[2] = number(a, k->load);
    cell[3] = number(a, k->ideal);
    cell[4] = k->right ? "right" : "WRONG";
    cell[5] = fix_of(a, k);
  }
  cells_print(&g, out);
}

static const char *passed_text(Arena *a, const RuleVerdict *v) {
  if (v->passed == 0) return "";
  return arena_printf(a, "%d of %d, e.g. [%d]; [%d] takes %d", v->passed, v->pitches, v->first,
                      v->most, v->wavefronts);
}

static const char *refused_text(Arena *a, const RuleVerdict *v) {
  return v->refused ? arena_printf(a, "%d, e.g. [%d]", v->refused, v->first_free) : "";
}

static bool is_right(const RuleVerdict *v) { return v->passed == 0 && v->refused == 0; }

/* "4 bytes, 8 bytes": the element sizes for which the rule is right. */
static const char *right_for(Arena *a, const PadRule *rule) {
  Text t = text_new(a);
  for (int e = 0; e < PADS_ELEMENTS; e++)
    if (is_right(&rule->verdict[e]))
      text_printf(&t, "%s%s", t.len ? ", " : "", pads_element[e].name);
  return t.len ? t.s : "no element";
}

static void print_rule(const PadRule *rule, Text *out) {
  static const CellsColumn head[] = {{NULL, "", true},
                                     {NULL, "passes although columns conflict", true},
                                     {NULL, "refuses although free", true}};
  Arena *a = out->arena;
  Cells g = cells_new(a, head, 3);
  for (int e = 0; e < PADS_ELEMENTS; e++) {
    const RuleVerdict *v = &rule->verdict[e];
    if (is_right(v)) continue;
    const char **cell = cells_add(&g);
    cell[0] = arena_printf(a, "  WRONG for %s", pads_element[e].name);
    cell[1] = passed_text(a, v);
    cell[2] = refused_text(a, v);
  }
  text_printf(out, "\n%s\n  right for %s\n", rule->text, right_for(a, rule));
  if (g.rows) cells_print(&g, out);
}

void pads_print(const Pads *p, Text *out) {
  text_puts(out, "Elements to add to each row of a tile so that a warp reads any column of it "
                 "without a bank conflict:\nlane i reads row i. In brackets the wavefronts of such "
                 "a read without the pad; -: needs none.\n\n");
  print_minimal(p, out);
  text_puts(out, "\nWell-known pads, costed by the column read. Consecutive threads store the rows "
                 "and read the columns;\nwavefronts of the worst instruction.\n\n");
  print_known(p, out);
  text_puts(out, "\nRules for the pitch of a row, tried on every pitch of a bank period from "
                 "32 elements on.\n[n]: rows of n elements.\n");
  for (int r = 0; r < PADS_RULES; r++) print_rule(&p->rule[r], out);
}

/* --- for programs --- */

enum { CSV_COLUMNS = 13 };

static const CellsColumn csv_head[CSV_COLUMNS] = {
    {"table", NULL, true},   {"claim", NULL, true},  {"element", NULL, true},
    {"bytes", NULL, false},  {"rows", NULL, false},  {"width", NULL, false},
    {"pad", NULL, false},    {"store", NULL, false}, {"load", NULL, false},
    {"ideal", NULL, false},  {"right", NULL, true},  {"right_pad", NULL, false},
    {"swizzle", NULL, true},
};

static void csv_minimal(Cells *g, int e, int i, const MinimalPad *m) {
  const char **cell = cells_add(g);
  cell[0] = "minimal";
  cell[2] = pads_element[e].name;
  cell[3] = number(g->arena, pads_element[e].bytes);
  cell[4] = "32";
  cell[5] = number(g->arena, pads_width[i]);
  cell[6] = "0";
  cell[8] = number(g->arena, m->unpadded);
  cell[9] = number(g->arena, m->ideal);
  cell[10] = m->pad ? "no" : "yes";
  cell[11] = number(g->arena, m->pad);
}

static void csv_known(Cells *g, const KnownPad *k) {
  const char **cell = cells_add(g);
  cell[0] = "known";
  cell[1] = k->text;
  cell[2] = pads_element[k->element].name;
  cell[3] = number(g->arena, pads_element[k->element].bytes);
  cell[4] = number(g->arena, k->rows);
  cell[5] = number(g->arena, k->width);
  cell[6] = number(g->arena, k->pad);
  cell[7] = number(g->arena, k->store);
  cell[8] = number(g->arena, k->load);
  cell[9] = number(g->arena, k->ideal);
  cell[10] = k->right ? "yes" : "no";
  if (k->right_pad >= 0) cell[11] = number(g->arena, k->right_pad);
  if (k->swizzle) cell[12] = k->swizzle;
}

/* Each rule has one row, with the figures of its costliest pitch. */
static void csv_rule(Cells *g, const PadRule *rule, int e) {
  const RuleVerdict *v = &rule->verdict[e];
  const char **cell = cells_add(g);
  cell[0] = "rule";
  cell[1] = rule->text;
  cell[2] = pads_element[e].name;
  cell[3] = number(g->arena, pads_element[e].bytes);
  cell[4] = cell[5] = "32";
  if (v->passed) cell[6] = number(g->arena, v->most - 32);
  if (v->passed) cell[8] = number(g->arena, v->wavefronts);
  cell[10] = is_right(v) ? "yes" : "no";
}

void pads_csv(const Pads *p, Text *out) {
  Cells g = cells_new(out->arena, csv_head, CSV_COLUMNS);
  for (int e = 0; e < PADS_ELEMENTS; e++)
    for (int i = 0; i < PADS_WIDTHS; i++) csv_minimal(&g, e, i, &p->minimal[e][i]);
  for (int i = 0; i < p->known; i++) csv_known(&g, &p->known_pad[i]);
  for (int r = 0; r < PADS_RULES; r++)
    for (int e = 0; e < PADS_ELEMENTS; e++) csv_rule(&g, &p->rule[r], e);
  cells_csv(&g, out);
}

static void json_minimal(Json *j, int e, int i, const MinimalPad *m) {
  json_line(j, NULL);
  json_string(j, "element", pads_element[e].name);
  json_int(j, "bytes", pads_element[e].bytes);
  json_int(j, "width", pads_width[i]);
  json_int(j, "pad", m->pad);
  json_int(j, "unpadded", m->unpadded);
  json_int(j, "ideal", m->ideal);
  json_end(j);
}

static void json_known(Json *j, const KnownPad *k) {
  json_line(j, NULL);
  json_string(j, "claim", k->text);
  json_string(j, "element", pads_element[k->element].name);
  json_int(j, "rows", k->rows);
  json_int(j, "width", k->width);
  json_int(j, "pad", k->pad);
  json_int(j, "store", k->store);
  json_int(j, "load", k->load);
  json_int(j, "ideal", k->ideal);
  json_bool(j, "right", k->right);
  if (k->right_pad >= 0)
    json_int(j, "right_pad", k->right_pad);
  else
    json_null(j, "right_pad");
  json_string(j, "swizzle", k->swizzle);
  json_end(j);
}

static void json_rule(Json *j, const PadRule *rule, int e) {
  const RuleVerdict *v = &rule->verdict[e];
  json_line(j, NULL);
  json_string(j, "rule", rule->text);
  json_string(j, "element", pads_element[e].name);
  json_bool(j, "right", is_right(v));
  json_int(j, "pitches", v->pitches);
  json_int(j, "passed_in_conflict", v->passed);
  json_int(j, "first", v->first);
  json_int(j, "costliest", v->most);
  json_int(j, "wavefronts", v->wavefronts);
  json_int(j, "refused_though_free", v->refused);
  json_int(j, "first_free", v->first_free);
  json_end(j);
}

void pads_json(const Pads *p, Text *out) {
  Json j = json_new(out);
  json_object(&j, NULL);
  json_int(&j, "version", 1);
  json_object(&j, "pads");
  json_array(&j, "minimal");
  for (int e = 0; e < PADS_ELEMENTS; e++)
    for (int i = 0; i < PADS_WIDTHS; i++) json_minimal(&j, e, i, &p->minimal[e][i]);
  json_end(&j);
  json_array(&j, "known");
  for (int i = 0; i < p->known; i++) json_known(&j, &p->known_pad[i]);
  json_end(&j);
  json_array(&j, "rules");
  for (int r = 0; r < PADS_RULES; r++)
    for (int e = 0; e < PADS_ELEMENTS; e++) json_rule(&j, &p->rule[r], e);
  json_ends(&j, 3);
}
