/* SPDX-License-Identifier: MIT */
#include "command/compare_report.h"

#include <stdlib.h>

#include "base/cells.h"
#include "base/json.h"
#include "command/compare.h"

enum { DEFAULT_PERCENT = 2 };

/* --- tables --- */

/* Orders changes that got worse first, and otherwise keeps the order of the reports. */
static int by_verdict(const void *a, const void *b) {
  const Change *x = *(const Change *const *)a, *y = *(const Change *const *)b;
  if (x->verdict != y->verdict) return (int)y->verdict - (int)x->verdict;
  return (x > y) - (x < y);
}

static const Change **sorted(const Comparison *c) {
  const Change **out = ARENA_ARRAY(c->arena, const Change *, (size_t)c->count + 1);
  for (int i = 0; i < c->count; i++) out[i] = &c->change[i];
  qsort(out, (size_t)c->count, sizeof *out, by_verdict);
  return out;
}

static Cells cells_of(const Comparison *c) {
  static const CellsColumn head[] = {{"verdict", "", true},
                                     {"of", "of", true},
                                     {"what", "what", true},
                                     {"was", "was", true},
                                     {"is", "is", true}};
  const Change **change = sorted(c);
  Cells g = cells_new(c->arena, head, 5);
  for (int i = 0; i < c->count; i++) {
    const char **cell = cells_add(&g);
    cell[0] = verdict_name[change[i]->verdict];
    cell[1] = change[i]->of;
    cell[2] = change[i]->what;
    cell[3] = change[i]->was;
    cell[4] = change[i]->is;
  }
  return g;
}

static void put_totals(const Comparison *c, Text *out) {
  text_printf(out, "%d compared: %d worse, %d better, %d changed otherwise\n", c->compared,
              c->of_verdict[CHANGE_WORSE], c->of_verdict[CHANGE_BETTER],
              c->of_verdict[CHANGE_OTHER]);
}

static void put_json(const Comparison *c, Text *out) {
  const Change **change = sorted(c);
  Json j = json_new(out);
  json_object(&j, NULL);
  json_int(&j, "version", 1);
  json_object(&j, "compare");
  json_int(&j, "compared", c->compared);
  for (int v = CHANGE_WORSE; v >= 0; v--) json_int(&j, verdict_name[v], c->of_verdict[v]);
  json_array(&j, "changes");
  for (int i = 0; i < c->count; i++) {
    json_line(&j, NULL);
    json_string(&j, "verdict", verdict_name[change[i]->verdict]);
    json_string(&j, "of", change[i]->of);
    json_string(&j, "what", change[i]->what);
    json_string(&j, "was", change[i]->was);
    json_string(&j, "is", change[i]->is);
    json_end(&j);
  }
  json_ends(&j, 3);
}

static void print_changes(Comparison *c, Text *out, Format format) {
  if (format == FORMAT_JSON) {
    put_json(c, out);
    return;
  }
  const Cells g = cells_of(c);
  if (format == FORMAT_CSV) {
    cells_csv(&g, out);
    return;
  }
  if (g.rows) (format == FORMAT_MARKDOWN ? cells_markdown : cells_print)(&g, out);
  if (g.rows) text_puts(out, "\n");
  put_totals(c, out);
}

/* --- the command --- */

int compare_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag) {
  (void)messages;
  if (o->spec.count != 1) {
    diag_say(diag, DIAG_ARGUMENT, "two reports are needed: kgen compare OLD.json NEW.json");
    return EXIT_USAGE;
  }
  const Yaml *was = compare_read(a, diag, o->compare, NULL);
  const Yaml *is = compare_read(a, diag, o->spec.item[0], NULL);
  if (!was || !is) return EXIT_USAGE;
  Comparison c =
      compare_reports(a, was, is, (o->tolerance < 0 ? DEFAULT_PERCENT : o->tolerance) / 100);
  if (o->format != FORMAT_TABLE || !o->quiet) print_changes(&c, data, o->format);
  return c.of_verdict[CHANGE_WORSE] ? EXIT_WRONG : 0;
}
